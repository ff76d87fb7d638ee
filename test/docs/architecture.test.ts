import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";

import { readDeclarations } from "../../config/features.ts";
import { findCycle } from "../../src/core/kit/layers.ts";
import { reach, readImports, SOURCES } from "../support/import-graph.ts";
import { trial } from "../support/trial.ts";

const page = await readFile("ARCHITECTURE.md", "utf8");
/** One level of folders is seen at a glance. */
const MOST_ROOMS = 10;

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
    const rooms = new Set(SOURCES.map((file) => roomOf(file) || "src"));
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
    const names = new Set(SOURCES.map((file) => basename(file).replace(/\.tsx?$/, "")));
    // In brackets stand files only; in sentences also words of the wire.
    const named = [...section.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name!);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(40);
  });
});

describe("a figure of ARCHITECTURE.md that counts code", () => {
  /** The numbers of one row's column "now". */
  const nowOf = (row: string): readonly number[] => {
    const line = page.split("\n").find((text) => text.startsWith(`| ${row} `));
    const [, , , now = ""] = line?.split("|") ?? [];
    return [...now.matchAll(/[\d,]+\d|\d/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
  };
  const textOf = (file: string): Promise<string> => readFile(file, "utf8");
  /** The lines of a folder. */
  const linesOf = async (folder: string): Promise<number> => {
    const written = SOURCES.filter((file) => file.startsWith(folder));
    const texts = await Promise.all(written.map(textOf));
    return texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
  };

  trial("is the number of places that catch", async () => {
    const texts = await Promise.all(SOURCES.map(textOf));
    const caught = texts.reduce((sum, text) => sum + [...text.matchAll(/catch( \(|\(| \{)/g)].length, 0);
    expect(nowOf("`catch` in `src`")).toEqual([caught]);
  });

  test("is the length of the linter's ladder", async () => {
    const ladder = await textOf("oxlint.config.ts");
    expect(nowOf("lines of the linter's ladder")).toEqual([ladder.split("\n").length - 1]);
  });

  test("is the number of fields that an execution has, and of the executor's lines", async () => {
    const [, body = ""] = /export interface Execution \{\n(.*?)\n\}/s.exec(
      await textOf("src/core/gate/execution.ts"),
    )!;
    const fields = [...body.matchAll(/^ {2}readonly \w+\??:/gm)].length;
    const lines = (await textOf("src/core/run/execute/executor.ts")).split("\n").length - 1;
    expect(nowOf("fields of `Execution`; lines of the executor")).toEqual([fields, lines]);
    expect(fields).toBeLessThan(18);
  });

  trial(
    "is the number of lines of src, of its core and of its features, within one in a hundred",
    async () => {
      const counted = [await linesOf("src/"), await linesOf("src/core/"), await linesOf("src/features/")];
      const said = nowOf("lines of `src`");
      expect(said.length).toBe(counted.length);
      const wrong = said.filter((lines, at) => Math.abs(lines - counted[at]!) > counted[at]! / 100);
      expect({ wrong, counted }).toEqual({ wrong: [], counted });
    },
  );
});

describe("src", () => {
  trial("has no cycle of imports, those of types included", async () => {
    const position = new Map(SOURCES.map((file, index) => [file, index]));
    // A module that is imported late is not needed to begin with.
    const imports = await readImports("first");
    const cycle = findCycle(SOURCES.map((file) => imports.get(file)!.map((path) => position.get(path)!)));
    expect(cycle?.map((index) => SOURCES[index])).toBeUndefined();
  });

  test("has at most ten rooms beside each other, but for the list of features", () => {
    const rooms = new Set(SOURCES.map((file) => dirname(file)));
    const beside = Map.groupBy(
      [...rooms].filter((room) => room !== "src" && dirname(room) !== "src/features"),
      dirname,
    );
    const crowded = [...beside].filter(([, inside]) => inside.length > MOST_ROOMS);
    // A room for each category of shipped tools: they are a list too.
    expect(crowded.map(([room]) => room)).toEqual(["src/tools"]);
  });

  const features = readDeclarations();
  const folderOf = (name: string): string => `src/features/${name}/`;

  trial("builds and has its types without the folder of any feature: core needs none of them", async () => {
    const core = SOURCES.filter((file) => /^src\/(core|tools|packs)\//.test(file));
    const reached = reach(core, await readImports("all"));
    expect([...reached].filter((file) => file.startsWith("src/features/"))).toEqual([]);
  });

  trial.for(features)(
    "builds and has its types without the folders that $name does not need: it reaches no other",
    async ({ name, needs }) => {
      const own = SOURCES.filter((file) => file.startsWith(folderOf(name)));
      const allowed = allNeeds(name, needs);
      const reached = [...reach(own, await readImports("all"))];
      const foreign = reached.filter(
        (file) =>
          file.startsWith("src/features/") && !allowed.some((other) => file.startsWith(folderOf(other))),
      );
      expect(foreign).toEqual([]);
    },
  );

  /** A feature, those that it needs, and those that they need. */
  function allNeeds(name: string, needs: readonly string[]): readonly string[] {
    const all = new Set([name, ...needs]);
    for (const other of all)
      for (const next of features.find((feature) => feature.name === other)!.needs) all.add(next);
    return [...all];
  }
});
