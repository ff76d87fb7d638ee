import * as LIMITS from "../limits.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { attempt } from "../../../feature/refuse.ts";
import { isConnection, type McpCall } from "../declared/declaration.ts";
import { senderOf } from "../declared/read-auth.ts";
import type { ToolContext } from "../../../core/catalog/define-tool.ts";
import { AnsweredFailure, ToolFailure } from "../../../core/catalog/tool-failure.ts";
import { ask, type Server } from "./ask-server.ts";
import { type KnownServer, KnownServers } from "./known-servers.ts";
import { listTools, toServer } from "./list-tools.ts";
import { type Answer, needsPerson, RPC, toFailure } from "./message.ts";
import { isStale, openSession } from "./open-session.ts";
import { makeParamHeaders, toHeaderValue } from "./param-headers.ts";
import type { Session } from "./mcp-session.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";

/** The servers that this isolate knows. */
const SERVERS = new KnownServers();

/** Those that a request knows by the accounts of its subject: what a server has told one subject is no other one's. */
const SERVERS_OF_ACCOUNTS = new WeakMap<object, KnownServers>();

/** The parts of the context that a call uses. */
export type McpContext = Pick<
  ToolContext,
  "fetch" | "secret" | "connection" | "caller" | "time" | "request" | "log" | "report" | "idempotencyKey"
>;

interface Way {
  readonly server: Server;
  readonly ctx: McpContext;
  readonly sender: Pick<ToolContext, "fetch">;
  readonly servers: KnownServers;
  /** The tenant, the address and our credentials: a tenant never uses an answer that another was given. */
  readonly key: string;
}

/**
 * Call a tool of an MCP server. It is sent only while the server says of it what it said when it was imported, as far as this
 * isolate knows: what was heard longer ago than the list's time to live is asked anew; and before a tool is said to have changed
 * the server is asked in this request, because it may have been imported again a moment ago.
 *
 * A refusal that may come of a session which is over, or of another revision by now, is answered with a new session and the
 * same call, once: what was refused has done nothing.
 */
export async function callMcpTool(
  call: McpCall,
  args: JsonObject,
  ctx: McpContext,
  servers = serversOf(call, ctx),
): Promise<unknown> {
  const server = toServer(call, ctx);
  const key = canonicalJson([ctx.caller.tenant, server]);
  const way: Way = { server, ctx, sender: senderOf(call.auth, ctx), servers, key };
  let known = await recall(way);
  if (!isSame(known, call)) known = await refresh(way, known);
  requireSame(known, call);
  let sent = await attempt(() => send(way, call, args, known));
  if (!sent.ok && isStale(sent.error) && known.request !== ctx.request) {
    known = await refresh(way, known, null);
    requireSame(known, call);
    sent = await attempt(() => send(way, call, args, known));
  }
  if (!sent.ok) throw sent.error;
  if (sent.value.kind === "result") return finish(sent.value.result, ctx);
  const { code, said } = sent.value;
  // The unknown name may be the tool, which the server no longer has.
  const isUnknown = code === RPC.invalidParams || code === RPC.methodNotFound;
  const heard = isUnknown ? await attempt(() => refresh(way, known)) : null;
  if (heard?.ok === true) requireSame(heard.value, call);
  throw toFailure(code, said);
}

function serversOf({ auth }: McpCall, { request }: McpContext): KnownServers {
  if (!isConnection(auth)) return SERVERS;
  return getOrMake(SERVERS_OF_ACCOUNTS, request, () => new KnownServers());
}

/** Recall the known server, or ask it where nothing is known, or for too long. */
async function recall(way: Way): Promise<KnownServer> {
  const known = way.servers.find(way.key);
  if (known !== null && way.ctx.time.now() < known.until) return known;
  return learn(way, known?.session ?? null);
}

/** Ask the server anew, unless this request has, or somebody else has since. */
async function refresh(
  way: Way,
  before: KnownServer,
  session: Session | null = before.session,
): Promise<KnownServer> {
  if (before.request === way.ctx.request) return before;
  const known = way.servers.find(way.key);
  return known === null || known === before ? learn(way, session) : known;
}

