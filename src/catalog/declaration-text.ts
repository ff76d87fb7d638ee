import { canonicalJson } from "../kit/canonical-json.ts";
import type { Tool } from "./define-tool.ts";
import { toolSchema } from "./tool-schema.ts";

/**
 * Write what a tool declares to do, so that equal declarations are equal text. A person's yes is to a tool as it was
 * declared: its arguments, its contract, what it does and where it sends things.
 */
export function toDeclarationText(tool: Tool): string {
  const { name, isWrite, execution, actions, hosts } = tool;
  return canonicalJson({ name, isWrite, execution, actions, hosts, schema: toolSchema(tool) });
}
