import type { Orchestration } from "../../src/core/contract/orchestration.ts";
import { toSaidContract } from "./said-contract.ts";
import type { ListedTool, Source } from "./read-tools.ts";
import type { Configured } from "./read-configured.ts";

/** Something that a tool needs of a deployment. */
interface Need {
  readonly name: string;
  readonly configured: boolean;
}

/** A tool as `npm run tools` lists it; the fields of `--json`. */
export interface CatalogueEntry {
  readonly name: string;
  readonly category: string;
  readonly source: Source;
  /** `src/worker.ts` has it, and all that it needs is configured. */
  readonly ready: boolean;
  readonly served: boolean;
  readonly is_write: boolean;
  readonly execution: string;
  /** The effective one. */
  readonly contract: Orchestration;
  readonly hosts: readonly string[] | "public";
  readonly secrets: readonly Need[];
  readonly bindings: readonly Need[];
}

/** Say of each tool what it is and whether this deployment can run it. */
export function describeTools(tools: readonly ListedTool[], configured: Configured): CatalogueEntry[] {
  return tools.map(({ tool, source, isServed }) => {
    const secrets = tool.secrets.map((name) => ({ name, configured: configured.secrets.has(name) }));
    const bindings = tool.bindings.map((name) => ({ name, configured: configured.bindings.has(name) }));
    return {
      name: tool.name,
      category: tool.category,
      source,
      ready: isServed && [...secrets, ...bindings].every((need) => need.configured),
      served: isServed,
      is_write: tool.isWrite,
      execution: tool.execution,
      contract: { ...tool.orchestration, on_error: tool.onError, confirm: tool.confirm ? "always" : "never" },
      hosts: tool.hosts,
      secrets,
      bindings,
    };
  });
}

const HEAD = ["TOOL", "CATEGORY", "DOES", "CONTRACT", "HOSTS", "NEEDS"];
const GAP = "  ";

/**
 * Lay the entries out as a table for a terminal: a column each, as wide as its widest cell. A tool that needs several things has
 * a line for each.
 *
 * @example
 * TOOL      CATEGORY  DOES   CONTRACT       HOSTS          NEEDS
 * web_fetch web       read   at most 6      any public     nothing
 */
export function printTools(entries: readonly CatalogueEntry[]): string {
  const rows = entries.flatMap(toRows);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]!.length)));
  const lines = [HEAD, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join("\n")}\n\n${summarise(entries)}\n`;
}

function toRows(entry: CatalogueEntry): string[][] {
  const { name, category, source, served, is_write, execution, contract, hosts, secrets, bindings } = entry;
  const does = is_write ? (execution === "sync" ? "write" : "write, later") : "read";
  const reached = hosts === "public" ? ["any public host"] : hosts.length === 0 ? ["none declared"] : hosts;
  const needs = [...secrets, ...bindings.map((need) => ({ ...need, name: `${need.name} (binding)` }))].map(
    (need) => `${need.configured ? "✓" : "✗"} ${need.name}`,
  );
  const mark = source === "shipped" ? "" : source;
  const first = [name, category, does];
  const contracts = toSaidContract(contract);
  const notes = [
    ...(needs.length === 0 ? ["nothing"] : needs),
    ...(served ? [] : ["✗ not in src/worker.ts"]),
  ];
  const height = Math.max(contracts.length, reached.length, notes.length, mark === "" ? 1 : 2);
  return Array.from({ length: height }, (_, line) => [
    line === 0 ? first[0]! : line === 1 && mark !== "" ? `  ${mark}` : "",
    line === 0 ? first[1]! : "",
    line === 0 ? first[2]! : "",
    contracts[line] ?? "",
    reached[line] ?? "",
    notes[line] ?? "",
  ]);
}

function summarise(entries: readonly CatalogueEntry[]): string {
  const served = entries.filter((entry) => entry.served);
  const ready = served.filter((entry) => entry.ready);
  const counts = `${served.length} tools are served, ${ready.length} of them are configured`;
  const others = entries.length - served.length;
  return others === 0 ? `${counts}.` : `${counts}. Of Volley's tools ${others} are not in src/worker.ts.`;
}
