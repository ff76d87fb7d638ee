import type { Delivery } from "../../../core/contract/gate/job.ts";
import type { Orchestration } from "../../../core/contract/orchestration.ts";
import { defineTool, type Tool, type ToolContext } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../core/catalog/tool-failure.ts";
import { type Declaration, isConnection, type McpCall, secretsOf } from "./declaration.ts";
import { toInput } from "../json-schema/to-input.ts";
import { optionalBodyOf } from "./optional-body.ts";
import { isBound, type ToolSecrets } from "./secret-bindings.ts";
import { sendHttp } from "./send-http.ts";
import { sampleUrl } from "./url-template.ts";

/** Calls a tool of an MCP server. */
export type CallMcp = (
  call: McpCall,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<unknown>;

export interface ToToolOptions {
  /** Where secrets may go, looked at whenever one is sent; null for the operator's own code, which needs no leave. */
  readonly secrets: ToolSecrets | null;
  /** Needed where the declaration is one of an MCP server's tool. */
  readonly callMcp?: CallMcp;
}

/**
 * Make the tool that a declaration describes: one like any other, so that it is planned, limited, shown and called like one.
 * Pure; what checks its arguments is made when they are first checked.
 *
 * @param declaration as `parseDeclaration` gave it
 */
export function toTool(declaration: Declaration, options: ToToolOptions): Tool {
  const { http, mcp, is_write: isWrite, execution, timeout_ms: timeoutMs, idempotent } = declaration;
  const { auth } = http ?? mcp!;
  const { origin } = new URL(sampleUrl((http ?? mcp!).url));
  const orchestration = contractOf(declaration);
  const body = optionalBodyOf(http);
  return defineTool({
    name: declaration.name,
    summary: declaration.summary,
    description: declaration.description,
    category: declaration.category,
    actions: declaration.actions,
    isWrite,
    execution: execution ?? "sync",
    input: toInput(declaration.input_schema, {
      fillsDefaults: typeof orchestration.confirm === "object",
      ...(body !== undefined && { body }),
    }),
    hosts: [origin],
    secrets: secretsOf(auth).map(({ secret }) => secret),
    ...(isConnection(auth) && { connection: auth.connection }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(idempotent !== undefined && { idempotent }),
    ...(execution === "fire-and-forget" && { delivery: deliveryOf(declaration) }),
    ...(declaration.private === true && { private: true }),
    ...(declaration.upstream_errors === false && { upstreamErrors: false }),
    orchestration,
    run: async (args, ctx) => {
      for (const { secret } of secretsOf(auth)) requireBound(secret, origin, options.secrets, ctx);
      const sent = args as Readonly<Record<string, unknown>>;
      if (http !== undefined) return sendHttp(http, sent, ctx, { withKey: isWrite });
      return options.callMcp!(mcp!, sent, ctx);
    },
  });
}

/**
 * How a declared tool is delivered in the background. Whether its service honours an `Idempotency-Key` is not known, so a write
 * that does not say that it may happen twice happens once or not at all.
 */
function deliveryOf({ delivery, idempotent = false }: Declaration): Delivery {
  return delivery ?? (idempotent === false ? "at-most-once" : "at-least-once");
}

/** The contract of a declaration. An earlier version kept some that would have an account's answers remembered; none is. */
function contractOf({ is_write: isWrite, orchestration, http, mcp }: Declaration): Orchestration {
  const contract = orchestration ?? (isWrite ? WRITE : READ);
  const { cache_ttl_s: _, ...others } = contract;
  return isConnection((http ?? mcp)?.auth) ? others : contract;
}

const READ: Orchestration = { mode: "parallel-safe" };

/** A write that declares no contract runs alone, because the effect of two at once is unknown. */
const WRITE: Orchestration = { mode: "sequential-only" };

/** A binding that was there when the tool was declared may have been taken back since. */
function requireBound(
  secret: string,
  origin: string,
  secrets: ToolSecrets | null,
  { caller }: ToolContext,
): void {
  if (secrets === null || isBound(secret, { tenant: caller.tenant, origin }, secrets)) return;
  throw new ToolFailure("MISCONFIGURED", {
    hint: `The secret ${secret} is not bound to this tenant and host any more; the operator has to bind it. Do without this tool until then.`,
  });
}
