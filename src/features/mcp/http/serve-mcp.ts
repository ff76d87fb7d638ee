import type { ProgressReport } from "../../../core/catalog/define-tool.ts";
import { isJsonObject } from "../../../feature/schema.ts";
import { attempt, type Result } from "../../../feature/refuse.ts";
import { openEventStream, STREAM_HEADERS } from "../../../cloudflare/http/event-stream.ts";
import { type RequestContext, respondHeld, respondJson } from "../../../feature/answer.ts";
import { holdAnswer } from "../../../cloudflare/http/respond.ts";
import { logBug } from "../../../feature/define.ts";
import { type Era, readAbilities, readEra } from "./mcp-revision.ts";
import { answerMethod } from "./mcp-methods.ts";
import type { MethodOptions } from "./method.ts";
import {
  idOf,
  readMessage,
  RPC_CODES,
  type RpcError,
  type RpcId,
  type RpcRequest,
  toErrorJson,
  toResultJson,
} from "./rpc-message.ts";

/** A message that was read, bounded and counted already. */
interface McpPost extends Pick<MethodOptions, "surface" | "bodyBytes" | "keyed" | "parts"> {
  readonly body: unknown;
  /** The answer's headers about an allowance that counted it already. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Serve one message of the Model Context Protocol over Streamable HTTP: revision 2026-07-28, and clients of 2025 without
 * sessions. Nothing outlives the request, so any isolate can answer the next one.
 *
 * The answer is JSON. A client that asked for the progress of its call, and takes events, gets events.
 */
export async function serveMcp(request: Request, context: RequestContext, post: McpPost): Promise<Response> {
  const { body, headers } = post;
  const id = idOf(body);
  const message = readMessage(body);
  if (message === null) {
    const error = { code: RPC_CODES.invalidRequest, message: "The body is not a message of JSON-RPC 2.0." };
    return respondError(error, { status: 400, id, headers });
  }
  const era = readEra(message, request.headers);
  if (!era.ok) return respondError(era.error, { status: 400, id, headers });
  if (message.kind !== "request") return new Response(null, { status: 202, headers });
  // Where the tenant's tools cannot be read the call itself says so.
  const lacking = await attempt(() => findLackingScopes(message, context));
  if (lacking.ok && lacking.value !== null) return respondLacking(lacking.value, { id, headers });
  const { _meta: meta } = message.params;
  const token = isJsonObject(meta) ? meta["progressToken"] : undefined;
  const wantsProgress =
    message.method === "tools/call" && (typeof token === "string" || Number.isSafeInteger(token));
  const takesEvents = request.headers.get("accept")?.includes("text/event-stream") === true;
  const exchange = { request, context, post, message, era: era.value };
  return wantsProgress && takesEvents ? respondStream(exchange, token as RpcId) : respondOnce(exchange);
}

interface Exchange {
  readonly request: Request;
  readonly context: RequestContext;
  readonly post: McpPost;
  readonly message: RpcRequest;
  readonly era: Era;
}

/** The listeners of an exchange besides its answer. */
type Listeners = Pick<MethodOptions, "signal" | "onCounted" | "onProgress" | "onWritten">;

/** Answer a request; a bug of ours is told to the operator, and to the client by the request's id alone. */
async function answer(
  { context, post, message, era }: Exchange,
  listeners: Listeners,
): Promise<Result<string, RpcError>> {
  const { surface, bodyBytes, keyed, parts } = post;
  const abilities = readAbilities(message, era);
  const options = { era, surface, bodyBytes, keyed, parts, abilities, ...listeners };
  const answered = await attempt(() => answerMethod(message, context, options));
  if (answered.ok) return answered.value;
  const { requestId } = context;
  logBug(requestId, "/mcp", answered.error);
  const hint = "Something failed on our side; give the operator the request id.";
  return {
    ok: false,
    error: { code: RPC_CODES.internalError, message: hint, data: { request_id: requestId } },
  };
}

async function respondOnce(exchange: Exchange): Promise<Response> {
  const { request, context, post, message, era } = exchange;
  const headers = { ...post.headers };
  const onCounted = (told: Readonly<Record<string, string>>): void => void Object.assign(headers, told);
  const { made, release } = holdAnswer(
    (onWritten) => answer(exchange, { signal: request.signal, onCounted, onWritten }),
    context,
  );
  const answered = await made;
  if (answered.ok)
    return respondHeld(toResultJson(message.id, answered.value), context, { release, headers });
  release();
  // An unknown method is an unknown path for what stands between; older clients look into the body only.
  const status = era === "stateless" ? (STATUSES[answered.error.code] ?? 200) : 200;
  return respondError(answered.error, { status, id: message.id, headers });
}

const STATUSES: Readonly<Record<number, number>> = {
  [RPC_CODES.methodNotFound]: 404,
  [RPC_CODES.missingCapability]: 400,
};

/** Answer with events: each report of the call's progress, then the answer. It begins when the call was counted. */
async function respondStream(exchange: Exchange, progressToken: RpcId): Promise<Response> {
  const { request, context, post, message } = exchange;
  const { ports, defer } = context;
  const stream = openEventStream(request.signal, ports.clock);
  const tell = (json: string): void => stream.send(`event: message\ndata: ${json}\n\n`);
  const counted = Promise.withResolvers<Readonly<Record<string, string>>>();
  const onProgress = (report: ProgressReport): void =>
    tell(
      JSON.stringify({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, ...report },
      }),
    );
  const { made: answering, release } = holdAnswer(
    (onWritten) =>
      answer(exchange, { signal: stream.signal, onWritten, onCounted: counted.resolve, onProgress }),
    context,
  );
  // A request that is refused before it is counted has an answer at once.
  const told = await Promise.race([counted.promise, answering.then(() => ({}))]);
  const stopKeepAlive = stream.keepAlive();
  const end = async (): Promise<void> => {
    const answered = await answering;
    stopKeepAlive();
    tell(answered.ok ? toResultJson(message.id, answered.value) : toErrorJson(message.id, answered.error));
    await stream.close();
    release();
  };
  defer(end());
  return new Response(stream.readable, {
    headers: { ...STREAM_HEADERS, ...post.headers, ...told },
  });
}

