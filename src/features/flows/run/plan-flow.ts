import { mayDo } from "../../../feature/caller.ts";
import type { Catalog, Outcome } from "../../../feature/tool.ts";
import type { Batch } from "../../../core/contract/batch.ts";
import { catalogOfFlow, planKeptFlow } from "../declaration/plan-kept-flow.ts";
import { parseArgs } from "../../../core/catalog/parse-args.ts";
import { checkValue } from "../../../core/contract/check-value.ts";
import { toWireFailure } from "../../../core/contract/failure.ts";
import { err, type Failure, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { toHint } from "../../../core/contract/issues.ts";
import { type JsonObject, visibleText } from "../../../feature/schema.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import type { Plan } from "../../../core/plan/step.ts";
import { resolveAnswer } from "./run-flow.ts";

/** A flow that is asked to run by itself, and what it is run with. */
export interface FlowRun extends Pick<
  Batch,
  "callbackUrl" | "dryRun" | "maxTokens" | "planReceipt" | "skipApproval" | "tags" | "tellsStarts"
> {
  readonly name: string;
  readonly input: JsonObject;
  /** The flow's own unless given. */
  readonly deadlineMs?: number | undefined;
  /** Its actions that wait until accounts are connected. */
  readonly held?: Plan["held"];
}

/** The batch that a flow is, planned with an input, and what its answer is made of. */
export interface PlannedFlow {
  readonly plan: Plan;
  readonly answer: unknown;
  /** The tools that it sees. */
  readonly catalog: Catalog;
}

/**
 * Plan a flow with an input. Refused, and nothing runs, where the input does not fit the flow's schema and where the flow cannot
 * run as it was kept, and where the key has no flow of that name.
 */
export function planFlowRun(
  { name, input, deadlineMs, maxTokens, dryRun, skipApproval, tags = [], tellsStarts, held }: FlowRun,
  { catalog, caller }: Pick<Execution, "catalog" | "caller">,
): Result<PlannedFlow, Refusal> {
  const tool = catalog.get(name);
  if (tool?.inner === undefined) return err(noFlow(name));
  const { batch, answer } = tool.inner;
  // An input obeys the rules of an action's arguments: the flow as a tool refuses the same.
  const exact = checkValue(input, ["input"]);
  if (!exact.ok) return err(makeRefusal("INVALID_REQUEST", toHint([exact.error]), { issue: exact.error }));
  const checked = parseArgs(tool, input);
  if (!checked.ok) return err(refuseInput(checked.error));
  const own = { maxTokens, dryRun, skipApproval, deadlineMs: deadlineMs ?? batch.deadlineMs };
  const maySkipApproval = mayDo(caller, "skip_approval");
  const plan = planKeptFlow(tool, catalog, { input, asked: own, maySkipApproval, held });
  if (!plan.ok) return err(makeRefusal("FLOW_BROKEN", plan.error));
  const told = { ...(tags.length > 0 && { tags }), ...(tellsStarts && { tellsStarts }) };
  const tagged = { ...plan.value, ...told };
  return ok({ plan: tagged, answer, catalog: catalogOfFlow(tool, catalog) });
}

/** Say that a key has no flow of a name: the same whether there is none or it is another's. */
export function noFlow(name: string): Refusal {
  return makeRefusal(
    "NOT_FOUND",
    `There is no flow named '${visibleText(name)}'; GET /v1/flows lists those that there are.`,
  );
}

function refuseInput({ issues = [], hint = "" }: Failure): Refusal {
  const [issue] = issues.map(({ path, ...said }) => ({ ...said, path: path.replace(/^\/args/, "/input") }));
  return makeRefusal("INVALID_REQUEST", issue === undefined ? hint : toHint([issue]), {
    ...(issue && { issue }),
  });
}

/** Put the answer of a flow beside its envelope: its value, or why there is none; nothing where the flow says none. */
export function withAnswer(
  envelope: string,
  answer: unknown,
  { plan, outcomes }: { readonly plan: Plan; readonly outcomes: readonly Outcome[] },
): string {
  if (answer === undefined) return envelope;
  const resolved = resolveAnswer(answer, plan, outcomes);
  const said = resolved.ok
    ? `"answer":${JSON.stringify(resolved.value)}`
    : `"answer_error":${JSON.stringify(toWireFailure(resolved.error))}`;
  return `${envelope.slice(0, -1)},${said}}`;
}
