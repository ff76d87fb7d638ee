import * as LIMITS from "../contract/limits.ts";
import { parseExact } from "../contract/json.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { attempt, attemptNow } from "../kit/result.ts";
import { quotedText } from "../kit/visible-text.ts";
import { budgetSpent, type CallBytes, SMALL_BODY } from "./byte-budget.ts";
import type { CallClock } from "./call-clock.ts";

/** A length (RFC 9110, 8.6). `Number` alone would take `0x10`, `-1` and nothing at all for one. */
const DIGITS = /^\d+$/;

export interface BodyLimits {
  /** Decompressed bytes of this response. */
  readonly maxBytes: number;
  /** The bytes that the call may hold among all that its request reads. */
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
export function readBody(
  response: Response,
  limits: BodyLimits,
  { headers, length }: Pick<Response, "headers"> & { readonly length?: number } = response,
): Promise<string> {
  const declared = length ?? declaredLength(headers);
  return isSmallBody(declared) && declared <= limits.maxBytes && isDelimited(headers)
    ? readSmallBody(response, declared, limits)
    : readInChunks(response, limits, () => createText(headers.get("content-type")));
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

/** Whether a body of this declared length is read in one piece. */
export function isSmallBody(declared: number): boolean {
  return declared <= SMALL_BODY;
}

/** The length that a body is declared to have; not a number where none is. */
export function declaredLength(headers: Headers): number {
  const length = headers.get("content-length");
  return length !== null && DIGITS.test(length) ? Number(length) : Number.NaN;
}

/** The result of gathering a body's chunks. It keeps none of them: a buffer may be much larger than the chunk in it. */
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
    const declared = declaredLength(response.headers);
    if (declared > maxBytes) throw tooLarge(maxBytes);
    const gathered = gather();
    // A large body waits for its turn before any of it is read.
    if (declared > SMALL_BODY) {
      const turn = hold(declared, declared, limits);
      if (turn !== null) await turn;
      taken = declared;
    }
    for (let chunks = 1; ; chunks += 1) {
      clock.enter("idle", idleTimeoutMs);
      const { done, value } = await readChunk(reader, clock);
      isWhole = done;
      if (!done) {
        bytes += value.byteLength;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        if (chunks > LIMITS.responseChunks) throw tooManyChunks();
        if (bytes > taken) {
          const turn = hold(bytes - taken, bytes, limits);
          if (turn !== null) await turn;
          taken = bytes;
        }
        if (!gathered.add(value)) continue;
      }
      const body = gathered.end();
      held.keep(bytes);
      held.give(taken - bytes);
      isKept = true;
      return body;
    }
  } finally {
    if (!isWhole) cancel();
    if (!isKept) held.give(taken);
    stopListening();
    clock.leave();
  }
}

/** Take bytes for a body that has `total` of them: null where that was done at once, else it waits for its turn. */
function hold(bytes: number, total: number, { held, clock }: BodyLimits): Promise<void> | null {
  if (!held.take(bytes, total)) throw budgetSpent();
  return held.share(bytes, total, clock);
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
 * The hint names the media type that came instead, never the text: that is the upstream's, and is not trusted.
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
async function readSmallBody(response: Response, declared: number, limits: BodyLimits): Promise<string> {
  const { maxBytes, held, clock, idleTimeoutMs } = limits;
  const taken = attemptNow(() => hold(declared, declared, limits));
  const turn = taken.ok && taken.value !== null ? await attempt(() => taken.value) : taken;
  if (!turn.ok) {
    void attempt(() => response.body?.cancel());
    throw turn.error;
  }
  let isKept = false;
  try {
    clock.enter("idle", idleTimeoutMs);
    const bytes = new Uint8Array(await clock.orEnd(response.arrayBuffer(), undefined, brokenOff));
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    const text = decode(UTF_8, bytes, false);
    held.keep(declared);
    isKept = true;
    return text;
  } finally {
    clock.leave();
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
const UTF_8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Whether the declared length is where the runtime ends the body: neither compressed nor in a transfer encoding, both of
 * which make it go on (RFC 9112, 6.3), nor in another character encoding than the runtime assumes.
 */
function isDelimited(headers: Headers): boolean {
  return (
    !headers.has("transfer-encoding") &&
    !headers.has("content-encoding") &&
    /^utf-?8$/i.test(charsetOf(headers.get("content-type")))
  );
}

/** The encoding that a content type names, with blanks and quotes where some services write them. */
function charsetOf(contentType: string | null): string {
  if (contentType?.includes(";") !== true) return "utf-8";
  return /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1] ?? "utf-8";
}

/** Strict, because a replacement character would pass corrupted data off as the service's answer. */
function createDecoder(contentType: string | null): Decoder {
  const charset = charsetOf(contentType);
  const decoder = attemptNow(() => new TextDecoder(charset, { fatal: true, ignoreBOM: false }));
  if (decoder.ok) return decoder.value;
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: "The service answered in a character encoding that is not known here.",
  });
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
