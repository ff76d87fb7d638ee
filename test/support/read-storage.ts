import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The bytes of every file of the Durable Objects, write-ahead logs included, as Latin-1. */
export async function readStorage(directory: string): Promise<string> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const contents = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), "latin1")),
  );
  return contents.join("\n");
}
