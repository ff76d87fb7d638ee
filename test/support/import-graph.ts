import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

import { getOrMake } from "../../src/core/kit/get-or-make.ts";

/** The modules of `src`, as paths in the repository. */
export const SOURCES: readonly string[] = execFileSync(
  "git",
  ["ls-files", "-co", "--exclude-standard", "--deduplicate", "src"],
  { encoding: "utf8" },
)
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file));

/** Which imports a graph has: those that a module begins with, or those that it makes later as well, of values alone or of types too. */
export type Imports = "first" | "all" | "values";

/** The modules of `src` that each of them imports. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Each graph is read once: tests run on one state of `src`. */
const graphs = new Map<Imports, Promise<ImportGraph>>();

const STATIC = /(?:import|export)[^;]*? from "(\.[^"]+)"/g;
const LATE = /\bimport\(\s*"(\.[^"]+)"/g;

/** Imports that are gone when the code runs. */
const OF_TYPES = /^(?:import|export) type[^;]*;/gm;

/** Read which modules of `src` each of them imports, those of types included unless said. */
export function readImports(which: Imports): Promise<ImportGraph> {
  return getOrMake(graphs, which, () => readGraph(which));
}

async function readGraph(which: Imports): Promise<ImportGraph> {
  const known = new Set(SOURCES);
  const read = async (file: string): Promise<readonly [string, readonly string[]]> => {
    const whole = await readFile(file, "utf8");
    const text = which === "values" ? whole.replaceAll(OF_TYPES, "") : whole;
    const found = [...text.matchAll(STATIC), ...(which !== "first" ? text.matchAll(LATE) : [])];
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

/** The shortest chain of imports from a module to another; throws where there is none. */
export function findChain(
  from: string,
  to: string,
  imports: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const chains = new Map([[from, [from]]]);
  for (const [file, chain] of chains) {
    if (file === to) return chain;
    for (const next of imports.get(file) ?? []) if (!chains.has(next)) chains.set(next, [...chain, next]);
  }
  throw new Error(`${from} does not import ${to}, however many steps away`);
}
