import type { KeptTool } from "../../feature/tool.ts";
import { createPartCall } from "../../core/contract/gate/part-call.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { findCycle } from "../../core/kit/layers.ts";
import { err, ok, type Result } from "../../feature/refuse.ts";

/** A tool that a tenant adds while running, or a flow, as a Worker hands it over to be kept. The JSON of a flow is an object that has it as `flow`. */
export interface ToolToKeep extends Omit<KeptTool, "version"> {
  /** Tools of the tenant's own that its contract names: those of the deployment are always there. */
  readonly needs: readonly string[];
  /** For a flow that a clock runs: the clock, and when it comes first. */
  readonly clock?: FlowClock;
}

export interface FlowClock {
  readonly cron: string;
  /** The IANA zone in which it is read. */
  readonly timezone: string;
  /** Milliseconds since the epoch; null when no time comes any more. */
  readonly nextAt: number | null;
}

/** A change of a tenant's tools: all of it happens, or nothing. */
export type ToolChange = {
  /** Say what would happen, and do nothing. */
  readonly dryRun?: boolean;
  /**
   * The tools that the key may call: names, categories or `*`. A tool that exists and is not among these is neither replaced nor
   * removed.
   */
  readonly grants?: readonly string[];
} & (
  | { readonly kind: "put"; readonly tool: ToolToKeep }
  | { readonly kind: "delete"; readonly name: string }
  /** A tool that was imported under the prefix before, and is not among these, goes. */
  | { readonly kind: "import"; readonly prefix: string; readonly tools: readonly ToolToKeep[] }
);

export interface ToolsChanged {
  readonly version: number;
  readonly added: readonly string[];
  readonly replaced: readonly string[];
  readonly removed: readonly string[];
}

/** Why a change cannot be, and of which tools that is said. */
export interface ToolChangeRefusal {
  readonly reason:
    | "unknown"
    /** A name belongs to a tool that the import did not make. */
    | "taken"
    /** A name belongs to a flow and is to be a tool's, or the other way round. */
    | "other-kind"
    /** A name belongs to what the key may not call. */
    | "hidden"
    /** The key that keeps them could not call them. */
    | "out-of-reach"
    | "too-many"
    | "too-large"
    /** A contract names an unknown tool. */
    | "needs-unknown"
    /** Contracts name each other in a circle. */
    | "needs-each-other";
  readonly names: readonly string[];
}

export type ToolChangeAnswer = Result<ToolsChanged, ToolChangeRefusal>;

/** The changes of a tenant's tools since a version: a part of them where all would not fit one message. */
export interface ToolsPage {
  /** The version up to which this tells everything. */
  readonly version: number;
  /** Whether nothing comes after it. */
  readonly complete: boolean;
  /** The names of all that there are now, so that what is not among them is gone. */
  readonly names: readonly string[];
  /** Those that are new or others since, the oldest change first. */
  readonly tools: readonly KeptTool[];
}

/** The methods of the part of a tenant's object that keeps the tools that it added. */
export interface AddedToolsMethods {
  /** Add, replace or delete tools of the tenant's own. */
  changeTools(change: ToolChange): ToolChangeAnswer;
  /** Find one of the tenant's own tools; null for a name that no tool has. */
  tool(name: string): KeptTool | null;
  /** The changes of the tenant's own tools since a version, in one message or, where they are many, in part. */
  toolsSince(version: number): ToolsPage;
}

/** Call a method of the part of a tenant's object that keeps its added tools. */
export const callAddedTools = createPartCall<AddedToolsMethods>("added-tools");

/** The entry of a kept tool, which needs no reading of its declaration. */
export interface ToolEntry {
  readonly version: number;
  readonly fingerprint: string;
  /** Size of its declaration, as UTF-8. */
  readonly bytes: number;
  /** The import that made it; null where it was put by hand. */
  readonly prefix: string | null;
  /** Tools of the tenant's own that its contract named when it was declared. */
  readonly needs: readonly string[];
}

/** Everything that a tenant has declared, by name, and the version that grows with each change of it. */
export interface ToolBook {
  readonly version: number;
  readonly tools: ReadonlyMap<string, ToolEntry>;
}

export interface ToolLimits {
  readonly count: number;
  readonly allBytes: number;
}

export const TOOL_LIMITS: ToolLimits = { count: LIMITS.tenantTools, allBytes: LIMITS.tenantToolsBytes };

/** The options that a change goes by. */
export interface ChangeOptions {
  readonly limits: ToolLimits;
  /** Names of what the key that asks may not call. */
  readonly hidden: ReadonlySet<string>;
  /** Bytes of a text as UTF-8. */
  readonly sizeOf: (text: string) => number;
}

