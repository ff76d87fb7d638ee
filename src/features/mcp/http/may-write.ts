import { ALIASES, BATCH_TOOL } from "../../../core/catalog/alias.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { isJsonObject } from "../../../core/contract/json.ts";
import { findToolName } from "../../../core/contract/other-names.ts";

/**
 * Whether a message may write, or record a job: every call that is not known to be of reads alone. A form that is not read here counts as
 * one that may.
 */
export function mayWrite(message: unknown, catalog: Catalog): boolean {
  if (!isJsonObject(message) || message["method"] !== "tools/call") return false;
  const { params } = message;
  return !isJsonObject(params) || mayCallWrite(params["name"], params["arguments"], catalog);
}

function mayCallWrite(name: unknown, args: unknown, catalog: Catalog): boolean {
  if (typeof name !== "string") return true;
  if (name === BATCH_TOOL) return mayBatchWrite(args, catalog);
  if (ALIASES.has(name)) return !isJsonObject(args) || mayCallWrite(args["tool_name"], null, catalog);
  const tool = catalog.callable(name);
  return tool === undefined || tool.isWrite || tool.execution !== "sync";
}

function mayBatchWrite(args: unknown, catalog: Catalog): boolean {
  if (!isJsonObject(args) || !Array.isArray(args["actions"]) || (args["background"] ?? false) !== false)
    return true;
  return args["actions"].some(
    (action: unknown) => !isJsonObject(action) || mayCallWrite(findToolName(action), action["args"], catalog),
  );
}
