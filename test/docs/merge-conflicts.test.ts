import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What a merge leaves where it could not decide: seven of one character that begin a line, or are all of it. */
const MARKER = /^(?:<{7}(?: |$)|\|{7}(?: |$)|={7}$|>{7}(?: |$))/;

test("no tracked file holds what a merge left undecided", () => {
  const paths = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean);
  expect(paths.length).toBeGreaterThan(100);
  const found = paths.flatMap((path) =>
    readIfText(path)
      .split(/\r?\n/)
      .flatMap((line, index) => (MARKER.test(line) ? [`${path}:${index + 1}: ${line}`] : [])),
  );
  expect(found).toEqual([]);
});

/** The text of a file; none of one that is not text, or that was deleted and not committed yet. */
function readIfText(path: string): string {
  try {
    const bytes = readFileSync(path);
    return bytes.includes(0) ? "" : bytes.toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
