/**
 * Build what the package ships: `dist/lib`, a module for each file of `src` that an entry point reaches, with its declaration; `dist/packs`;
 * `dist/console`, and the same with the documentation where `npm run docs` has built it; `dist/bin`; and the notice of others' code in these.
 *
 *   node scripts/build-package.ts
 *
 * `npm pack` runs it. A file for each module, not a bundle: a bundler of the Worker leaves out the modules that it does not
 * import.
 */
import { execFile } from "node:child_process";
import { access, chmod, cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build, transform } from "esbuild";

import { readScript } from "./command/read-script.ts";
import { BUILT_MARK } from "./docs/plain-pages.ts";
import { writeNotice } from "./release/write-notice.ts";

readScript({
  call: "node scripts/build-package.ts",
  summary: "Build what the package ships into dist",
  options: {},
});

const root = fileURLToPath(new URL("..", import.meta.url));
const lib = join(root, "dist", "lib");
const run = promisify(execFile);

/** The replacements in emitted files of text that the compiler wrote. */
const REWRITES: readonly { readonly files: RegExp; readonly from: RegExp; readonly to: string }[] = [
  // The compiler writes the extensions of modules as they are emitted, but not those of declarations.
  { files: /\.d\.ts$/, from: /((?:from|import\()\s*"\.[^"]*)\.ts"/g, to: '$1.js"' },
  // Where there is no platform, `imports` of package.json names another class.
  { files: /\.js$/, from: /"[^"]*\/durable-object\.js"/g, to: '"#durable-object"' },
  // From `dist/lib` packs are a step nearer than from `src`.
  { files: /\.js$/, from: /"\.\.\/\.\.\/\.\.\/dist\/packs\//g, to: '"../../../packs/' },
];

async function rewrite(path: string): Promise<void> {
  const before = await readFile(path, "utf8");
  const after = REWRITES.filter(({ files }) => files.test(path)).reduce(
    (text, { from, to }) => text.replaceAll(from, to),
    before,
  );
  // Comments stay in the declarations, where an editor shows them.
  await writeFile(path, path.endsWith(".js") ? (await transform(after, { target: "es2024" })).code : after);
}

const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  dependencies: Readonly<Record<string, string>>;
};
await run(process.execPath, [join(root, "scripts/write-clients.ts")], { cwd: root });
await Promise.all([lib, join(root, "dist", "bin")].map((path) => rm(path, { recursive: true, force: true })));
await Promise.all([
  run(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", "config/tsconfig.package.json"],
    {
      cwd: root,
    },
  ),
  run(process.execPath, [join(root, "scripts/build-packs.ts")], { cwd: root }),
  run(process.execPath, [join(root, "scripts/build-console.ts")], { cwd: root }),
  build({
    entryPoints: [join(root, "scripts/volley.ts")],
    outdir: join(root, "dist/bin"),
    bundle: true,
    // An old Node reads the entry alone, which says that it is too old.
    splitting: true,
    chunkNames: "[name]-[hash]",
    // The parser of wrangler.toml is no dependency of a Worker.
    external: [...Object.keys(dependencies), "esbuild"],
    platform: "node",
    format: "esm",
    target: "node20",
    // Names stay, so that a stack can be read.
    minifyWhitespace: true,
    logLevel: "error",
  }),
  writeNotice(root).then((notice) => writeFile(join(root, "dist", "NOTICE"), notice)),
]);
const files = await readdir(lib, { recursive: true });
await Promise.all(
  files.filter((path) => /\.(?:js|d\.ts)$/.test(path)).map((path) => rewrite(join(lib, path))),
);
// A Worker that lists the feature `docs` names this folder instead of the other; one that does not serves no page of it.
const [console, both] = ["dist/console", "dist/console-and-docs"].map((name) => join(root, name)) as [
  string,
  string,
];
await rm(both, { recursive: true, force: true });
// Pages as text stand there until the documentation is built: a package has none of them.
if (await isThere(join(console, BUILT_MARK))) await cp(console, both, { recursive: true });
const command = join(root, "dist/bin/volley.js");
await writeFile(command, `#!/usr/bin/env node\n${await readFile(command, "utf8")}`);
await chmod(command, 0o755);

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
