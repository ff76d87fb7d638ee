/**
 * Measure the cost of telling a model of its tools, by surface, size of the catalog and format; and of a whole question, by the
 * side that runs the loop.
 *
 *   npm run bench:tokens
 */
import { TOOL_FORMATS } from "../../../src/features/discovery/tool-list.ts";
import { readCatalogue } from "../../../test/fixtures/catalogue/read-catalogue.ts";
import { reportTokens } from "./measure-tokens.ts";
import { reportByLookups, reportByTools, reportChain, reportLookups } from "./report-loop.ts";

const tools = readCatalogue();
for (const format of TOOL_FORMATS) print(`format=${format}, in tokens (o200k)`, reportTokens(tools, format));
print("Three lookups, with the tools that ship", await reportLookups());
print("Steps that need each other", await reportChain());
print("By lookups: sent / paid", await reportByLookups());
print("By tools: sent / paid", await reportByTools());

function print(title: string, lines: readonly string[]): void {
  console.log(`${title}\n\n${lines.join("\n")}\n`);
}