/** @param session one to go on with; null for a new one */
function learn({ server, ctx, sender, servers, key }: Way, session: Session | null): Promise<KnownServer> {
  return servers.learn(key, ctx.request, async () => {
    const askedAt = ctx.time.now();
    const kept = session === null ? null : await attempt(() => listTools(server, session, sender));
    if (kept?.ok === false && !isStale(kept.error)) throw kept.error;
    const current = kept?.ok === true ? session! : await openSession(server, sender);
    const listing = kept?.ok === true ? kept.value : await listTools(server, current, sender);
    const tools = new Map(
      listing.tools.map(({ name, fingerprint, params }) => [name, { fingerprint, params }]),
    );
    return { session: current, tools, until: askedAt + listing.ttlMs, request: ctx.request };
  });
}

function isSame({ tools }: KnownServer, { tool, fingerprint }: McpCall): boolean {
  return tools.get(tool)?.fingerprint === fingerprint;
}

function requireSame(known: KnownServer, call: McpCall): void {
  if (isSame(known, call)) return;
  const what = known.tools.has(call.tool)
    ? "describes this tool otherwise now"
    : "does not have this tool any more";
  throw new AnsweredFailure("TOOL_CHANGED", {
    hint: `The MCP server ${what}; use another tool, or tell the user that the server has to be imported again.`,
  });
}

async function send(
  { server, ctx, sender }: Way,
  { tool }: McpCall,
  args: JsonObject,
  { session, tools }: KnownServer,
): Promise<Answer> {
  const headers = {
    "idempotency-key": ctx.idempotencyKey,
    ...(session.isStateless && {
      "mcp-name": toHeaderValue(tool),
      ...makeParamHeaders(tools.get(tool)?.params ?? [], args),
    }),
  };
  const { answer } = await ask(
    server,
    session,
    {
      method: "tools/call",
      params: { name: tool, arguments: args },
      headers,
      changesNothing: false,
      onProgress: (report) => ctx.report(report),
    },
    sender,
  );
  return answer;
}

/** Read what a tool answered. A failed result may come with a text, which is the server's own and no word of ours. */
function finish(result: JsonObject, ctx: McpContext): unknown {
  const { resultType, isError, content } = result;
  if (resultType === "input_required") throw needsPerson();
  if (resultType !== undefined && resultType !== "complete")
    throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
      hint: "The MCP server answered in a way that is not known here; use another tool or tell the user.",
    });
  if (isError !== true) return toData(result);
  const said = Array.isArray(content)
    ? content.find((part) => isJsonObject(part) && part["type"] === "text")
    : null;
  const text = isJsonObject(said) ? said["text"] : null;
  ctx.log.warn(
    "the tool of the MCP server failed",
    typeof text === "string" ? { text: text.slice(0, 1_000) } : {},
  );
  throw new AnsweredFailure("TOOL_FAILED", {
    hint: "The MCP server's tool says that it failed; check the arguments against its schema and description, or use another tool.",
    ...(typeof text === "string" && text.trim() !== "" && { upstream: { status: 200, message: text } }),
  });
}

/**
 * Make a tool's data of what an MCP tool answered: `structuredContent` where there is any, else its text, as it is; null where
 * there is nothing. Images, sounds and files are told and left out: a model reads no base64.
 */
function toData(result: JsonObject): unknown {
  const { structuredContent, content } = result;
  if (structuredContent !== undefined) return structuredContent;
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const texts = parts.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text] : [],
  );
  const others = parts.filter(({ type }) => type !== "text").map(describe);
  const text = texts.length === 0 ? null : texts.join("\n");
  return others.length === 0 ? text : { ...(text !== null && { text }), content: others };
}

function describe(part: JsonObject): JsonObject {
  const { type, data, resource } = part;
  switch (type) {
    case "image":
    case "audio":
      return { type, ...pick(part, ["mimeType"]), bytes: bytesOf(data) };
    case "resource_link":
      return { type, ...pick(part, ["uri", "name", "title", "description", "mimeType"]) };
    case "resource": {
      const { text, blob } = isJsonObject(resource) ? resource : {};
      const held = typeof text === "string" ? { text } : { bytes: bytesOf(blob) };
      return { type, ...pick(isJsonObject(resource) ? resource : {}, ["uri", "mimeType"]), ...held };
    }
    default:
      return { type: typeof type === "string" ? cut(type) : "unknown" };
  }
}

/** Some of what says what a part is, under the wire's names. */
function pick(part: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = part[name];
      return typeof value === "string" ? [[name === "mimeType" ? "mime_type" : name, cut(value)]] : [];
    }),
  );
}

function cut(text: string): string {
  return text.slice(0, LIMITS.mcpLabelCharacters);
}

/** How many bytes base64 stands for. */
function bytesOf(base64: unknown): number {
  if (typeof base64 !== "string") return 0;
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}
