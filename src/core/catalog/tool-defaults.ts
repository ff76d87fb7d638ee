import type { DeclaredContract } from "../contract/orchestration.ts";

/** The fields of a declaration that have a default although they say something of the tool. */
export interface Defaults {
  readonly summary: string;
  readonly category: string;
  readonly actions: readonly string[];
  readonly isWrite: boolean;
  readonly execution: "sync" | "fire-and-forget";
  readonly hosts: readonly string[] | "public";
  readonly orchestration: DeclaredContract;
}

type Brief = { readonly description: string } & Partial<Defaults>;

/** The price of leaving a field out, where it has one. */
const COSTS = {
  isWrite: "it counts as a write: its calls run one at a time, and none is repeated",
  summary: "a model finds it by the first sentence of its description",
  category: "its category is 'general'",
  hosts: "its ctx.fetch reaches nothing",
} satisfies Partial<Record<keyof Defaults, string>>;

/**
 * Fill in what a declaration leaves out; its other fields are its own, those of a class's instance too. A tool is a write unless it
 * says otherwise, because a read may be sent again.
 */
export function fillDefaults<Declaration extends Brief>(declaration: Declaration): Declaration & Defaults {
  const { isWrite = true, description } = declaration;
  const defaults: Defaults = {
    // Its first sentence.
    summary: /^.*?[.!?](?=\s|$)/su.exec(description)?.[0] ?? description,
    category: "general",
    actions: [isWrite ? "write" : "read"],
    isWrite,
    execution: "sync",
    hosts: [],
    orchestration: { mode: isWrite ? "sequential-only" : "parallel-safe" },
  };
  const missing = findMissing(declaration, defaults).map(([field, value]) => [field, { value }]);
  return Object.create(declaration, Object.fromEntries(missing)) as Declaration & Defaults;
}

/** The entries of a table by field whose fields a declaration leaves out. */
function findMissing<Table extends object>(declaration: Brief, table: Table): [string, Table[keyof Table]][] {
  return Object.entries(table).filter(([field]) => declaration[field as keyof Defaults] === undefined);
}

const costs = new WeakMap<object, Readonly<Record<string, string>>>();

/** Keep what a tool's declaration left out, by field, with what that costs. */
export function noteCosts(tool: object, declaration: Brief): void {
  const missing = findMissing(declaration, COSTS);
  if (missing.length > 0) costs.set(tool, Object.fromEntries(missing));
}

/** Find the prices that tools pay for missing fields, by tool and field; null if every field is there. */
export function costsOf(
  tools: readonly { readonly name: string }[],
): Readonly<Record<string, object>> | null {
  const found = tools.flatMap((tool) => {
    const missing = costs.get(tool);
    return missing === undefined ? [] : [[tool.name, missing] as const];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}
