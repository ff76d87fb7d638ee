import { readFile } from "node:fs/promises";

import { beforeAll, describe, expect, test } from "vitest";

import { readImports, SOURCES } from "./support/import-graph.ts";
import { trial } from "./support/trial.ts";

// How far features reach into core and platform, and over how many files an idea is spread. Each figure may fall and not rise: a change that lowers
// one writes the new one here.

const FEATURE = /^src\/features\/([^/]+)\//;
const isCore = (file: string): boolean => /^src\/(?:core|cloudflare)\//.test(file);
const isFeature = (file: string): boolean => FEATURE.test(file);

let imports: ReadonlyMap<string, readonly string[]>;
let importersOf: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  imports = await readImports("all");
  const found = new Map<string, string[]>(SOURCES.map((file) => [file, []]));
  for (const [file, others] of imports) for (const other of new Set(others)) found.get(other)?.push(file);
  importersOf = found;
});

describe("A feature", () => {
  test("reaches few files of core and platform", () => {
    const reached = SOURCES.filter((file) => isCore(file) && importersOf.get(file)!.some(isFeature));
    expect(reached.length).toBeLessThanOrEqual(CEILINGS.coreFilesThatFeaturesReach);
  });

  test("has in its own folder what core itself does not use", () => {
    const unused = SOURCES.filter((file) => isCore(file) && !importersOf.get(file)!.some(isCore));
    expect(unused.length).toBeLessThanOrEqual(CEILINGS.coreFilesThatCoreDoesNotUse);
  });

  test("is reached by others through its index only", () => {
    const past = SOURCES.flatMap((file) =>
      imports.get(file)!.filter((other) => {
        const [, of] = FEATURE.exec(other) ?? [];
        const isItsOwn = FEATURE.exec(file)?.[1] === of;
        return of !== undefined && isFeature(file) && !isItsOwn && !other.endsWith("/index.ts");
      }),
    );
    expect(new Set(past).size).toBeLessThanOrEqual(CEILINGS.filesReachedPastAnIndex);
  });
});

describe("Core and platform", () => {
  trial("know no feature: no word of one stands in their names, texts and comments", async () => {
    const texts = await Promise.all(
      SOURCES.filter(isCore).map(async (file) => toWords(await readFile(file, "utf8"))),
    );
    const knowing = texts.filter((text) => OF_A_FEATURE.test(text));
    expect(knowing.length).toBeLessThanOrEqual(CEILINGS.coreFilesWithWordsOfFeatures);
  });
});

describe("A feature of one folder", () => {
  trial(
    "is named by no other file of core, platform or another feature, in names, texts and comments",
    async () => {
      const others = SOURCES.filter((file) =>
        /^src\/(?:core|cloudflare|feature|features)\//.test(file),
      ).filter((file) => !/^src\/features\/(?:undo|workspace)\//.test(file));
      const texts = await Promise.all(others.map(async (file) => toWords(await readFile(file, "utf8"))));
      const naming = others.filter((_, at) => UNDO.test(texts[at]!));
      expect(naming).toEqual(WORDS_OF_ITS_WIRE);
    },
  );
});

const UNDO = /(?<![a-z])(?:undo(?:es|ne|ing)?|compensat(?:e[ds]?|ing|ions?))(?![a-z])/i;

/** The option `compensate` of imports, and the status `undone` of runs. */
const WORDS_OF_ITS_WIRE = [
  "src/features/imports/http/routes.ts",
  "src/features/imports/openapi/check-document.ts",
  "src/features/imports/openapi/import-options.ts",
  "src/features/imports/openapi/to-declarations.ts",
  "src/features/runs/console/run-words.ts",
  "src/features/runs/run.ts",
  "src/features/runs/see-run.ts",
];

/** The words of names too: `runFlow` is run and flow. */
const toWords = (text: string): string => text.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll("_", " ");

const OF_A_FEATURE =
  /(?<![a-z])(?:confirmations?|connections?|flows?|added[ -]?tools?|operators?|endpoints?|mcp|sign[ -]?ins?|portals?|crons?)(?![a-z])/i;

describe("A file", () => {
  trial("holds an idea", async () => {
    const lines = await Promise.all(
      SOURCES.map(async (file) => (await readFile(file, "utf8")).split("\n").length - 1),
    );
    const small = SOURCES.filter((file, index) => lines[index]! < 60 && importersOf.get(file)!.length === 1);
    expect(SOURCES.length).toBeLessThanOrEqual(CEILINGS.files);
    expect(small.length).toBeLessThanOrEqual(CEILINGS.smallFilesWithOneImporter);
  });

  test("has a name of its own", () => {
    const names = new Map<string, number>();
    for (const file of SOURCES) {
      const name = file.split("/").at(-1)!;
      names.set(name, (names.get(name) ?? 0) + 1);
    }
    for (const usual of ["index.ts", "routes.ts", "limits.ts", "section.ts", "section.tsx"])
      names.delete(usual);
    const shared = [...names].filter(([, count]) => count > 1);
    expect(shared.length).toBeLessThanOrEqual(CEILINGS.namesOfSeveralFiles);
  });
});

describe("A statement of an object", () => {
  // SQLite looks at such a number when it plans, so that each value has a plan of its own: three times what a short statement takes.
  test("does not limit its rows by a bare parameter", async () => {
    const objects = SOURCES.filter((file) => /\/(?:objects|durable)\//.test(file));
    const texts = await Promise.all(objects.map((file) => readFile(file, "utf8")));
    const bare = /LIMIT \?\d*(?! ?[\d+])|query(?:<.*>)?\(.*\)`[^;]*LIMIT \$\{[^}]*\}(?!\+0)/;
    expect(objects.filter((_, at) => bare.test(texts[at]!))).toEqual([]);
  });
});

const CEILINGS = {
  coreFilesThatFeaturesReach: 147,
  coreFilesThatCoreDoesNotUse: 18,
  coreFilesWithWordsOfFeatures: 12,
  filesReachedPastAnIndex: 47,
  files: 1085,
  smallFilesWithOneImporter: 96,
  namesOfSeveralFiles: 9,
} as const;
