import { type Failure, makeFailure } from "../contract/failure.ts";

/** Make the failure of what the deadline of its batch found unfinished, or not begun. */
export function deadlineExceeded(deadlineMs: number): Failure {
  const hint = `The batch had ${deadlineMs} ms; ask for less at once or raise deadline_ms.`;
  return makeFailure("DEADLINE_EXCEEDED", { hint });
}
