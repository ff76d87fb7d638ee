/**
 * `npm create volley`: make a project of one's own of a template.
 */
import { basename, relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

import { readAnswers } from "./read-answers.ts";
import { makeProject } from "./make-project.ts";
import { type Manager, readFlags, USAGE } from "./read-flags.ts";
import { CommandError } from "../../../scripts/command/command-error.ts";
import { beginRepository, install, readVersion } from "./set-up-project.ts";

const TEMPLATES = fileURLToPath(new URL("templates", import.meta.url));

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), process.env["npm_config_user_agent"] ?? "");
  if (flags.isHelp) return console.log(USAGE);
  checkNode(flags.pm);
  const answers = await readAnswers(flags);
  const startedAt = performance.now();
  const folder = resolve(answers.folder);
  const shown = relative(process.cwd(), folder) || ".";
  const pmVersion = readVersion(answers.pm);
  const key = await makeProject({ ...answers, from: TEMPLATES, folder, shown, pmVersion });
  console.log(`\nMade ${basename(folder)} of the template ${answers.template}.`);
  if (answers.isGit) console.log(beginRepository(folder));
  const isInstalled = answers.isInstall && (await install(folder, answers.pm));
  if (isInstalled) console.log(`Installed, in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s.`);
  if (answers.isInstall && !isInstalled) process.exitCode = 1;
  console.log(sayNext({ shown, key, pm: answers.pm, isInstalled }));
}

/** The three commands to type. */
function sayNext({
  shown,
  key,
  pm,
  isInstalled,
}: {
  readonly shown: string;
  readonly key: string;
  readonly pm: string;
  readonly isInstalled: boolean;
}): string {
  const steps = [...(shown === "." ? [] : [`cd ${quote(shown)}`]), ...(isInstalled ? [] : [`${pm} install`])];
  return [
    "\nThree commands to type, the last in another terminal in the same folder:\n",
    `  ${steps.length === 0 ? `${pm} test` : steps.join(" && ")}`,
    `  ${pm} run dev`,
    `  curl -s http://127.0.0.1:8787/v1/execute_actions -H "authorization: Bearer ${key}" -H "content-type: application/json" -d @batch.json`,
    `\nWhere "${pm} run dev" names another port than 8787, write that one. README.md goes on from there.`,
  ].join("\n");
}

const quote = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `"${path}"`);

/** On Linux the project brings a newer Node along, which Yarn does not use. */
function checkNode(pm: Manager): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 13);
  if (isNew || (process.platform === "linux" && major >= 20 && pm !== "yarn")) return;
  throw new CommandError(
    `Volley${pm === "yarn" ? " with Yarn" : ""} needs Node 22.13 or newer, and this is ${process.version}. Nothing was made. https://nodejs.org has it.`,
    2,
  );
}

try {
  await main();
} catch (error) {
  if (error instanceof CommandError) console.error(error.message);
  else console.error(`create-volley has a mistake: ${(error as Error).message}. Please report it.`);
  process.exitCode = error instanceof CommandError ? error.exitCode : 2;
}
