import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { COMMANDS } from "../../scripts/command/commands.ts";
import { syntaxOf } from "../../scripts/command/define-command.ts";
import { writeHelp, writeOverview } from "../../scripts/command/help-text.ts";
import { MARK, writeReference } from "../../scripts/write-command-page.ts";

test("docs/command.md has the help of every command as the command says it; npm run command brings it up to date", async () => {
  const page = await readFile("docs/command.md", "utf8");
  expect(page.slice(page.indexOf(MARK)), "run: npm run command").toBe(writeReference());
});

test("the help of a command names each of its options once, and how it ends", () => {
  for (const command of COMMANDS) {
    const help = writeHelp(syntaxOf(command));
    for (const option of [...Object.keys(command.options), "json", "help"])
      expect(help.match(new RegExp(`^  --${option} `, "gm")), `${command.words} --${option}`).toHaveLength(1);
    expect(writeOverview(COMMANDS)).toContain(`  ${command.words} `);
  }
});
