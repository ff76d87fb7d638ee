import { type Failure, makeFailure } from "../contract/failure.ts";
import { countLongNumbers, parseExact } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import { countValues } from "../contract/parse-json.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { attempt, attemptNow, err, ok, type Result } from "../kit/result.ts";
import { quotedText } from "../kit/visible-text.ts";
import type { CallClock } from "./call-clock.ts";

/** Declared lengths up to this are read in one piece. */
const SMALL_BODY = 64 * 1024;

/** A length (RFC 9110, 8.6). `Number` alone would take `0x10`, `-1` and nothing at all for one. */
const DIGITS = /^\d+$/;

/** Up to this many characters can be arguments of one call, and writing them one by one is faster than a decoder. */
const SHORT_TEXT = 2_048;

/** What a number whose digits are kept counts besides itself. */
const LONG_NUMBER = 2;

/** JSON of a request's first responses that nobody counts values in: most requests never read more. */
const UNCOUNTED = 64 * 1024;

/**
 * The bytes and JSON values that all upstream responses of one request may hold together, so that no mix of them fills an
 * isolate.
 *
 * What is given back can be taken again: only what somebody still holds counts. A part of the bytes is a reserve that
 * large bodies leave alone, so that a small answer, or a write's, is never refused because greedy siblings took everything.
 */
export class ByteBudget {
  #left: number;
  readonly #reserve: number;
  #uncounted = UNCOUNTED;
  readonly #mostValues: number;
  #values: number;

  /**
   * @param reserve bytes on top that are not for everyone
   * @param values JSON values of all texts together
   */
  constructor(bytes: number, reserve = 0, values: number = LIMITS.requestValues) {
    this.#left = bytes + reserve;
    this.#reserve = reserve;
    this.#mostValues = values;
    // Two characters have one value at most, so the texts that are not counted have no more than is held back here.
    this.#values = values - UNCOUNTED / 2;
  }

