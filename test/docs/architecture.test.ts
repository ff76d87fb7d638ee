import { readFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

import { findCycle } from "../../src/core/kit/layers.ts";

const page = await readFile("ARCHITECTURE.md", "utf8");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate", "src"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file));

/** Features stand under one heading: docs/features.md tells of each. */
const roomOf = (file: string): string =>
  dirname(file)
    .replace(/^src\/?/, "")
    .replace(/^features\/.*/, "features/*");

/** The rooms of the page's table, where a row may name several; `src` itself stands there as `src`. */
function listed(): string[] {
  const [, rooms = ""] = page.split("\n## Rooms\n");
  const [section = ""] = rooms.split("\n## ");
  return [...section.matchAll(/^\| (`[^|]*) \| [^|]+ \|$/gm)].flatMap(([, named]) =>
    named!.replaceAll("`", "").split(", "),
  );
}

describe("ARCHITECTURE.md", () => {
  test("names every room of src once", () => {
    const rooms = new Set(files.map((file) => roomOf(file) || "src"));
    expect(listed().toSorted()).toEqual([...rooms].toSorted());
  });

  test("has at most 200 lines", () => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
  });

  test("tells seven ways, by files that exist", () => {
    const [, ways = ""] = page.split("\n## The ways\n");
    const [section = ""] = ways.split("\n## ");
    const headings = [...section.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      "A read",
      "A write",
      "A background job",
      "A confirmation",
      "A webhook, a clock",
      "A turn",
      "A conversation",
    ]);
    const names = new Set(files.map((file) => basename(file).replace(/\.tsx?$/, "")));
    // In brackets stand files only; in sentences also words of the wire.
    const named = [...section.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name!);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(40);
  });
});

describe("src", () => {
  test("has no cycle of imports, those of types included", async () => {
    const position = new Map(files.map((file, index) => [file, index]));
    const needs = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(file, "utf8");
        // A module that is imported late is not needed to begin with.
        return [...text.matchAll(/(?:import|export)[^;]*? from "(\.[^"]+)"/g)].flatMap(([, path]) => {
          const at = position.get(normalize(join(dirname(file), path!)));
          return at === undefined ? [] : [at];
        });
      }),
    );
    const cycle = findCycle(needs);
    expect(cycle?.map((index) => files[index])).toBeUndefined();
  });
});
