import { parseExact, type Written } from "../../../feature/schema.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { keepLog, untold } from "../action-content.ts";
import type { FoundRun } from "../run-log-methods.ts";
import type { TurnedJob } from "../turned-job.ts";
import type { KeptRun } from "../rerun/kept-run.ts";
import { sees } from "../see-run.ts";
import { sightOf } from "./open-log.ts";
import type { runSchema } from "./run-schemas.ts";

interface KeptBody extends Pick<Written<typeof runSchema>, "actions" | "model">, Pick<KeptRun, "plan"> {
  /** The part of what became of it that an export kept. */
  readonly after?: unknown;
  /** The lines of its jobs, and of its own attempts but the last one. */
  readonly lines?: readonly (NonNullable<Action["log"]>[number] & {
    readonly job: string;
    readonly of?: string;
  })[];
}

type Action = Written<typeof runSchema>["actions"][number];

/** Read the body of a run with the actions that a key may see, and the edges between those. */
export function readKeptRun(
  { run, body, jobs }: Pick<FoundRun, "run" | "body" | "jobs">,
  context: RequestContext,
): KeptBody {
  const { lines = [], ...kept } = parseExact(body) as KeptBody;
  const sight = { sight: sightOf(context) };
  const hidden = new Set(kept.actions.flatMap(({ id, private: isPrivate }) => (isPrivate ? id : [])));
  for (const { from, to } of kept.plan.edges) if (hidden.has(from)) hidden.add(to);
  const logOf = ({ id, items, data, job_id, log = [] }: Action): Pick<Action, "log"> => {
    const elements = items !== undefined && Array.isArray(data) ? (data as { job_id?: string }[]) : [];
    const jobs = [job_id, ...elements.map((element) => element.job_id)];
    const others = lines.flatMap(({ job, of, ...line }) =>
      (of === undefined ? jobs.includes(job) : job === run.job_id && of === id) ? line : [],
    );
    if (others.length === 0 || hidden.has(id)) return {};
    const all = [...log, ...untold(others, log)].sort((a, b) => a.at_ms - b.at_ms);
    return { log: keepLog(all).map(({ at_ms: at, text }) => ({ at_ms: Math.max(0, at), text })) };
  };
  const actions = kept.actions
    .filter(({ tool }) => sees(sight, tool))
    // They are for running it again.
    .map(({ call_key: _key, resolved: _resolved, accounts: _accounts, asked, ...action }) => ({
      ...action,
      ...(typeof asked === "string" && { tool: asked }),
      ...toEnd(jobs.find(({ job }) => job === action.job_id)),
      ...logOf(action),
    }));
  const ids = new Set(actions.map((action) => action.id));
  const edges = kept.plan.edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const { kept_as: keptAs, ...rule } = kept.plan;
  return { ...kept, plan: { ...rule, ...keptAs, edges }, actions };
}

/** Say of an action how its job ended, where that is otherwise than well. */
function toEnd(job: TurnedJob | undefined): Pick<Action, "error" | "in_doubt"> {
  const { code, inDoubt } = job ?? {};
  return { ...(code !== undefined && { error: { code } }), ...(inDoubt && { in_doubt: true }) };
}
