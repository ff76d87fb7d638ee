import type { ToolDescriptor } from "../../discovery/batch-tool.ts";
import { toToolList } from "../../discovery/tool-list.ts";

type Format = "openai" | "openai-responses" | "anthropic";

const written = new WeakMap<readonly ToolDescriptor[], Partial<Record<Format, readonly unknown[]>>>();

/** Write tools in a provider's dialect, once for each description: the same list is the same text in every request. */
export function listTools(tools: readonly ToolDescriptor[], format: Format): readonly unknown[] {
  const known = written.get(tools) ?? {};
  const list = (known[format] ??= toToolList(tools, format));
  written.set(tools, known);
  return list;
}
