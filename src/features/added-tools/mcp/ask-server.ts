import * as LIMITS from "../limits.ts";
import type { UpstreamWords } from "../../../core/contract/failure.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import { EventSplitter } from "../../../core/kit/event-splitter.ts";
import { attempt, attemptNow } from "../../../feature/refuse.ts";
import type {
  ProgressReport,
  ToolContext,
  UpstreamRequest,
  UpstreamResponse,
} from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../feature/tool.ts";
import { type Answer, readMessage, RPC } from "./message.ts";
import { type Session, STATELESS } from "./mcp-session.ts";

/** Where a server is, and what it knows us by. */
export interface Server {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Question {
  readonly method: string;
  readonly params?: JsonObject;
  /** Headers besides those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True unless said: only the call of a tool may change something. */
  readonly changesNothing?: boolean;
  /** Told the words of a refusal with status 400. */
  readonly onRefused?: (text: string) => void;
  /** Told how far the request has come, where the server says so. */
  readonly onProgress?: (report: ProgressReport) => void;
}

/** An answer, and the headers it came with. */
interface Answered {
  readonly answer: Answer;
  readonly headers: Headers;
}

type Fetch = Pick<ToolContext, "fetch">;

/**
 * Ask a server over Streamable HTTP: one POST, answered by JSON or by a stream of events that ends for us with the answer. A
 * response that is no answer to it (broken JSON, an array, another id, a stream that ends too early) is a `ToolFailure` like any
 * status but 2xx; the answer itself may still be an error.
 *
 * Giving a request up closes its answer, which tells a server of 2026-07-28 to cancel; for one of 2025 that is best effort.
 */
export async function ask(
  server: Server,
  session: Session,
  question: Question,
  ctx: Fetch,
): Promise<Answered> {
  const id = session.nextId();
  const { method, params, onProgress } = question;
  const message = { jsonrpc: "2.0", id, method, params: withMeta(params, session, onProgress && id) };
  const events = new EventSplitter();
  let answer: Answer | null = null;
  const take = (value: unknown): void => {
    const read = readMessage(value, id);
    if (read?.kind === "progress") onProgress?.(read.report);
    else answer = read;
  };
  let parse: (json: string) => unknown = () => null;
  const onEvents: Required<UpstreamRequest>["onEvents"] = (piece, parseHeld) => {
    parse = parseHeld;
    const ended = events.read(piece);
    if (events.lines > LIMITS.mcpStreamLines) throw tooManyLines();
    for (const { name, data } of ended) {
      if (isMessage(name) && data) take(parse(data));
      if (answer !== null) return true;
    }
    return false;
  };
  const response = await post(server, session, { ...question, body: message, onEvents }, ctx);
  const isStream = /^\s*text\/event-stream\s*(?:;|$)/i.test(response.headers.get("content-type") ?? "");
  // Events were read as they came, but for an event whose last line ends with a carriage return.
  if (!isStream) take(readJson(response));
  else if (answer === null) onEvents("\n", parse);
  if (response.status === 400 && !isStream) question.onRefused?.(response.text());
  if (response.status >= 400 && !tellsWhy(answer))
    throw refused(response.status, wordsOf(answer, response.status));
  if (answer === null) throw isStream ? endedEarly() : noAnswer();
  return { answer, headers: response.headers };
}

/** Tell a server something that has no answer: whatever it says to it, nothing of that is waited for. */
export async function tell(server: Server, session: Session, method: string, ctx: Fetch): Promise<void> {
  const body = { jsonrpc: "2.0", method };
  await attempt(() => post(server, session, { method, body, onEvents: () => true }, ctx));
}

/** Since 2026-07-28 a refusal of one of these statuses says in JSON-RPC's words why. */
const TELLING = [400, 404];

async function post(
  server: Server,
  session: Session,
  {
    method,
    headers,
    changesNothing = true,
    onRefused,
    ...sent
  }: Question & Required<Pick<UpstreamRequest, "body" | "onEvents">>,
  ctx: Fetch,
): Promise<UpstreamResponse> {
  const { body, onEvents } = sent;
  const got = await attempt(() =>
    ctx.fetch(server.url, {
      method: "POST",
      headers: {
        ...headers,
        ...headersOf(session, method),
        accept: "application/json, text/event-stream",
        ...server.headers,
      },
      body,
      changesNothing,
      onEvents,
      ...((session.isStateless || onRefused !== undefined) && { alsoReads: TELLING }),
    }),
  );
  if (got.ok) return got.value;
  throw isStatus(got.error, [404, 410])
    ? refused(got.error.failure.upstreamStatus!, got.error.failure.upstream)
    : got.error;
}

/** The headers that name the revision; `initialize` is the request that asks for one. */
function headersOf({ version, id, isStateless }: Session, method: string): Record<string, string> {
  if (isStateless) return { "mcp-protocol-version": version, "mcp-method": method };
  if (method === "initialize") return {};
  return { "mcp-protocol-version": version, ...(id !== null && { "mcp-session-id": id }) };
}

/** Who we are: a client that has none of the capabilities, so the server asks nothing back. */
export const CLIENT = { name: "volley", version: "1" };

function withMeta(params: JsonObject = {}, session: Session, progressToken?: number): JsonObject {
  const meta = {
    ...(session.isStateless && {
      "io.modelcontextprotocol/protocolVersion": STATELESS,
      "io.modelcontextprotocol/clientInfo": CLIENT,
      "io.modelcontextprotocol/clientCapabilities": {},
    }),
    ...(progressToken !== undefined && { progressToken }),
  };
  return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
}

/** Several messages at once were of one revision only, and answer only who sent several; so an array is none. */
function readJson(response: UpstreamResponse): unknown {
  const read = attemptNow(() => response.json());
  if (read.ok) return read.value;
  // A refusal without such words is told by its status.
  if (response.status >= 400) return null;
  throw read.error;
}

const REASONS = new Set<number>([
  RPC.invalidParams,
  RPC.internal,
  RPC.missingCapability,
  RPC.urlElicitationRequired,
]);

/** Whether the words of a refusal are about the request, and not about how the server is spoken with. */
function tellsWhy(answer: Answer | null): boolean {
  return answer?.kind === "error" && REASONS.has(answer.code);
}

/** Whether something failed because of one of these statuses. */
export function isStatus(error: unknown, statuses: readonly number[]): error is ToolFailure {
  return error instanceof ToolFailure && statuses.includes(error.failure.upstreamStatus ?? 0);
}

function wordsOf(answer: Answer | null, status: number): UpstreamWords | undefined {
  if (answer?.kind !== "error" || answer.said === undefined) return undefined;
  return { status, message: answer.said, code: String(answer.code) };
}

function refused(upstreamStatus: number, upstream?: UpstreamWords): ToolFailure {
  const told = { upstreamStatus, ...(upstream !== undefined && { upstream }) };
  if (upstreamStatus === 400)
    return new ToolFailure("UPSTREAM_ERROR", {
      ...told,
      retryable: false,
      hint: "The MCP server refused the request with status 400; change the arguments or use another tool.",
    });
  return new ToolFailure("NOT_FOUND", {
    ...told,
    hint: "There is no MCP server at the tool's address any more; use another tool or tell the user.",
  });
}

/** Events of other types are nothing of the protocol's. */
function isMessage(name: string): boolean {
  return name === "" || name === "message";
}

function tooManyLines(): ToolFailure {
  return new ToolFailure("RESPONSE_TOO_LARGE", {
    hint: `The MCP server's stream has more than ${LIMITS.mcpStreamLines} lines and was given up; use another tool or tell the user.`,
  });
}

function endedEarly(): ToolFailure {
  return new ToolFailure("UPSTREAM_ERROR", {
    hint: "The MCP server ended its answer before it had answered; trying again may help.",
  });
}

function noAnswer(): ToolFailure {
  return new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: "The MCP server answered with something that is no answer to the request; use another tool or tell the user.",
  });
}
