import * as z from "zod/mini";

import {
  type Auth,
  type ConnectionAuth,
  type Declaration,
  type DeclarationRules,
  isConnection,
  secretsOf,
} from "../../added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../added-tools/declared/parse-declaration.ts";
import { listServer, type McpServer } from "../../added-tools/mcp/list-tools.ts";
import { toMcpDeclarations } from "../../added-tools/mcp/to-mcp-declarations.ts";
import { defineTool } from "../../../feature/tool.ts";
import type { WireFailure } from "../../../core/contract/failure.ts";
import type { RefusalIssue } from "../../../core/contract/refusal.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { ByteBudget } from "../../../core/egress/byte-budget.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { Semaphore } from "../../../core/kit/semaphore.ts";
import { runAttempt } from "../../../core/run/run-attempt.ts";
import type { Imported } from "../openapi/to-declarations.ts";
import type { RequestContext } from "../../../feature/answer.ts";

export interface McpSource {
  readonly prefix: string;
  readonly url: string;
  readonly auth?: Auth | ConnectionAuth | undefined;
}

/**
 * Make declarations of the tools that an MCP server has now. It is asked as a tool would ask it: the same guards, clock and
 * bounds, and the secret only where the operator bound it.
 */
export async function readMcpServer(
  { prefix, url, auth }: McpSource,
  context: RequestContext & { readonly rules: DeclarationRules },
): Promise<Result<Imported, readonly RefusalIssue[]>> {
  const { rules } = context;
  const server: McpServer = { url, ...(auth !== undefined && { auth }) };
  const reached = parseDeclaration(sampleOf(server), rules);
  if (!reached.ok) return reached;
  const lister = defineTool({
    name: "list_mcp_server",
    summary: "List a server's tools",
    description: "List a server's tools.",
    category: "import",
    actions: ["list"],
    isWrite: false,
    execution: "sync",
    input: z.object({}),
    hosts: [new URL(url).origin],
    secrets: secretsOf(auth).map(({ secret }) => secret),
    ...(isConnection(auth) && { connection: auth.connection }),
    timeoutMs: LIMITS.firstAttemptMs,
    orchestration: { mode: "parallel-safe" },
    run: (_, ctx) => listServer(server, ctx),
  });
  const { requestId, options, origin, ports } = context;
  const { health, toolGates, share } = context.upstreams;
  const end = await runAttempt(
    { spec: { ...SPEC, id: requestId, idempotencyKey: requestId }, attempt: 1, fence: 0 },
    lister,
    {
      scope: {
        origin,
        ports,
        options,
        health,
        toolGates,
        cache: null,
        beforeCall: context.hooks?.beforeCall,
        slots: new Semaphore(options.headerSlots),
        budget: new ByteBudget(options.requestResponseBytes, LIMITS.responseReserveBytes, { share }),
      },
      budgetMs: lister.timeoutMs,
    },
  );
  if (end.kind === "succeeded") {
    type Listing = Parameters<typeof toMcpDeclarations>[0];
    const { declarations, skipped } = toMcpDeclarations(
      JSON.parse(end.dataJson) as Listing,
      { prefix, ...server },
      rules,
    );
    return ok({ declarations: [...declarations], skipped: [...skipped] });
  }
  const failure = "error" in end ? end.error : null;
  const why = failure === null ? "" : sayUnlisted(failure, auth !== undefined);
  const hint = ["The server's tools could not be listed.", why].join(" ").trimEnd();
  return err([
    { path: "/mcp/url", expected: "an MCP server (Streamable HTTP)", received: "no list of tools", hint },
  ]);
}

/** Say why to somebody who names a server; a failure's own hint is for a model that calls its tools. */
function sayUnlisted(
  { message, hint = "", upstream_status: status, connect_url: link = "" }: WireFailure,
  hasAuth: boolean,
): string {
  if (status === 401 || status === 403)
    return hasAuth
      ? "It refuses the secret that 'auth' names, or the way in which it is sent."
      : 'It wants to know who asks: give \'auth\', such as {"secret": "FILES_TOKEN", "as": "bearer"}.';
  if (status === 404 || status === 405)
    return "There is no MCP server at this address; give the one of its Streamable HTTP, such as https://files.example.com/mcp.";
  return [message, hint, link].join(" ").trimEnd();
}

const SPEC = {
  tool: "list_mcp_server",
  argsJson: "{}",
  maxAttempts: 1,
  backoffInitialMs: 0,
  delivery: "at-least-once",
} as const;

/** A declaration that is right, except perhaps for the server's address or secret. */
function sampleOf(server: McpServer): Declaration {
  return {
    name: "sample",
    summary: "A tool",
    description: "A tool.",
    category: "import",
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object" },
    mcp: { ...server, tool: "sample", fingerprint: "sample" },
  };
}
