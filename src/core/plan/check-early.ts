import { refuseCertain } from "../catalog/parse-args.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { describe, toMisfit } from "../contract/issues.ts";
import { isJsonObject } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import { Pending } from "../contract/pending.ts";
import { ITEM } from "../contract/reference.ts";
import { leastJsonSize } from "../kit/json/least-json-size.ts";
import type { Result } from "../kit/result.ts";
import { ARGS, type DataOf, LOOP, resolveReferences, type Room, type Source } from "./references.ts";
import type { Task } from "./step.ts";

/** The faults of a task that are certain whatever its references turn out to be. */
export interface Certain {
  readonly failure: Failure;
  /** Whether all of it fails; otherwise some elements of its loop, each in its place. */
  readonly isWhole: boolean;
}

/**
 * Check the parts that need no value of another action: fields that do not exist, required ones that are missing, literals, in
 * each element of a loop that is written out. A part that could still be right is checked when the values are there.
 *
 * @param room what checking may cost one batch; what there is no room for is left for later
 */
export function checkEarly(task: Task, room: Room): Certain | null {
  const { forEach } = task;
  if (!Array.isArray(forEach) || forEach.length === 0) {
    const failure = checkArgs(task, () => PENDING, room);
    return failure === null ? null : { failure, isWhole: true };
  }
  const elements = resolveReferences(forEach, () => PENDING, LOOP);
  if (!elements.ok) return { failure: elements.error, isWhole: true };
  const failures = (elements.value as readonly unknown[]).map((data) =>
    checkArgs(task, (id) => (id === ITEM ? { data } : PENDING), room),
  );
  const first = failures.findIndex((failure) => failure !== null);
  if (first === -1) return null;
  const failure = failures[first]!;
  const { execution, onError } = task.tool;
  // Each element of a background tool is a job of its own, which no other fails.
  const isFailFast = execution === "sync" && onError === "fail-fast";
  const isWhole = isFailFast || !failures.includes(null);
  return { failure: { ...failure, hint: `In element ${first} of for_each: ${failure.hint ?? ""}` }, isWhole };
}

const PENDING: Source = { data: Pending.value };

function checkArgs({ tool, input }: Task, dataOf: DataOf, room: Room): Failure | null {
  // Only where the largest fits, so that what is refused for its size would be so in any batch.
  if (room.bytes < LIMITS.argsBytes || room.issues <= 0) return null;
  const resolved: Result<unknown, Failure> = resolveReferences(input, dataOf, { ...ARGS, room });
  if (!resolved.ok) return resolved.error;
  const { value } = resolved;
  room.bytes -= Math.min(room.bytes, leastJsonSize(value, LIMITS.argsBytes));
  if (value === Pending.value) return null;
  if (value instanceof Pending || !isJsonObject(value)) {
    const issue = { path: "/args", expected: "an object", received: describe(value) };
    return makeFailure("INVALID_ARGS", toMisfit(issue));
  }
  return refuseCertain(tool, value, { room });
}
