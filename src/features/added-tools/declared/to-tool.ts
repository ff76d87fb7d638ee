import type { Delivery } from "../../../core/contract/gate/job.ts";
import { conditionOf, type DeclaredContract } from "../../../core/contract/orchestration.ts";
import { defineTool, type Orchestration, type Tool, ToolFailure } from "../../../feature/tool.ts";
import type { ToolContext, UpstreamResponse } from "../../../core/catalog/define-tool.ts";
import {
  type Declaration,
  type HttpCall,
  isConnection,
  type McpCall,
  sampleUrl,
  secretsOf,
} from "./declaration.ts";
import { toInput } from "../json-schema/to-input.ts";
import { optionalBodyOf } from "./optional-body.ts";
import { isBound, type ToolSecrets } from "./secret-bindings.ts";
import { follow, parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { makeRequest } from "./make-request.ts";
import { readAuth, senderOf } from "./read-auth.ts";

/** Calls a tool of an MCP server. */
type CallMcp = (
  call: McpCall,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<unknown>;

interface ToToolOptions {
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
      fillsDefaults: conditionOf(orchestration) !== undefined,
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
function contractOf({ is_write: isWrite, orchestration, http, mcp }: Declaration): DeclaredContract {
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

/** The parts of a request besides its arguments. */
interface SendOptions {
  /** Send the action's idempotency key, unless the declaration sends a header of that name. */
  readonly withKey: boolean;
}

/** Send what a declaration makes of arguments, and give the part of the answer that is the tool's data. */
async function sendHttp(
  http: HttpCall,
  args: Readonly<Record<string, unknown>>,
  ctx: ToolContext,
  { withKey }: SendOptions,
): Promise<unknown> {
  const auth = readAuth(http.auth, ctx);
  const { url, headers, body } = makeRequest(http, args, auth.query);
  const response = await senderOf(http.auth, ctx).fetch(url, {
    method: http.method,
    headers: { ...(withKey && { "idempotency-key": ctx.idempotencyKey }), ...headers, ...auth.headers },
    ...(body !== undefined && { body }),
  });
  return readResult(response, http.result);
}

/** Text that is data as it is: the markup of a page of HTML is not. */
const PLAIN_TEXT = /^(?:text\/(?!html\b)[\w.+-]+|application\/(?:[\w.-]+\+)?xml)\b/i;

/**
 * Read an answer: nothing is null, JSON is what it says, and what says of itself that it is text is a string unless it begins
 * as JSON does.
 */
function readResult(response: UpstreamResponse, result: string | undefined): unknown {
  const text = response.text();
  const isEmpty = text.trim() === "";
  if (isEmpty && (result === undefined || response.status === 204)) return null;
  const isText = PLAIN_TEXT.test(response.headers.get("content-type") ?? "") && !/^\s*[[{]/.test(text);
  if (result === undefined && isText) return text;
  const found = follow(isEmpty ? undefined : response.json(), parsePointer(result ?? "") ?? []);
  if (found.found && !isEmpty) return found.value;
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: `The service's answer has nothing at ${result}, where this tool's data should be; sending the same call again will not help.`,
  });
}
