import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Load a bundle, with stand-ins for what only the platform has, and print the CPU that this took, in microseconds. */
const LOAD = `
  import { registerHooks } from "node:module";
  const platform = "export class DurableObject {} export class WorkerEntrypoint {} export const env = {}; export default ''";
  registerHooks({
    resolve: (name, context, next) =>
      /^cloudflare:|\\.txt$/.test(name)
        ? { url: "data:text/javascript," + encodeURIComponent(platform), shortCircuit: true }
        : next(name, context),
  });
  const before = process.cpuUsage();
  await import(process.argv[1]);
  const { user, system } = process.cpuUsage(before);
  console.log(user + system);
`;

/** The least of so many is what it takes where nothing else is in its way. */
const RUNS = 9;

/**
 * Measure what loading each of some bundles takes of a processor, in milliseconds: reading it, and running what it runs before the
 * first request. Each load has a process of its own, and they take turns, so that a busy minute of the machine is the same for all.
 */
export async function measureStartUp(bundles: readonly string[]): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), "volley-start-up-"));
  try {
    const paths = bundles.map((_, at) => join(folder, `${at}.mjs`));
    await Promise.all(paths.map((path, at) => writeFile(path, bundles[at]!)));
    const least = bundles.map(() => Number.POSITIVE_INFINITY);
    for (let run = 0; run < RUNS; run += 1)
      for (const [at, path] of paths.entries()) least[at] = Math.min(least[at]!, await load(path));
    return least;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function load(path: string): Promise<number> {
  const args = ["--input-type=module", "--eval", LOAD, path];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout) / 1_000;
}
