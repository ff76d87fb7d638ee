import { createInterface } from "node:readline/promises";

import { type Flags, type Manager, type TemplateName, TEMPLATES } from "./read-flags.ts";
import { checkFolder } from "./make-project.ts";
import { CommandError } from "../../../scripts/command/command-error.ts";

/** All that a project is made of. */
export interface Answers {
  readonly folder: string;
  readonly template: TemplateName;
  readonly pm: Manager;
  readonly isInstall: boolean;
  readonly isGit: boolean;
}

const FOLDER = "my-volley";

/** Ask what the flags do not say: at most three questions, and none without a terminal or with `--yes`. */
export async function readAnswers(flags: Flags): Promise<Answers> {
  const { isYes, pm, isInstall, isGit } = flags;
  const isAsked = !isYes && process.stdin.isTTY && process.stdout.isTTY;
  if (!isAsked) {
    const folder = flags.folder ?? FOLDER;
    await checkFolder(folder);
    return { folder, template: flags.template ?? "starter", pm, isInstall, isGit };
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new CommandError("\nNothing was made.", 1));
    lines.once("SIGINT", stop).once("close", stop);
  });
  // It is only looked at while a question waits.
  ended.catch(() => {});
  const ask = (question: string): Promise<string> => Promise.race([lines.question(question), ended]);
  try {
    const folder = await askFolder(flags.folder, ask);
    const template = flags.template ?? (await askTemplate(ask));
    if (!isInstall && !isGit) return { folder, template, pm, isInstall, isGit };
    const works = [
      ...(isInstall ? [`install with ${pm}`] : []),
      ...(isGit ? ["begin a git repository"] : []),
    ];
    const isDone = !/^n/i.test((await ask(`${capitalise(works.join(" and "))}? (Y/n) `)).trim());
    return { folder, template, pm, isInstall: isInstall && isDone, isGit: isGit && isDone };
  } finally {
    lines.close();
  }
}

type Ask = (question: string) => Promise<string>;

/** A folder that cannot be taken is asked for again. */
async function askFolder(given: string | null, ask: Ask): Promise<string> {
  if (given !== null) {
    await checkFolder(given);
    return given;
  }
  for (;;) {
    const folder = (await ask(`Folder: (${FOLDER}) `)).trim() || FOLDER;
    try {
      await checkFolder(folder);
      return folder;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      console.log(error.message);
    }
  }
}

async function askTemplate(ask: Ask): Promise<TemplateName> {
  const names = Object.keys(TEMPLATES) as TemplateName[];
  names.forEach((name, at) => console.log(`  ${at + 1} ${name}: ${TEMPLATES[name]}`));
  for (;;) {
    const answer = (await ask("Template: (1) ")).trim() || "1";
    const found = names.find((name, at) => answer === name || answer === String(at + 1));
    if (found !== undefined) return found;
    console.log(`A number from 1 to ${names.length}, or a name.`);
  }
}

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
