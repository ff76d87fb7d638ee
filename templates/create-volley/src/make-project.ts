import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import type { Answers } from "./read-answers.ts";
import { CommandError } from "../../../scripts/command/command-error.ts";
import { suitManager } from "./suit-manager.ts";

/** Files that a folder may have and still counts as empty. */
const NOTHING = new Set([".git", ".DS_Store"]);

interface Making extends Pick<Answers, "template" | "pm"> {
  /** The folder of all templates. */
  readonly from: string;
  readonly folder: string;
  /** The folder as it is shown. */
  readonly shown: string;
  /** The version of the package manager; null where it is not installed. */
  readonly pmVersion: string | null;
}

/** Refuse a folder in which there is something. */
export async function checkFolder(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new CommandError(
      `${folder} cannot be taken: ${error.code === "ENOTDIR" ? "it is a file" : error.code}. Nothing was made.`,
      1,
    );
  });
  const others = found.filter((name) => !NOTHING.has(name));
  if (others.length > 0)
    throw new CommandError(
      `${folder === "." ? "This folder" : folder} is not empty: it has ${others.slice(0, 3).join(", ")}${others.length > 3 ? ` and ${others.length - 3} more` : ""}. Nothing was made; name another folder.`,
      1,
    );
  if (toName(basename(resolve(folder))) === "")
    throw new CommandError(
      `'${basename(resolve(folder))}' gives the project no name: use letters and digits.`,
      2,
    );
}

/** Write the files of a template into a folder, under the folder's name. The key that gets in while it is developed. */
export async function makeProject({ from, folder, shown, template, pm, pmVersion }: Making): Promise<string> {
  await checkFolder(shown);
  const source = join(from, template);
  const name = toName(basename(folder));
  const texts = new Map<string, string>();
  // `yarn dlx` runs this out of an archive, where entries do not say their folders.
  const paths = await readdir(source, { recursive: true });
  const isArchive = (path: string): boolean => path.endsWith(".tgz");
  for (const path of paths)
    if (!isArchive(path) && (await stat(join(source, path))).isFile())
      texts.set(path, await readFile(join(source, path), "utf8"));
  const { name: before } = JSON.parse(texts.get("package.json")!) as { name: string };
  for (const [path, text] of suitManager(texts, pm, pmVersion)) {
    const file = join(folder, path.replace("_gitignore", ".gitignore"));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, named(text, before, name));
  }
  for (const path of paths.filter(isArchive)) await copyFile(join(source, path), join(folder, path));
  return /^VOLLEY_KEY=(.+)$/m.exec(texts.get("dev.vars") ?? "")?.[1] ?? "dev-key";
}

/** Put the project's name in place of the template's, whole words only. */
function named(text: string, before: string, name: string): string {
  return text.replaceAll(new RegExp(`(?<![\\w-])${before}(?![\\w])`, "g"), name);
}

/** A name that npm and Cloudflare take: small letters, digits and dashes, 50 at most, so that `-staging` fits behind it. */
function toName(folder: string): string {
  return folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^[-0-9]+/, "")
    .slice(0, 50)
    .replace(/-+$/, "");
}
