import type { Tool } from "../../catalog/define-tool.ts";
import type { Batch } from "../../contract/batch.ts";
import { type Account, NO_ACCOUNT } from "../../contract/gate/caller.ts";
import { makeRefusal, PLAN_PARTS, type PlanPart, type Refusal } from "../../contract/refusal.ts";
import { countList, type Refused } from "../../gate/admit-plan.ts";
import { bindPlan } from "../../gate/bind-plan.ts";
import type { Execution } from "../../gate/execution.ts";
import { canonicalJson } from "../../kit/json/canonical-json.ts";
import { attempt, err, ok, type Result } from "../../kit/result.ts";
import { describePlan, type PlanDescription } from "../../plan/describe-plan.ts";
import { resolveAliases } from "../../catalog/alias.ts";
import type { Plan } from "../../plan/step.ts";
import type { Answer } from "./answer.ts";

/** Answer with a plan that is not run. */
export async function showPlan(
  plan: Plan,
  execution: Execution,
  asked: Asked,
): Promise<Result<Answer, Refused>> {
  execution.watch?.enter("admit");
  const counted = await countList(execution);
  if (!counted.ok) return counted;
  seeUnrun("dry_run", plan, execution);
  const described = describePlan(bindPlan(plan, execution));
  const said = await attempt(() => sayReceipt(asked, plan, execution));
  if (!said.ok) return err({ refusal: UNREADABLE, quota: counted.value });
  const { receipt, changed } = said.value;
  const json = JSON.stringify({
    ...described,
    plan: { ...described.plan, receipt },
    ...(changed && { would_run: changed.length === 0, changed: [...changed] }),
  } satisfies PlanDescription);
  return ok({ json, quota: counted.value, replayed: false });
}

/** Tell of a batch of which nothing ran: its plan was asked for, or it has its answer already. */
export function seeUnrun(kind: "dry_run" | "replay", plan: Plan, execution: Execution): void {
  const { watch, origin, catalog, within } = execution;
  watch?.sawBatch({
    kind,
    plan,
    outcomes: [],
    batchId: null,
    durationMs: 0,
    maxParallelism: 0,
    degraded: false,
    origin,
    tool: within?.runOf?.tool,
    isTool: (name) => catalog.get(name) !== undefined,
  });
}

/** The parts of a batch that decide what runs. */
export interface Asked extends Pick<
  Batch,
  "entries" | "onError" | "keptAs" | "skipApproval" | "planReceipt"
> {
  /** The tool that the batch is, and its input. */
  readonly runOf?: readonly [name: string, input: unknown];
}

/** A plan as it is now: its digests, in the order of `PLAN_PARTS`, and the accounts that it would use. */
interface Looked {
  readonly digests: readonly string[];
  readonly ids: NonNullable<Account["ids"]>;
  /** Nothing of it would fail before it runs. */
  readonly isWhole: boolean;
}

/** Say of a plan that is only shown which receipt it has, and whether one that came with it is still good. Rejects where its accounts cannot be looked up. */
async function sayReceipt(
  asked: Asked,
  plan: Plan,
  execution: Execution,
): Promise<{ readonly receipt?: string; readonly changed?: readonly PlanPart[] }> {
  const { planReceipt } = asked;
  const looked = await look(asked, plan, execution);
  return {
    ...(looked.isWhole && { receipt: looked.digests.join(".") }),
    ...(planReceipt !== undefined && { changed: compare(planReceipt, looked) }),
  };
}

/**
 * Hold a batch to the plan that its receipt was given for: with the accounts of that plan, or to be refused once it is certain that its
 * key has no answer.
 */
