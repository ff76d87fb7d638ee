import { describe, expect, test } from "vitest";

import { checkSecrets } from "../../scripts/project/check-secrets.ts";

/** Look at a Worker with the agent's feature; the messages that are no good news. */
function look(values: Readonly<Record<string, string>>, isWhole = true): readonly string[] {
  const known = {
    names: new Set(Object.keys(values)),
    values,
    isWhole,
    set: (name: string) => `set ${name}`,
  };
  return checkSecrets({ tools: [], features: [{ name: "agent" }], exported: [] }, known)
    .filter(({ level }) => level !== "ok")
    .map(({ message }) => message);
}
const KEYS = `[{"name":"a","hash":"${"a".repeat(64)}","tenant":"a","tools":["*"]}]`;

describe("Where no key is set", () => {
  test("a developer is told which one gets in meanwhile, and a deployment that none does", () => {
    expect(look({ LLM_BASE_URL: "http://127.0.0.1:1" })).toEqual([
      "VOLLEY_KEYS is not set, so no caller gets in but `dev-key`, while `volley dev` runs. 'npx volley key --name me --tools \"*\"' prints a key and its entry.",
    ]);
    expect(look({ LLM_BASE_URL: "http://127.0.0.1:1" }, false)[0]).toMatch(/ no caller gets in\. /);
  });
});

describe("A server of models", () => {
  test.each([
    ["LLM_BASE_URL", "LLM_API_KEY", "https://api.openai.com/v1"],
    ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "https://api.anthropic.com"],
  ])("in %s that is asked without %s is told of", (address, key, url) => {
    expect(look({ VOLLEY_KEYS: KEYS, [address]: url })).toEqual([
      `${key} is not set, so ${address} is asked without a key.`,
    ]);
    expect(look({ VOLLEY_KEYS: KEYS, [address]: url, [key]: "k" })).toEqual([]);
  });

  test("of this machine needs no key", () => {
    expect(look({ VOLLEY_KEYS: KEYS, LLM_BASE_URL: "http://127.0.0.1:11434/v1" })).toEqual([]);
  });
});
