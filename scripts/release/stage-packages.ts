import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { TEMPLATES } from "../templates/template-list.ts";
import { withAbsoluteLinks } from "./repository-address.ts";

/** A release, and the repository that it is made in. */
interface Release {
  readonly root: string;
  readonly version: string;
  /** The address of the repository. */
  readonly address: string;
}

type Manifest = Readonly<Record<string, unknown>>;

const run = promisify(execFile);

/** Fields that are for people who change Volley, not for those who install it. */
const OF_REPOSITORY = ["private", "scripts", "devDependencies", "overrides", "allowScripts", "cloudflare"];

/** Put what is published as `volley` into a folder: the files that npm takes, with a manifest and a README for those who install it. */
export async function stageVolley({ root, version, address }: Release, to: string): Promise<string> {
  await mkdir(to, { recursive: true });
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Manifest;
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", to], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const tarball = join(to, stdout.trim());
  await run("tar", ["-xzf", tarball, "-C", to, "--strip-components", "1"]);
  await rm(tarball);
  const kept = Object.entries(manifest).filter(([field]) => !OF_REPOSITORY.includes(field));
  await writeJson(join(to, "package.json"), { ...Object.fromEntries(kept), version });
  const readme = await readFile(join(root, "README.md"), "utf8");
  await writeFile(join(to, "README.md"), withAbsoluteLinks(readme, address, version));
  return to;
}

/**
 * Put what is published as `create-volley` into a folder; its templates depend on the same version, and import it as `volley` whatever its
 * name is.
 */
export async function stageCreate({ root, version, address }: Release, to: string): Promise<string> {
  const { name: published } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    name: string;
  };
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
    made.dependencies["volley"] = published === "volley" ? version : `npm:${published}@${version}`;
    await writeJson(path, made);
  }
  return to;
}

const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
