import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { trial } from "../support/trial.ts";

const root = new URL("../../", import.meta.url);
const page = await readFile(new URL("docs/security.md", root), "utf8");

test("docs/security.md points to files that exist", () => {
  const files = [...page.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, path]) => path!);
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

test("T26 docs/security.md names every runtime dependency, and each has an exact version", async () => {
  const { dependencies } = JSON.parse(await readFile(new URL("package.json", root), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const [list = ""] = /Runtime dependencies: [^;]*;/.exec(page) ?? [];
  const named = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  expect(named).toEqual(Object.keys(dependencies).sort());
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("docs/security.md says how many live jobs a tenant may have", () => {
  const all = LIMITS.jobBacklog + (LIMITS.outboxShards - 1) * LIMITS.shardBacklog;
  expect(page).toContain(`${all.toLocaleString("en-US")} live jobs`);
});

trial("T26 every package has one exact version, and a checksum in the lock file", async () => {
  interface Package {
    readonly version?: string;
    readonly integrity?: string;
    readonly link?: boolean;
  }
  interface Manifest {
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
    readonly optionalDependencies?: Record<string, string>;
  }
  const read = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(new URL(name, root), "utf8"));
  const { dependencies, devDependencies, optionalDependencies } = (await read("package.json")) as Manifest;
  const { packages } = (await read("package-lock.json")) as { packages: Record<string, Package> };
  const named = { ...dependencies, ...devDependencies, ...optionalDependencies };
  for (const [name, version] of Object.entries(named)) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
    expect(packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
  const { "": _, ...installed } = packages;
  const unchecked = Object.entries(installed).filter(
    ([path, { integrity, link }]) =>
      path.includes("node_modules/") && link !== true && integrity?.startsWith("sha512-") !== true,
  );
  expect(unchecked.map(([path]) => path)).toEqual([]);
  // The dependencies in production stay a list that a person can read.
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(10);
});
