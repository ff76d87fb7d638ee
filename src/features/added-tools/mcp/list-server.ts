import type { Auth, ConnectionAuth } from "../declared/declaration.ts";
import { readAuth, senderOf } from "../declared/read-auth.ts";
import type { ToolContext } from "../../../core/catalog/define-tool.ts";
import type { Server } from "./ask.ts";
import { type Listing, listTools } from "./list-tools.ts";
import { openSession } from "./open-session.ts";

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
