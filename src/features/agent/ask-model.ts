import { HOP_HEADER } from "../../core/egress/guard-headers.ts";
import { createRedactor, type HeldBytes, type Ports } from "../../feature/outside.ts";
import { type JsonObject, parseExact } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { countValues } from "../../core/contract/parse-json.ts";
import {
  attempt,
  attemptNow,
  err,
  makeRefusal,
  ok,
  type Refusal,
  type Result,
} from "../../feature/refuse.ts";
import { traceFetch } from "../../core/observe/traced-fetch.ts";
import { backoffMs } from "../../core/kit/backoff.ts";
import { sleep } from "../../feature/kit.ts";
import { AnswerBytes, createWait, isBearable, readText, type Wait } from "./read-answer.ts";
import { explainStatus, type Origin, type Trouble, unavailable, UNREADABLE } from "./explain-refusal.ts";
import type { Dialect, ModelTurn, StreamHearer } from "./dialect/dialect.ts";
import type { ModelRedactor } from "./dialect/redact-events.ts";
import { withoutOurs, withoutTokens } from "./dialect/clean-answer.ts";
import { readModelStream, type Streaming } from "./read-model-stream.ts";
import { createPieceRedactor } from "../../core/egress/redact.ts";

/** Where a model is, and what it is sent besides the request. */
export interface ModelAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that are never told to a caller, wherever they come from. */
  readonly secrets: readonly string[];
  /** Another API of the same server, for when it does not have the dialect's own. */
  readonly instead?: { readonly url: string; readonly bridge: Bridge };
}

interface ModelPorts {
  readonly ports: Pick<Ports, "clock" | "random" | "fetch" | "inSpan">;
  readonly dialect: Pick<Dialect, "readTurn">;
  readonly address: ModelAddress;
  /** The caller's request, which tells whose part of it a refusal is about. */
  readonly body: JsonObject;
  /** The request in the dialect's own form, where another one is sent. */
  readonly untranslated?: Origin["untranslated"];
  /** When the request's time is over, in milliseconds since the epoch. */
  readonly endsAt: number;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
  /** The bytes that its caller's request holds. */
  readonly bytes: HeldBytes;
}

/**
 * Ask a model, and again where that may help: twice at most, within the request's time, and no sooner than it says. Text that the
 * caller was told already is never said twice, so a stream that breaks off later is not begun anew.
 *
 * The text of a server's error is never repeated: only its status, and its code where that is a well-known one.
 *
 * The request is held until there is an answer, and the turn of the answer for as long as the caller's request goes on.
 */
export async function askModel(
  request: JsonObject,
  model: ModelPorts,
  streaming: Streaming | null,
): Promise<Result<ModelTurn, Refusal>> {
  const { url, instead } = model.address;
  if (!withoutApi.has(url)) {
    const answered = await askAt(request, model, streaming);
    if (answered.ok || answered.error !== NOT_SERVED || instead === undefined) return answered;
    withoutApi.add(url);
  }
  const { bridge } = instead!;
  const { toOwnPath } = bridge;
  const written = bridge.toRequest(request);
  if (!written.ok) return written;
  const dialect: ModelPorts["dialect"] = {
    readTurn(answer) {
      const translated = bridge.toAnswer(answer);
      return translated === null ? null : model.dialect.readTurn(translated);
    },
  };
  const heard = streaming === null ? null : { ...streaming, relay: bridge.toHearer(streaming.relay) };
  const address = { ...model.address, url: instead!.url };
  return askAt(written.value, { ...model, dialect, address, untranslated: { request, toOwnPath } }, heard);
}

/** Addresses at which this isolate found no such API. */
const withoutApi = new Set<string>();

const NOT_SERVED = makeRefusal(
  "MODEL_UNAVAILABLE",
  "The model's server does not have this API; its operator looks at the address of the model.",
);

