import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type * as esbuild from "esbuild";

import { CommandError } from "../command/command-error.ts";

/** The project's own Wrangler, which brings the bundler along. */
export interface Wrangler {
  /** The script that Node runs. */
  readonly script: string;
  readonly version: string;
  /** The bundler that it deploys with. */
  loadBundler(): Promise<typeof esbuild>;
}

/** Find the Wrangler of a project's dependencies. Throws, in a sentence, if it has none. */
export function findWrangler(folder: string): Wrangler {
  const require = createRequire(join(folder, "package.json"));
  let manifest: string;
  try {
    manifest = require.resolve("wrangler/package.json");
  } catch {
    throw new CommandError(
      `Wrangler is not installed in ${folder}. Install the project's packages: npm install. Where it is no dependency yet: npm install --save-dev wrangler.`,
    );
  }
  const { version } = require(manifest) as { version: string };
  return {
    script: join(manifest, "..", "bin", "wrangler.js"),
    version,
    loadBundler: () => import(pathToFileURL(createRequire(manifest).resolve("esbuild")).href),
  };
}
