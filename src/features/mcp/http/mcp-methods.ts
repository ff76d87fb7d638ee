import { BATCH_TOOL, type Catalog, sayUnknownTool } from "../../../feature/tool.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { readJsonText } from "../../../core/contract/run-schema.ts";
import * as LIMITS from "../limits.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { seekNames } from "../../../turns/run-tool-calls.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { HeldBytes } from "../../../feature/outside.ts";
import { answerOpen, resumeCall, TASK_METHODS } from "./task-methods.ts";
import { fitTools, roomOf, toToolList } from "../../discovery/tool-list.ts";
import { callTool } from "./answer-tool-call.ts";
import { type Era, isImplementation, STATELESS, TASKS, WITH_HANDSHAKE } from "./mcp-revision.ts";
import { type Answered, type Method, type MethodOptions, type OpenResult, toRpcError } from "./method.ts";
import { RPC_CODES, type RpcError, type RpcRequest } from "./rpc-message.ts";
import { describeSurface, type ToolSurface } from "../../discovery/tool-surface.ts";

/** The server's information for every client. */
const INFO = { name: "volley", title: "Volley", version: "0.1.0" };
const CAPABILITIES = { tools: {} };

const INSTRUCTIONS =
  "Run many tool calls in one: execute_actions takes a list of actions, runs what is independent at once and answers each. " +
  "Find tools with discover_tools, read their arguments with get_tool_schema.";

/** The methods of both eras. */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["tools/list", listTools],
  ["tools/call", call],
]);

const OF_AN_ERA: Readonly<Record<Era, ReadonlyMap<string, Method>>> = {
  handshake: new Map<string, Method>([
    ["initialize", ({ params }) => shakeHands(params)],
    ["ping", () => ok("{}")],
  ]),
  stateless: new Map<string, Method>([["server/discover", () => ok(DISCOVERED)], ...TASK_METHODS]),
};

/**
 * Answer one request. Nothing outlives it: what it is offered follows from its key and address alone.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export async function answerMethod(
  request: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
): Promise<Result<string, RpcError>> {
  const method = METHODS.get(request.method) ?? OF_AN_ERA[options.era].get(request.method);
  if (method === undefined) return err({ code: RPC_CODES.methodNotFound, message: "Method not found" });
  const answered = await method(request, context, options);
  if (!answered.ok) return answered;
  const result: OpenResult =
    typeof answered.value === "string" ? { type: "complete", json: answered.value } : answered.value;
  return ok(stamp(result, options.era));
}

/** Answer with the version that was asked for, or with the newest where there is none such. */
function shakeHands({ protocolVersion, capabilities, clientInfo }: JsonObject): Answered {
  const wrong = Object.entries({
    protocolVersion: typeof protocolVersion === "string",
    capabilities: isJsonObject(capabilities),
    clientInfo: isImplementation(clientInfo),
  }).flatMap(([name, isGiven]) => (isGiven ? [] : [name]));
  if (wrong.length > 0) return refuse(`initialize needs ${wrong.join(", ")}.`);
  const version = WITH_HANDSHAKE.find((known) => known === protocolVersion) ?? WITH_HANDSHAKE[0];
  return ok(
    JSON.stringify({
      protocolVersion: version,
      capabilities: CAPABILITIES,
      serverInfo: INFO,
      instructions: INSTRUCTIONS,
    }),
  );
}

const DISCOVERED = JSON.stringify({
  supportedVersions: [STATELESS],
  capabilities: { ...CAPABILITIES, extensions: { [TASKS]: {} } },
  instructions: INSTRUCTIONS,
  ttlMs: LIMITS.toolListTtlMs,
  cacheScope: "private",
});

async function listTools(
  { params }: RpcRequest,
  context: RequestContext,
  { era, surface, abilities, signal, onWritten }: MethodOptions,
): Promise<Answered> {
  const cursor = params["cursor"] ?? undefined;
  const { catalog } = context;
  const isCursor = cursor === undefined || typeof cursor === "string";
  const whole = isCursor ? listMcpTools(catalog, surface, cursor) : null;
  if (!isCursor || whole === null) return refuse("The cursor is none that was given.");
  const kept = era === "stateless" && { ttlMs: listTtlMsOf(context), cacheScope: "private" };
  const offersLater = abilities.tasks && context.hooks?.later !== undefined;
  const room = roomOf(whole.tools.length);
  const bytes = new HeldBytes(context.upstreams.share);
  onWritten(() => bytes.end());
  const crowded = await bytes.hold(room, signal);
  if (crowded !== null) return err(toRpcError(crowded));
  const list = fitTools(catalog, (shown, leftOut) => {
    const page = (leftOut > 0 && listMcpTools(shown, surface, cursor)) || whole;
    const missing = leftOut > 0 && { left_out: leftOut };
    return JSON.stringify({ ...(offersLater ? offerBackground(page) : page), ...missing, ...kept });
  });
  bytes.give(room - list.length);
  return ok(list);
}

