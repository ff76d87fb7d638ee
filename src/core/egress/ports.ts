import type { ToolCaller } from "../catalog/define-tool.ts";
import type { PermitAnswer, PermitRequest } from "../contract/gate/permit.ts";
import type { Outcome } from "../contract/outcome.ts";
import type { Clock } from "../kit/clock.ts";
import type { Plan } from "../plan/step.ts";

/** HMAC-SHA-256 of a text, as base64. */
export type SignText = (key: Uint8Array, text: string) => Promise<string>;

/** How much a line of the log matters. */
export type LogLevel = "info" | "warn" | "error";

/** One point of a dataset, in the platform's columns. */
export interface DataPoint {
  readonly indexes: readonly [string];
  readonly blobs: readonly string[];
  readonly doubles: readonly number[];
}

/** The lines of the log and the data points that are written about requests and attempts. */
export interface Telemetry {
  /** Which lines about requests and attempts are written: all, those of level `warn` and above, or none. */
  readonly lines: "all" | "errors" | "off";
  log(level: LogLevel, json: string): void;
  /** Draw a batch for a person at a terminal, in place of its line of JSON; only on development servers. */
  readonly draw?: (plan: Plan, outcomes: readonly Outcome[]) => string;
  /** Write a data point; null where there is no dataset. Never throws. */
  readonly writePoint: ((point: DataPoint) => void) | null;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Do work within a span of the platform's trace; what it is given adds an attribute. */
export type InSpan = <T>(
  name: string,
  attributes: SpanAttributes,
  work: (add: (attributes: SpanAttributes) => void) => Promise<T>,
) => Promise<T>;

/** The parts of the world that running a tool needs. Everything else in the core is a pure function. */
export interface Ports {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  random(): number;
  /** A fresh unguessable id. */
  newId(): string;
  /** Send one request, following no redirect. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** SHA-256 of a text's UTF-8, as hex. */
  readonly sha256: (text: string) => Promise<string>;
  readonly sign: SignText;
  /** A configured secret, or undefined. */
  readonly secret: (name: string) => string | undefined;
  /**
   * Look up a caller's own value of a secret; no value leaves the configured one. May reject, and may never settle.
   * Absent where secrets are the same for everyone.
   */
  readonly secretOf?: ((name: string, caller: ToolCaller) => unknown) | undefined;
  /** A binding that is no text, or undefined. */
  binding(name: string): object | undefined;
  /**
   * Write a line into the log.
   *
   * @param stack where an error came from, once more: a line for each call, where the developer of a tool reads them
   */
  log(level: LogLevel, json: string, stack?: string): void;
  /** Has a virtual clock stand still until work of the platform is over that takes real time, such as sealing. */
  readonly outside: <T>(work: Promise<T>) => Promise<T>;
  /** Absent where nothing is written. */
  readonly telemetry?: Telemetry;
  /** Absent where the platform traces nothing of this invocation. */
  readonly inSpan?: InSpan | undefined;
}

/** The gates of tools with global limits, by the tool's name. Never asked for any other tool. */
export interface ToolGates {
  /** Wait for a permit. A rejected promise means that there is none: a limit that cannot be asked may be used up. */
  acquire(tool: string, request: PermitRequest): Promise<PermitAnswer>;
  /**
   * Give a permit back, or a place in the queue up, without waiting for it.
   *
   * @param retryAfterMs how long the upstream asked to be left alone; null when it did not
   */
  release(tool: string, id: string, retryAfterMs: number | null): void;
}

/** The knobs a deployment or a test may turn; the defaults are `LIMITS`. */
export interface RunOptions {
  /** Calls of one request that may wait for response headers at once; Infinity for self-hosting. */
  readonly headerSlots: number;
  readonly headersTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly requestResponseBytes: number;
  /** Origins that may be plain http or a private address: development upstreams, never set in production. */
  readonly trustedOrigins: ReadonlySet<string>;
}
