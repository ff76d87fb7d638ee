import type { AddedToolsMethods, ToolChange, ToolsChanged } from "../../../core/contract/gate/kept-tool.ts";
import type { PartMethods } from "../../../core/contract/gate/part-call.ts";
import type { ObjectPart, OpenPart } from "../../../cloudflare/durable/object-part.ts";
import { TOOL_LIMITS, type ToolLimits } from "../stored-tools.ts";
import { ToolTable } from "./tool-table.ts";

/** The same for features that need it. */
export interface AddedToolsPart extends OpenPart {
  readonly tools: ToolTable;
  /** Hear of every change that was made, in its turn. */
  onChanged(hear: (change: ToolChange, changed: ToolsChanged) => void): void;
}

/** The texts come last: which tools there are is read without them. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS tools (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, fingerprint TEXT NOT NULL, prefix TEXT, bytes INTEGER NOT NULL,
    needs_json TEXT NOT NULL, head_json TEXT NOT NULL, json TEXT NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS tools_version (id INTEGER PRIMARY KEY CHECK (id = 0), version INTEGER NOT NULL) STRICT;`;

/** Make the part of a tenant's object that keeps the tools that it added. */
export function createAddedToolsPart(limits: ToolLimits = TOOL_LIMITS): ObjectPart {
  return {
    name: "added-tools",
    steps: [TABLES],
    // Raised, so that no isolate goes by tools that are gone.
    keeps: { tools_version: "UPDATE tools_version SET version = version + 1" },
    open({ storage }): AddedToolsPart {
      const tools = new ToolTable(storage, limits);
      const listeners: ((change: ToolChange, changed: ToolsChanged) => void)[] = [];
      const methods: PartMethods<AddedToolsMethods> = {
        changeTools(_, change) {
          const changed = tools.change(change);
          if (changed.ok && change.dryRun !== true) for (const hear of listeners) hear(change, changed.value);
          return changed;
        },
        tool: (_, name) => tools.read(name),
        toolsSince: (_, version) => tools.since(version),
      };
      return {
        methods,
        tools,
        onChanged: (hear) => void listeners.push(hear),
        get toolsVersion() {
          return tools.version;
        },
        usage: () => ({ added: tools.usage() }),
      };
    },
  };
}
