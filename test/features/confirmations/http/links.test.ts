import { beforeEach, describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { DECLARATION } from "../../runs/http/store-tools.ts";
import { trial } from "../../../support/trial.ts";

const drop = defineTool({
  ...DECLARATION,
  name: "drop_it",
  actions: ["delete"],
  run: ({ of }) => Promise.resolve({ of }),
});

let volley: TestVolley;
const send = async (by: string | null, method: string, path: string, body?: object) => {
  const answer = await volley.fetch(path, {
    method,
    headers: {
      authorization: by === null ? "" : `Bearer ${by}`,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: text.startsWith("{") ? JSON.parse(text) : {} };
};

/** Ask a question. */
const ask = async (): Promise<string> => {
  const actions = [{ id: "d", tool: "drop_it", args: { of: "a" } }];
  const { body } = await send("admin", "POST", "/v1/execute_actions", { actions });
  return body.results[0].confirmation.id as string;
};

/** Make a link as some key; its path. */
const linkBy = async (by: string, question: string): Promise<string> => {
  const { body } = await send(by, "POST", `/v1/confirmations/${question}/link`, { name: "Ada" });
  return new URL(body.url as string).pathname;
};

const makeKey = async (): Promise<string> =>
  (await send("admin", "POST", "/v1/keys", { name: "made", tools: ["*"], flags: ["approve"] })).body.key;

/** Open the page of a link, and say yes by its form, or something else. */
async function sayYes(path: string, said: object = {}): Promise<number> {
  const { text } = await send(null, "GET", path);
  const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const form = new URLSearchParams(fields.map(([, name, value]) => [name!, value!]));
  for (const [name, value] of Object.entries({ decision: "approve", ...said })) form.set(name, value);
  const answer = await volley.fetch(path, {
    method: "POST",
    headers: { authorization: "", "content-type": "application/x-www-form-urlencoded" },
    body: form.toString(),
  });
  return answer.status;
}

beforeEach(async () => {
  volley = await createTestVolley({
    tools: [drop],
    features: [confirmations(), keys()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        admin: { name: "admin", tenant: "acme", flags: ["approve", "manage_keys"] },
      }),
    },
  });
});

describe("T59 The link of a question", () => {
  test("ends with the key that made it, and the question waits on", async () => {
    const question = await ask();
    const made = await makeKey();
    const [own, others] = [await linkBy(made, question), await linkBy("admin", question)];
    expect((await send(null, "GET", own)).status).toBe(200);
    expect((await send("admin", "DELETE", "/v1/keys/made")).status).toBe(204);
    const over = await send(null, "GET", own);
    expect([over.status, over.text.includes("This link is over")]).toEqual([410, true]);
    expect(await sayYes(own)).toBe(410);
    expect((await send("admin", "GET", `/v1/confirmations/${question}`)).body.status).toBe("pending");
    expect(await sayYes(others)).toBe(200);
  });

  test("keeps who said no by it, and the reason that they wrote", async () => {
    const question = await ask();
    const link = await linkBy("admin", question);
    expect(await sayYes(link, { decision: "reject", reason: "It is too dear" })).toBe(200);
    const { body } = await send("admin", "GET", `/v1/confirmations/${question}`);
    expect(body).toMatchObject({ status: "rejected", reason: "It is too dear", decided_by: { name: "Ada" } });
  });

  test("ends with the very key: one that was rotated away has no links either", async () => {
    const question = await ask();
    const link = await linkBy(await makeKey(), question);
    const rotated = await send("admin", "POST", "/v1/keys", { name: "made", overlap_s: 0 });
    expect((await send(null, "GET", link)).status).toBe(410);
    expect((await send(null, "GET", await linkBy(rotated.body.key, question))).status).toBe(200);
  });

  trial("ends with all others of its question by a DELETE, for keys that decide", async () => {
    const [question, other] = [await ask(), await ask()];
    const links = [await linkBy("admin", question), await linkBy(await makeKey(), question)];
    const left = await linkBy("admin", other);
    const path = `/v1/confirmations/${question}/links`;
    const plain = await send("admin", "POST", "/v1/keys", { name: "plain", tools: ["*"] });
    expect((await send(plain.body.key, "DELETE", path)).status).toBe(403);
    expect((await send("admin", "DELETE", "/v1/confirmations/none/links")).status).toBe(404);
    expect((await send(null, "GET", links[0]!)).status).toBe(200);
    for (let times = 0; times < 2; times += 1) expect((await send("admin", "DELETE", path)).status).toBe(204);
    for (const link of links) expect((await send(null, "GET", link)).status).toBe(404);
    expect((await send(null, "GET", left)).status).toBe(200);
  });

  trial("says who made it, beside the name that decided with it", async () => {
    const question = await ask();
    expect(await sayYes(await linkBy(await makeKey(), question))).toBe(200);
    const { body } = await send("admin", "GET", `/v1/confirmations/${question}`);
    const by = { name: "Ada", via: "link", made_by: "made" };
    expect(body).toMatchObject({ status: "done", decided_by: by });
    const listed = await send("admin", "GET", "/v1/confirmations");
    expect(listed.body.confirmations[0].decided_by).toEqual(by);
  });
});
