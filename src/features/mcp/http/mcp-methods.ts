import type { ToolSurface } from "../../discovery/tool-surface.ts";
import { sayUnknownTool } from "../../../core/catalog/unknown-tool.ts";
import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { type CallOptions, callTool } from "./call-tool.ts";
import { listMcpTools } from "./list-mcp-tools.ts";
import { type Era, isImplementation, STATELESS, WITH_HANDSHAKE } from "./mcp-revision.ts";
import { RPC_CODES, type RpcError, type RpcRequest } from "./rpc-message.ts";

/** The server's information for every client. */
const INFO = { name: "volley", title: "Volley", version: "0.1.0" };
const CAPABILITIES = { tools: {} };

const INSTRUCTIONS =
  "Run many tool calls in one: execute_actions takes a list of actions, runs what is independent at once and answers each. " +
  "Find tools with discover_tools, read their arguments with get_tool_schema.";

export interface MethodOptions extends CallOptions {
  readonly era: Era;
  readonly surface: ToolSurface;
}

/** The JSON text of a result, or why there is none. */
type Answered = Result<string, RpcError>;

type Method = (
  request: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
) => Answered | Promise<Answered>;

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
  stateless: new Map<string, Method>([["server/discover", () => ok(DISCOVERED)]]),
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
): Promise<Answered> {
  const method = METHODS.get(request.method) ?? OF_AN_ERA[options.era].get(request.method);
  if (method === undefined) return err({ code: RPC_CODES.methodNotFound, message: "Method not found" });
  const answered = await method(request, context, options);
  return answered.ok && options.era === "stateless" ? ok(complete(answered.value)) : answered;
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
  capabilities: CAPABILITIES,
  instructions: INSTRUCTIONS,
  ttlMs: LIMITS.toolListTtlMs,
  cacheScope: "private",
});

function listTools(
  { params }: RpcRequest,
  context: RequestContext,
  { era, surface }: MethodOptions,
): Answered {
  const { cursor } = params;
  const isCursor = cursor === undefined || typeof cursor === "string";
  const page = isCursor ? listMcpTools(context.catalog, surface, cursor) : null;
  if (page === null) return refuse("The cursor is none that was given.");
  const kept = era === "stateless" && { ttlMs: listTtlMsOf(context), cacheScope: "private" };
  return ok(JSON.stringify({ ...page, ...kept }));
}

/** Tools of the deployment change with it only; those that the tenant adds while it runs. */
function listTtlMsOf({ catalog }: RequestContext): number {
  return catalog.version === 0 ? LIMITS.toolListTtlMs : LIMITS.addedToolListTtlMs;
}

async function call(
  { params }: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
): Promise<Answered> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string") return refuse("tools/call needs the name of a tool.");
  if (!isJsonObject(args)) return refuse("The arguments of a call must be an object.");
  if (!context.catalog.offers(name)) {
    // Somebody may have added it since.
    const current = await attempt(() => context.currentCatalog());
    const catalog = current.ok ? current.value : context.catalog;
    if (!catalog.offers(name))
      return refuse(`Unknown tool. ${sayUnknownTool(name, catalog.callableNames, catalog.discovers)}`);
  }
  return ok(await callTool({ name, args }, context, options));
}

/** Say who answered, and that nothing more will come: every result of that revision does. */
function complete(resultJson: string): string {
  return `${resultJson.slice(0, -1)}${resultJson === "{}" ? "" : ","}${COMPLETE.slice(1)}`;
}

const COMPLETE = JSON.stringify({
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": INFO },
});

function refuse(message: string): Answered {
  return err({ code: RPC_CODES.invalidParams, message });
}
