import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

import type { Template } from "./template-list.ts";
import { writeWranglerFile } from "./write-wrangler-file.ts";

/** The parts of the starter that are its own; all others are every template's. */
const OF_STARTER = /^(?:src|test|README\.md|batch\.json|dev\.vars)(?:\/|$)/;
const NOT_OURS = /(?:^|\/)(?:node_modules|\.wrangler|package-lock\.json|\.dev\.vars)(?:\/|$)/;

/** Compose the files of a template, by their paths: what every template has, its own files, and what is generated. */
export async function composeTemplate(
  root: string,
  template: Template,
): Promise<ReadonlyMap<string, string>> {
  const shared = await readFolder(join(root, "templates", "starter"));
  const own = await readFolder(join(root, "templates", template.name));
  const files = new Map([...shared].filter(([path]) => !OF_STARTER.test(path)));
  for (const [path, text] of own) files.set(path, text);
  files.set("package.json", composeManifest(shared.get("package.json")!, own.get("package.json")!));
  files.set("wrangler.toml", writeWranglerFile(template));
  return files;
}

/** A template's manifest is the starter's with a name, a description and bindings of its own. */
function composeManifest(shared: string, own: string): string {
  const [base, mine] = [JSON.parse(shared) as Manifest, JSON.parse(own) as Manifest];
  const { VOLLEY_KEYS } = base.cloudflare.bindings;
  const bindings = { VOLLEY_KEYS, ...mine.cloudflare.bindings };
  return `${JSON.stringify({ ...base, ...mine, cloudflare: { bindings } }, null, 2)}\n`;
}

interface Manifest {
  readonly cloudflare: { readonly bindings: Readonly<Record<string, unknown>> };
}

async function readFolder(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"))
    .filter((path) => !NOT_OURS.test(path))
    .toSorted();
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), "utf8")));
  return new Map(paths.map((path, at) => [path, texts[at]!]));
}
