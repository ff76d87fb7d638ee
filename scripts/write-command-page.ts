/**
 * Bring the reference of docs/command.md up to date with the commands' own help.
 *
 *   npm run command
 */
import { readFile, writeFile } from "node:fs/promises";

import { COMMANDS } from "./command/commands.ts";
import { syntaxOf } from "./command/define-command.ts";
import { writeHelp } from "./command/help-text.ts";
import { readScript } from "./command/read-script.ts";

const PAGE = new URL("../docs/command.md", import.meta.url);
export const MARK = "<!-- npm run command -->";

/** Write the reference: a section for each command, with what `--help` says. */
export function writeReference(): string {
  const sections = COMMANDS.map(
    (command) => `## volley ${command.words}\n\n\`\`\`text\n${writeHelp(syntaxOf(command))}\n\`\`\`\n`,
  );
  return `${MARK}\n\n${sections.join("\n")}`;
}

if (import.meta.main) {
  readScript({
    call: "npm run command --",
    summary: "Bring the reference of docs/command.md up to date",
    options: {},
  });
  const [head] = (await readFile(PAGE, "utf8")).split(MARK);
  await writeFile(PAGE, `${head}${writeReference()}`);
}
