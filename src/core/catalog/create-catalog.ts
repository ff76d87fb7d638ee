import { describe } from "../contract/issues.ts";
import { isJsonObject } from "../contract/json.ts";
import { findCycle } from "../kit/layers.ts";
import { ALIASES, BATCH_TOOL } from "./alias.ts";
import { Catalog, type CatalogParts, type Discovery } from "./catalog.ts";
import type { Tool } from "./define-tool.ts";
import { makeVerifiers } from "./verifier.ts";

/** Names that a model is given for something else. */
const RESERVED = new Set([BATCH_TOOL, "discover_tools", "get_tool_schema", ...ALIASES.keys()]);

/** The parts of features that a catalog is made with. */
export interface CatalogChecks extends Pick<CatalogParts, "conditions"> {
  /** Throws where a feature could not work with a tool. */
  readonly checkTool?: ((tool: Tool) => void) | undefined;
}

/**
 * Build a catalog, or throw at start-up naming the tool whose declaration cannot work: a name used twice or reserved, a
 * dependency on a tool that does not exist, dependencies in a circle, or what `checkTool` refuses.
 *
 * @param discovery what finds and describes its tools for a model; null where there is no such feature
 */
export function createCatalog(
  tools: readonly Tool[],
  discovery: Discovery | null = null,
  { checkTool, conditions }: CatalogChecks = {},
): Catalog {
  checkList(tools);
  const position = new Map<string, number>();
  for (const [index, { name }] of tools.entries()) {
    if (RESERVED.has(name))
      throw new Error(`Cannot create catalog: the name '${name}' is reserved; give the tool another`);
    if (position.has(name)) throw new Error(`Cannot create catalog: two tools are named '${name}'`);
    position.set(name, index);
  }
  for (const tool of tools) conditions?.check(tool);
  // Late inputs are checked on development servers (`develop`) and in tests, not at every start.
  for (const tool of tools) if (!tool.hasLateInput) checkTool?.(tool);
  const needs = tools.map(({ name, orchestration }) =>
    (orchestration.depends_on ?? []).map(({ tool }) => {
      const needed = position.get(tool);
      if (needed === undefined)
        throw new Error(`Cannot create catalog: '${name}' depends on the unknown tool '${tool}'`);
      return needed;
    }),
  );
  const cycle = findCycle(needs);
  if (cycle !== null) {
    throw new Error(
      `Cannot create catalog: tools depend on each other: ${cycle.map((index) => tools[index]!.name).join(" → ")}`,
    );
  }
  return new Catalog(tools, { verifiers: makeVerifiers(tools), discovery, conditions });
}

/** Refuse what is no list of tools, which only authors of plain JavaScript can write. */
function checkList(tools: readonly unknown[]): void {
  if (!Array.isArray(tools))
    throw new Error(`Cannot create catalog: 'tools' must be an array, received ${describe(tools)}`);
  const stray = tools.findIndex((tool) => !isJsonObject(tool) || typeof tool["concurrency"] !== "number");
  if (stray === -1) return;
  const what = isJsonObject(tools[stray]) ? "an object that is none" : describe(tools[stray]);
  throw new Error(
    `Cannot create catalog: item ${stray} of 'tools' must be what defineTool() gives, received ${what}`,
  );
}