/** Refuse a call that needs more scopes, and say which in the header that clients read to ask for them (RFC 6750, 3.1). */
function respondLacking(scopes: readonly string[], answer: Omit<ErrorAnswer, "status">): Response {
  const message = `The token has too few scopes for this tool; ask the person to sign in again with: ${scopes.join(" ")}.`;
  const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"`;
  return respondError(
    { code: RPC_CODES.invalidRequest, message, data: { scopes } },
    { ...answer, status: 403, headers: { ...answer.headers, "www-authenticate": challenge } },
  );
}

interface ErrorAnswer {
  readonly status: number;
  readonly id: RpcId | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answer with an error, in the protocol's words. */
export function respondError(error: RpcError, { status, id, headers = {} }: ErrorAnswer): Response {
  return respondJson(toErrorJson(id, error), { status, headers });
}

type LackingContext = Pick<RequestContext, "caller" | "catalog" | "allTools">;

/**
 * Find the scopes that a call needs, where its caller is a key that was narrowed by scopes, and the key itself could make the call: those that
 * it has, and one more. Null where scopes are not what is lacking.
 */
export async function findLackingScopes(
  { method, params }: RpcRequest,
  { caller, catalog, allTools }: LackingContext,
): Promise<readonly string[] | null> {
  const { tools } = caller;
  const scopes = tools.flatMap((text) => (text.includes(" ") ? text.slice(0, text.indexOf(" ")) : []));
  const { name } = params;
  const mayLack = scopes.length > 0 && method === "tools/call" && typeof name === "string";
  if (!mayLack || catalog.offers(name)) return null;
  const all = await allTools();
  const tool = all.restrictTo(tools.map((text) => text.slice(text.indexOf(" ") + 1))).get(name);
  if (tool === undefined || all.restrictTo(tools).get(name) !== undefined) return null;
  const lacking = tool.isWrite ? `category:${tool.category}` : "tools:read";
  return [...new Set([...scopes, /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(lacking) ? lacking : "tools"])];
}
