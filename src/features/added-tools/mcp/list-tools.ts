import type { JsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { ToolContext } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../core/catalog/tool-failure.ts";
import { ask, type Server } from "./ask.ts";
import { type ListedTool, readListedTool, type Unusable } from "./listed-tool.ts";
import { toFailure } from "./rpc-failure.ts";
import type { Session } from "./session.ts";

/** The tools that a server offers. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly unusable: readonly Unusable[];
  /** Milliseconds for which it may be gone by. */
  readonly ttlMs: number;
}

/**
 * List a server's tools, page by page: `LIMITS.mcpServerTools` of them at most, and `LIMITS.mcpListPages` requests. A list that
 * leads back to a page it has had never ends, so it fails.
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
  for (let params: JsonObject = {}; ;) {
    const { answer } = await ask(server, session, { method: "tools/list", params }, ctx);
    if (answer.kind === "error") throw toFailure(answer.code);
    const { tools: entries, nextCursor, ttlMs: said } = answer.result;
    if (!Array.isArray(entries)) throw unreadable();
    ttlMs = Math.min(ttlMs, boundTtl(said));
    for (const entry of entries as readonly unknown[]) {
      if (tools.size + unusable.length >= LIMITS.mcpServerTools) return cut(tools, unusable, ttlMs);
      const read = readListedTool(entry);
      if (!read.ok) unusable.push(read.error);
      else if (tools.has(read.value.name))
        unusable.push({ operation: read.value.name, reason: "the server lists another tool of that name" });
      else tools.set(read.value.name, read.value);
    }
    if (typeof nextCursor !== "string") return { tools: [...tools.values()], unusable, ttlMs };
    if (cursors.has(nextCursor) || cursors.size + 1 >= LIMITS.mcpListPages) throw endless();
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
}

function cut(tools: ReadonlyMap<string, ListedTool>, unusable: readonly Unusable[], ttlMs: number): Listing {
  const reason = `one server may have ${LIMITS.mcpServerTools} tools, and it lists more`;
  return { tools: [...tools.values()], unusable: [...unusable, { operation: "…", reason }], ttlMs };
}

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

function endless(): ToolFailure {
  return new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: `The MCP server's list of tools does not end, or has more than ${LIMITS.mcpListPages} pages; use another tool or tell the user.`,
  });
}
