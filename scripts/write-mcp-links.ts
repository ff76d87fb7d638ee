/**
 * Write the links that install a deployment's MCP server in Cursor and VS Code, into docs/clients/mcp.md or to the terminal.
 *
 *   npm run mcp:links -- https://volley.example.com            # print those of a deployment
 *   npm run mcp:links -- https://volley.example.com --write    # put them into the page
 */
import { readFile, writeFile } from "node:fs/promises";

import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";
import { putLinks, toWebLinks } from "./docs/clients-page.ts";
import { makeInstallLinks } from "../src/features/console/page/make-calls.ts";

const PAGE = new URL("../docs/clients/mcp.md", import.meta.url);
const { values, positionals } = readScript({
  call: "npm run mcp:links --",
  summary: "Print the links that install a deployment's MCP server in Cursor and VS Code",
  positionals: [{ name: "URL", about: "the address of the deployment" }],
  options: { write: { type: "boolean", about: "put them into docs/clients/mcp.md instead" } },
  examples: ["https://volley.example.com"],
});
const url = URL.parse(positionals[0]!);
if (url === null)
  endScript(
    new CommandError(`'${positionals[0]}' is no address; one looks like https://volley.example.com.`),
  );
const { origin } = url;
if (values.write) await writeFile(PAGE, putLinks(await readFile(PAGE, "utf8"), origin));
else {
  const links = makeInstallLinks(origin);
  for (const link of [...Object.values(links), ...Object.values(toWebLinks(links))]) console.log(link);
}
