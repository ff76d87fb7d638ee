import { parseExact } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { attempt, attemptNow } from "../kit/result.ts";
import type { CallClock } from "./call-clock.ts";

/** Declared lengths up to this are read in one piece. */
const SMALL_BODY = 64 * 1024;

/** Up to this many characters can be arguments of one call, and writing them one by one is faster than a decoder. */
const SHORT_TEXT = 2_048;

/** The bytes that all upstream responses of one request may take together, so that no mix of them fills an isolate. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /**
   * Take `bytes`, or answer false when they are no longer there. A refusal takes nothing, so one response that is too
   * large does not cost the small ones beside it.
   */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** What bounds the reading of one response. */
export interface BodyLimits {
  /** Decompressed bytes of this response. */
  readonly maxBytes: number;
  /** Shared by all responses of the request. */
  readonly budget: ByteBudget;
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
  const declared = Number(response.headers.get("content-length") ?? Number.NaN);
  return declared <= Math.min(SMALL_BODY, limits.maxBytes) && isPlainText(response.headers)
    ? readSmallBody(response, limits)
    : readInChunks(response, declared, limits);
}

async function readInChunks(response: Response, declared: number, limits: BodyLimits): Promise<string> {
  const { maxBytes, budget, clock, idleTimeoutMs } = limits;
  // Only now: a runtime whose stream was looked at reads it the slow way.
  if (response.body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  // Cancelling settles a pending read at once, even when the stream does not know about the signal.
  const cancel = (): void => void attempt(() => reader.cancel());
  const stopListening = clock.onEnd(cancel);
  let isWhole = false;
  try {
    if (clock.ended !== null) throw clock.ended;
    if (declared > maxBytes) throw tooLarge(maxBytes);
    const decoder = createDecoder(response.headers.get("content-type"));
    let text = "";
    let bytes = 0;
    for (let chunks = 1; ; chunks += 1) {
      clock.enter("idle", idleTimeoutMs);
      const { done, value } = await readChunk(reader, clock);
      isWhole = done;
      if (done) return text + decode(decoder);
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      if (chunks > LIMITS.responseChunks) throw tooManyChunks();
      if (!budget.take(value.byteLength)) throw budgetSpent();
      text += decode(decoder, value);
    }
  } finally {
    if (!isWhole) cancel();
    stopListening();
    clock.leave();
  }
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
  { maxBytes, budget, clock, idleTimeoutMs }: BodyLimits,
): Promise<string> {
  clock.enter("idle", idleTimeoutMs);
  const read = await attempt(() => clock.orEnd(response.arrayBuffer()));
  clock.leave();
  if (!read.ok) throw clock.ended ?? brokenOff();
  const bytes = new Uint8Array(read.value);
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  if (!budget.take(bytes.length)) throw budgetSpent();
  return decodeAscii(bytes) ?? decode(UTF_8, bytes, false);
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

/** Neither compressed, so that its length is what it says, nor in another encoding than the runtime assumes. */
function isPlainText(headers: Headers): boolean {
  return !headers.has("content-encoding") && !/charset=(?!"?utf-8)/i.test(headers.get("content-type") ?? "");
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
  const type = toMediaType(contentType) ?? "something else";
  return /[/+]json$/.test(type) ? "something that only claims to be JSON" : type;
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
