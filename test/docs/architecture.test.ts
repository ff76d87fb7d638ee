import { readFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

import { findCycle } from "../../src/kit/layers.ts";

const page = await readFile("ARCHITECTURE.md", "utf8");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "--deduplicate", "src"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file));
const MOST_FILES = 18;

const roomOf = (file: string): string => dirname(file).replace(/^src\/?/, "");

/** What the page lists: room and file. */
function listed(): string[] {
  const [, rooms = ""] = page.split("\n## Rooms\n");
  const [section = ""] = rooms.split("\n## ");
  return section.split("\n### ").flatMap((part) => {
    const room = part.split("\n")[0]!;
    return [...part.matchAll(/^- `([\w-]+\.tsx?)`: \S/gm)].map(([, file]) =>
      room === "src" ? `src/${file}` : `src/${room}/${file}`,
    );
  });
}

describe("ARCHITECTURE.md", () => {
  test("names every file of src once, in its room, with what it is for", () => {
    expect(listed().toSorted()).toEqual(files.toSorted());
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
  test(`has no folder of more than ${MOST_FILES} files`, () => {
    const sizes = Map.groupBy(files, roomOf);
    expect([...sizes].filter(([, inside]) => inside.length > MOST_FILES)).toEqual([]);
  });

  test("has no cycle of imports, those of types included", async () => {
    const position = new Map(files.map((file, index) => [file, index]));
    const needs = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(file, "utf8");
        // What is imported late is not needed to begin with.
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
