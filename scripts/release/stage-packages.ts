import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { TEMPLATES } from "../templates/template-list.ts";
import { withAbsoluteLinks } from "./repository-address.ts";

/** A release, and the repository that it is made in. */
interface Release {
  readonly root: string;
  readonly version: string;
  /** The address of the repository. */
  readonly address: string;
}

type Manifest = Readonly<Record<string, unknown>> & { readonly files: readonly string[] };

/** Fields that are for people who change Volley, not for those who install it. */
const OF_REPOSITORY = ["private", "scripts", "devDependencies", "overrides", "cloudflare"];

/** Put what is published as `volley` into a folder. */
export async function stageVolley({ root, version, address }: Release, to: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Manifest;
  await mkdir(to, { recursive: true });
  for (const path of [...manifest.files, "LICENSE"])
    await cp(join(root, path), join(to, path), { recursive: true });
  const kept = Object.entries(manifest).filter(([field]) => !OF_REPOSITORY.includes(field));
  await writeJson(join(to, "package.json"), { ...Object.fromEntries(kept), version });
  const readme = await readFile(join(root, "README.md"), "utf8");
  await writeFile(join(to, "README.md"), withAbsoluteLinks(readme, address, version));
  return to;
}

/** Put what is published as `create-volley` into a folder; its templates depend on the same version. */
export async function stageCreate({ root, version, address }: Release, to: string): Promise<string> {
  await cp(join(root, "dist/create"), to, { recursive: true });
  const manifest = JSON.parse(await readFile(join(to, "package.json"), "utf8")) as Manifest;
  await writeJson(join(to, "package.json"), {
    ...manifest,
    version,
    homepage: `${address}#readme`,
    repository: { type: "git", url: `git+${address}.git`, directory: "templates/create-volley" },
  });
  for (const { name } of TEMPLATES) {
    const path = join(to, "templates", name, "package.json");
    const made = JSON.parse(await readFile(path, "utf8")) as { dependencies: Record<string, string> };
    made.dependencies["volley"] = version;
    await writeJson(path, made);
  }
  return to;
}

const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
