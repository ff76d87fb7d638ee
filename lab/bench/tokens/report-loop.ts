import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { SHIPPED_TOOLS } from "../../../src/tools/shipped-tools.ts";
import { readCatalogue } from "../../../test/fixtures/catalogue/read-catalogue.ts";
import { sample } from "./measure-tokens.ts";
import { type LoopCost, measureLoop, type Question, type Way } from "./measure-loop.ts";
import { CHAIN_QUESTION, LOOKUP_QUESTION, WAYS_THROUGH_A_CHAIN, waysToLookUp } from "./questions.ts";

/** The part of the price that is asked for tokens that a prompt cache holds. */
const CACHED_PRICE = 0.1;

/** How many of the lookups a question needs. */
const LOOKUPS = [1, 2, 3, 4, 5];

/** The example's three lookups, with the tools that ship, as lines of a Markdown table. */
export async function reportLookups(): Promise<string[]> {
  return toTable(await measureAll(SHIPPED_TOOLS, LOOKUP_QUESTION, waysToLookUp(3)));
}

/** Steps that need each other's results, with the tools that ship. */
export async function reportChain(): Promise<string[]> {
  return toTable(await measureAll(SHIPPED_TOOLS, CHAIN_QUESTION, WAYS_THROUGH_A_CHAIN));
}

/** The tokens sent for one to five lookups, and their price. */
export async function reportByLookups(): Promise<string[]> {
  const rows: (readonly [number, readonly LoopCost[]])[] = [];
  for (const count of LOOKUPS)
    rows.push([count, await measureAll(SHIPPED_TOOLS, LOOKUP_QUESTION, waysToLookUp(count))]);
  return toGrid("lookups", rows);
}

/** The tokens sent for the three lookups where there are more tools or fewer. */
export async function reportByTools(): Promise<string[]> {
  const used = new Set(["google-maps-search", "nhtsa-recall-search", "web-search"]);
  const named = SHIPPED_TOOLS.filter(({ name }) => used.has(name));
  const shipped = new Set(SHIPPED_TOOLS.map(({ name }) => name));
  const others = readCatalogue().filter(({ name }) => !shipped.has(name));
  const many = [...SHIPPED_TOOLS, ...sample(others, 100 - SHIPPED_TOOLS.length)];
  const rows: (readonly [number, readonly LoopCost[]])[] = [];
  for (const tools of [named, SHIPPED_TOOLS, many])
    rows.push([tools.length, await measureAll(tools, LOOKUP_QUESTION, waysToLookUp(3))]);
  return toGrid("tools", rows);
}

/** Measure several ways to have a question answered. */
export async function measureAll(
  tools: readonly Tool[],
  question: Question,
  ways: readonly Way[],
): Promise<LoopCost[]> {
  const costs: LoopCost[] = [];
  for (const way of ways) costs.push(await measureLoop(tools, question, way));
  return costs;
}

function toTable(costs: readonly LoopCost[]): string[] {
  return [
    "| who runs the loop | model calls | tool block | sent | of it cached | paid | written |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...costs.map((cost) => {
      const numbers = [cost.modelCalls, cost.tools, cost.sent, cost.cached, paid(cost), cost.received];
      return `| ${cost.name} | ${numbers.map(say).join(" | ")} |`;
    }),
  ];
}

function toGrid(what: string, rows: readonly (readonly [number, readonly LoopCost[]])[]): string[] {
  const [[, costs]] = rows as readonly [readonly [number, readonly LoopCost[]]];
  return [
    `| ${what} | ${costs.map(({ name }) => name).join(" | ")} |`,
    `|---:|${costs.map(() => "---:|").join("")}`,
    ...rows.map(
      ([count, all]) =>
        `| ${count} | ${all.map((cost) => `${say(cost.sent)} / ${say(paid(cost))}`).join(" | ")} |`,
    ),
  ];
}

/** The price of the sent tokens, with the cached ones at theirs. */
export function paid({ sent, cached }: LoopCost): number {
  return Math.round(sent - cached + CACHED_PRICE * cached);
}

function say(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
