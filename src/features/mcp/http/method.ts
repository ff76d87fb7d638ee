import type { Gives } from "../../../feature/gives.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import type { Refusal, Result } from "../../../feature/refuse.ts";
import type { ToolSurface } from "../../discovery/tool-surface.ts";
import type { CallOptions } from "./answer-tool-call.ts";
import { type ClientAbilities, type Era, TASKS } from "./mcp-revision.ts";
import { RPC_CODES, type RpcError, type RpcRequest } from "./rpc-message.ts";

/** The parts of other features that tasks ask. */
export interface TaskParts {
  /** Absent in a Worker without confirmations. */
  readonly withdraw?: Gives["withdraw"] | undefined;
}

export interface MethodOptions extends CallOptions {
  readonly era: Era;
  readonly surface: ToolSurface;
  readonly abilities: ClientAbilities;
  readonly parts: TaskParts;
}

/** A result as JSON text, where it is not the last word on its request, or more than the text is to be said. */
export interface OpenResult {
  readonly type: "complete" | "task" | "input_required";
  readonly json: string;
  readonly meta?: JsonObject;
}

/** The JSON text of a result, or why there is none. */
export type Answered = Result<string | OpenResult, RpcError>;

export type Method = (
  request: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
) => Answered | Promise<Answered>;

/** Say why the tenant's object could not be asked. */
export function toRpcError({ hint }: Refusal): RpcError {
  return { code: RPC_CODES.serverError, message: hint };
}

export const NO_TASKS: RpcError = {
  code: RPC_CODES.missingCapability,
  message: `The client does not declare the extension ${TASKS}.`,
  data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
};

export const NO_TASK: RpcError = {
  code: RPC_CODES.invalidParams,
  message: "There is no task of that id for this key; what is over is kept for days, as its ttlMs says.",
};

export const NO_RESPONSES: RpcError = {
  code: RPC_CODES.invalidParams,
  message: "inputResponses must be an object of responses by the keys of inputRequests.",
};
