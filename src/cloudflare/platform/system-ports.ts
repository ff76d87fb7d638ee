import { PLAIN_HEADERS, PLAIN_READ } from "../../core/egress/guard-headers.ts";
import type { Clock } from "../../core/kit/clock.ts";
import type { LogLevel, Ports, DataPoint, Telemetry } from "../../core/egress/ports.ts";
import { isDevelopment, batchDrawing } from "./development.ts";
import { toBase64 } from "../../core/kit/base64.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { ConfigurationError } from "./configuration-error.ts";

/** The platform's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The parts of the real world that a deployment replaces. */
export interface SystemOptions {
  /** How a request leaves; the platform's `fetch` unless a sandbox stands in for the upstreams. */
  readonly send?: Ports["fetch"] | undefined;
  readonly secretOf?: Ports["secretOf"];
  /** Stand-ins for parts of the platform, such as its clock; for tests. */
  readonly standIns?: Partial<Ports> | undefined;
}

/**
 * The real world behind the core's ports.
 *
 * @param env where secrets are configured; only non-empty text counts as set. Throws where it does not say what
 *   is written
 */
export function createSystemPorts(
  env: Readonly<Record<string, unknown>>,
  { send = sendNow, secretOf, standIns }: SystemOptions = {},
): Ports {
  return {
    clock: systemClock,
    random: () => Math.random(),
    newId: () => crypto.randomUUID(),
    fetch: send,
    async sha256(text) {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
      return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    sign: signText,
    outside: (work) => work,
    secret(name) {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return typeof value === "string" && value !== "" ? value : undefined;
    },
    secretOf,
    binding(name) {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      // Text may be a secret, and only what is declared as one is kept out of results.
      return (typeof value === "object" && value !== null) || typeof value === "function" ? value : undefined;
    },
    log: writeLine,
    telemetry: readTelemetry(env, writeLine),
    ...standIns,
  };
}

let plainHeaders: Headers | undefined;
let plainRead: RequestInit | undefined;

/** Send a request by the platform's `fetch`. One without headers of its own has them ready: to make them of an object takes 5 µs. */
function sendNow(url: string, init: RequestInit): Promise<Response> {
  if (init.headers !== PLAIN_HEADERS) return fetch(url, init);
  plainHeaders ??= new Headers(PLAIN_HEADERS);
  if (init === PLAIN_READ) return fetch(url, (plainRead ??= { ...init, headers: plainHeaders }));
  // It was made for this request alone.
  init.headers = plainHeaders;
  return fetch(url, init);
}

/** How a person is shown a line; null where a program reads it. */
let drawLine: ((json: string) => string) | null = null;

/** Write lines for a person from now on. The drawing function is kept here, so that a deployed line checks no setting. */
export function drawLinesBy(draw: (json: string) => string): void {
  drawLine = draw;
}

/**
 * Write one line of JSON into the log, or where a person reads it the line that says the same in words. While somebody develops,
 * an error's stack follows it as text: only there does the development server put the lines of the sources in.
 */
export function writeLine(level: LogLevel, json: string, stack?: string): void {
  if (drawLine === null) console[level](json);
  else console.log(json.startsWith("{") ? drawLine(json) : json);
  if (stack !== undefined && isDevelopment()) console.error(stack);
}

const LINES = ["all", "errors", "off"] as const;

/** A dataset of Analytics Engine, as far as it is used. */
interface Dataset {
  writeDataPoint(point: DataPoint): void;
}

/**
 * Read what is written: `VOLLEY_LOG`, and the dataset that is bound as `METRICS`. Throws naming which of them cannot
 * be read: a slip there would only be found when the line is needed.
 */
function readTelemetry(
  env: Readonly<Record<string, unknown>>,
  log: (level: LogLevel, json: string) => void,
): Telemetry {
  const wanted = env["VOLLEY_LOG"] ?? "";
  const lines = wanted === "" ? "all" : LINES.find((known) => known === wanted);
  if (lines === undefined)
    throw new ConfigurationError("VOLLEY_LOG", "it must be 'all', 'errors', 'off' or empty");
  const dataset = env["METRICS"] ?? null;
  const draw = batchDrawing();
  const told = { lines, log, ...(draw !== null && { draw }) };
  if (dataset === null || dataset === "") return { ...told, writePoint: null };
  if (!isDataset(dataset))
    throw new ConfigurationError("METRICS", "it must be bound to a dataset of Analytics Engine");
  // A failed count must not cost a caller its answer.
  const writePoint = (point: DataPoint): void => void attemptNow(() => dataset.writeDataPoint(point));
  return { ...told, writePoint };
}

function isDataset(value: unknown): value is Dataset {
  return typeof (value as Partial<Dataset>).writeDataPoint === "function";
}

/** HMAC-SHA-256 of a text, as base64. */
export async function signText(key: Uint8Array, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text));
  return toBase64(new Uint8Array(mac));
}
