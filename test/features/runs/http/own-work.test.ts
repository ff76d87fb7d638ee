import { beforeEach, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { DECLARATION, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const later = defineTool({
  ...DECLARATION,
  name: "store_later",
  execution: "fire-and-forget",
  run: async ({ of }, ctx) =>
    (await ctx.fetch(`https://api.example.com/later/${of}`, { method: "POST" })).json(),
});

let volley: TestVolley;
const send = async (by: string, method: string, path: string, body?: object) => {
  const answer = await volley.fetch(path, {
    method,
    headers: { authorization: `Bearer ${by}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, any> }; // oxlint-disable-line typescript/no-explicit-any
};

/** The work of a key: a run that failed, and jobs of which one is dead and one waits. */
interface Begun {
  readonly run: string;
  readonly dead: string;
  readonly waiting: string;
}

async function begin(by: string): Promise<Begun> {
  const runAt = new Date(volley.now() + 36_000_000).toISOString();
  const actions = [
    { id: "w", tool: "store_it", args: { of: by } },
    { id: "d", tool: "store_later", args: { of: by } },
    { id: "l", tool: "store_later", args: { of: by }, run_at: runAt },
  ];
  const { body } = await send(by, "POST", "/v1/execute_actions", { actions, tags: ["t"] });
  await volley.advance(900_000);
  return { run: body["batch_id"], dead: body["results"][1].job_id, waiting: body["results"][2].job_id };
}

beforeEach(async () => {
  volley = await createTestVolley({
    tools: [store, later],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs()],
    routes: {
      "POST https://api.example.com/later/*": () => new Response("{}", { status: 503 }),
      "POST https://api.example.com/*": () => new Response("{}", { status: 400 }),
    },
    env: {
      VOLLEY_KEYS: await configureKeys({
        plain: { name: "plain", tenant: "acme" },
        other: { name: "other", tenant: "acme" },
        decides: { name: "decides", tenant: "acme", flags: ["approve"] },
        keeps: { name: "keeps", tenant: "acme", flags: ["manage_tools"] },
      }),
    },
  });
});

const EACH: readonly (readonly [string, (of: Begun) => string])[] = [
  ["runs a run again", ({ run }) => `/v1/runs/${run}/rerun`],
  ["cancels a job", ({ waiting }) => `/v1/jobs/${waiting}/cancel`],
  ["redrives a job", ({ dead }) => `/v1/jobs/${dead}/redrive`],
];

test.each(EACH)(
  "T02 A key with neither manage_tools nor approve %s only where it began that itself",
  async (_, pathOf) => {
    const [own, others] = [await begin("plain"), await begin("other")];
    const before = volley.requests.length;
    const refused = await send("plain", "POST", pathOf(others));
    expect([refused.status, refused.body["code"]]).toEqual([403, "FORBIDDEN"]);
    expect(volley.requests).toHaveLength(before);
    expect((await send("plain", "POST", pathOf(own))).status).toBe(200);
  },
);

trial.each(["decides", "keeps"].flatMap((by) => EACH.map(([what, pathOf]) => [by, what, pathOf] as const)))(
  "A key that %s something of its tenant %s that another key began",
  async (by, _, pathOf) => {
    expect((await send(by, "POST", pathOf(await begin("other")))).status).toBe(200);
  },
);

trial("T02 In bulk such a key changes what it began itself, and all of the rest is left", async () => {
  const [own, others] = [await begin("plain"), await begin("other")];
  const statusOf = async (job: string) => (await send("keeps", "GET", `/v1/jobs/${job}`)).body["status"];
  const bulk = async (by: string, path: string, body: object) => (await send(by, "POST", path, body)).body;
  expect(await bulk("plain", "/v1/runs/rerun", { tag: "t", key: "other" })).toEqual({ runs: 0 });
  expect(await bulk("plain", "/v1/runs/cancel", { tag: "t", key: "other" })).toEqual({ runs: 0 });
  expect(await bulk("plain", "/v1/runs/rerun", { tag: "t" })).toEqual({ runs: 1 });
  expect(await bulk("plain", "/v1/jobs/redrive", { status: "dead" })).toMatchObject({ redriven: 1 });
  expect(await bulk("plain", "/v1/runs/cancel", { tag: "t" })).toEqual({ runs: 1 });
  expect([await statusOf(others.dead), await statusOf(others.waiting)]).toEqual(["dead", "retrying"]);
  expect(await statusOf(own.waiting)).toBe("cancelled");
  expect(await bulk("keeps", "/v1/runs/cancel", { tag: "t" })).toEqual({ runs: 1 });
  expect(await statusOf(others.waiting)).toBe("cancelled");
});
