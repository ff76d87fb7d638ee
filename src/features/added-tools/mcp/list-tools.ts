import * as LIMITS from "../limits.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import type { ToolContext } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../feature/tool.ts";
import { ask, type Server } from "./ask-server.ts";
import { type ListedTool, readListedTool, type Unusable } from "./listed-tool.ts";
import { toFailure } from "./message.ts";
import type { Session } from "./mcp-session.ts";
import type { Auth, ConnectionAuth } from "../declared/declaration.ts";
import { readAuth, senderOf } from "../declared/read-auth.ts";
import { openSession } from "./open-session.ts";

/** The tools that a server offers. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly unusable: readonly Unusable[];
  /** Milliseconds for which it may be gone by. */
  readonly ttlMs: number;
}

/**
 * List a server's tools, page by page: `LIMITS.mcpServerTools` of them at most, and `LIMITS.mcpListPages` requests. A list that
 * leads back to a page it has had never ends: what came is taken, and said to be a part.
 */
export async function listTools(
  server: Server,
  session: Session,
  ctx: Pick<ToolContext, "fetch">,
): Promise<Listing> {
  const tools = new Map<string, ListedTool>();
  const unusable: Unusable[] = [];
  const cursors = new Set<string>();
  let ttlMs: number = LIMITS.mcpMostListTtlMs;
  const end = (reason?: string): Listing => {
    const cut = reason === undefined ? [] : [{ operation: "…", reason }];
    return { tools: [...tools.values()], unusable: [...unusable, ...cut], ttlMs };
  };
  for (let params: JsonObject = {}; ;) {
    const { answer } = await ask(server, session, { method: "tools/list", params }, ctx);
    if (answer.kind === "error") throw toFailure(answer.code, answer.said);
    const { tools: entries, nextCursor, ttlMs: said } = answer.result;
    if (!Array.isArray(entries)) throw unreadable();
    ttlMs = Math.min(ttlMs, boundTtl(said));
    for (const entry of entries as readonly unknown[]) {
      if (tools.size + unusable.length >= LIMITS.mcpServerTools) return end(TOO_MANY);
      const read = readListedTool(entry);
      if (!read.ok) unusable.push(read.error);
      else if (tools.has(read.value.name))
        unusable.push({ operation: read.value.name, reason: "the server lists another tool of that name" });
      else tools.set(read.value.name, read.value);
    }
    if (typeof nextCursor !== "string") return end();
    if (nextCursor === "" || cursors.has(nextCursor)) return end(NO_NEXT);
    if (cursors.size + 1 >= LIMITS.mcpListPages) return end(TOO_LONG);
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
}

const TOO_MANY = `one server may have ${LIMITS.mcpServerTools} tools, and it lists more`;
const TOO_LONG = `a list may have ${LIMITS.mcpListPages} pages, and this one goes on`;
const NO_NEXT =
  "the server says that the list goes on, and leads to no further page; the tools before are taken";

/** Only revision 2026-07-28 has a hint, and not every server of that gives one. */
function boundTtl(said: unknown): number {
  const ttlMs = typeof said === "number" && said >= 0 ? said : LIMITS.mcpListTtlMs;
  return Math.min(Math.max(ttlMs, LIMITS.mcpLeastListTtlMs), LIMITS.mcpMostListTtlMs);
}

function unreadable(): ToolFailure {
  return new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: "The MCP server's list of tools is none; use another tool or tell the user.",
  });
}

/** An MCP server, as an import names it. */
export interface McpServer {
  /** Its address (Streamable HTTP). */
  readonly url: string;
  readonly auth?: Auth | ConnectionAuth;
}

/**
 * List the tools of a server as they are now; nothing is remembered. Throws a `ToolFailure` where there is no server, it does not
 * let us in, or it answers with what is no list.
 *
 * @param ctx its `fetch` may reach the server's origin, and its `secret` may read what `auth` names
 */
export async function listServer(
  server: McpServer,
  ctx: Pick<ToolContext, "fetch" | "secret" | "connection">,
): Promise<Listing> {
  const told = toServer(server, ctx);
  const sender = senderOf(server.auth, ctx);
  return listTools(told, await openSession(told, sender), sender);
}

/** Where a server is, with what it knows us by. */
export function toServer({ url, auth }: McpServer, ctx: Pick<ToolContext, "secret">): Server {
  const { headers, query } = readAuth(auth, ctx);
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  return { url: target.href, headers };
}
