import { describe, expect, test } from "vitest";

import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const keyEntry = async (key: string, entry: object): Promise<object> => ({
  name: key,
  hash: Buffer.from(await digestKey(key)).toString("hex"),
  tenant: "sandbox",
  tools: ["*"],
  quota: { limit: 40, window_s: 3_600 },
  ...entry,
});

const VOLLEY_KEYS = JSON.stringify(
  await Promise.all([
    keyEntry("sandbox-key", { flags: ["approve"] }),
    keyEntry("echo-key", { tools: ["probe-echo"] }),
    keyEntry("stranger-key", { tenant: "other" }),
    keyEntry("admin-key", { tenant: "admin", flags: ["manage_tools"] }),
  ]),
);

const { upstream, volley, caller } = await setUpSandbox({ VOLLEY_KEYS });
const as = (key: string): TestCaller => new TestCaller(volley.url, key);

interface Left {
  readonly limit: number;
  readonly window_s: number;
  readonly remaining: number;
}

interface Usage {
  readonly quota: { readonly requests: Left; readonly lists: Left };
  readonly jobs: Readonly<Record<string, number>>;
  readonly backlog: Readonly<Record<string, number>>;
  readonly confirmations: { readonly waiting: number; readonly oldest_at: string | null };
  readonly breakers: { readonly seen_by: string; readonly open: readonly Readonly<Record<string, string>>[] };
  readonly added: Readonly<Record<string, number>>;
}

async function usage(by = caller): Promise<Usage> {
  const { status, text } = await by.get("/v1/usage");
  if (status !== 200) throw new Error(`Refused: ${status} ${text}`);
  return JSON.parse(text) as Usage;
}

describe("GET /v1/usage", () => {
  test("begins with everything that the key may send, and nothing else", async () => {
    expect(await usage(as("stranger-key"))).toMatchObject({
      key: "stranger-key",
      tenant: "other",
      flags: [],
      quota: {
        requests: { limit: 40, window_s: 3_600, remaining: 40, reset_ms: 0 },
        lists: { limit: 200, window_s: 3_600, remaining: 199 },
      },
      jobs: { running: 0, retrying: 0, succeeded: 0, failed: 0, dead: 0, cancelled: 0, unknown: 0 },
      backlog: { jobs: 0, webhooks: 0, runs: 0 },
      confirmations: { waiting: 0, oldest_at: null },
      breakers: { seen_by: "isolate", open: [] },
      added: { tools: 0, flows: 0, limit: 500, bytes: 0 },
    });
  });

  test("says which flags the key has", async () => {
    expect(await usage()).toMatchObject({ flags: ["approve"] });
    expect(await usage(as("admin-key"))).toMatchObject({ flags: ["manage_tools"] });
  });

  test("says what batches have left of the quota, and looking itself of the second allowance", async () => {
    const before = await usage();
    await caller.execute([{ tool: "probe-echo", args: { n: 1 } }]);
    const after = await usage();
    expect(after.quota.requests.remaining).toBe(before.quota.requests.remaining - 1);
    expect(after.quota.lists.remaining).toBeLessThan(before.quota.lists.remaining);
  });

  test("counts jobs of all of the tenant's objects, what waits for a person, and for a key only what is its own", async () => {
    const free = upstream.hold("/background");
    const jobs = Array.from({ length: 12 }, (_, n) => ({ tool: "probe-background", args: { n } }));
    const { results } = await caller.execute([...jobs, { tool: "probe-delete", args: { id: "x" } }]);
    expect(results.slice(0, 12).map(({ status }) => status)).toEqual(Array(12).fill("initiated"));
    const busy = await usage();
    expect(busy.jobs["running"]).toBe(12);
    expect(busy.backlog).toEqual({ jobs: 12, webhooks: 0, runs: 0 });
    expect(busy.confirmations).toEqual({ waiting: 1, oldest_at: expect.any(String) });
    const own = await usage(as("echo-key"));
    expect([own.jobs["running"], own.confirmations]).toEqual([0, { waiting: 0, oldest_at: null }]);
    free();
    await eventually("the jobs' end", async () => {
      const { jobs: counted, backlog } = await usage();
      return counted["succeeded"] === 12 && backlog["jobs"] === 0 ? true : undefined;
    });
  });

  test("names breakers that are open, to keys that may call the tool", async () => {
    upstream.script("/read", (_, response) => void response.writeHead(500).end());
    await caller.execute(Array.from({ length: 25 }, (_, n) => ({ tool: "probe-read", args: { n } })));
    const { open } = (await usage()).breakers;
    expect(open).toEqual([
      { tool: "probe-read", origin: upstream.url, since: expect.any(String), until: expect.any(String) },
    ]);
    expect(Date.parse(open[0]!["until"]!)).toBeGreaterThan(Date.parse(open[0]!["since"]!));
    expect((await usage(as("echo-key"))).breakers.open).toEqual([]);
  });

  test("counts tools and flows that were added against their limit", async () => {
    const admin = as("admin-key");
    const flow = {
      summary: "Echo one",
      input_schema: { type: "object", properties: {} },
      actions: [{ id: "e", tool: "probe-echo", args: { n: 1 } }],
    };
    const put = await admin.send({ method: "PUT", path: "/v1/flows/one", body: JSON.stringify(flow) });
    expect(put.status).toBe(201);
    expect((await usage(admin)).added).toMatchObject({ tools: 0, flows: 1, limit: 500 });
  });

  test("is for keys only", async () => {
    expect((await as("nobody").get("/v1/usage")).status).toBe(401);
  });
});
