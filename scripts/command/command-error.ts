import type { ExitCode } from "./define-command.ts";

/** An expected end of a command: a sentence for its user, and the exit code. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
