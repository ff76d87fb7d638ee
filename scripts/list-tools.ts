/**
 * List the tools of this Worker: what they are, what they promise, where they go, and whether what they need is there.
 *
 *   npm run tools [-- --json]
 *   npm run tools -- --write     brings docs/tools.md up to date
 */
import { writeFile } from "node:fs/promises";

import { describeTools, printTools } from "./catalogue/describe-tools.ts";
import { readConfigured } from "./catalogue/read-configured.ts";
import { readCatalogue, readVolleyTools } from "./catalogue/read-tools.ts";
import { sayCost } from "./catalogue/say-cost.ts";
import { endScript, readScript } from "./command/read-script.ts";
import { TOOL_EXAMPLES } from "./docs/tool-examples.ts";
import { makeToolsPage } from "./docs/tools-page.ts";

const { values } = readScript({
  call: "npm run tools --",
  summary:
    "List the tools of this Worker: what they promise, where they go, and whether what they need is there",
  options: {
    json: { type: "boolean", about: "answer with one JSON value, for machines" },
    write: { type: "boolean", about: "bring docs/tools.md up to date instead" },
  },
});

const ROOT = new URL("../", import.meta.url);

async function main(): Promise<void> {
  if (values.write) {
    await writeFile(new URL("docs/tools.md", ROOT), makeToolsPage(await readVolleyTools(), TOOL_EXAMPLES));
    console.log("docs/tools.md is up to date.");
    return;
  }
  const listed = await readCatalogue();
  const entries = describeTools(listed, await readConfigured(ROOT, process.env));
  const served = listed.filter(({ isServed }) => isServed).map(({ tool }) => tool);
  console.log(values.json ? JSON.stringify(entries, null, 2) : `${printTools(entries)}${sayCost(served)}\n`);
}

try {
  await main();
} catch (error) {
  endScript(error);
}
