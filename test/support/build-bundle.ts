import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { stringify } from "smol-toml";

import { readWranglerConfig } from "./wrangler-config.ts";

export interface Bundle extends AsyncDisposable {
  /** The one ES module that a deployment would upload. */
  readonly path: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** Each text that the module may import: its name, and its bytes gzipped. */
  readonly texts: ReadonlyMap<string, number>;
}

export interface BundleSource {
  /** A worker's entry, built with default settings. Give this or `config`. */
  readonly entry?: string;
  /** A wrangler configuration with a `main`; its settings are used as they are. */
  readonly config?: string;
  /** Whether it says of itself that it is deployed, as what `wrangler deploy` bundles does. */
  readonly isDeployed?: boolean;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const wranglerPackage = createRequire(import.meta.url).resolve("wrangler/package.json");
const wrangler = join(dirname(wranglerPackage), "bin", "wrangler.js");

/** Bundles that were not disposed of, e.g. one that is shared by a whole process, go with the process. */
const directories = new Set<string>();
process.once("exit", () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/**
 * Build a worker exactly as `wrangler deploy --minify` would, without deploying it.
 *
 * Wrangler itself builds, not esbuild with copied options: its polyfills and conditions are part of what is measured.
 */
export async function buildBundle(source: BundleSource): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), "volley-bundle-"));
  directories.add(directory);
  const clean = async (): Promise<void> => {
    directories.delete(directory);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const { config, main } = await readSource(source, directory);
    const outDir = join(directory, "out");
    const args = [wrangler, "deploy", "--dry-run", "--minify", "--outdir", outDir, "-c", config];
    // CI and no metrics: wrangler must neither ask nor call home. Entries of development refuse to start where they are deployed.
    const env = {
      NODE_ENV: "test",
      ...process.env,
      ...(source.isDeployed && { NODE_ENV: "production" }),
      CI: "1",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_LOG_PATH: directory,
    };
    await promisify(execFile)(process.execPath, args, { cwd: root, env });
    const path = join(outDir, main.replace(/\.[cm]?[jt]sx?$/, ".js"));
    const code = await readFile(path);
    return {
      path,
      bytes: code.length,
      gzipBytes: gzipSync(code).length,
      texts: await measureTexts(outDir),
      [Symbol.asyncDispose]: clean,
    };
  } catch (error) {
    await clean();
    throw error;
  }
}

/** Wrangler puts the hash of a text before its name. */
async function measureTexts(folder: string): Promise<Map<string, number>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt")).toSorted();
  const sizes = names.map(async (name): Promise<[string, number]> => {
    const bytes = await readFile(join(folder, name));
    return [name.replace(/^[0-9a-f]+-/, ""), gzipSync(bytes).length];
  });
  return new Map(await Promise.all(sizes));
}

/** The configuration to build with, and the file name of its entry. */
async function readSource(
  source: BundleSource,
  directory: string,
): Promise<{ config: string; main: string }> {
  if (source.config !== undefined) {
    const { main } = await readWranglerConfig(source.config);
    return { config: resolve(source.config), main: basename(main) };
  }
  if (source.entry === undefined) throw new Error("Cannot build bundle: give an entry or a config");
  const config = join(directory, "wrangler.toml");
  const settings = { name: "bundle", main: resolve(source.entry), compatibility_date: "2026-10-23" };
  await writeFile(config, stringify(settings));
  return { config, main: basename(source.entry) };
}
