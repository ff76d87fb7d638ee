/**
 * A variable or binding that cannot be read. Its name may be told to anybody; the reason is for the operator's log, because
 * it can name parts of what was found.
 */
export class ConfigurationError extends Error {
  readonly variable: string;

  constructor(variable: string, reason: string) {
    super(`Cannot read ${variable}: ${reason}`);
    this.variable = variable;
  }
}
