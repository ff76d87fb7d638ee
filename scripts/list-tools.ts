/**
 * List the tools of this Worker: what they are, what they promise, where they go, and whether what they need is there.
 *
 *   npm run tools [-- --json]
 *   npm run tools -- --write     brings docs/tools.md up to date
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { describeTools, printTools } from "./catalogue/describe-tools.ts";
import { readConfigured } from "./catalogue/read-configured.ts";
import { readCatalogue, readVolleyTools } from "./catalogue/read-tools.ts";
import { sayCost } from "./catalogue/say-cost.ts";
import { TOOL_EXAMPLES } from "./docs/tool-examples.ts";
import { makeToolsPage } from "./docs/tools-page.ts";

const ROOT = new URL("../", import.meta.url);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: "boolean" }, write: { type: "boolean" } } });
  if (values.write === true) {
    await writeFile(new URL("docs/tools.md", ROOT), makeToolsPage(await readVolleyTools(), TOOL_EXAMPLES));
    console.log("docs/tools.md is up to date.");
    return;
  }
  const listed = await readCatalogue();
  const entries = describeTools(listed, await readConfigured(ROOT, process.env));
  const served = listed.filter(({ isServed }) => isServed).map(({ tool }) => tool);
  console.log(
    values.json === true ? JSON.stringify(entries, null, 2) : `${printTools(entries)}${sayCost(served)}\n`,
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
