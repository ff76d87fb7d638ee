import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { BuildFailure, Plugin } from "esbuild";

import type { Tool } from "../../src/core/catalog/define-tool.ts";
import type { WholeDeclaration } from "../../src/cloudflare/declared.ts";
import { attempt } from "../../src/core/kit/result.ts";
import type { Wrangler } from "./find-wrangler.ts";
import type { Project } from "./read-project.ts";

/** A Worker as far as it is looked at without being run. */
export interface LoadedWorker {
  readonly tools: readonly Tool[];
  readonly features: readonly WholeDeclaration[];
  /** The names that its entry exports besides the default one. */
  readonly exported: readonly string[];
}

/** The Worker, or why it does not start, in a sentence. */
export type Loaded =
  | { readonly worker: LoadedWorker }
  | {
      readonly problem: string;
      /** Whether its files can be read as code, so that only what they say is wrong. */
      readonly isBundled: boolean;
    };

/**
 * Load a project's Worker in this process, bundled as Wrangler bundles it, with a stand-in for the platform: its declarations are looked
 * at, and nothing of it is called.
 */
export async function loadWorker({ folder, config, shown }: Project, wrangler: Wrangler): Promise<Loaded> {
  const { main } = config;
  if (main === undefined)
    return { problem: `${shown} has no 'main'; add: main = "src/worker.ts"`, isBundled: false };
  const { build } = await wrangler.loadBundler();
  const built = await attempt(() =>
    build({
      entryPoints: [resolve(folder, main)],
      absWorkingDir: folder,
      bundle: true,
      write: false,
      format: "esm",
      target: "es2022",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*"],
      loader: { ".txt": "text", ".html": "text", ".sql": "text", ".bin": "empty", ".wasm": "empty" },
      logLevel: "silent",
      plugins: [withoutPlatform],
    }),
  );
  if (!built.ok) return { problem: sayBuildFailure(built.error as BuildFailure), isBundled: false };
  const place = await mkdtemp(join(tmpdir(), "volley-worker-"));
  try {
    const file = join(place, "worker.mjs");
    await writeFile(file, built.value.outputFiles[0]!.text);
    const loaded = await attempt(() => import(pathToFileURL(file).href) as Promise<Exports>);
    if (!loaded.ok)
      return {
        problem: loaded.error instanceof Error ? loaded.error.message : String(loaded.error),
        isBundled: true,
      };
    const { default: app, ...others } = loaded.value;
    const options = app?.options;
    return options === undefined
      ? { problem: `${main} does not export a Volley: export default volley.app`, isBundled: true }
      : {
          worker: {
            tools: options.tools,
            features: options.features ?? [],
            exported: Object.keys(others).filter((name) => typeof others[name] === "function"),
          },
        };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

interface Exports {
  readonly default?: {
    readonly options?: { readonly tools: readonly Tool[]; readonly features?: readonly WholeDeclaration[] };
  };
  readonly [name: string]: unknown;
}

/** The platform's modules, each name of which is a class without anything. */
const withoutPlatform: Plugin = {
  name: "without-platform",
  setup(building) {
    building.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "platform" }));
    building.onResolve({ filter: /\.wasm\?module$/ }, ({ path }) => ({ path, namespace: "platform" }));
    building.onLoad({ filter: /.*/, namespace: "platform" }, () => ({
      // A bundle reads names of a copy of the module, which has its prototype.
      contents:
        "const any = new Proxy({}, { get: () => class {}, getPrototypeOf: () => any }); module.exports = any;",
    }));
  },
};

/** Say where a file cannot be bundled, and why. */
export function sayBuildFailure({ errors, message }: Pick<BuildFailure, "errors" | "message">): string {
  const [first] = errors ?? [];
  if (first === undefined) return message;
  const { location, text } = first;
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1} ${text}`;
}
