import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The files of variables of development, the later one winning: the first is everybody's, the second is this machine's. */
export const DEV_VARS = ["dev.vars", ".dev.vars"] as const;

/** Read the variables of development of a folder. */
export async function parseDevVars(folder: string): Promise<Readonly<Record<string, string>>> {
  const texts = await Promise.all(
    DEV_VARS.map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
  );
  return Object.assign({}, ...texts.map((text) => parseEnv(text))) as Record<string, string>;
}
