import { parseCall } from "../catalog/parse-args.ts";
import { checkResolved, mostElements, tooManyElements } from "../contract/action.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { describe, toMisfit } from "../contract/issues.ts";
import { isJsonObject } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { ITEM } from "../contract/reference.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { ARGS, charge, type DataOf, LOOP, resolveReferences, Room } from "./references.ts";
import type { Call, Task } from "./step.ts";

/** The calls of a step once all its references are resolved: one call, or one for each element. */
export type Prepared =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "loop"; readonly calls: readonly Result<Call, Failure>[] };

/**
 * Look up what a task refers to and check the arguments that result. A loop is bounded before any of it is prepared; an
 * element whose arguments are wrong fails alone.
 */
export function prepareTask(task: Task, dataOf: DataOf, room: Room = new Room()): Result<Prepared, Failure> {
  if (task.call !== null) return ok({ kind: "call", call: task.call });
  if (task.calls !== undefined) return ok({ kind: "loop", calls: task.calls });
  if (task.forEach === undefined) {
    const call = prepareCall(task, dataOf, room);
    return call.ok ? ok({ kind: "call", call: call.value }) : call;
  }
  const elements = resolveLoop(task.forEach, dataOf, room);
  if (!elements.ok) return elements;
  if (!Array.isArray(elements.value)) {
    const received = describe(elements.value);
    const issue = { path: "/for_each", expected: "an array", received };
    const hint = `for_each must be an array, and what it refers to is ${received}.`;
    return err(makeFailure("INVALID_ARGS", { issues: [issue], hint }));
  }
  if (elements.value.length > mostElements(task)) return err(tooManyElements(elements.value.length, task));
  const calls = elements.value.map((data: unknown) =>
    prepareCall(task, (id) => (id === ITEM ? { data } : dataOf(id)), room),
  );
  return ok({ kind: "loop", calls });
}

/** Look up what a call's arguments refer to and hold what results to all that arguments are held to when they are sent. */
export function prepareCall(
  { tool, input, timeoutMs, callback, runAt }: Task,
  dataOf: DataOf,
  room: Room,
): Result<Call, Failure> {
  const before = room.bytes;
  const resolved = resolveReferences(input, dataOf, { ...ARGS, room });
  if (!resolved.ok) return resolved;
  // The arguments as a whole may be one reference, and what it stands for anything.
  if (!isJsonObject(resolved.value)) {
    const issue = { path: "/args", expected: "an object", received: describe(resolved.value) };
    return err(makeFailure("INVALID_ARGS", toMisfit(issue)));
  }
  const checked = checkResolved(resolved.value);
  if (!checked.ok) return checked;
  const bytes = checked.value;
  // The inserted values are paid for; the text around them is sent once and made for every element of a loop.
  const charged = charge(Math.max(0, bytes - (before - room.bytes)), room, null);
  if (!charged.ok) return charged;
  if (room.issues <= 0 && bytes > LIMITS.smallArgsBytes)
    return err(makeFailure("INVALID_ARGS", { hint: TOO_MUCH_WRONG }));
  const parsed = parseCall(tool, resolved.value, { room, isForeign: true });
  return parsed.ok ? ok({ tool, ...parsed.value, timeoutMs, callback, runAt }) : parsed;
}

/** A loop over another's data takes the data as it is; an array written out is bounded by the body it came in. */
function resolveLoop(forEach: unknown, dataOf: DataOf, room: Room): Result<unknown, Failure> {
  const limitBytes = Array.isArray(forEach) ? LOOP.limitBytes : Number.POSITIVE_INFINITY;
  return resolveReferences(forEach, dataOf, { ...LOOP, limitBytes, room });
}

const TOO_MUCH_WRONG =
  "So much of this batch's arguments did not fit that these were not checked any more; repair those that say what is wrong with them, then send this action again.";
