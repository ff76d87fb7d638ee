/**
 * Write the links that install a deployment's MCP server in Cursor and VS Code, into docs/clients/mcp.md or to the terminal.
 *
 *   npm run mcp:links -- https://volley.example.com            # print those of a deployment
 *   npm run mcp:links -- https://volley.example.com --write    # put them into the page
 */
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { putLinks, toWebLinks } from "./docs/clients-page.ts";
import { makeInstallLinks } from "../src/features/console/page/install-links.ts";

const PAGE = new URL("../docs/clients/mcp.md", import.meta.url);
const { values, positionals } = parseArgs({
  options: { write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [address = ""] = positionals;
if (!URL.canParse(address)) {
  console.error("Which deployment? For example: npm run mcp:links -- https://volley.example.com");
  process.exitCode = 2;
} else {
  const { origin } = new URL(address);
  if (values.write) await writeFile(PAGE, putLinks(await readFile(PAGE, "utf8"), origin));
  else {
    const links = makeInstallLinks(origin);
    for (const link of [...Object.values(links), ...Object.values(toWebLinks(links))]) console.log(link);
  }
}
