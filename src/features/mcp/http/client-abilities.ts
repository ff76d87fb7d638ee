import { isJsonObject } from "../../../core/contract/json.ts";
import type { Era } from "./mcp-revision.ts";
import type { RpcRequest } from "./rpc-message.ts";

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
