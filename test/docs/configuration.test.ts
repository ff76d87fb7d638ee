import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const [page, manifest, example, ...sources] = await Promise.all(
  [
    "docs/configuration.md",
    "package.json",
    ".dev.vars.example",
    "src/features/agent/http/read-model-request.ts",
    "src/features/agent/http/find-server.ts",
  ].map(read),
);

const documented = [...page!.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name!);
const { cloudflare } = JSON.parse(manifest!) as { cloudflare: { bindings: Record<string, object> } };
const asked = Object.keys(cloudflare.bindings);
const templated = [...example!.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);

test("docs/configuration.md has every variable that a deployment asks for, and that .dev.vars.example has", () => {
  expect(asked.filter((name) => !documented.includes(name))).toEqual([]);
  expect(templated.filter((name) => !documented.includes(name))).toEqual([]);
});

test(".dev.vars.example has what a deployment asks for, and no usable value", () => {
  expect(templated.toSorted()).toEqual(asked.toSorted());
  expect(
    [...example!.matchAll(/^[A-Z_]+=(.*)$/gm)].map(([, value]) => value).filter((value) => value !== ""),
  ).toEqual(["'[]'"]);
});

test("what the model's address and key are read from is documented", () => {
  const variables = new Set(
    [...sources.join().matchAll(/"((?:LLM|ANTHROPIC)_[A-Z_]+)"/g)].map(([, name]) => name!),
  );
  expect(variables.size).toBe(5);
  for (const list of [documented, asked]) expect(list).toEqual(expect.arrayContaining([...variables]));
});
