import type { Result } from "../../src/core/kit/result.ts";

/** The value of a result that must be there. */
export function valueOf<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`Cannot unwrap: refused with ${JSON.stringify(result.error)}`);
  return result.value;
}

/** The reason of a result that must be a refusal. */
export function errorOf<E>(result: Result<unknown, E>): E {
  if (result.ok) throw new Error(`Cannot unwrap the error: accepted as ${JSON.stringify(result.value)}`);
  return result.error;
}
