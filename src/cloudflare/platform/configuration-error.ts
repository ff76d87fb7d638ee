/**
 * A variable or binding that cannot be read. Its name may be told to anybody; the reason is for the log, because
 * it can name parts of what was found.
 */
export class ConfigurationError extends Error {
  readonly variable: string;
  /** The part of it that is wrong, where its name may be told as well. */
  readonly part: string | undefined;

  constructor(variable: string, reason: string, part?: string) {
    super(`Cannot read ${variable}: ${reason}`);
    this.variable = variable;
    this.part = part;
  }
}
