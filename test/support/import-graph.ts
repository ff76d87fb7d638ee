import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

/** The modules of `src`, as paths in the repository. */
export const SOURCES: readonly string[] = execFileSync(
  "git",
  ["ls-files", "-co", "--exclude-standard", "--deduplicate", "src"],
  { encoding: "utf8" },
)
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file));

/** Which imports a graph has: those that a module begins with, or those that it makes later as well. */
export type Imports = "first" | "all";

const STATIC = /(?:import|export)[^;]*? from "(\.[^"]+)"/g;
const LATE = /\bimport\(\s*"(\.[^"]+)"/g;

/** Read which modules of `src` each of them imports, those of types included. */
export async function readImports(which: Imports): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Set(SOURCES);
  const read = async (file: string): Promise<readonly [string, readonly string[]]> => {
    const text = await readFile(file, "utf8");
    const found = [...text.matchAll(STATIC), ...(which === "all" ? text.matchAll(LATE) : [])];
    const paths = found.map(([, path]) => normalize(join(dirname(file), path!)));
    return [file, paths.filter((path) => known.has(path))];
  };
  return new Map(await Promise.all(SOURCES.map(read)));
}

/** The modules that one of these needs, however many steps away, and these themselves. */
export function reach(
  from: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set(from);
  for (const file of reached) for (const next of imports.get(file) ?? []) reached.add(next);
  return reached;
}
