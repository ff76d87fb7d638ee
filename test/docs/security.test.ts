import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { LIMITS } from "../../src/contract/limits.ts";

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
