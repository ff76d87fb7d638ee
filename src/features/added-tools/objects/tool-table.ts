import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import {
  type AddedToolsMethods,
  type ToolChange,
  type ToolChangeAnswer,
  type ToolsChanged,
  type ToolsPage,
  type ToolToKeep,
  changeTools,
  TOOL_LIMITS,
  type ToolBook,
  type ToolEntry,
  type ToolLimits,
} from "../stored-tools.ts";
import { isFlow, isVisible, type KeptTool } from "../../../feature/tool.ts";
import type { UsageReport } from "../../../core/contract/gate/usage.ts";
import { utf8Length } from "../../../feature/schema.ts";
import { err, ok } from "../../../feature/refuse.ts";
import type { ObjectPart, OpenPart, PartMethods } from "../../../feature/tenant.ts";

type Row = Omit<ToolEntry, "needs"> & { name: string; needs_json: string };

/** A tool as a row that SQLite gives. */
type ToolRow = Pick<KeptTool, keyof KeptTool>;

/**
 * The tools that the tenant has added: their declarations in the `tools` table, everything else about them in memory too.
 *
 * Memory follows the table: it is changed after the write succeeded, and a cold start reads it anew. The version is
 * written with each change, so it never falls, whatever is deleted or evicted.
 */
export class ToolTable {
  readonly #storage: DurableObjectStorage;
  readonly #limits: ToolLimits;
  #book: ToolBook;
  /** How many of them are flows, as of a version: without any there are none. */
  #flows = { version: 0, count: 0 };

  constructor(storage: DurableObjectStorage, limits: ToolLimits) {
    this.#storage = storage;
    this.#limits = limits;
    const [known] = storage.sql.exec<{ version: number }>("SELECT version FROM tools_version").toArray();
    const rows = storage.sql.exec<Row>(
      "SELECT name, version, fingerprint, prefix, bytes, needs_json FROM tools",
    );
    this.#book = {
      version: known?.version ?? 0,
      tools: new Map(Array.from(rows, (row) => [row.name, toEntry(row)])),
    };
  }

  /** Grows with every change; 0 before the first. */
  get version(): number {
    return this.#book.version;
  }

  /** How many tools and flows there are, and what they take. Reads them once for each version. */
  usage(): UsageReport["added"] {
    const { version, tools } = this.#book;
    if (this.#flows.version !== version) {
      const query = "SELECT COUNT(*) AS count FROM tools WHERE json_type(json, '$.flow') IS NOT NULL";
      this.#flows = { version, count: this.#storage.sql.exec<{ count: number }>(query).one().count };
    }
    const bytes = [...tools.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    return { tools: tools.size - this.#flows.count, flows: this.#flows.count, bytes };
  }

  /** Make a change, all of it or nothing. Throws, and nothing has changed, when storage refuses. */
  change(change: ToolChange): ToolChangeAnswer {
    const hidden = this.#hiddenFrom(change.grants);
    if (change.kind === "put" && !hidden.has(change.tool.name) && this.#isOtherKind(change.tool))
      return err({ reason: "other-kind", names: [change.tool.name] });
    const step = changeTools(this.#book, change, { limits: this.#limits, hidden, sizeOf: utf8Length });
    if (!step.ok) return step;
    const beyond = beyondReach(change);
    if (beyond.length > 0) return err({ reason: "out-of-reach", names: beyond });
    const { book, changed, written } = step.value;
    // A change that was only tried has no version.
    if (change.dryRun === true) return ok({ ...changed, version: this.version });
    if (book.version === this.version) return ok(changed);
    const { sql } = this.#storage;
    this.#storage.transactionSync(() => {
      for (const name of changed.removed) query(sql)`DELETE FROM tools WHERE name = ${name}`;
      for (const { tool, entry } of written)
        query(sql)`
          REPLACE INTO tools (name, version, fingerprint, prefix, bytes, needs_json, head_json, json)
          VALUES (${tool.name}, ${entry.version}, ${entry.fingerprint}, ${entry.prefix},
          ${entry.bytes}, ${JSON.stringify(entry.needs)}, ${tool.headJson}, ${tool.json})`;
      query(sql)`REPLACE INTO tools_version (id, version) VALUES (0, ${book.version})`;
    });
    this.#book = book;
    return ok(changed);
  }

  /** Find what a key may not call. Its categories are read for it, and not at all for a key that may call everything. */
  #hiddenFrom(grants: readonly string[] = ["*"]): ReadonlySet<string> {
    if (grants.includes("*")) return new Set();
    const query = "SELECT name, head_json AS headJson FROM tools";
    const heads = this.#storage.sql.exec<Pick<KeptTool, "name" | "headJson">>(query).toArray();
    return new Set(heads.filter((tool) => !isVisible(tool, grants)).map(({ name }) => name));
  }

  /** Whether a flow's name is to be a tool's, or the other way round. */
  #isOtherKind(tool: ToolToKeep): boolean {
    const known = this.#book.tools.has(tool.name) ? this.read(tool.name) : null;
    return known !== null && isFlow(known) !== isFlow(tool);
  }

  /** One tool; null when there is none of that name. */
  read(name: string): KeptTool | null {
    const query = "SELECT name, version, fingerprint, head_json AS headJson, json FROM tools WHERE name = ?";
    return this.#storage.sql.exec<ToolRow>(query, name).toArray()[0] ?? null;
  }

  /**
   * Tell what has changed since a version, as much of it as one message may hold. Memory says which: SQLite would sort all of
   * the texts, for each message anew.
   */
  since(version: number): ToolsPage {
    const names = [...this.#book.tools.keys()];
    const changed = [...this.#book.tools].filter(([, entry]) => entry.version > version);
    const tools: KeptTool[] = [];
    let characters = 0;
    for (const [name] of changed.toSorted(([, a], [, b]) => a.version - b.version)) {
      const tool = this.read(name)!;
      characters += tool.json.length + tool.headJson.length;
      if (characters > LIMITS.toolPageCharacters && tools.length > 0)
        return { version: tools.at(-1)!.version, complete: false, names, tools };
      tools.push(tool);
    }
    return { version: this.version, complete: true, names, tools };
  }
}

function toEntry({ version, fingerprint, prefix, bytes, needs_json }: Row): ToolEntry {
  return { version, fingerprint, prefix, bytes, needs: JSON.parse(needs_json) as string[] };
}

/** Find what the key that asks could not call once it is kept: to it there would be no such tool, and its name would be taken. */
function beyondReach({ grants = ["*"], ...change }: ToolChange): string[] {
  const asked = change.kind === "delete" ? [] : change.kind === "put" ? [change.tool] : change.tools;
  return asked.flatMap((tool) => (isVisible(tool, grants) ? [] : [tool.name]));
}

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
