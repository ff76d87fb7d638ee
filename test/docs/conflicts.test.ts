import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, test } from "vitest";
import { trial } from "../support/trial.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The first and the last line of a conflict. The one between them is also how a heading may be underlined. */
const MARKER = /^(?:<{7}|>{7})(?: |\r?$)/m;

trial("no file that Git tracks has the marks of a merge left in it", async () => {
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z"], { cwd: ROOT });
  const paths = stdout.split("\0").filter((path) => path !== "");
  expect(paths).toContain("package.json");
  const conflicts = await Promise.all(
    paths.map(async (path) => {
      // A file that is tracked may be deleted in the working tree.
      const text = await readFile(join(ROOT, path), "utf8").catch(() => "");
      return MARKER.test(text) ? [path] : [];
    }),
  );
  expect(conflicts.flat()).toEqual([]);
});

test.each([
  ["<<<<<<< ours", true],
  ["text\n>>>>>>> theirs\n", true],
  ["a line of\n=======\nan underlined heading", false],
  ["x <<<<<<< y", false],
])("%j is a mark: %s", (text, isMark) => {
  expect(MARKER.test(text)).toBe(isMark);
});
