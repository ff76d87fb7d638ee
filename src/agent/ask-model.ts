import { HOP_HEADER } from "../egress/guard-headers.ts";
import type { Ports } from "../egress/ports.ts";
import { parseRetryAfter } from "../egress/retry-after.ts";
import { isJsonObject, type JsonObject, parseExact } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import { countValues, exceedsDepth } from "../contract/parse-json.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { traceFetch } from "../observe/traced-fetch.ts";
import { backoffMs } from "../kit/backoff.ts";
import { attempt, attemptNow, err, ok, type Result } from "../kit/result.ts";
import { sleep } from "../kit/sleep.ts";
import type { Dialect, ModelTurn, Relay, RelayMode } from "./dialect/dialect.ts";
import { EventSplitter } from "./dialect/event-splitter.ts";

/** Where a model is, and what it is sent besides the request. */
export interface ModelAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Where what a model says goes while it says it. */
export interface Outlet {
  /** The model has begun to answer. */
  readonly begin: () => void;
  /** Send text on; resolved when the caller has taken it, rejected when the caller is gone. */
  readonly write: (text: string) => Promise<void>;
}

/** A stream, and who hears what of it. */
export interface Streaming {
  readonly relay: Relay;
  readonly mode: RelayMode;
  readonly outlet: Outlet;
}

