import type { AnsweredQuestion } from "../../../turns/decide-reply.ts";
import type { DoneLoop } from "../../../core/gate/execution.ts";
import { ASKED_ELEMENT, type BegunElement } from "../../../core/plan/step.ts";
import type { Tool } from "../../../feature/tool.ts";
import { leavesInDoubt } from "../../../core/contract/outcome.ts";
import { parseExact } from "../../../feature/schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import type { TurnedJob } from "../turned-job.ts";
import { type EarlierRerun, type KeptAction, type KeptRun, pick, withoutKey } from "./kept-run.ts";
import { readResults } from "./left-by-job.ts";

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
  /** One that asks was sent before, or may have been; without this, its question had no yes that is known of. */
  readonly wasSent?: boolean;
  /** Its key may not see it: it is here for those that wait for it, and is no result. */
  readonly isHidden?: true;
  /** The key that the upstream of an action that was a job knows it by. */
  readonly jobKey?: string;
  /** Its job can be redriven, and is left to that. */
  readonly deadJob?: string;
  /** Where the elements are that are done or in doubt, of a loop of which all others certainly did not happen. */
  readonly loop?: LoopRows;
  /** The elements of its loop that are done or may have happened; all others certainly did not happen. */
  readonly elements?: readonly (BegunElement | undefined)[];
}

/** The job that has a row of each element of a loop. */
export type LoopRows = Omit<DoneLoop, "id">;

export interface DecideOptions {
  /** The actions of the run, in the order of their batch. */
  readonly actions: readonly KeptAction[];
  /** The edges of its plan, with their reasons. */
  readonly edges?: KeptRun["plan"]["edges"];
  /** Whether the key may see one; all where it is not said. */
  readonly sees?: (action: KeptAction) => boolean;
  readonly earlier: readonly EarlierRerun[];
  /** Leave alone what succeeded, reads too. */
  readonly onlyFailed: boolean;
  readonly toolOf: (name: string) => Tool | undefined;
  /** The questions that its actions waited for, as they are by now; null of one that is not kept any more. */
  readonly questions?: Questions;
  /** The jobs of all these runs that are in trouble, as far as that is known by now. */
  readonly jobs?: readonly TurnedJob[] | undefined;
  /** Finds the elements that a run has done of a loop; undefined where they are not kept. */
  readonly loopOf?: (run: string, id: string) => LoopRows | undefined;
  /** Counts the elements of a loop, by what the run has kept; undefined where they are not kept, or are no request's to send. */
  readonly countOf?: (action: KeptAction) => number | undefined;
}

export type Questions = ReadonlyMap<string, AnsweredQuestion | null>;

/**
 * Decide what becomes of every action, so that no write is sent a second time unless a person says yes: a write that succeeded is
 * answered, one whose end is not certain asks. The last rerun that set out to send a write knows what became of it; where that one
 * has left no record, nothing is certain.
 *
 * @returns the ids of actions that would have to run, and of which not all is kept
 */
export function decideRerun({
  actions,
  edges = [],
  earlier,
  onlyFailed,
  toolOf,
  sees = () => true,
  questions = new Map(),
  jobs = [],
  loopOf = () => undefined,
  countOf = () => undefined,
}: DecideOptions): Result<readonly Fate[], readonly string[]> {
  const troubled = new Map(jobs.map((job) => [job.job, job]));
  const lasts = new Map<string, KeptAction>();
  const decided = actions.map((own): Fate => {
    const { told, ranBy, whole } = lastOf(own, earlier, questions);
    if (!sees(own)) return hide(told ?? own);
    const last = told && asJobsEnded(told, troubled);
    if (last !== null) lasts.set(own.id, last);
    const edited = asDecided(own, [...earlier, { writes: [], actions: last === null ? null : [last] }]);
    const action = [own, ...ranOf(own, earlier)].some(wasSent) ? withoutKey(edited) : edited;
    const tool = toolOf(action.tool);
    // A tool that is not there any more may have been a write.
    const isWrite = action.call_key !== undefined || tool?.isWrite !== false;
    if (last === null) return { kind: "ask", action, wasSent: true };
    const job = troubled.get(last.job_id ?? "");
    if (isWrite && job?.status === "dead") return { kind: "answer", action: last, deadJob: job.job };
    const question = last.confirmation && questions.get(last.confirmation.id);
    if (question?.status === "pending") return { kind: "answer", action: last };
    // A read can be had again where its result was not kept.
    const isKept = isWrite || last.data !== undefined || !isWhole(action);
    const partly = isWrite && tool?.execution === "sync" && isPartly(last, tool) && isWhole(action);
    const loop = partly ? loopOf(ranBy ?? "", own.id) : undefined;
    if (loop !== undefined) return { kind: "run", action, loop };
    const kept = isPending(last) ? whole : last;
    const isLast = kept === last;
    const elements = isWrite && kept && tool && isWhole(action) ? elementsOf(kept, tool, isLast) : undefined;
    if (elements !== undefined && elements.length === countOf(action))
      return { kind: "run", action, elements };
    if (isDone(last) && (isWrite || (onlyFailed && isKept))) return { kind: "answer", action: last };
    if (wasRefused(action)) return { kind: "stay", action };
    const jobKey = [own, ...ranOf(own, earlier)].find((ran) => ran.job_id !== undefined)?.job_id;
    if (!isWrite || !needsYes(last, tool))
      return { kind: "run", action, ...(jobKey !== undefined && { jobKey }) };
    return { kind: "ask", action, wasSent: !isPending(last) || mayBeUnderWay(question) };
  });
  const fates = holdLists(decided, edges, lasts);
  const broken = fates.flatMap(({ kind, action }) =>
    kind === "answer" || kind === "stay" || isWhole(action) ? [] : [action.id],
  );
  return broken.length === 0 ? ok(fates) : err(broken);
}

