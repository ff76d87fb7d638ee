import type { Withdraw } from "../../../cloudflare/feature.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import type { Result } from "../../../core/kit/result.ts";
import type { ToolSurface } from "../../discovery/tool-surface.ts";
import type { CallOptions } from "./call-tool.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import type { Era } from "./mcp-revision.ts";
import type { RpcError, RpcRequest } from "./rpc-message.ts";

/** The parts of other features that tasks ask. */
export interface TaskParts {
  /** Absent in a Worker without confirmations. */
  readonly withdraw?: Withdraw | undefined;
}

export interface MethodOptions extends CallOptions {
  readonly era: Era;
  readonly surface: ToolSurface;
  readonly abilities: ClientAbilities;
  readonly parts: TaskParts;
}

/** A result as JSON text, where it is not the last word on its request. */
export interface OpenResult {
  readonly type: "task" | "input_required";
  readonly json: string;
}

/** The JSON text of a result, or why there is none. */
export type Answered = Result<string | OpenResult, RpcError>;

export type Method = (
  request: RpcRequest,
  context: RequestContext,
  options: MethodOptions,
) => Answered | Promise<Answered>;
