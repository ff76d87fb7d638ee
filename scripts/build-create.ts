/**
 * Build the package of `npm create volley`: `dist/create` has its command, its README and the templates, each whole.
 *
 *   node scripts/build-create.ts            # dist/create, which `npm pack` packs
 *   node scripts/build-create.ts --write    # bring wrangler.toml of templates/starter up to date
 */
import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { readScript } from "./command/read-script.ts";
import { composeTemplate } from "./templates/compose-template.ts";
import { TEMPLATES } from "./templates/template-list.ts";
import { writeWranglerFile } from "./templates/write-wrangler-file.ts";

const { values } = readScript({
  call: "node scripts/build-create.ts",
  summary: "Build the package of npm create volley into dist/create",
  options: {
    write: { type: "boolean", about: "bring wrangler.toml of templates/starter up to date instead" },
  },
});

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "templates/create-volley");
const to = join(root, "dist/create");

if (values.write) {
  // The starter is deployed from the repository as it stands; the other templates are only ever made.
  await writeFile(join(root, "templates/starter/wrangler.toml"), writeWranglerFile(TEMPLATES[0]!));
} else {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  for (const template of TEMPLATES)
    for (const [path, text] of await composeTemplate(root, template)) {
      // npm leaves `.gitignore` out of a package.
      const file = join(to, "templates", template.name, path === ".gitignore" ? "_gitignore" : path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
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
