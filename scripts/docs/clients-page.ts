import { type InstallLinks, makeInstallLinks } from "../../src/features/console/page/make-calls.ts";

const BEGIN = "<!-- npm run mcp:links: begin -->";
const END = "<!-- npm run mcp:links: end -->";

/** Put a deployment's install links into the page of MCP clients. Pages on GitHub may link to https alone, so both links lead there first. */
export function putLinks(page: string, origin: string): string {
  const { cursor, vscode } = toWebLinks(makeInstallLinks(origin));
  const [before = "", rest = ""] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`Cannot write the links: the page has no '${BEGIN}' and '${END}'`);
  return `${before}${BEGIN}\n\n- [Install in Cursor](${cursor})\n- [Install in VS Code](${vscode})\n\n${END}${after}`;
}

/** The same links by way of the clients' own sites, which hand them on. */
export function toWebLinks({ cursor, vscode }: InstallLinks): InstallLinks {
  return {
    cursor: `https://cursor.com/en/install-mcp?${cursor.slice(cursor.indexOf("?") + 1)}`,
    vscode: `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(vscode)}`,
  };
}
