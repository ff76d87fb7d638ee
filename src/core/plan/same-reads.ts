import type { Tool } from "../catalog/define-tool.ts";
import { canonicalKey } from "../kit/json/canonical-json.ts";
import type { Call, Plan, Step } from "./step.ts";

/**
 * Name what a read asks for: two calls of one tool with the same key ask the same. By what its schema made of the
 * arguments, so that a default that was written out changes nothing; by what was sent where that is no plain JSON.
 */
export function readKey({ tool, input, args }: Call): string {
  // A tool that was replaced asks something else.
  const name = tool.added === undefined ? tool.name : `${tool.name} ${tool.added.fingerprint}`;
  const parsed = canonicalKey(args);
  return parsed === null ? `${name} sent ${canonicalKey(input)}` : `${name} ${parsed}`;
}

/** Name what a read asks for and how long it waits for it: only then can one call stand for another. */
export function sharedKey(call: Call): string {
  return `${call.timeoutMs} ${readKey(call)}`;
}

/** Which reads of a plan may be asked for more than once. */
export interface Repeats {
  /** Tools whose calls are known only while the batch runs: by a reference, or by a loop. */
  readonly open: ReadonlySet<Tool>;
  /** Calls that are known beforehand to be asked for again. */
  readonly keys: ReadonlySet<string>;
}

/** A batch inside that may have to ask a person while it runs asks for one call. */
function isShareable({ isWrite, inner, confirm }: Tool): boolean {
  return !isWrite && !(inner !== undefined && confirm);
}

/** Whether no two calls are the same because one of their arguments differs in all, and all are flat: that is seen without a key for each. */
function differPlainly(calls: readonly Call[]): boolean {
  const all = calls.map(({ args }) => args).filter(isFlat);
  const [first = {}, second = {}] = all;
  const name = Object.keys(first).find((key) => first[key] !== second[key]);
  return name !== undefined && new Set(all.map((args) => args[name])).size === calls.length;
}

function isFlat(args: unknown): args is Readonly<Record<string, unknown>> {
  return typeof args === "object" && args !== null && Object.values(args).every(isPlain);
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/**
 * Find the steps that the caller ordered after a write, of whatever domain: what they read is the state after it, which no other
 * call tells.
 */
export function findAfterWrites({ steps }: Pick<Plan, "steps">): ReadonlySet<number> {
  const found = new Set<number>();
  const isWrite = ({ task }: Step): boolean => task.ok && task.value.tool.isWrite;
  if (!steps.some(isWrite)) return found;
  const needing: number[][] = steps.map(() => []);
  for (const { index, needs } of steps) for (const needed of needs) needing[needed]!.push(index);
  const open = steps.filter(isWrite).flatMap(({ index }) => needing[index]!);
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (found.has(index)) continue;
    found.add(index);
    open.push(...needing[index]!);
  }
  return found;
}

/** Find the reads of a plan that one call may answer more than once; null when there are none. */
export function findRepeats(plan: Plan, afterWrites = findAfterWrites(plan)): Repeats | null {
  const { steps, sharesReads } = plan;
  const asked = steps.flatMap(({ index, task }) =>
    task.ok && isShareable(task.value.tool) && !afterWrites.has(index) ? [task.value] : [],
  );
  if (!sharesReads) return null;
  const open = new Set<Tool>();
  const keys = new Set<string>();
  for (const [tool, tasks] of Map.groupBy(asked, (task) => task.tool)) {
    if (tasks.length === 1 && tasks[0]!.forEach === undefined) continue;
    const calls = tasks.flatMap(({ call }) => call ?? []);
    if (calls.length < tasks.length) open.add(tool);
    else if (!differPlainly(calls))
      for (const [key, same] of Map.groupBy(calls, sharedKey)) if (same.length > 1) keys.add(key);
  }
  return open.size === 0 && keys.size === 0 ? null : { open, keys };
}

/**
 * Find the reads of a plan that are certain to be answered by an earlier one's call (later → first), among those that
 * `concerns` is true of.
 *
 * Certain is only what is known before anything runs: arguments without references, and no sync write of the domain
 * anywhere in the plan, after which the same question must be asked again.
 */
export function findSameReads(plan: Plan, concerns: (tool: Tool) => boolean): ReadonlyMap<number, number> {
  const same = new Map<number, number>();
  if (!plan.sharesReads) return same;
  const first = new Map<string, number>();
  const afterWrites = findAfterWrites(plan);
  for (const { index, parking, keyed, task } of plan.steps) {
    // A step that waits for a person is not called in this batch, and one with an idempotency key may have its result already:
    // neither answers another step.
    if (parking !== null || keyed !== undefined || afterWrites.has(index)) continue;
    if (!task.ok || task.value.call === null || task.value.tool.isWrite || !concerns(task.value.tool))
      continue;
    const { call, tool } = task.value;
    if (isWritten(plan, tool.domain)) continue;
    const key = sharedKey(call);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, index);
    else same.set(index, earlier);
  }
  return same;
}

function isWritten({ steps }: Plan, domain: string): boolean {
  return steps.some(
    ({ task }) =>
      task.ok &&
      task.value.tool.isWrite &&
      task.value.tool.execution === "sync" &&
      task.value.tool.domain === domain,
  );
}
