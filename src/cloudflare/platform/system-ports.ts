import { PLAIN_HEADERS, PLAIN_READ } from "../../core/egress/guard-headers.ts";
import type { Clock } from "../../core/kit/clock.ts";
import type { LogLevel, Ports } from "../../core/egress/ports.ts";
import { isDevelopment } from "./development.ts";
import { readOperator } from "./read-operator.ts";
import { signText } from "./sign-text.ts";

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
 * @param env where secrets are configured; only non-empty text counts as set. Throws where it does not say what an operator
 *   wants to see
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
    operator: readOperator(env, writeLine),
    ...standIns,
  };
}

let plainHeaders: Headers | undefined;
let plainRead: RequestInit | undefined;

/** Send a request by the platform's `fetch`. One without headers of its own has them ready: to make them of an object takes 5 µs. */
function sendNow(url: string, init: RequestInit): Promise<Response> {
  if (init.headers !== PLAIN_HEADERS) return fetch(url, init);
  plainHeaders ??= new Headers(PLAIN_HEADERS);
  if (init !== PLAIN_READ) return fetch(url, { ...init, headers: plainHeaders });
  return fetch(url, (plainRead ??= { ...init, headers: plainHeaders }));
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
