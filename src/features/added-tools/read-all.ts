import { callAddedTools, type KeptTool } from "../../core/contract/gate/kept-tool.ts";
import type { Gate } from "../../core/contract/gate/tenant-gate-methods.ts";

/** Read all tools that a tenant has added, the oldest change first, so that what a tool depends on comes before it where it did. */
export async function readAll(gate: Pick<Gate, "call">): Promise<readonly KeptTool[]> {
  const tools = new Map<string, KeptTool>();
  for (let version = 0; ;) {
    const page = await callAddedTools(gate, "toolsSince", version);
    for (const tool of page.tools) tools.set(tool.name, tool);
    if (page.complete) {
      const names = new Set(page.names);
      return [...tools.values()].filter(({ name }) => names.has(name));
    }
    ({ version } = page);
  }
}