/** Tools of the deployment change with it only; those that the tenant adds while it runs. */
function listTtlMsOf({ catalog }: RequestContext): number {
  return catalog.version === 0 ? LIMITS.toolListTtlMs : LIMITS.addedToolListTtlMs;
}

async function call(
  request: RpcRequest,
  received: RequestContext,
  options: MethodOptions,
): Promise<Answered> {
  const { params } = request;
  const { name } = params;
  const sent = params["arguments"] ?? {};
  const args = readJsonText(sent, "object", 2) ?? sent;
  if (typeof name !== "string") return refuse("tools/call needs the name of a tool.");
  if (!isJsonObject(args)) return refuse("The arguments of a call must be an object.");
  const { urls } = options.abilities;
  if (options.era === "stateless" && params["requestState"] !== undefined)
    return resumeCall(request, received, options);
  const context = await seekNames(urls ? withParking(received) : received, (known) => known.offers(name));
  const { catalog } = context;
  if (!catalog.offers(name))
    return refuse(`Unknown tool. ${sayUnknownTool(name, catalog.callableNames, catalog.discovers)}`);
  const { readAs, ...reply } = await callTool({ name, args }, context, options);
  const answer = await answerOpen({ ...reply, name }, context, options);
  const read = [typeof sent === "string" ? "JSON text" : [], readAs ?? []].flat().join(", ");
  if (read === "") return ok(answer);
  const open: OpenResult = typeof answer === "string" ? { type: "complete", json: answer } : answer;
  return ok({ ...open, meta: { read_as: { args: read } } });
}

/** Have a call that misses an account wait for it: the client leads its person there. */
function withParking(context: RequestContext): RequestContext {
  const { origin } = context;
  const { account } = origin;
  return account === undefined
    ? context
    : { ...context, origin: { ...origin, account: { ...account, parks: true } } };
}

/** Say besides a result who answered, and whether more will come, as every result of the stateless revision does. */
function stamp({ type, json, meta }: OpenResult, era: Era): string {
  const server = era === "stateless" && { "io.modelcontextprotocol/serverInfo": INFO };
  if (server === false && meta === undefined) return json;
  const said = JSON.stringify({ ...(server && { resultType: type }), _meta: { ...server, ...meta } });
  return `${json.slice(0, -1)}${json === "{}" ? "" : ","}${said.slice(1)}`;
}

function refuse(message: string): Answered {
  return err({ code: RPC_CODES.invalidParams, message });
}

/** A page of tools, and what to ask for to get the next. */
interface ToolPage {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

/**
 * One page of the tools that a key is offered; null when the cursor is none that was given. On every surface the tools that find others and the one that runs many are there.
 */
export function listMcpTools(
  catalog: Catalog,
  surface: ToolSurface,
  cursor: string | undefined,
): ToolPage | null {
  const page = LIMITS.toolListPage;
  const offered = describeOffer(catalog, surface);
  const from = cursor === undefined ? 0 : Number(cursor);
  // A cursor that was never given is refused, also where a number could be made of it.
  if (cursor !== undefined && (cursor !== String(from) || from <= 0 || from % page !== 0)) return null;
  if (from >= offered.length) return null;
  const next = from + page;
  const tools = toToolList(offered.slice(from, next), "mcp") as ToolPage["tools"];
  return { tools, ...(next < offered.length && { nextCursor: String(next) }) };
}

function describeOffer(catalog: Catalog, surface: ToolSurface) {
  const meta = describeSurface("meta", catalog);
  if (surface === "meta") return meta;
  const described = describeSurface(surface, catalog);
  const names = new Set(described.map(({ name }) => name));
  return [...meta.filter(({ name }) => !names.has(name)), ...described];
}

const BACKGROUND = {
  type: "boolean",
  description: "Run it as a task: for long lists and slow tools, where the results may come later",
};

/** Offer batches in the background, to a client that has their results by a task: `execute_actions` has one more field. */
function offerBackground({ tools, ...page }: ToolPage): ToolPage {
  return {
    ...page,
    tools: tools.map((tool) => {
      if (tool.name !== BATCH_TOOL || !("inputSchema" in tool) || !isJsonObject(tool.inputSchema))
        return tool;
      const { inputSchema } = tool;
      const properties = { ...(inputSchema["properties"] as object), background: BACKGROUND };
      return { ...tool, inputSchema: { ...inputSchema, properties } };
    }),
  };
}
