import type * as z from "zod/mini";
import type { RequestContext } from "./request-context.ts";
import type { Issue } from "../../core/contract/failure.ts";
import { parseIdempotencyKey } from "../../core/contract/idempotency-key.ts";
import { describe, toHint } from "../../core/contract/issues.ts";
import { parseExact } from "../../core/contract/json.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { countValues, type JsonOptions, parseJson } from "../../core/contract/parse-json.ts";
import { type ParsedRequest, parseRequest } from "../../core/contract/parse-request.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import { CROWDED } from "../../core/egress/held-bytes.ts";
import type { RequestBytes } from "../../core/egress/isolate-bytes.ts";
import type { Execution } from "../../core/gate/execution.ts";
import type { BatchKey } from "../../core/gate/read-keys.ts";
import { attempt, err, ok, type Result } from "../../core/kit/result.ts";
import { visibleText } from "../../core/kit/visible-text.ts";

/** A parsed body and its size in bytes. */
export interface RequestBody {
  readonly value: unknown;
  readonly bytes: number;
}

/** The bounds of a body; a batch's unless said. */
export interface BodyLimits extends JsonOptions {
  readonly bodyBytes: number;
  readonly nesting: number;
  /** No body is an object without fields. */
  readonly mayBeAbsent?: boolean;
  /** Asked before so many bytes are read. */
  readonly beforeReading?: (most: number) => Promise<Refusal | null>;
  /** Asked before what was read is parsed. */
  readonly beforeParsing?: (bytes: Uint8Array) => Promise<Refusal | null> | null;
}

const BATCH_LIMITS: BodyLimits = { bodyBytes: LIMITS.bodyBytes, nesting: LIMITS.nesting };

/** The body of what runs something, and the part of its execution that its key makes: the same content under one key is one request. */
export interface RunBody extends RequestBody {
  readonly keyed: (content: unknown) => ReturnType<typeof underKey>;
}

/**
 * Read the key and the body of what runs something. A body that is not small counts among its tenant's bytes, with the values that are made
 * of it, from before it is parsed until what it asked for has run.
 */