/** Have a loop that goes on go over what it went over before; where that is not kept, a person is asked about all of it. */
function holdLists(
  fates: readonly Fate[],
  edges: KeptRun["plan"]["edges"],
  lasts: ReadonlyMap<string, KeptAction>,
): readonly Fate[] {
  const listsOf = ({ loop, action }: Fate): readonly string[] =>
    loop === undefined
      ? []
      : edges.flatMap(({ from, to, reason }) => (to === action.id && reason === "reference" ? [from] : []));
  const isKept = (id: string): boolean => lasts.get(id)?.data !== undefined;
  const lists = new Set(fates.flatMap(listsOf).filter(isKept));
  return fates.map((fate): Fate => {
    const { kind, action } = fate;
    if (!listsOf(fate).every(isKept)) return { kind: "ask", action, wasSent: true };
    return kind === "run" && lists.has(action.id) ? { kind: "answer", action: lasts.get(action.id)! } : fate;
  });
}

/** An action counts as it ended for those that wait for it, also where its key may not see it. Nothing of its data is given to them. */
function hide(kept: KeptAction): Fate {
  const { data: _, ...action } = kept;
  return { kind: isDone(action) ? "answer" : "stay", action, isHidden: true };
}

const NO_RESULTS = '{"results":[]}';

/** The last run that may have sent an action, where that is a rerun, and what it says of it; null where that is not known. */
interface LastWord {
  readonly told: KeptAction | null;
  readonly ranBy?: string | undefined;
  /** The last that is known of its data. */
  readonly whole?: KeptAction | null | undefined;
}

/**
 * Find what the last run that may have sent an action says of it. A rerun that set out to and came to nothing,
 * because another action failed first, knows nothing of what was sent before it.
 */
function lastOf(action: KeptAction, earlier: readonly EarlierRerun[], questions: Questions): LastWord {
  const reruns = earlier.filter(({ writes }) => writes.includes(action.id));
  const words = reruns.map(({ run, actions }): LastWord => {
    const kept = actions?.find(({ id }) => id === action.id);
    const told = kept === undefined ? null : asAnswered(kept, questions);
    // The job has no rows of a loop that ran as a whole on the strength of a yes.
    const isByRows = told === kept || isAboutElements(questions.get(kept?.confirmation?.id ?? ""), action);
    return { told, ...(isByRows && { ranBy: run }) };
  });
  const all = [{ told: asAnswered(action, questions) }, ...words];
  const last = all.findLast(({ told }) => told === null || !sentNothing(told)) ?? all.at(-1)!;
  return { ...last, whole: all.findLast(({ told }) => told?.data !== undefined)?.told };
}

/** Read an action as its question has ended: the run of the yes may not be recorded yet, or was lost with its isolate. */
function asAnswered(action: KeptAction, questions: Questions): KeptAction {
  const question = questions.get(action.confirmation?.id ?? "");
  const results = question?.status === "done" ? readResults(question.answerJson ?? NO_RESULTS) : [];
  const said = results.find(({ id }) => id === action.id);
  if (said === undefined) return action;
  const { confirmation: _, ...waited } = action;
  const edited = question?.decided?.args?.[action.id];
  const decided = edited === undefined ? {} : ({ args: edited, resolved: true } as const);
  return { ...waited, ...said, ...decided };
}

/** Whether a question was about some elements of a loop, where the others had ended. */
function isAboutElements(question: AnsweredQuestion | null | undefined, { id }: KeptAction): boolean {
  const { actions } = parseExact(question?.groupJson ?? '{"actions":[]}') as KeptGroup;
  return actions.find((asked) => asked.id === id)?.begun?.kind === "loop";
}

interface KeptGroup {
  readonly actions: readonly { readonly id: string; readonly begun?: { readonly kind: string } }[];
}

/** Whether it is certain that a run sent nothing for an action. */
function sentNothing({ status, attempts = 0, in_doubt: inDoubt, data, items, error }: KeptAction): boolean {
  if (status === "skipped") return true;
  const isUntouched = attempts === 0 && inDoubt !== true && data === undefined && items === undefined;
  return status === "error" && isUntouched && error?.code !== "OUTBOX_UNAVAILABLE";
}

