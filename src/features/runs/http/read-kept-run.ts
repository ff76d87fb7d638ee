import { parseExact } from "../../../core/contract/json.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import type { Written } from "../../../core/contract/lazy-schema.ts";
import type { FoundRun } from "../run.ts";
import type { TurnedJob } from "../turned-job.ts";
import { sees } from "../see-run.ts";
import { sightOf } from "./open-log.ts";
import type { runSchema } from "./run-schemas.ts";

interface KeptBody extends Pick<Written<typeof runSchema>, "plan" | "actions" | "model"> {
  /** The part of what became of it that an export kept. */
  readonly after?: unknown;
}

/** Read the body of a run with the actions that a key may see, and the edges between those. */
export function readKeptRun(
  { body, jobs }: Pick<FoundRun, "body" | "jobs">,
  context: RequestContext,
): KeptBody {
  const kept = parseExact(body) as KeptBody;
  const sight = { sight: sightOf(context) };
  const actions = kept.actions
    .filter(({ tool }) => sees(sight, tool))
    // They are for running it again.
    .map(({ call_key: _key, resolved: _resolved, accounts: _accounts, asked, ...action }) => ({
      ...action,
      ...(typeof asked === "string" && { tool: asked }),
      ...toEnd(jobs.find(({ job }) => job === action.job_id)),
    }));
  const ids = new Set(actions.map((action) => action.id));
  const edges = kept.plan.edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  return { ...kept, plan: { edges }, actions };
}

/** Say of an action how its job ended, where that is otherwise than well. */
function toEnd(job: TurnedJob | undefined): Pick<KeptBody["actions"][number], "error" | "in_doubt"> {
  const { code, inDoubt } = job ?? {};
  return { ...(code !== undefined && { error: { code } }), ...(inDoubt && { in_doubt: true }) };
}