/** A change that may be made: what to say of it, and the rows that make it. */
export interface ToolsStep {
  readonly book: ToolBook;
  readonly changed: ToolsChanged;
  readonly written: readonly { readonly tool: ToolToKeep; readonly entry: ToolEntry }[];
}

/**
 * Change a tenant's tools, all that is asked or nothing.
 *
 * The version grows by one for each tool that is written and by one for the removed ones, so a reader that knows the tools at one
 * version learns of every later change by asking for those with a higher one. A tool that is put again as it is changes nothing.
 *
 * A tool may only name tools that are there. One that it names may go later: then it goes on without.
 *
 * A tool that is hidden from the asker stays as it is: its name is taken, an import of its prefix leaves it alone, and a caller
 * that deletes it or depends on it is told there is none.
 */
export function changeTools(
  book: ToolBook,
  change: ToolChange,
  { limits, hidden, sizeOf }: ChangeOptions,
): Result<ToolsStep, ToolChangeRefusal> {
  const asked = change.kind === "delete" ? [] : change.kind === "put" ? [change.tool] : change.tools;
  const unseen = asked.filter(({ name }) => hidden.has(name));
  if (unseen.length > 0) return refuse("hidden", namesOf(unseen));
  const removed = findRemoved(book, change).filter((name) => !hidden.has(name));
  if (change.kind === "delete" && removed.length === 0) return refuse("unknown", [change.name]);
  const prefixOf = (name: string): string | null =>
    change.kind === "import" ? change.prefix : (book.tools.get(name)?.prefix ?? null);
  const taken = asked.filter(({ name }) => {
    const known = book.tools.get(name);
    return known !== undefined && known.prefix !== prefixOf(name);
  });
  if (taken.length > 0) return refuse("taken", namesOf(taken));

  const tools = new Map(book.tools);
  for (const name of removed) tools.delete(name);
  let { version } = book;
  if (removed.length > 0) version += 1;
  const written: { tool: ToolToKeep; entry: ToolEntry }[] = [];
  for (const tool of asked) {
    const { name, fingerprint, needs } = tool;
    if (tools.get(name)?.fingerprint === fingerprint) continue;
    version += 1;
    const entry = { version, fingerprint, bytes: sizeOf(tool.json), prefix: prefixOf(name), needs };
    tools.set(name, entry);
    written.push({ tool, entry });
  }
  const refusal = findRefusal(tools, asked, { limits, hidden });
  if (refusal !== null) return err(refusal);
  const isNew = ({ name }: ToolToKeep): boolean => !book.tools.has(name);
  return ok({
    book: { version, tools },
    written,
    changed: {
      version,
      added: namesOf(asked.filter(isNew)),
      replaced: namesOf(asked.filter((tool) => !isNew(tool))),
      removed,
    },
  });
}

function findRemoved({ tools }: ToolBook, change: ToolChange): string[] {
  if (change.kind === "put") return [];
  if (change.kind === "delete") return tools.has(change.name) ? [change.name] : [];
  const stays = new Set(namesOf(change.tools));
  return [...tools].flatMap(([name, { prefix }]) =>
    prefix === change.prefix && !stays.has(name) ? [name] : [],
  );
}

function findRefusal(
  tools: ReadonlyMap<string, ToolEntry>,
  asked: readonly ToolToKeep[],
  { limits, hidden }: Pick<ChangeOptions, "limits" | "hidden">,
): ToolChangeRefusal | null {
  // A tenant that has more already, by an older limit, can still have less.
  if (asked.length === 0) return null;
  if (tools.size > limits.count) return { reason: "too-many", names: namesOf(asked) };
  let bytes = 0;
  for (const entry of tools.values()) bytes += entry.bytes;
  if (bytes > limits.allBytes) return { reason: "too-large", names: namesOf(asked) };
  const lost = asked.filter(({ needs }) => needs.some((name) => !tools.has(name) || hidden.has(name)));
  if (lost.length > 0) return { reason: "needs-unknown", names: namesOf(lost) };
  const names = [...tools.keys()];
  const position = new Map(names.map((name, index) => [name, index]));
  const cycle = findCycle(
    [...tools.values()].map(({ needs }) => needs.flatMap((name) => position.get(name) ?? [])),
  );
  if (cycle === null) return null;
  const shown = cycle.map((index) => names[index]!).filter((name) => !hidden.has(name));
  return { reason: "needs-each-other", names: shown };
}

function namesOf(tools: readonly ToolToKeep[]): string[] {
  return tools.map(({ name }) => name);
}

function refuse(
  reason: ToolChangeRefusal["reason"],
  names: readonly string[],
): Result<never, ToolChangeRefusal> {
  return err({ reason, names });
}
