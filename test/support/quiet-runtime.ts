import type { Reporter } from "vitest/node";

/** Messages of workerd about calls that tests end on purpose: how each begins, and how often a whole run may bring it about. */
const KNOWN: readonly (readonly [begin: RegExp, most: number])[] = [
  [/^uncaught exception; source = [^\n]* stack = Error: disk full\n/, 10],
  [/^NOSENTRY SQLite alarm (?:handler canceled|overdue)/, 40],
  [/^exception = workerd\/api\/unsafe[^\n]*abortAllDurableObjects\(\)/, 40],
  // A module was still on its way when its test file ended.
  [
    /^uncaught exception; [^\n]*EnvironmentTeardownError: \[vitest-worker\]: Closing rpc while "resolve" was pending/,
    8,
  ],
  [/^exception = workerd\/api\/streams\/identity-transform-stream[^\n]* disconnected: writer canceled/, 20],
];

/** Keeps back messages of the runtime that are known, each kind up to its number. */
export class RuntimeNoise {
  readonly kept: string[] = [];
  readonly #left = new Map(KNOWN);

  /** Whether a message is kept back; others are to be printed. */
  keeps(message: string): boolean {
    for (const [begin, left] of this.#left)
      if (left > 0 && begin.test(message)) {
        this.#left.set(begin, left - 1);
        this.kept.push(message);
        return true;
      }
    return false;
  }
}

/**
 * Keeps the output of a green run short: the plugin of the edge writes each message of workerd to this process's streams, past Vitest's
 * filter. Known ones are printed only where a test failed.
 */
export class QuietRuntime implements Reporter {
  readonly #noise = new RuntimeNoise();

  onInit(): void {
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
      stream.write = (chunk: unknown, ...rest: unknown[]): boolean =>
        (typeof chunk === "string" && this.#noise.keeps(chunk)) || write(chunk, ...rest);
    }
  }

  onTestRunEnd(_modules: unknown, _errors: unknown, reason: string): void {
    const { kept } = this.#noise;
    if (reason === "failed") for (const message of kept.splice(0)) console.error(message.trimEnd());
    else if (kept.length > 0)
      console.log(`Left out: ${kept.length} messages of workerd about calls that tests end on purpose.`);
  }
}
