import type { Tool } from "../../../core/catalog/define-tool.ts";
import { leavesInDoubt } from "../../../core/contract/outcome.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import type { EarlierRerun, KeptAction } from "./kept-run.ts";

/**
 * The fate of an action when its run is run again.
 *
 * - `answer`: it is not run; what an earlier run kept of it is its result, be that a question which is open still.
 * - `ask`: it may have happened, so a person says yes first.
 * - `run`: it certainly did not happen, or may happen again.
 * - `stay`: it was refused before it began, and would be again; what needs it is skipped.
 */
export interface Fate {
  readonly kind: "answer" | "ask" | "run" | "stay";
  readonly action: KeptAction;
  /** One that asks was sent before; without this, its question had no yes that is known of. */
  readonly wasSent?: boolean;
}

export interface DecideOptions {
  /** The actions that the key may see, in the order of their batch. */
  readonly actions: readonly KeptAction[];
  readonly earlier: readonly EarlierRerun[];
  /** Leave alone what succeeded, reads too. */
  readonly onlyFailed: boolean;
  readonly toolOf: (name: string) => Tool | undefined;
  /** The questions that a person may still decide. */
  readonly open?: ReadonlySet<string>;
}

/**
 * Decide what becomes of every action, so that no write is sent a second time unless a person says yes: a write that succeeded is
 * answered, one whose end is not certain asks. The last rerun that set out to send a write knows what became of it; where that one
 * has left no record, nothing is certain.
 *
 * @returns the ids of actions that would have to run, and of which not all is kept
 */
export function decideRerun({
  actions,
  earlier,
  onlyFailed,
  toolOf,
  open = new Set(),
}: DecideOptions): Result<readonly Fate[], readonly string[]> {
  const fates = actions.map((action): Fate => {
    const tool = toolOf(action.tool);
    // A tool that is not there any more may have been a write.
    const isWrite = action.call_key !== undefined || tool?.isWrite !== false;
    const last = lastOf(action, earlier);
    if (last === null) return { kind: "ask", action, wasSent: true };
    if (last.confirmation !== undefined && open.has(last.confirmation.id))
      return { kind: "answer", action: last };
    // A read can be had again where its result was not kept.
    const isKept = isWrite || last.data !== undefined || !isWhole(action);
    if (isDone(last) && (isWrite || (onlyFailed && isKept))) return { kind: "answer", action: last };
    if (wasRefused(action)) return { kind: "stay", action };
    if (!isWrite || !needsYes(last, tool)) return { kind: "run", action };
    return { kind: "ask", action, wasSent: last.status !== "pending_confirmation" };
  });
  const broken = fates.flatMap(({ kind, action }) =>
    kind === "answer" || kind === "stay" || isWhole(action) ? [] : [action.id],
  );
  return broken.length === 0 ? ok(fates) : err(broken);
}

/** Find what the last run that had an action says of it; null where that is not known. */
function lastOf(action: KeptAction, earlier: readonly EarlierRerun[]): KeptAction | null {
  const last = earlier.findLast(({ writes }) => writes.includes(action.id));
  if (last === undefined) return action;
  return last.actions?.find(({ id }) => id === action.id) ?? null;
}

function isDone({ status }: KeptAction): boolean {
  return status === "success" || status === "initiated";
}

/** Whether nothing was ever called for an action: it had no arguments that fit. */
function wasRefused({ status, args, attempts, cut = [], redacted = [], ...kept }: KeptAction): boolean {
  const isLeftOut = kept.private === true || cut.includes("args") || redacted.includes("args");
  return (
    status === "error" &&
    args === undefined &&
    attempts === undefined &&
    !isLeftOut &&
    kept.error?.message !== undefined
  );
}

/** Whether a write that did not succeed may have happened, in whole or in part, and its tool does not say that it may be repeated. */
function needsYes(action: KeptAction, tool: Tool | undefined): boolean {
  const { status, error, data, items, attempts = 0 } = action;
  if (status === "skipped") return false;
  if (status === "pending_confirmation") return true;
  // Elements of a loop were done; a batch inside may have done something before it failed; a job may be recorded.
  const isPart = data !== undefined || (items?.ok ?? 0) > 0;
  const isInside = tool?.flow !== undefined && attempts > 0;
  if (isPart || isInside || error?.code === "OUTBOX_UNAVAILABLE") return true;
  // Sent again, it has the key of its first attempt.
  return isInDoubt(action) && tool?.idempotent !== true;
}

function isInDoubt({ status, in_doubt: inDoubt, error, attempts = 0 }: KeptAction): boolean {
  // An earlier version did not say so of an answer of 408 or 5xx.
  const isOld = attempts > 0 && leavesInDoubt(error?.upstream_status ?? 0);
  return status === "unknown" || inDoubt === true || isOld;
}

/** Whether everything is kept that an action was sent with. */
function isWhole({ args, round, cut = [], redacted = [] }: KeptAction): boolean {
  const changed = [...cut, ...redacted];
  return args !== undefined && round === undefined && !changed.includes("args") && !changed.includes("with");
}
