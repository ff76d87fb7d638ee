import { parseArgs } from "../catalog/parse-args.ts";
import { tooManyElements } from "../contract/action.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { describe } from "../contract/issues.ts";
import { isJsonObject } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import { ITEM } from "../contract/reference.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { type DataOf, resolveReferences } from "./references.ts";
import type { Call, Task } from "./step.ts";

/** What a step turns out to do once everything it refers to is known: one call, or one for each element. */
export type Prepared =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "loop"; readonly calls: readonly Result<Call, Failure>[] };

/**
 * Look up what a task refers to and check the arguments that result. A loop is bounded before any of it is prepared; an
 * element whose arguments are wrong fails alone.
 */
export function prepareTask(task: Task, dataOf: DataOf): Result<Prepared, Failure> {
  if (task.call !== null) return ok({ kind: "call", call: task.call });
  if (task.forEach === undefined) {
    const call = prepareCall(task, dataOf);
    return call.ok ? ok({ kind: "call", call: call.value }) : call;
  }
  const elements = resolveReferences(task.forEach, dataOf);
  if (!elements.ok) return elements;
  if (!Array.isArray(elements.value)) {
    const hint = `for_each must be an array, and what it refers to is ${describe(elements.value)}.`;
    return err(makeFailure("INVALID_ARGS", { hint }));
  }
  if (elements.value.length > LIMITS.loopElements) return err(tooManyElements(elements.value.length));
  const calls = elements.value.map((data: unknown) =>
    prepareCall(task, (id) => (id === ITEM ? { data } : dataOf(id))),
  );
  return ok({ kind: "loop", calls });
}

function prepareCall({ tool, input, timeoutMs }: Task, dataOf: DataOf): Result<Call, Failure> {
  const resolved = resolveReferences(input, dataOf);
  if (!resolved.ok) return resolved;
  // An object whose only key makes it a marker resolves to anything; args are an object by schema before.
  const args = isJsonObject(resolved.value) ? resolved.value : {};
  const parsed = parseArgs(tool, args);
  return parsed.ok ? ok({ tool, input: args, args: parsed.value, timeoutMs }) : parsed;
}