export async function readRun(
  request: Request,
  context: RequestContext,
  options?: Partial<Pick<BodyLimits, "mayBeAbsent" | "bodyBytes">>,
): Promise<Result<RunBody, Refusal>> {
  const key = readSentKey(request);
  if (!key.ok) return key;
  const hold = async (body: Uint8Array, account: RequestBytes): Promise<Refusal | null> => {
    const { length } = body;
    let bytes = length + LIMITS.valueBytes * countValues(new TextDecoder().decode(body), length);
    if (!(await account.hold(bytes, bytes <= LIMITS.argsBytes, request.signal))) return CROWDED;
    // It grows no more, and what runs may wait for a minute, so it keeps no other request from its turn.
    account.rest(bytes);
    // Once: contexts that are made of this one have it too.
    context.letGo = () => {
      account.give(bytes);
      bytes = 0;
    };
    return null;
  };
  const body = await readRequestBody(request, {
    ...BATCH_LIMITS,
    ...options,
    beforeParsing(bytes) {
      const account = bytes.length > LIMITS.uncountedBytes ? context.upstreams.share?.() : undefined;
      return account === undefined ? null : hold(bytes, account);
    },
    parse: parseExact,
  });
  return body.ok ? ok({ ...body.value, keyed: (content) => underKey(key.value, content) }) : body;
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** Read a JSON request body: its type checked first, its size while reading, its depth before parsing. */
export async function readRequestBody(
  request: Request,
  { bodyBytes, nesting, mayBeAbsent, beforeReading, beforeParsing, ...options }: BodyLimits = BATCH_LIMITS,
): Promise<Result<RequestBody, Refusal>> {
  if (mayBeAbsent === true && (await isBodiless(request))) return ok({ value: {}, bytes: 0 });
  const type = request.headers.get("content-type") ?? "";
  if (!JSON_TYPE.test(type)) return err(refuseType(type));
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") return err(ENCODED);
  const unread = beforeReading === undefined ? null : await beforeReading(mostOf(request, bodyBytes));
  if (unread !== null) return err(unread);
  // Malformed lengths of chunks, or a socket that ends before its body.
  const read = await readBytes(request, bodyBytes).then(ok, err);
  if (!read.ok) return err(BROKEN_OFF);
  const bytes = read.value;
  if (bytes === null) return err(tooLarge(bodyBytes));
  const holding = beforeParsing?.(bytes) ?? null;
  const unparsed = holding === null ? null : await holding;
  if (unparsed !== null) return err(unparsed);
  const parsed = parseJson(bytes, nesting, options);
  return parsed.ok ? ok({ value: parsed.value, bytes: bytes.length }) : parsed;
}

/** Read the body of a path that takes one object of known fields; none is an object without fields. */
export async function readRequest<Schema extends z.ZodMiniObject>(
  request: Request,
  schema: Schema,
): Promise<Result<ParsedRequest<Schema>, Refusal>> {
  const body = await readRequestBody(request, { ...BATCH_LIMITS, mayBeAbsent: true });
  return body.ok ? parseRequest(schema, body.value.value) : body;
}

/** Whether a request came without a body. A platform may give it an empty one; a client names no type of what it does not send. */
async function isBodiless(request: Request): Promise<boolean> {
  if (request.headers.get("content-length") === "0") return true;
  if (request.headers.has("content-type")) return false;
  const read = await attempt(() => readBytes(request, 0));
  return read.ok && read.value !== null;
}

/** The refusal names the type that came: a client that sets no type sends one of its own, which its author has never seen. */
function refuseType(type: string): Refusal {
  const came = type === "" ? "no content-type came" : `'${visibleText(type)}' came`;
  const hint = `Send the body as JSON with the header 'content-type: application/json'; ${came}.`;
  return makeRefusal("UNSUPPORTED_MEDIA_TYPE", hint);
}

const BROKEN_OFF = makeRefusal(
  "MALFORMED_JSON",
  "The body breaks off or is not encoded as its headers say; send it again, whole.",
);
const ENCODED = makeRefusal("UNSUPPORTED_MEDIA_TYPE", "Send the body as it is, without a content-encoding.");

function tooLarge(bodyBytes: number): Refusal {
  const what =
    bodyBytes === LIMITS.bodyBytes ? "send fewer or smaller actions" : "leave out what is not needed";
  return makeRefusal("BODY_TOO_LARGE", `A body may take ${bodyBytes} bytes; ${what}.`);
}

/** The bytes that a body may have: none where it says of itself that it is too large. */
function mostOf({ headers }: Request, limit: number): number {
  const declared = headers.get("content-length");
  if (declared === null) return limit;
  return Number(declared) <= limit ? Number(declared) : 0;
}

/**
 * How many times what it may take of a body that is too large is read and thrown away: a client that is refused while it
 * still writes finds its socket broken, and never reads why.
 */
const READ_ON = 4;

/**
 * Read the whole body, or null where it is over the limit; no more than the limit and one chunk is held. Rejects where the body
 * breaks off.
 */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array | null> {
  const declared = request.headers.get("content-length");
  const length = declared === null ? null : Number(declared);
  // The runtime never delivers more than was declared.
  if (length !== null && length <= limit) return new Uint8Array(await request.arrayBuffer());
  if (length !== null && length > READ_ON * limit) return null;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > READ_ON * limit) return null;
    if (length === null && size <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > limit ? null : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Read a form of one of our own pages: a browser says where a form comes from, and another site's is refused. */
export async function readOwnForm(
  request: Request,
  limit: number,
): Promise<URLSearchParams | "foreign" | "too-long"> {
  const { headers } = request;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  if (!isForm || !["same-origin", null].includes(headers.get("sec-fetch-site"))) return "foreign";
  const read = await attempt(() => readBytes(request, limit));
  if (!read.ok || read.value === null) return "too-long";
  return new URLSearchParams(new TextDecoder().decode(read.value));
}

const HEADER = "Idempotency-Key";

/**
 * The key of a request's `Idempotency-Key` header; null without one.
 *
 * A header sent twice arrives as one, joined by a comma. So a comma outside quotes is refused: it may be part of a key or stand
 * between two, and RFC 8941 has no bare text with a comma either.
 */
export function readIdempotencyKey({ headers }: Request): Result<string | null, Refusal> {
  const header = headers.get(HEADER);
  if (header === null) return ok(null);
  if (header.includes(",") && !header.startsWith('"'))
    return refuse({
      path: HEADER,
      expected: "one key, quoted if it has a comma",
      received: describe(header),
    });
  const key = parseIdempotencyKey(header, HEADER);
  return key.ok ? key : refuse(key.error);
}

/** By what a request is known when it comes again. */
export type SentKey = Pick<BatchKey, "key" | "isFirst" | "givesUpSoon">;

/** How often an official client has sent a request before: 0 for the first time. */
const RETRY_COUNT = "x-stainless-retry-count";

/**
 * Read by what a request is known when it comes again: its `Idempotency-Key`, or its content, where its client counts how often
 * it sent it. Null where it has neither: no two requests of such a client are the same.
 */
export function readSentKey(request: Request): Result<SentKey | null, Refusal> {
  const read = readIdempotencyKey(request);
  if (!read.ok) return read;
  const key = read.value;
  const count = request.headers.get(RETRY_COUNT);
  const givesUpSoon = count !== null && /^\d{1,9}$/.test(count);
  if (key !== null) return ok({ key, givesUpSoon });
  return ok(givesUpSoon ? { key, isFirst: Number(count) === 0, givesUpSoon } : null);
}

/**
 * The part of a request's execution that its key makes; nothing without one. The same content under it is the same request.
 *
 * @param isShared whether it stands for more than what runs
 */
export function underKey(
  sent: SentKey | null,
  content: unknown,
  isShared = false,
): Pick<Execution, "batchKey"> {
  return sent === null ? {} : { batchKey: { ...sent, content, isShared } };
}

function refuse(issue: Issue): Result<never, Refusal> {
  return err(makeRefusal("INVALID_BATCH", toHint([issue]), { issue }));
}
