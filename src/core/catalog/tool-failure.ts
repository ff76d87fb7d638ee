import { type Failure, makeFailure } from "../contract/failure.ts";
import type { FailureCode } from "../contract/failure-codes.ts";

/**
 * The one exception a tool (or its `ctx.fetch`) throws on purpose.
 *
 * It exists because a tool's `run` is author code that should read like plain `await`s; the catch around
 * the tool call turns it back into a value. Anything else that is thrown is a bug in the tool: `TOOL_FAILED`.
 */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly failure: Failure;

  constructor(code: FailureCode, details?: Partial<Omit<Failure, "code">>) {
    super(code);
    this.failure = makeFailure(code, details);
  }
}

/**
 * The service answered that it failed, under a status that says otherwise. Like a status of 4xx or 5xx it leaves no doubt
 * about a write: that ends in `error`, where any other failure after it was sent makes it `unknown`.
 */
export class AnsweredFailure extends ToolFailure {}