/** Whether a service answered an action, or may have heard of it: its own idempotency key stands for how that ended. */
function wasSent(action: KeptAction): boolean {
  const { job_id: job, error, replayed = false } = action;
  // A run that was only told of a refusal does not know what has come of it since.
  return job !== undefined || (error?.upstream_status !== undefined && !replayed) || isInDoubt(action);
}

/** Whether somebody said yes to a question, and how that ended is not known. */
function mayBeUnderWay(question: AnsweredQuestion | null | undefined): boolean {
  if (question === undefined) return false;
  return question === null || question.status === "running" || question.status === "done";
}

/** Read an action that became jobs as all of those have failed since; as it was told while one of them has not. */
function asJobsEnded(told: KeptAction, troubled: ReadonlyMap<string, TurnedJob>): KeptAction {
  const entries = told.items !== undefined && Array.isArray(told.data) ? told.data : [told];
  const ended = entries.map(({ status, job_id: id }: KeptAction) =>
    status === "initiated" && id !== undefined ? troubled.get(id) : undefined,
  );
  const isOver = ended.length > 0 && ended.every((job) => job !== undefined && job.status !== "dead");
  if (!isOver) return told;
  const { job_id: _, data: __, items: ___, ...action } = told;
  const inDoubt = ended.some((job) => job?.inDoubt);
  const error = { code: ended[0]?.code ?? "INTERNAL" };
  return { ...action, status: "error", attempts: 1, error, ...(inDoubt && { in_doubt: true as const }) };
}

function ranOf({ id }: KeptAction, earlier: readonly EarlierRerun[]): readonly KeptAction[] {
  return earlier.flatMap(({ actions }) => actions?.find((one) => one.id === id) ?? []);
}

/** Take the arguments of an action from the last run that had any: a person may have written others in between. */
function asDecided(action: KeptAction, earlier: readonly EarlierRerun[]): KeptAction {
  const decided = ranOf(action, earlier).findLast((one) => one.args !== undefined || isLeftOut(one));
  if (decided === undefined) return action;
  const { args: _, with: __, resolved: ___, cut: ____, redacted: _____, private: ______, ...own } = action;
  return { ...own, ...pick(decided, ["args", "with", "resolved", "cut", "redacted", "private"]) };
}

/** Whether arguments were there and are not kept. */
function isLeftOut({ cut = [], redacted = [], private: isPrivate }: KeptAction): boolean {
  return isPrivate === true || cut.includes("args") || redacted.includes("args");
}

function isPending({ status }: KeptAction): boolean {
  return status === "pending_confirmation";
}

function isDone({ status }: KeptAction): boolean {
  return status === "success" || status === "initiated";
}

/** Whether nothing was ever called for an action: it had no arguments that fit. */
function wasRefused(action: KeptAction): boolean {
  const { status, args, attempts, error } = action;
  return (
    status === "error" &&
    args === undefined &&
    attempts === undefined &&
    !isLeftOut(action) &&
    error?.message !== undefined
  );
}

/** Whether a write that did not succeed may have happened, in whole or in part, and its tool does not say that it may be repeated. */
function needsYes(action: KeptAction, tool: Tool | undefined): boolean {
  const { status, error, data, items, attempts = 0 } = action;
  if (status === "skipped") return false;
  if (status === "pending_confirmation") return true;
  // Elements of a loop were done; a batch inside may have done something before it failed; a job may be recorded.
  const isPart = data !== undefined || (items?.ok ?? 0) > 0;
  const isInside = tool?.inner !== undefined && attempts > 0;
  if (isPart || isInside || error?.code === "OUTBOX_UNAVAILABLE") return true;
  // Sent again, it has the key of its first attempt.
  return isInDoubt(action) && tool?.idempotent !== true;
}

/**
 * Read what became of each element of a loop that is not done as a whole; undefined where that is not kept.
 *
 * @param isLast nothing of it was sent since: a rerun that asks has sent what failed before
 */
function elementsOf(
  { data, items, with: { select } = {} }: KeptAction,
  { execution, inner, idempotent }: Tool,
  isLast: boolean,
): Fate["elements"] {
  const isKept = Array.isArray(data) && data.length === items?.total && select === undefined;
  if (!isKept || items?.ok === data.length || execution !== "sync" || inner !== undefined) return undefined;
  return (data as KeptAction[]).map((element) => {
    const json = JSON.stringify(element.data);
    if (isDone(element))
      return { kind: "over", outcomeJson: `{"status":"success","json":${JSON.stringify(json)},"meta":{}}` };
    const attempts = element.error?.upstream_status === undefined ? 0 : 1;
    return !idempotent && (!isLast || isInDoubt({ ...element, attempts })) ? ASKED_ELEMENT : undefined;
  });
}

/** Whether some elements of a loop are not done; of a batch inside, which may have done something before it failed, where others are. */
function isPartly(action: KeptAction, { inner }: Tool): boolean {
  const { ok: done, total } = action.items ?? { ok: 0, total: 0 };
  return done < total && (inner === undefined || (done > 0 && !isInDoubt(action)));
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
