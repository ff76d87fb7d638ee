import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { findUnwritten, readTables, updateStoragePage } from "../../scripts/docs/storage-page.ts";

const page = await readFile(new URL("../../docs/storage.md", import.meta.url), "utf8");
const tables = await readTables();

test("docs/storage.md has a row for every table, with its columns; npm run storage brings them up to date", () => {
  expect(tables.length).toBeGreaterThan(30);
  expect(findUnwritten(page, tables)).toEqual([]);
  expect(updateStoragePage(page, tables), "run: npm run storage").toBe(page);
});

test("docs/storage.md has a part for every class of wrangler.toml", async () => {
  const toml = await readFile(new URL("../../wrangler.toml", import.meta.url), "utf8");
  const classes = [...toml.matchAll(/^(?:# )?class_name = "(\w+)"/gm)].map(([, name]) => name!);
  const parts = [...page.matchAll(/^## `(\w+)`/gm)].map(([, name]) => name!);
  expect(parts.toSorted()).toEqual(classes.toSorted());
});

test("the columns of a table are those of its schema and those that were added, whatever stands in parentheses", () => {
  const of = (name: string) => tables.find((table) => table.name === name)?.columns;
  expect(of("run_causes")).toEqual(["flow", "cause", "job_id", "expires_at"]);
  expect(of("idempotency")).toContain("parked_json");
  expect(of("approval_links")).toEqual([
    "digest",
    "confirmation_id",
    "name",
    "expires_at",
    "edit",
    "used",
    "maker",
  ]);
});

test("a row of a table that is gone goes, and what a person wrote of another stays", () => {
  const row = (name: string, columns: string) =>
    `| [\`${name}\`](../src/a.ts) | ${columns} | a write | a day |`;
  const written = `${row("gone", "`a`")}\n${row("kept", "`a`")}\nThe end.`;
  const table = { name: "kept", file: "src/a.ts", columns: ["a", "b"] };
  expect(updateStoragePage(written, [table])).toBe(`${row("kept", "`a`, `b`")}\nThe end.`);
  expect(findUnwritten(written, [{ ...table, file: "src/b.ts" }])).toEqual(["kept of src/b.ts"]);
});
