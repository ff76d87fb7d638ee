import type { Problem } from "./wire-types.ts";

/**
 * Why a request has no answer. `CONNECTION_LOST`: it may have arrived, unless `arrived` is false. `UNEXPECTED_ANSWER`: what answered is not Volley,
 * such as a proxy. Any other code is Volley's own, and nothing ran.
 */
export type VolleyErrorCode = Problem["code"] | "CONNECTION_LOST" | "UNEXPECTED_ANSWER";

/** A request that was refused whole, or lost. A failed action is told in its result, and is never thrown. */
export class VolleyError extends Error {
  override readonly name = "VolleyError";
  readonly code: VolleyErrorCode;
  /** The advice about it, in a sentence. */
  readonly hint: string;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The server's problem, where it has the server's own form: path, `expected`, `received`, `issues`. */
  readonly problem: Problem | null;
  /** False where no connection was made, so that nothing ran; undefined where that is not known. */
  readonly arrived: false | undefined;

  constructor(
    code: VolleyErrorCode,
    hint: string,
    {
      status = 0,
      problem = null,
      cause,
      arrived,
    }: {
      readonly status?: number;
      readonly problem?: Problem | null;
      readonly cause?: unknown;
      readonly arrived?: false | undefined;
    } = {},
  ) {
    super(`${code}: ${hint}`, { cause });
    this.code = code;
    this.hint = hint;
    this.status = status;
    this.problem = problem;
    this.arrived = arrived;
  }

  /** All that is wrong with what was sent, where the server says so: each with its path, what was expected and what came. */
  get issues(): NonNullable<Problem["issues"]> {
    return this.problem?.issues ?? [];
  }

  /** Milliseconds to wait before asking again; undefined where the server does not say. */
  get retryAfterMs(): number | undefined {
    return this.problem?.retry_after_ms;
  }
}