export interface ModelPorts {
  readonly ports: Pick<Ports, "clock" | "random" | "fetch" | "inSpan">;
  readonly dialect: Dialect;
  readonly address: ModelAddress;
  /** When the request's time is over, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
}

/** Why one attempt has no answer. */
interface Trouble {
  readonly refusal: Refusal;
  /** Another attempt may help, and nobody has heard anything of this one. */
  readonly isPassing: boolean;
}

/**
 * Ask a model, and again where that may help: twice at most, within the request's time, and no sooner than it says. What the
 * caller was told already is never said twice, so a stream that breaks off later is not begun anew.
 *
 * What its server says is never repeated: only its status, and its code where that is one that everybody knows.
 */
export async function askModel(
  request: JsonObject,
  model: ModelPorts,
  streaming: Streaming | null,
): Promise<Result<ModelTurn, Refusal>> {
  const { clock, random } = model.ports;
  const body = JSON.stringify(request);
  const over = new AbortController();
  const signal = AbortSignal.any([model.signal, over.signal]);
  const wait = createWait(signal);
  const stopTimer = clock.after(Math.max(0, model.endsAt - clock.now()), () => over.abort());
  const work = async (): Promise<Result<ModelTurn, Refusal>> => {
    for (let tried = 1; ; tried += 1) {
      const answered = await attemptOnce(body, model, { streaming, signal, wait });
      if (answered.ok) return answered;
      const { refusal, isPassing } = answered.error;
      if (model.signal.aborted) return err(GONE);
      if (over.signal.aborted) return err(TIMED_OUT);
      if (!isPassing || tried > LIMITS.modelRetries) return err(refusal);
      const pause = backoffMs({ attempt: tried, initialMs: 250, maxMs: 4_000, random: random() });
      const waitMs = Math.max(pause, refusal.retryAfterMs ?? 0);
      if (clock.now() + waitMs >= model.endsAt) return err(refusal);
      const slept = await attempt(() => sleep(clock, waitMs, signal));
      if (!slept.ok) return err(model.signal.aborted ? GONE : TIMED_OUT);
    }
  };
  const answered = await attempt(work);
  stopTimer();
  if (!answered.ok) throw answered.error;
  return answered.value;
}

const GONE = makeRefusal("UNAVAILABLE", "The caller went away before the answer.");

const TIMED_OUT = makeRefusal(
  "MODEL_TIMEOUT",
  "The model did not answer within the time that this request had (volley.deadline_ms); give it more, or ask for less.",
);

const MODEL_SPAN = { "volley.tool": "(model)" };

interface Attempting {
  readonly streaming: Streaming | null;
  readonly signal: AbortSignal;
  readonly wait: Wait;
}

async function attemptOnce(
  body: string,
  { ports, dialect, address }: ModelPorts,
  { streaming, signal, wait }: Attempting,
): Promise<Result<ModelTurn, Trouble>> {
  const sent = await attempt(() =>
    wait(
      traceFetch(ports, () => MODEL_SPAN)(address.url, {
        method: "POST",
        headers: { "content-type": "application/json", ...address.headers, [HOP_HEADER]: "1" },
        body,
        redirect: "manual",
        signal,
      }),
    ),
  );
  if (!sent.ok) return err(passing(unavailable("could not be reached")));
  const response = sent.value;
  if (response.status !== 200) return err(await explainStatus(response, ports, wait));
  const isStream = /^\s*text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  if (streaming === null) {
    const text = await readText(response, wait, LIMITS.modelBytes);
    const parsed = text !== null && isBearable(text) ? attemptNow(() => parseExact(text)) : null;
    const turn = parsed?.ok === true ? dialect.readTurn(parsed.value) : null;
    return turn === null ? err(passing(UNREADABLE)) : ok(turn);
  }
  if (!isStream) {
    void attempt(async () => response.body?.cancel());
    return err(passing(UNREADABLE));
  }
  streaming.outlet.begin();
  return readStream(response, streaming, wait);
}

const UNREADABLE = makeRefusal(
  "MODEL_UNAVAILABLE",
  "The model's server answered with something unreadable, or broke its answer off; try again, or tell its operator.",
);

function unavailable(what: string, retryAfterMs?: number): Refusal {
  const hint = `The model's server ${what}; try again later, or tell its operator.`;
  return makeRefusal("MODEL_UNAVAILABLE", hint, { ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

function passing(refusal: Refusal): Trouble {
  return { refusal, isPassing: true };
}

/** Codes and types of both providers that say what a caller can do, and that nobody's text or secret looks like. */
const KNOWN = new Set([
  "api_error",
  "authentication_error",
  "billing_error",
  "context_length_exceeded",
  "insufficient_quota",
  "invalid_api_key",
  "invalid_request_error",
  "invalid_value",
  "missing_required_parameter",
  "model_not_found",
  "not_found_error",
  "overloaded_error",
  "permission_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "request_too_large",
  "unknown_parameter",
  "unsupported_parameter",
  "unsupported_value",
]);

async function explainStatus(
  response: Response,
  { clock }: Pick<Ports, "clock">,
  wait: Wait,
): Promise<Trouble> {
  const { status, headers } = response;
  const text = await readText(response, wait, LIMITS.modelErrorBytes);
  const said = text === null ? null : attemptNow((): unknown => JSON.parse(text));
  const error = said?.ok === true && isJsonObject(said.value) ? said.value["error"] : undefined;
  const { code, type } = isJsonObject(error) ? error : {};
  const known = [code, type].find((word) => typeof word === "string" && KNOWN.has(word)) as
    | string
    | undefined;
  const why = `with status ${status}${known === undefined ? "" : ` (${known})`}`;
  if (status === 429 || status >= 500) {
    const retryAfterMs = parseRetryAfter(headers.get("retry-after"), clock.now());
    return passing(
      unavailable(status === 429 ? `is too busy and refused ${why}` : `failed ${why}`, retryAfterMs),
    );
  }
  return { refusal: refused(status, why), isPassing: false };
}

/** Its key and its address are the operator's, so a refusal of them is no fault of whoever called here. */
function refused(status: number, why: string): Refusal {
  const isOurs = status === 401 || status === 403 || status < 400;
  const hint = isOurs
    ? `The model's server refused this deployment ${why}: its operator looks at the address and the key of the model.`
    : `The model's server refused the request ${why}: look at the body's own fields, such as model and messages.`;
  return makeRefusal("MODEL_UNAVAILABLE", hint);
}

async function readText(response: Response, wait: Wait, limit: number): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  const parts: string[] = [];
  let left = limit;
  const read = await eachChunk(response, wait, (chunk) => {
    left -= chunk.length;
    if (left < 0) return Promise.resolve(false);
    parts.push(decoder.decode(chunk, { stream: true }));
    return Promise.resolve(true);
  });
  return read && left >= 0 ? parts.join("") + decoder.decode() : null;
}

async function readStream(
  response: Response,
  { relay, mode, outlet }: Streaming,
  wait: Wait,
): Promise<Result<ModelTurn, Trouble>> {
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  const splitter = new EventSplitter();
  relay.begin(mode);
  let isHeard = false;
  let left: number = LIMITS.modelStreamBytes;
  let eventsLeft: number = LIMITS.modelPieces;
  let fault: Refusal | null = null;
  const pass = (events: ReturnType<EventSplitter["read"]>): string => {
    const said: string[] = [];
    eventsLeft -= events.length;
    for (const event of events) {
      if (eventsLeft < 0 || !isBearable(event.data ?? "")) {
        fault = UNREADABLE;
        break;
      }
      const taken = relay.take(event);
      if (!taken.ok) {
        fault = taken.error === "error" ? unavailable("reported an error in its stream") : UNREADABLE;
        break;
      }
      if (taken.value !== "") said.push(taken.value);
    }
    return said.join("");
  };
  const read = await eachChunk(response, wait, async (chunk) => {
    left -= chunk.length;
    const text = pass(splitter.read(decoder.decode(chunk, { stream: true })));
    if (left < 0 || splitter.pending > LIMITS.modelEventCharacters) fault = UNREADABLE;
    if (text !== "") {
      isHeard = true;
      await wait(outlet.write(text));
    }
    return fault === null && !relay.isOver;
  });
  const rest = read && fault === null ? pass(splitter.end()) : "";
  if (rest !== "") {
    isHeard = true;
    await attempt(() => wait(outlet.write(rest)));
  }
  const turn = read && fault === null ? relay.turn() : null;
  if (turn !== null) return ok(turn);
  return err({ refusal: fault ?? UNREADABLE, isPassing: !isHeard });
}

/** What is shorter cannot have too much of anything, and is not looked at. */
const SHORT_TEXT = 4_096;

/** Whether text may be parsed: it has no more values and no more levels than a conversation may have. */
function isBearable(text: string): boolean {
  const { modelValues, agentNesting } = LIMITS;
  if (text.length <= SHORT_TEXT) return true;
  if (exceedsDepth(new TextEncoder().encode(text), agentNesting)) return false;
  return countValues(text, modelValues) <= modelValues;
}

/**
 * Read a body chunk by chunk while `onChunk` wants more; false when it broke off. What is left of it is cancelled, which
 * tells its server that nobody listens any more.
 */
async function eachChunk(
  { body }: Response,
  wait: Wait,
  onChunk: (chunk: Uint8Array) => Promise<boolean>,
): Promise<boolean> {
  if (body === null) return true;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const read = await attempt(async () => {
    for (let pieces = 0; pieces < LIMITS.modelPieces; pieces += 1) {
      const { done, value } = await wait(reader.read());
      if (done || !(await onChunk(value))) return;
    }
    throw new RangeError("Cannot read the model's answer: it comes in too many pieces");
  });
  void attempt(() => reader.cancel());
  return read.ok;
}

/** Waits for one thing after the other, and for none of them once a signal aborts. */
interface Wait {
  /** The promise, or the signal's reason as soon as it aborts: what never settles must not hold anything up. */
  <T>(work: Promise<T>): Promise<T>;
}

/** One listener however often is waited: a stream has as many pieces as it has words. */
function createWait(signal: AbortSignal): Wait {
  let stop: ((reason: unknown) => void) | null = null;
  signal.addEventListener("abort", () => stop?.(signal.reason), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      stop = reject;
      work.then(resolve, reject);
    });
}
