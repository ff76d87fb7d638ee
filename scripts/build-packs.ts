/**
 * Bundle what runs in isolates of its own (docs/packs.md), as text that a Worker carries and gives to its Worker Loader.
 *
 *   node scripts/build-packs.ts
 *
 * `src/packs/<name>.ts` becomes `dist/packs/<name>.txt`: one module, whose first line names the pack and the hash of the rest,
 * so that other text is another isolate. A file that would not change stays as it is, and one that does is replaced in one
 * step: several builds may run at once.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build, type Plugin } from "esbuild";

import { readScript } from "./command/read-script.ts";
import { COUNTED, countWork } from "./count-work.ts";

readScript({ call: "node scripts/build-packs.ts", summary: "Bundle the packs into dist/packs", options: {} });

const root = fileURLToPath(new URL("..", import.meta.url));
const PACKS = ["calculator", "presentation", "search", "shell"] as const;

/** A pack is plain functions; the class is how another Worker reaches them. */
const ENTRY = `
import { WorkerEntrypoint } from "cloudflare:workers";
import * as pack from "PACK";
export default class extends WorkerEntrypoint {
  call(method, args) {
    return pack[method](...args);
  }
}
`;

/** A pack's own code has bounds of its own; that of a library is counted. */
const counted: Plugin = {
  name: "counted",
  setup: (building) =>
    building.onLoad({ filter: COUNTED }, async ({ path }) => ({
      contents: countWork(await readFile(path, "utf8")),
    })),
};

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY.replace("PACK", `./src/packs/${name}.ts`), resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "error",
    plugins: [counted],
  });
  const code = outputFiles[0]!.text;
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 16);
  return `//${name}-${hash}\n${code}`;
}

async function write(name: string): Promise<void> {
  const text = await bundle(name);
  const path = join(root, "dist", "packs", `${name}.txt`);
  const before = await readFile(path, "utf8").catch(() => null);
  if (before === text) return;
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
}

await mkdir(join(root, "dist", "packs"), { recursive: true });
await Promise.all(PACKS.map(write));