async function askAt(
  request: JsonObject,
  model: ModelPorts,
  streaming: Streaming | null,
): Promise<Result<ModelTurn, Refusal>> {
  const { clock, random } = model.ports;
  const body = JSON.stringify(request);
  const redactor = redactorOf(model.address.secrets);
  const over = new AbortController();
  const signal = AbortSignal.any([model.signal, over.signal]);
  const wait = createWait(signal);
  const stopTimer = clock.after(Math.max(0, model.endsAt - clock.now()), () => over.abort());
  const work = async (): Promise<Result<ModelTurn, Refusal>> => {
    const crowded = await model.bytes.hold(body.length, signal);
    if (crowded !== null) return err(model.signal.aborted ? GONE : over.signal.aborted ? TIMED_OUT : crowded);
    const answered = await askAgain();
    model.bytes.give(body.length);
    return answered;
  };
  const askAgain = async (): Promise<Result<ModelTurn, Refusal>> => {
    for (let tried = 1; ; tried += 1) {
      const answered = await attemptOnce(body, model, { streaming, signal, wait, redactor, request });
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
  "The model did not answer in the time that this request had (volley.deadline_ms); give it more.",
);

const MODEL_SPAN = { "volley.tool": "(model)" };

interface Attempting {
  readonly streaming: Streaming | null;
  readonly signal: AbortSignal;
  readonly wait: Wait;
  readonly redactor: ModelRedactor | null;
  readonly request: JsonObject;
}

async function attemptOnce(
  body: string,
  { ports, dialect, address, body: sentHere, untranslated, bytes }: ModelPorts,
  { streaming, signal, wait, redactor, request }: Attempting,
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
  const reading = { wait, clock: ports.clock };
  const held = new AnswerBytes(bytes, signal);
  if (response.status !== 200) {
    const origin = { request, body: sentHere, untranslated };
    const trouble = await explainStatus(response, reading, origin);
    const isServed = address.instead === undefined || response.status !== 404 || trouble.isOfModel;
    return err(isServed ? trouble : { refusal: NOT_SERVED, isPassing: false });
  }
  const isStream = /^\s*text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  if (streaming === null) {
    const text = await readText(response, reading, LIMITS.modelBytes, (read) => held.growTo(read));
    const isHeld = text !== null && isBearable(text) && (await held.growTo(sizeOf(text)));
    const parsed = isHeld ? attemptNow(() => readAnswer(text, redactor)) : null;
    const turn = parsed?.ok === true ? dialect.readTurn(withoutOurs(parsed.value)) : null;
    if (turn !== null) return ok(turn);
    held.drop();
    return err(held.refused === null ? passing(UNREADABLE) : { refusal: held.refused, isPassing: false });
  }
  if (!isStream) {
    void attempt(async () => response.body?.cancel());
    return err(passing(UNREADABLE));
  }
  streaming.outlet.begin();
  const turn = await readModelStream(response, streaming, { ...reading, redactor, held });
  if (!turn.ok) held.drop();
  return turn;
}

/** Parse a whole answer, without secrets in it. */
function readAnswer(text: string, redactor: ModelRedactor | null): unknown {
  if (redactor === null) return parseExact(text);
  const answer = parseExact(redactor.json(text));
  if (!text.includes('"logprobs"')) return answer;
  return withoutTokens(answer, (tokens) => redactor.piece(tokens, true).clean !== tokens);
}

/** The size of a whole answer, once it is parsed. */
function sizeOf(text: string): number {
  return text.length + LIMITS.valueBytes * countValues(text, LIMITS.modelValues);
}

function passing(refusal: Refusal): Trouble {
  return { refusal, isPassing: true };
}

/** The deployment's secrets, and what takes them out: both stay what they are. */
let known: { readonly secrets: readonly string[]; readonly redactor: ModelRedactor } | null = null;

/** Find what takes the secrets of a model's server out of its words; null where there is nothing to hide. */
function redactorOf(secrets: readonly string[]): ModelRedactor | null {
  if (secrets.length === 0) return null;
  const isKnown =
    known?.secrets.length === secrets.length && known.secrets.every((one, at) => one === secrets[at]);
  if (known === null || !isKnown)
    known = { secrets, redactor: { json: createRedactor(secrets), piece: createPieceRedactor(secrets) } };
  return known.redactor;
}

/** Speaks a dialect with a server that has another API only. */
export interface Bridge {
  /** Where that API is called, below the configured address. */
  readonly path: string;
  readonly toRequest: (request: JsonObject) => Result<JsonObject, Refusal>;
  /** Where in the dialect's request that comes from which stands at a place of the translated one. */
  readonly toOwnPath: (path: readonly string[], request: JsonObject) => readonly string[];
  /** An answer in the dialect; null if it is not one. */
  readonly toAnswer: (answer: unknown) => JsonObject | null;
  /** Hears that API's stream, and tells the dialect's relay of it. */
  readonly toHearer: (relay: StreamHearer) => StreamHearer;
}
