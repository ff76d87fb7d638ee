import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import type { RpcRequest } from "./rpc-message.ts";

type LackingContext = Pick<RequestContext, "caller" | "catalog" | "allTools">;

/**
 * Find the scopes that a call needs, where its caller is a key that was narrowed by scopes, and the key itself could make the call: those that
 * it has, and one more. Null where scopes are not what is lacking.
 */
export async function findLackingScopes(
  { method, params }: RpcRequest,
  { caller, catalog, allTools }: LackingContext,
): Promise<readonly string[] | null> {
  const { tools } = caller;
  const scopes = tools.flatMap((text) => (text.includes(" ") ? text.slice(0, text.indexOf(" ")) : []));
  const { name } = params;
  const mayLack = scopes.length > 0 && method === "tools/call" && typeof name === "string";
  if (!mayLack || catalog.offers(name)) return null;
  const all = await allTools();
  const tool = all.restrictTo(tools.map((text) => text.slice(text.indexOf(" ") + 1))).get(name);
  if (tool === undefined || all.restrictTo(tools).get(name) !== undefined) return null;
  const lacking = tool.isWrite ? `category:${tool.category}` : "tools:read";
  return [...new Set([...scopes, /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(lacking) ? lacking : "tools"])];
}