  /**
   * Take `bytes`, or answer false when they are no longer there. A refusal takes nothing, so one response that is too
   * large does not cost the small ones beside it.
   *
   * @param spared the part of the reserve, from 0 to 1, that has to be left for others
   */
  take(bytes: number, spared = 1): boolean {
    if (bytes > this.#left - spared * this.#reserve) return false;
    this.#left -= bytes;
    return true;
  }

  /** Give back what nobody holds any more. */
  give(bytes: number, values = 0): void {
    this.#left += bytes;
    this.#values += values;
  }

  /** Take the values that a text will have when it is parsed, or say why it may not be. Gives how many were taken. */
  takeValues(text: string): Result<number, Failure> {
    if (text.length < this.#uncounted) {
      this.#uncounted -= text.length + 1;
      return ok(0);
    }
    const most = Math.min(LIMITS.responseValues, this.#values);
    const plain = countValues(text, most);
    // A number whose digits are kept is made by hand, which costs as much as a few that are not.
    const values = plain > most ? plain : plain + LONG_NUMBER * countLongNumbers(text, most);
    if (values > most)
      return err(most === LIMITS.responseValues ? TOO_MANY_VALUES : valuesSpent(this.#mostValues));
    this.#values -= values;
    return ok(values);
  }
}

/**
 * What one call holds of its request's budget: the responses that it has read whole. It gives back what its output no
 * longer needs, and whatever a request that outlives the call still brings.
 */
export class CallBytes {
  readonly #budget: ByteBudget;
  readonly #isWrite: boolean;
  readonly #weight: number;
  #bytes = 0;
  #values = 0;
  #isOver = false;

  /** @param weight how often each byte counts: what is searched for secrets costs as much again as reading it */
  constructor(budget: ByteBudget, isWrite: boolean, weight = 1) {
    this.#budget = budget;
    this.#isWrite = isWrite;
    this.#weight = weight;
  }

  /** Take bytes for a response that has `total` of them so far, these included. Whoever took them keeps or gives them. */
  take(bytes: number, total: number): boolean {
    const isSmall = total <= SMALL_BODY;
    // Whom nobody can repeat may use most: a write's small answer all of it, a large read nothing.
    const spared = this.#isWrite ? (isSmall ? 0 : 1 / 2) : isSmall ? 1 / 4 : 1;
    return this.#budget.take(bytes * this.#weight, spared);
  }

  give(bytes: number): void {
    this.#budget.give(bytes * this.#weight);
  }

  /** Hold the bytes of a response that was read whole. */
  keep(bytes: number): void {
    if (this.#isOver) this.give(bytes);
    else this.#bytes += bytes * this.#weight;
  }

  /** Hold the values of a text that is about to be parsed, or throw `RESPONSE_TOO_LARGE`. */
  keepValues(text: string): void {
    const taken = this.#budget.takeValues(text);
    if (!taken.ok) throw new ToolFailure(taken.error.code, taken.error);
    if (this.#isOver) this.#budget.give(0, taken.value);
    else this.#values += taken.value;
  }

  /** An attempt failed: nothing of what it read is needed. */
  drop(): void {
    this.#budget.give(this.#bytes, this.#values);
    this.#bytes = 0;
    this.#values = 0;
  }

  /**
   * The call is over.
   *
   * @param outputBytes what is held of its output; a tool that makes little of much gives the rest back
   */
  end(outputBytes: number): void {
    this.#isOver = true;
    if (outputBytes === 0) return this.drop();
    const kept = outputBytes * this.#weight;
    if (kept < this.#bytes) this.#budget.give(this.#bytes - kept);
  }
}

/** What bounds the reading of one response. */
export interface BodyLimits {
  /** Decompressed bytes of this response. */
  readonly maxBytes: number;
  /** What the call may hold of all that its request reads. */
  readonly held: CallBytes;
  readonly clock: CallClock;
  /** The longest silence between two chunks. */
  readonly idleTimeoutMs: number;
}

/**
 * Read a response's body as text, within its limits.
 *
 * At most `maxBytes` and one chunk are ever read, however long the body is and whatever its length header says; the
 * stream is cancelled the moment it is refused. Bytes are counted as they come out of decompression. Each chunk is
 * decoded at once and let go, so a body in tiny pieces does not keep their buffers alive.
 *
 * @throws ToolFailure `RESPONSE_TOO_LARGE`; `BAD_UPSTREAM_RESPONSE` when it is not text in the charset it names;
 *   `UPSTREAM_ERROR` when it breaks off; the clock's own failure when time runs out
 */
export function readBody(response: Response, limits: BodyLimits): Promise<string> {
  const declared = declaredLength(response);
  return declared <= Math.min(SMALL_BODY, limits.maxBytes) && isDelimited(response.headers)
    ? readSmallBody(response, declared, limits)
    : readInChunks(response, limits, () => createText(response.headers.get("content-type")));
}

/**
 * Read an event stream within the same limits but for silence, which the call's own time ends, and tell each piece of it
 * when it comes.
 *
 * @param onPiece true when the rest is not needed; what it throws ends the reading too
 * @returns what was told, as one text
 */
export function readEvents(
  response: Response,
  limits: BodyLimits,
  onPiece: (piece: string) => boolean,
): Promise<string> {
  const untilItsEnd = { ...limits, idleTimeoutMs: Number.POSITIVE_INFINITY };
  return readInChunks(response, untilItsEnd, () => createText(response.headers.get("content-type"), onPiece));
}

/** Read a response's body as the bytes that it is, within its limits; see `readBody`. */
export function readBytes(response: Response, limits: BodyLimits): Promise<Uint8Array> {
  return readInChunks(response, limits, createBytes);
}

function declaredLength({ headers }: Response): number {
  const length = headers.get("content-length");
  return length !== null && DIGITS.test(length) ? Number(length) : Number.NaN;
}

/** What the chunks of a body become. It keeps none of them: a buffer may be much larger than the chunk in it. */
interface Gathered<T> {
  /** True when the rest is not needed. */
  add(chunk: Uint8Array): boolean;
  end(): T;
}

async function readInChunks<T>(
  response: Response,
  limits: BodyLimits,
  gather: () => Gathered<T>,
): Promise<T> {
  const { maxBytes, held, clock, idleTimeoutMs } = limits;
  // Only now: a runtime whose stream was looked at reads it the slow way.
  if (response.body === null) return gather().end();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  // Cancelling settles a pending read at once, even when the stream does not know about the signal.
  const cancel = (): void => void attempt(() => reader.cancel());
  const stopListening = clock.onEnd(cancel);
  let isWhole = false;
  let isKept = false;
  let bytes = 0;
  let taken = 0;
  try {
    if (clock.ended !== null) throw clock.ended;
    if (declaredLength(response) > maxBytes) throw tooLarge(maxBytes);
    const gathered = gather();
    for (let chunks = 1; ; chunks += 1) {
      clock.enter("idle", idleTimeoutMs);
      const { done, value } = await readChunk(reader, clock);
      isWhole = done;
      if (done) {
        const body = gathered.end();
        held.keep(taken);
        isKept = true;
        return body;
      }
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      if (chunks > LIMITS.responseChunks) throw tooManyChunks();
      if (!held.take(value.byteLength, bytes)) throw budgetSpent();
      taken = bytes;
      if (!gathered.add(value)) continue;
      held.keep(taken);
      isKept = true;
      return gathered.end();
    }
  } finally {
    if (!isWhole) cancel();
    if (!isKept) held.give(taken);
    stopListening();
    clock.leave();
  }
}

function createText(contentType: string | null, onPiece?: (piece: string) => boolean): Gathered<string> {
  const decoder = createDecoder(contentType);
  let text = "";
  let isEnough = false;
  return {
    add(chunk) {
      const piece = decode(decoder, chunk);
      text += piece;
      isEnough = onPiece?.(piece) === true;
      return isEnough;
    },
    // Where the rest was not needed it may break off within a character.
    end: () => (isEnough ? text : text + decode(decoder)),
  };
}

function createBytes(): Gathered<Uint8Array> {
  let bytes = new Uint8Array(0);
  let length = 0;
  return {
    add(chunk) {
      if (length + chunk.length > bytes.length) {
        const larger = new Uint8Array(Math.max(2 * bytes.length, length + chunk.length));
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(chunk, length);
      length += chunk.length;
      return false;
    },
    end: () => bytes.subarray(0, length),
  };
}

/**
 * Parse a body as JSON, or throw `BAD_UPSTREAM_RESPONSE`.
 *
 * The hint names the media type that came instead, never the text: that is the upstream's, and nobody has vouched for it.
 */
export function parseJsonBody(text: string, headers: Pick<Headers, "get">): unknown {
  const parsed = attemptNow(() => parseExact(text));
  if (parsed.ok) return parsed.value;
  const came = text.trim() === "" ? "nothing" : describeBody(headers.get("content-type"));
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: `The service answered with ${came} where JSON was expected; the same call will hardly do better.`,
  });
}

/**
 * Read a body whose length is declared and small in one piece: the runtime delivers no more than was declared, and all of
 * it may take no longer than the silence between two chunks may last. Most answers are like that, and for them reading
 * in chunks costs more than the rest of the call.
 */
async function readSmallBody(
  response: Response,
  declared: number,
  { maxBytes, held, clock, idleTimeoutMs }: BodyLimits,
): Promise<string> {
  if (!held.take(declared, declared)) {
    void attempt(() => response.body?.cancel());
    throw budgetSpent();
  }
  let isKept = false;
  try {
    clock.enter("idle", idleTimeoutMs);
    const read = await attempt(() => clock.orEnd(response.arrayBuffer()));
    clock.leave();
    if (!read.ok) throw clock.ended ?? brokenOff();
    const bytes = new Uint8Array(read.value);
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    const text = decodeAscii(bytes) ?? decode(UTF_8, bytes, false);
    held.keep(declared);
    isKept = true;
    return text;
  } finally {
    if (!isKept) held.give(declared);
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>, clock: CallClock) {
  const chunk = await attempt(() => reader.read());
  // The end that our own cancelling made is no end of the body.
  if (clock.ended !== null) throw clock.ended;
  if (!chunk.ok) throw brokenOff();
  return chunk.value;
}

function brokenOff(): ToolFailure {
  return new ToolFailure("UPSTREAM_ERROR", {
    hint: "The service broke off in the middle of its answer; trying again may help.",
  });
}

/** Spelled so because the type has a name of its own in some runtimes' declarations only. */
type Decoder = InstanceType<typeof TextDecoder>;

/** For bodies that come in one piece: a decoder that is never given half a character keeps no state between two. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Whether the declared length is where the runtime ends the body: neither compressed nor in a transfer encoding, both of
 * which make it go on (RFC 9112, 6.3), nor in another character encoding than the runtime assumes.
 */
function isDelimited(headers: Headers): boolean {
  return (
    !headers.has("transfer-encoding") &&
    !headers.has("content-encoding") &&
    !/charset=(?!"?utf-8)/i.test(headers.get("content-type") ?? "")
  );
}

/** Strict, because a replacement character would pass corrupted data off as the service's answer. */
function createDecoder(contentType: string | null): Decoder {
  const charset = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  const decoder = attemptNow(() => new TextDecoder(charset, { fatal: true, ignoreBOM: false }));
  if (decoder.ok) return decoder.value;
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: "The service answered in a character encoding that is not known here.",
  });
}

/** The text of a short body that is plain ASCII, which most JSON is; null for any other, which takes a decoder. */
function decodeAscii(bytes: Uint8Array): string | null {
  if (bytes.length > SHORT_TEXT) return null;
  for (const byte of bytes) if (byte > 0x7f) return null;
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

function decode(decoder: Decoder, chunk?: Uint8Array, stream = true): string {
  const decoded = attemptNow(() =>
    chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream }),
  );
  if (decoded.ok) return decoded.value;
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: "The service answered with bytes that are not text in the encoding they are said to be in.",
  });
}

/** Say what came instead of JSON, by what it was called. */
function describeBody(contentType: string | null): string {
  const type = toMediaType(contentType);
  if (type === null) return "something else";
  return /[/+]json$/.test(type) ? "something that only claims to be JSON" : quotedText(type);
}

/** The media type without its parameters (`text/html`), or null when it is not shaped like a registered one. */
function toMediaType(contentType: string | null): string | null {
  const shape =
    /^(?:application|audio|font|image|message|model|multipart|text|video)\/[a-z0-9.+-]{1,40}(?=\s*(?:;|$))/;
  return shape.exec((contentType ?? "").trim().toLowerCase())?.[0] ?? null;
}

function tooLarge(maxBytes: number): ToolFailure {
  return new ToolFailure("RESPONSE_TOO_LARGE", {
    hint: `One answer of this service may have ${maxBytes} bytes; ask for less.`,
  });
}

function tooManyChunks(): ToolFailure {
  return new ToolFailure("RESPONSE_TOO_LARGE", {
    hint: `The answer came in more than ${LIMITS.responseChunks} pieces and was given up.`,
  });
}

function budgetSpent(): ToolFailure {
  return new ToolFailure("RESPONSE_TOO_LARGE", {
    hint: "The answers of this batch together are too large; ask for less, or for fewer things at once.",
  });
}

const TOO_MANY_VALUES = makeFailure("RESPONSE_TOO_LARGE", {
  hint: `One answer of a service may have ${LIMITS.responseValues} JSON values; ask for less.`,
});

const valuesSpent = (most: number): Failure =>
  makeFailure("RESPONSE_TOO_LARGE", {
    hint: `The data of one batch may have ${most} JSON values together; ask for less, or for fewer things at once.`,
  });
