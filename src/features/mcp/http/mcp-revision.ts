import { isJsonObject, isText, type JsonObject } from "../../../core/contract/json.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { RPC_CODES, type RpcError, type RpcMessage, type RpcRequest } from "./rpc-message.ts";

/** The revision in which every request says by itself what it needs. */
export const STATELESS = "2026-07-28";

/** The revisions before it, which begin with a handshake, newest first. */
export const WITH_HANDSHAKE = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** How a message is to be answered: by itself, or as one that follows a handshake. */
export type Era = "stateless" | "handshake";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const ENVELOPE = {
  [VERSION]: isText,
  "io.modelcontextprotocol/clientCapabilities": isJsonObject,
  "io.modelcontextprotocol/clientInfo": isImplementation,
};
const REQUIRED = [VERSION, "io.modelcontextprotocol/clientCapabilities"];

/** The parameter of a message that a header has to repeat, by its method: intermediaries route by headers alone. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/**
 * Tell which era a message is of. The body decides, by the version that its `_meta` names: a proxy that drops a header must
 * not change what a message means. Headers that say otherwise are refused.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function readEra(message: RpcMessage, headers: Headers): Result<Era, RpcError> {
  if (message.kind === "response") return ok("handshake");
  const meta = metaOf(message.params);
  const version = header(headers, "mcp-protocol-version");
  if (meta === undefined || !(VERSION in meta)) return readUnclaimed(message, version, meta);
  const flaw = findFlaw(meta, message.kind);
  if (flaw !== null)
    return refuse("invalidParams", `Invalid _meta of revision ${STATELESS}: ${flaw.key}: ${flaw.problem}`, {
      envelope: flaw,
    });
  const claimed = meta[VERSION] as string;
  if (version !== undefined && version !== claimed)
    return mismatch(
      version,
      `the body names version ${claimed}, the header MCP-Protocol-Version names ${version}`,
    );
  const strayMethod = checkMethod(message, headers);
  if (strayMethod !== null) return strayMethod;
  if (claimed !== STATELESS)
    return refuse("unsupportedVersion", `Unsupported protocol version: ${claimed}`, {
      supported: [STATELESS],
      requested: claimed,
    });
  return message.kind === "request" ? checkHeaders(message, headers) : ok("stateless");
}

/** Whether something names a program as the protocol does; what else it says of itself is its own. */
export function isImplementation(value: unknown): boolean {
  return isJsonObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

type Sent = Exclude<RpcMessage, { readonly kind: "response" }>;

/** A message without a version of its own, which is one of before unless its header says otherwise. */
function readUnclaimed(
  message: Sent,
  version: string | undefined,
  meta: JsonObject | undefined,
): Result<Era, RpcError> {
  if (version === STATELESS) {
    if (message.kind === "notification") return ok("stateless");
    if (message.method === "initialize")
      return mismatch(version, `initialize belongs to the revisions before ${STATELESS}`);
    const missing = meta === undefined ? ["_meta"] : REQUIRED.filter((key) => !(key in meta));
    return refuse(
      "invalidParams",
      `The header MCP-Protocol-Version names ${STATELESS}, but the request lacks: ${missing.join(", ")}`,
      { envelope: { missing } },
    );
  }
  // A handshake asks for a version, and is answered with one that there is.
  const isKnown = version === undefined || (WITH_HANDSHAKE as readonly string[]).includes(version);
  if (isKnown || message.method === "initialize") return ok("handshake");
  const supported = [STATELESS, ...WITH_HANDSHAKE];
  return refuse("unsupportedVersion", `Unsupported protocol version: ${version}`, {
    supported,
    requested: version,
  });
}

function findFlaw(meta: JsonObject, kind: Sent["kind"]): { key: string; problem: string } | null {
  const required = kind === "request" ? REQUIRED : [VERSION];
  for (const [key, check] of Object.entries(ENVELOPE)) {
    if (!(key in meta) && required.includes(key)) return { key, problem: "missing" };
    if (key in meta && !check(meta[key]))
      return { key, problem: "not of the type that the protocol gives it" };
  }
  return null;
}

/** A request has to say in its headers what it is; a notification may leave that out. */
function checkHeaders(message: Sent, headers: Headers): Result<Era, RpcError> {
  const missing = (name: string, what: string): Result<Era, RpcError> =>
    mismatch("(missing)", `${what}, but the header ${name} is absent`);
  if (header(headers, "mcp-protocol-version") === undefined)
    return missing("MCP-Protocol-Version", `the body names version ${STATELESS}`);
  if (header(headers, "mcp-method") === undefined)
    return missing("Mcp-Method", `the body names method ${message.method}`);
  const field = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method]! : undefined;
  const named = field === undefined ? undefined : message.params[field];
  if (typeof named !== "string") return ok("stateless");
  const sent = header(headers, "mcp-name");
  if (sent === undefined) return missing("Mcp-Name", `the body has params.${field}`);
  const name = decode(sent);
  if (name === null) return mismatch(sent, "the header Mcp-Name is not valid Base64 between its marks");
  if (name !== named)
    return mismatch(sent, `params.${field} of the body is not what the header Mcp-Name names`);
  return ok("stateless");
}

function checkMethod(message: Sent, headers: Headers): Result<Era, RpcError> | null {
  const method = header(headers, "mcp-method");
  if (method === undefined || method === message.method) return null;
  return mismatch(method, `the body names method ${message.method}, the header Mcp-Method names ${method}`);
}

/** A name that no header can hold comes as `=?base64?…?=`, its UTF-8. */
function decode(value: string): string | null {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return null;
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.codePointAt(0)!));
}

function metaOf({ _meta }: JsonObject): JsonObject | undefined {
  return isJsonObject(_meta) ? _meta : undefined;
}

function header(headers: Headers, name: string): string | undefined {
  return headers.get(name)?.trim();
}

function mismatch(sent: string, body: string): Result<never, RpcError> {
  return refuse("headerMismatch", `Headers and body disagree: ${body}.`, {
    mismatch: { header: sent, body },
  });
}

function refuse(code: keyof typeof RPC_CODES, message: string, data: object): Result<never, RpcError> {
  return err({ code: RPC_CODES[code], message, data });
}

/** The extension of the protocol by which a call may go on as a task. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** The abilities of a client that change how a call is answered. */
export interface ClientAbilities {
  /** It takes a task in place of a call's result, and asks what becomes of it. */
  readonly tasks: boolean;
  /** It leads its person to an address. */
  readonly urls: boolean;
}

/** Read the abilities that a client declares. It does so with every request, in revision 2026-07-28 only. */
export function readAbilities({ params }: Pick<RpcRequest, "params">, era: Era): ClientAbilities {
  const { _meta: meta } = params;
  const said =
    era === "stateless" && isJsonObject(meta)
      ? meta["io.modelcontextprotocol/clientCapabilities"]
      : undefined;
  const { extensions, elicitation } = isJsonObject(said) ? said : {};
  return {
    tasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS]),
    urls: isJsonObject(elicitation) && isJsonObject(elicitation["url"]),
  };
}
