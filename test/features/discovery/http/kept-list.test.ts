import { expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

/** Larger than what is written for each request. */
const declare = (description: string, category = "shop") => ({
  summary: "Read orders",
  description: `${description} ${"d".repeat(8_000)}`,
  category,
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object", properties: { id: { type: "string", description: "é".repeat(8_000) } } },
  http: { method: "GET", url: "https://api.example.com/orders" },
});

interface Listed {
  readonly name: string;
  readonly description: string;
}

async function open() {
  const volley = await createTestVolley({
    tools: [],
    features: [discovery(), keys(), addedTools()],
    key: { flags: ["manage_tools", "manage_keys"] },
  });
  const send = async (method: string, path: string, body?: object, key?: string) => {
    const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
    return volley.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const text = async (key?: string): Promise<string> =>
    (await send("GET", "/v1/tools?surface=flat", undefined, key)).text();
  const list = async (key?: string): Promise<readonly Listed[]> =>
    (JSON.parse(await text(key)) as { readonly tools: readonly Listed[] }).tools;
  for (const name of ["a1", "a2", "a3"]) await send("PUT", `/v1/tools/${name}`, declare(name));
  for (const name of ["b1", "b2", "b3"]) await send("PUT", `/v1/tools/${name}`, declare(name, "books"));
  return { send, text, list };
}
const namesOf = (tools: readonly Listed[]): readonly string[] => tools.map(({ name }) => name);
const ALL = ["a1", "a2", "a3", "b1", "b2", "b3"];

test("a large list of tools is the same when it is asked for again, and another in another format", async () => {
  const { send, text } = await open();
  const first = await text();
  expect(first.length).toBeGreaterThan(64 * 1024);
  expect(await text()).toBe(first);
  const openai = await (await send("GET", "/v1/tools?surface=flat&format=openai")).text();
  expect(openai).toContain('"type":"function"');
  expect(await text()).toBe(first);
});

trial("a large list of tools has what was added, replaced and removed since it was written", async () => {
  const { send, list } = await open();
  expect(namesOf(await list())).toEqual(ALL);
  await send("PUT", "/v1/tools/c1", declare("c1"));
  expect(namesOf(await list())).toEqual([...ALL, "c1"]);
  await send("PUT", "/v1/tools/a1", declare("Another"));
  expect((await list()).find(({ name }) => name === "a1")!.description).toMatch(/^Another/);
  await send("DELETE", "/v1/tools/a2");
  expect(namesOf(await list())).not.toContain("a2");
});

trial(
  "a large list of tools that was written for one key is none for a key that may see other tools",
  async () => {
    const { send, list } = await open();
    const makeKey = async (tools: readonly string[]): Promise<string> => {
      const answer = await send("POST", "/v1/keys", { name: tools.join("-"), tools });
      return (JSON.parse(await answer.text()) as { readonly key: string }).key;
    };
    const [shop, books] = [await makeKey(["shop"]), await makeKey(["books"])];
    for (let turn = 0; turn < 2; turn += 1) {
      expect(namesOf(await list())).toEqual(ALL);
      expect(namesOf(await list(shop))).toEqual(["a1", "a2", "a3"]);
      expect(namesOf(await list(books))).toEqual(["b1", "b2", "b3"]);
    }
  },
);
