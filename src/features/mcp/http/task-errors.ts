import type { Refusal } from "../../../core/contract/refusal.ts";
import { TASKS } from "./client-abilities.ts";
import { RPC_CODES, type RpcError } from "./rpc-message.ts";

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
