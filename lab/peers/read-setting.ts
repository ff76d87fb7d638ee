import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";

/** Where a run was made, and of what. */
export interface Setting {
  readonly at: string;
  readonly machine: string;
  readonly node: string;
  readonly workerd: string;
  /** The packages of this folder, as they are pinned. */
  readonly packages: readonly (readonly [name: string, version: string])[];
  readonly seconds: number;
  /** Load average before it began. */
  readonly busyBefore: number;
}

/** Read what belongs under a table of figures: the machine, and the versions of what was measured. */
export async function readSetting(): Promise<Omit<Setting, "seconds" | "busyBefore">> {
  const own = new URL("package.json", import.meta.url);
  const { devDependencies } = JSON.parse(await readFile(own, "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const { version } = createRequire(import.meta.url)("workerd/package.json") as { readonly version: string };
  const model = cpus()[0]?.model.trim() ?? "unknown CPU";
  return {
    at: new Date().toISOString(),
    machine: `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`,
    node: process.versions.node,
    workerd: version,
    packages: Object.entries(devDependencies),
  };
}
