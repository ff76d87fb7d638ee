import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";

/** A request's own name, which its answer carries. */
export type RpcId = string | number;

/** One message of JSON-RPC 2.0, as far as a server is sent any. */
export type RpcMessage =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "response" };

export type RpcRequest = Extract<RpcMessage, { readonly kind: "request" }>;

/** Why a request has no result. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** JSON-RPC 2.0, section 5.1, and those that the Model Context Protocol gives a meaning. */
export const RPC_CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** The first of those that a server may give its own meaning. */
  serverError: -32_000,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

/**
 * Read one message; null if it is not one.
 *
 * @see https://www.jsonrpc.org/specification
 */
export function readMessage(body: unknown): RpcMessage | null {
  if (!isJsonObject(body) || body["jsonrpc"] !== "2.0") return null;
  const { id, method } = body;
  // Some clients write null where there is nothing to say.
  const params = body["params"] ?? {};
  if (method === undefined) return "result" in body || "error" in body ? { kind: "response" } : null;
  if (typeof method !== "string" || !isJsonObject(params)) return null;
  if (id === undefined) return { kind: "notification", method, params };
  return isId(id) ? { kind: "request", id, method, params } : null;
}

/** The id to answer under, of a body that may not be a message; null if it says none. */
export function idOf(body: unknown): RpcId | null {
  if (!isJsonObject(body) || typeof body["method"] !== "string") return null;
  return isId(body["id"]) ? body["id"] : null;
}

/** Fractions are excluded by the protocol: they may not come back as they were. */
function isId(id: unknown): id is RpcId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** Write the answer to a request. */
export function toResultJson(id: RpcId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`;
}

export function toErrorJson(id: RpcId | null, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
