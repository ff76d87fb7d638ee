/**
 * Build the package of `npm create volley`: `dist/create` has its command, its README and the templates, each whole.
 *
 *   node scripts/build-create.ts            # dist/create, which `npm pack` packs
 *   node scripts/build-create.ts --pack     # the same, whose projects bring Volley along as this repository packs it
 *   node scripts/build-create.ts --write    # bring wrangler.toml of templates/starter up to date
 */
import { execFile } from "node:child_process";
import { access, chmod, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build } from "esbuild";

import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";
import { composeTemplate } from "./templates/compose-template.ts";
import { TEMPLATES } from "./templates/template-list.ts";
import { writeWranglerFile } from "./templates/write-wrangler-file.ts";

const { values } = readScript({
  call: "node scripts/build-create.ts",
  summary: "Build the package of npm create volley into dist/create",
  options: {
    pack: { type: "boolean", about: "let its projects bring along Volley as this repository packs it" },
    packed: { type: "string", value: "FOLDER", about: "the same, as npm pack has put it there" },
    write: { type: "boolean", about: "bring wrangler.toml of templates/starter up to date instead" },
  },
});

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "templates/create-volley");
const to = join(root, "dist/create");

/** The documentation in the package, which has it only where `npm run docs` has built it, and the sentence of AGENTS.md that names it. */
const DOCS = "dist/console-and-docs/llms-full.txt";
const NAMING_DOCS = /^Volley's documentation is a text in .*$/m;
const WITHOUT_DOCS =
  "Volley was packed here without its documentation: read `docs` of its clone, or run `npm run docs` there before `npm run create`.";

if (values.write) {
  // The starter is deployed from the repository as it stands; the other templates are only ever made.
  await writeFile(join(root, "templates/starter/wrangler.toml"), writeWranglerFile(TEMPLATES[0]!));
} else {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const place = values.pack ? await pack() : values.packed;
  const packed = place === undefined ? null : await findPacked(place);
  const hasDocs =
    packed === null ||
    (await access(join(root, DOCS)).then(
      () => true,
      () => false,
    ));
  for (const template of TEMPLATES) {
    const folder = join(to, "templates", template.name);
    for (const [path, text] of await composeTemplate(root, template)) {
      // npm leaves `.gitignore` out of a package.
      const file = join(folder, path === ".gitignore" ? "_gitignore" : path);
      await mkdir(dirname(file), { recursive: true });
      const isManifest = packed !== null && path === "package.json";
      const own = isManifest ? text.replace(/("volley": )"[^"]*"/, `$1"file:./${packed}"`) : text;
      await writeFile(file, hasDocs ? own : own.replace(NAMING_DOCS, WITHOUT_DOCS));
    }
    if (packed !== null) await cp(join(place!, packed), join(folder, packed));
  }
  await build({
    entryPoints: [join(from, "src/create-volley.ts")],
    outfile: join(to, "create-volley.js"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "error",
  });
  await chmod(join(to, "create-volley.js"), 0o755);
  await Promise.all([
    cp(join(from, "package.json"), join(to, "package.json")),
    cp(join(from, "README.md"), join(to, "README.md")),
    cp(join(root, "LICENSE"), join(to, "LICENSE")),
  ]);
}

/** Pack Volley beside what is built here. */
async function pack(): Promise<string> {
  console.error("Packing Volley from this repository, which takes a minute or two…");
  await promisify(execFile)("npm", ["pack", "--silent", "--pack-destination", to], {
    cwd: root,
    maxBuffer: 2 ** 26,
    shell: process.platform === "win32",
  });
  return to;
}

/** The name of the archive of Volley in a folder. */
async function findPacked(folder: string): Promise<string> {
  const found = (await readdir(folder)).find((name) => /^volley-[\d.]+\.tgz$/.test(name));
  if (found === undefined)
    endScript(new CommandError(`'${folder}' has no volley-<version>.tgz: run npm pack.`));
  return found;
}
