import type { Plugin } from "esbuild";
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";

import { bundleConsole } from "../../scripts/console/bundle-console.ts";
import { trial } from "../support/trial.ts";

const LIST = "src/console/sections.ts";
/** Words that only the pages of a feature have. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  "added-tools": ["Its declaration", "/v1/tools/"],
  confirmations: ["/v1/confirmations", "May this happen?", "question-page"],
  connections: ["/v1/connections", "No connections yet", "subject-head"],
  endpoints: ["/v1/events", "No endpoints yet", "day-figures"],
  flows: ["/v1/flows", "No flows yet"],
  keys: ["/v1/keys", "A new key of this tenant"],
  operator: ["/v1/operator/overview", "tenants-table"],
  runs: ["Runs that it caused", "Run what failed", "trace-row"],
  "sign-in": ["/v1/sign_ins", "No program is signed in"],
  undo: ["Undone by", "There is no undo"],
  usage: ["Jobs by status", "job-counts"],
};

const text = await readFile(LIST, "utf8");
const whole = await bundle(text);

/** Bundle the console with another list of sections. @returns all of its code and styles, and the files that it is made of */
async function bundle(list: string): Promise<{ readonly code: string; readonly files: readonly string[] }> {
  const files: string[] = [];
  const listed: Plugin = {
    name: "listed",
    setup(building) {
      building.onLoad({ filter: /\/src\/console\/sections\.ts$/ }, () => ({ contents: list, loader: "ts" }));
      building.onLoad(
        { filter: /\/src\/features\// },
        ({ path }) => void files.push(path.split("/src/")[1]!),
      );
    },
  };
  const output = await bundleConsole([listed], ["console"]);
  return { code: output.map((file) => file.text).join("\n"), files };
}

/** The list without a feature: its import and its line. */
function without(feature: string): string {
  const [imported, name] =
    new RegExp(`^import \\{ section as (\\w+) \\} from "\\.\\./features/${feature}/.*\\n`, "m").exec(text) ??
    [];
  if (imported === undefined) throw new Error(`Cannot find the section of '${feature}' in ${LIST}`);
  return text.replace(imported, "").replace(`\n  ${name},`, "");
}

describe("The console's list of sections", () => {
  test("names the section of each feature that has pages, once", async () => {
    const features = await readdir("src/features");
    const brought = await Promise.all(
      features.map(async (name) => {
        const inside = await readdir(`src/features/${name}`);
        return inside.includes("console") ? [name] : [];
      }),
    );
    const named = [...text.matchAll(/"\.\.\/features\/([\w-]+)\/console\/section\.tsx?"/g)].map(
      ([, name]) => name!,
    );
    expect(named.toSorted()).toEqual(brought.flat());
    expect(named.toSorted()).toEqual(Object.keys(MARKS));
  });

  test("is the only file of the console that names a feature", async () => {
    const files = (await readdir("src/console", { recursive: true })).filter((name) =>
      /\.(tsx?|css)$/.test(name),
    );
    const texts = await Promise.all(
      files.map(async (name) => [name, await readFile(`src/console/${name}`, "utf8")] as const),
    );
    expect(texts.filter(([, code]) => code.includes("features/")).map(([name]) => name)).toEqual([
      "sections.ts",
    ]);
  });

  trial.each(Object.keys(MARKS))(
    "without the line of %s leaves nothing of it in the pages, and all of the others",
    async (feature) => {
      const left = await bundle(without(feature));
      expect(left.files.filter((path) => path.startsWith(`features/${feature}/`))).toEqual([]);
      for (const [name, marks] of Object.entries(MARKS))
        for (const mark of marks)
          expect([mark, whole.code.includes(mark), left.code.includes(mark)]).toEqual([
            mark,
            true,
            name !== feature,
          ]);
    },
  );
});