export async function holdToReceipt(
  asked: Asked,
  plan: Plan,
  execution: Execution,
): Promise<Result<[plan: Plan, execution: Execution], Refused>> {
  const looked = await attempt(() => look(asked, plan, execution));
  // Nothing was asked of its keys: an earlier run under one may have sent it.
  const hasKeys = plan.steps.some(({ keyed }) => keyed !== undefined);
  const mayHaveBegun = hasKeys || execution.batchKey !== undefined;
  if (!looked.ok) return err({ refusal: UNREADABLE, quota: null, mayHaveBegun });
  const changed = compare(asked.planReceipt ?? "", looked.value);
  if (changed.length > 0) {
    const refusal = sayChanged(changed);
    // Its receipt may be of tools that this isolate has not heard of yet.
    const known = changed.includes("tools") && (await attempt(() => execution.currentCatalog(true)));
    const isNews = known && known.ok && known.value.version !== execution.catalog.version;
    if (isNews) return err({ refusal, quota: null, stale: true, mayHaveBegun });
    return ok([{ ...plan, refused: refusal }, execution]);
  }
  const { origin } = execution;
  const { account } = origin;
  if (account === undefined) return ok([plan, execution]);
  const used = Object.entries(looked.value.ids).filter(
    ([, id]) => account.parks !== true || id !== NO_ACCOUNT,
  );
  const ids = { ...Object.fromEntries(used), ...account.ids };
  return ok([plan, { ...execution, origin: { ...origin, account: { ...account, ids } } }]);
}

async function look(asked: Asked, plan: Plan, execution: Execution): Promise<Looked> {
  const { origin, ports, hooks } = execution;
  const { tenant, account } = origin;
  const tools = toolsOf(plan, execution);
  const ids = (await hooks?.accountIds?.(tools, execution)) ?? {};
  const hashOf = hooks?.beforeStep?.hashOf ?? hashContract;
  const declared = tools.map(async (tool) => [tool.name, await hashOf(tool, ports.sha256)] as const);
  const sorted = (await Promise.all(declared)).sort(([one], [other]) => (one < other ? -1 : 1));
  const parts = [toActions(asked, account), sorted, ids];
  const digests = parts.map((part) => ports.sha256(canonicalJson([tenant, account?.subject ?? null, part])));
  const { steps } = bindPlan(plan, execution);
  const isWhole = steps.every(({ task, partly }) => task.ok && partly === undefined);
  return { digests: await Promise.all(digests), ids, isWhole };
}

function toActions({ entries, onError, keptAs, skipApproval, runOf }: Asked, account?: Account): object {
  const actions = entries.map(({ id, tool, action }) => {
    if (!action.ok) return { id, tool };
    const { mayRefer: _, mayMistake: _1, select: _2, keyed, ...said } = action.value;
    return { id, ...said, key: keyed?.key };
  });
  const { subject: _, digest: _1, site: _2, ids: _3, ...chosen } = account ?? ({} as Partial<Account>);
  return { actions, onError, keptAs, skipApproval, runOf, chosen };
}

/** The tools that a plan calls, those inside of its batches among them. */
function toolsOf({ steps }: Plan, { catalog }: Execution): readonly Tool[] {
  const called = steps.flatMap(({ task }): readonly Tool[] => {
    if (!task.ok) return [];
    const { tool } = task.value;
    const inside = resolveAliases(tool.inner?.batch.entries ?? []).flatMap(
      ({ action }) => (action.ok ? catalog.callable(action.value.tool) : undefined) ?? [],
    );
    return [tool, ...inside];
  });
  return [...new Set(called)];
}

/** A tool with which the plan cannot run any more has changed as well, whatever its declaration says. */
function compare(receipt: string, { digests, isWhole }: Looked): readonly PlanPart[] {
  const agreed = receipt.split(".");
  const changed = PLAN_PARTS.filter((_, at) => digests[at] !== agreed[at]);
  return changed.length > 0 || isWhole ? changed : ["tools"];
}

function sayChanged(changed: readonly PlanPart[]): Refusal {
  const hint = `Since plan_receipt was given its ${changed.join(" and ")} changed; nothing ran. Ask for the plan with dry_run, and send its receipt.`;
  return makeRefusal("PLAN_CHANGED", hint, { changed });
}

const UNREADABLE = makeRefusal(
  "UNAVAILABLE",
  "The accounts of the plan could not be looked up; nothing ran now. Send it again.",
  { retryAfterMs: 1_000 },
);

/** The hash of what a tool declares, where nothing asks people about it: its arguments are checked by the plan. */
function hashContract({ added, ...tool }: Tool, sha256: (text: string) => Promise<string>): Promise<string> {
  const { name, isWrite, hosts, orchestration } = tool;
  return sha256(added?.fingerprint ?? canonicalJson([name, isWrite, hosts, orchestration]));
}
