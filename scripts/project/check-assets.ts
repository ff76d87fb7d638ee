import { access } from "node:fs/promises";
import { join, resolve } from "node:path";

import { type Finding, wrong } from "./finding.ts";
import type { LoadedWorker } from "./load-worker.ts";
import type { Project } from "./read-project.ts";

/** The folders of pages that the package has, the fullest first, each with a file that is in no smaller one. */
const FOLDERS = [
  { feature: "docs", name: "the documentation", folder: "console-and-docs", file: "docs/index.html" },
  { feature: "console", name: "the console", folder: "console", file: "console.html" },
] as const;

/** Look whether `[assets]` names a folder that has the pages of the features that are listed. */
export async function checkAssets(
  { config, shown, folder }: Project,
  { features }: LoadedWorker,
): Promise<readonly Finding[]> {
  const needed = FOLDERS.find(({ feature }) => features.some(({ name }) => name === feature));
  if (needed === undefined) return [];
  const directory = config.assets?.directory;
  const line = `directory = "node_modules/volley/dist/${needed.folder}"`;
  if (directory === undefined)
    return [
      wrong(
        "assets",
        `${shown} does not name the files of ${needed.name}, which is listed.`,
        `[assets]\n${line}`,
      ),
    ];
  // A build command may make them.
  if (config["build"] !== undefined) return [];
  const path = resolve(folder, directory);
  if (await isThere(join(path, needed.file))) return [];
  return (await isThere(path))
    ? [
        wrong(
          "assets",
          `The folder ${directory} of [assets] has no files of ${needed.name}, which is listed.`,
          line,
        ),
      ]
    : [
        wrong(
          "assets",
          `The folder ${directory} of [assets] is not there. Install the packages: npm install.`,
        ),
      ];
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
