/** A value, or the reason there is none. Expected refusals travel as values; only bugs throw. */
export type Result<T, E> = Ok<T> | Err<E>;

interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

interface Err<E> {
  readonly ok: false;
  readonly error: E;
}

/** Wrap a value as the successful side of a `Result`. */
export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

/** Wrap a reason as the refused side of a `Result`. */
export function err<E>(error: E): Err<E> {
  return { ok: false, error };
}

/** Do what may reject, or throw, and have how it ended as a value. Never rejects, so it may be left to itself. */
export async function attempt<T>(work: () => T | Promise<T>): Promise<Result<T, unknown>> {
  try {
    return ok(await work());
  } catch (error) {
    return err(error);
  }
}

/** Do what may throw, and have how it ended as a value. */
export function attemptNow<T>(work: () => T): Result<T, unknown> {
  try {
    return ok(work());
  } catch (error) {
    return err(error);
  }
}
