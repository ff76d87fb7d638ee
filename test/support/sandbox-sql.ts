import { readdir, readFile } from "node:fs/promises";

const MIGRATIONS = new URL("../../migrations/", import.meta.url);
const DATA = new URL("../sandbox/data.sql", import.meta.url);

/** The migrations in their order, and without `empty` what the sandbox's tenants keep. */
export async function readSandboxSql({ empty = false } = {}): Promise<string> {
  const files = (await readdir(MIGRATIONS)).sort().map((name) => new URL(name, MIGRATIONS));
  const texts = [...files, ...(empty ? [] : [DATA])].map((file) => readFile(file, "utf8"));
  return (await Promise.all(texts)).join("\n");
}
