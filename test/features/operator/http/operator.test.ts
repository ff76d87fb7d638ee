import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import type { PartWorld } from "../../../../src/cloudflare/durable/object-part.ts";
import type { Job } from "../../../../src/core/gate/state/outbox.ts";
import type { CountedTenant } from "../../../../src/features/operator/operator.ts";
import { createOperatorPart } from "../../../../src/features/operator/objects/operator-part.ts";
import { TallyBook } from "../../../../src/features/operator/tally-book.ts";
import { operator } from "../../../../src/features/operator/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { trial } from "../../../support/trial.ts";

const DECLARATION = {
  summary: "Echo a text",
  description: "Echo a text.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }: { text: string }) => ({ text }),
} as const;
const echo = defineTool({ ...DECLARATION, name: "echo_text" });
const drop = defineTool({
  ...DECLARATION,
  name: "drop_it",
  actions: ["delete"],
  isWrite: true,
  orchestration: { mode: "sequential-only" },
});
const later = defineTool({
  ...DECLARATION,
  name: "send_later",
  actions: ["create"],
  isWrite: true,
  execution: "fire-and-forget",
  hosts: ["api.example.com"],
  run: async ({ text }, ctx) =>
    (await ctx.fetch(`https://api.example.com/${text}`, { method: "POST" })).json(),
});

interface Tenant {
  readonly tenant: string;
  readonly runs: number;
  readonly actions: number;
  readonly error_rate: number;
  readonly p50_ms: number | null;
  readonly throttled: number;
  readonly dead: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly error_rate: number }[];
}

const small = { limit: 2, window_s: 3_600 };
const VOLLEY_KEYS = await configureKeys({
  "test-key": { name: "test", tenant: "acme", flags: ["approve", "manage_keys", "manage_tools"] },
  "other-key": { name: "other", tenant: "other" },
  "small-key": { name: "small", tenant: "small", quota: small },
  "operator-key": { name: "operator", tenant: "operator", tools: [], flags: ["operator"] },
  "root-key": { name: "root", tenant: "root", flags: ["operator", "manage_keys"] },
});

let status = 200;
const start = async (): Promise<TestVolley> => {
  const volley = await createTestVolley({
    tools: [echo, drop, later],
    features: [discovery(), confirmations(), addedTools(), agent(), keys(), runs(), operator(), tenantData()],
    env: { VOLLEY_KEYS, VOLLEY_CONFIRMATION_TTL_S: "900" },
    routes: { "POST https://api.example.com/a": () => Response.json({ ok: true }, { status }) },
  });
  return volley;
};

const send = (
  volley: TestVolley,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Response> =>
  volley.fetch(path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const run = (volley: TestVolley, key: string, ...actions: readonly object[]): Promise<Response> =>
  send(volley, key, "POST", "/v1/execute_actions", { actions });
const look = async (volley: TestVolley, query = ""): Promise<readonly Tenant[]> => {
  await volley.advance(3_000);
  const answer = await send(volley, "operator-key", "GET", `/v1/operator/overview${query}`);
  if (answer.status !== 200) throw new Error(await answer.text());
  const { tenants }: { readonly tenants: readonly Tenant[] } = await answer.json();
  return tenants;
};
const of = (tenants: readonly Tenant[], name: string) => tenants.find(({ tenant }) => tenant === name);
const said = { tool: "echo_text", args: { text: "a" } };

describe("The overview", () => {
  test("counts runs, actions, errors and calls of every tenant, those with the most errors first", async () => {
    const volley = await start();
    await run(volley, "other-key", said, said);
    await run(volley, "test-key", said, { tool: "echo_text", args: {} }, { tool: "no_such", args: {} });
    const tenants = await look(volley);
    expect(tenants.map(({ tenant }) => tenant)).toEqual(["acme", "other"]);
    expect(of(tenants, "acme")).toMatchObject({
      runs: 1,
      actions: 3,
      error_rate: 0.6667,
      throttled: 0,
      dead: {},
      waiting: 0,
      tools: [
        { tool: "(unknown)", calls: 1, error_rate: 1 },
        { tool: "echo_text", calls: 2, error_rate: 0.5 },
      ].toSorted((a, b) => b.calls - a.calls),
    });
    expect(of(tenants, "other")).toMatchObject({ runs: 1, actions: 2, error_rate: 0, p50_ms: 0 });
  });

  test("counts what a quota refused as throttled", async () => {
    const volley = await start();
    for (let at = 0; at < 5; at += 1) await run(volley, "small-key", said);
    expect(of(await look(volley), "small")).toMatchObject({ runs: 2, throttled: 3 });
  });

  test("shows the hours that are asked for, and forgets what is older than three days", async () => {
    const volley = await start();
    await run(volley, "test-key", said);
    await volley.advance(3_600_000);
    await run(volley, "test-key", said);
    expect(of(await look(volley, "?hours=1"), "acme")?.runs).toBe(1);
    expect(of(await look(volley, "?hours=2"), "acme")?.runs).toBe(2);
    expect(of(await look(volley), "acme")?.tools).toMatchObject([{ tool: "echo_text", calls: 2 }]);
    await volley.advance(73 * 3_600_000);
    expect(await look(volley, "?hours=72")).toEqual([]);
  });

  trial("shows as many tenants as are asked for", async () => {
    const volley = await start();
    for (const key of ["test-key", "other-key", "small-key"]) await run(volley, key, said);
    expect(await look(volley, "?limit=2")).toHaveLength(2);
  });

  trial.each(["?hours=0", "?hours=73", "?hours=x", "?limit=101", "?tenant=acme", "?hours=1&hours=2"])(
    "refuses the query %s",
    async (query) => {
      const volley = await start();
      expect((await send(volley, "operator-key", "GET", `/v1/operator/overview${query}`)).status).toBe(400);
    },
  );

  trial("says how many questions wait, until they are decided", async () => {
    const volley = await start();
    await run(volley, "test-key", { tool: "drop_it", args: { text: "a" } });
    expect(of(await look(volley), "acme")?.waiting).toBe(1);
    const answer = await send(volley, "test-key", "GET", "/v1/confirmations");
    const { confirmations: asked } = (await answer.json()) as { confirmations: readonly { id: string }[] };
    await send(volley, "test-key", "POST", `/v1/confirmations/${asked[0]!.id}`, { decision: "reject" });
    expect(of(await look(volley), "acme")?.waiting).toBe(0);
  });

  trial("says no more of a question whose time is over, a quarter of an hour later at most", async () => {
    const volley = await start();
    await run(volley, "test-key", { tool: "drop_it", args: { text: "a" } });
    expect(of(await look(volley), "acme")?.waiting).toBe(1);
    await volley.advance(31 * 60_000);
    expect(of(await look(volley), "acme")?.waiting).toBe(0);
  });
});

trial(
  "T03 Counts are kept where each tenant's objects are, and the overview sees the tenants of every jurisdiction",
  async () => {
    const volley = await createTestVolley({
      tools: [echo],
      features: [operator()],
      env: {
        VOLLEY_KEYS: await configureKeys({
          "test-key": { name: "test", tenant: "acme" },
          "eu-key": { name: "eu", tenant: "in-eu", jurisdiction: "eu" },
          "us-key": { name: "us", tenant: "in-us", jurisdiction: "us" },
          "operator-key": { name: "operator", tenant: "operator", tools: [], flags: ["operator"] },
        }),
      },
    });
    for (const key of ["test-key", "eu-key", "us-key"]) await run(volley, key, said);
    const tenants = await look(volley);
    expect(new Set(tenants.map(({ tenant }) => tenant))).toEqual(new Set(["acme", "in-eu", "in-us"]));
    expect(tenants.every(({ runs: count }) => count === 1)).toBe(true);
  },
);

describe("Dead jobs", () => {
  const die = async (): Promise<TestVolley> => {
    const volley = await start();
    status = 503;
    await run(
      volley,
      "test-key",
      { tool: "send_later", args: { text: "a" } },
      { tool: "send_later", args: { text: "a" } },
    );
    await volley.advance(60 * 60_000);
    return volley;
  };

  trial("are counted by their code, whoever has no other trouble", async () => {
    const volley = await die();
    expect(of(await look(volley), "acme")).toMatchObject({ dead: { UPSTREAM_ERROR: 2 } });
  });

  trial("are redriven by the operator, of one code and tool, and go from the overview", async () => {
    const volley = await die();
    const redrive = async (body: object) =>
      (await send(volley, "operator-key", "POST", "/v1/operator/redrive", body)).json();
    expect(await redrive({ tenant: "acme", code: "TIMEOUT" })).toMatchObject({ redriven: 0, more: false });
    expect(await redrive({ tenant: "acme", tool: "echo_text" })).toMatchObject({ redriven: 0 });
    expect(await redrive({ tenant: "other" })).toMatchObject({ redriven: 0 });
    status = 200;
    expect(await redrive({ tenant: "acme", code: "UPSTREAM_ERROR", tool: "send_later" })).toEqual({
      redriven: 2,
      not_redriven: 0,
      tools_gone: [],
      backlog_full: false,
      more: false,
    });
    await volley.advance(10_000);
    expect(of(await look(volley), "acme")).toMatchObject({ dead: {} });
    const jobs = (await (await send(volley, "test-key", "GET", "/v1/jobs")).json()) as {
      jobs: readonly { status: string }[];
    };
    expect(jobs.jobs.map((job) => job.status)).toEqual(["succeeded", "succeeded"]);
  });

  test("of a tenant that no key is of are 404, and make no object", async () => {
    const volley = await start();
    const answer = await send(volley, "operator-key", "POST", "/v1/operator/redrive", { tenant: "nobody" });
    expect(answer.status).toBe(404);
  });

  trial.each([{}, { tenant: "" }, { tenant: "acme", more: 1 }, { tenant: "a\u0000b" }, { tenant: ["acme"] }])(
    "are not redriven with the body %j",
    async (body) => {
      const volley = await start();
      expect((await send(volley, "operator-key", "POST", "/v1/operator/redrive", body)).status).toBe(422);
    },
  );
});

describe("A job that ended otherwise than well", () => {
  const later = (text: string) => ({ tool: "send_later", args: { text } });

  trial(
    "counts as an error of its tenant and its tool, one that failed for good as one that is dead",
    async () => {
      for (const refusal of [422, 503]) {
        const volley = await start();
        status = refusal;
        await run(volley, "test-key", later("a"), said);
        await volley.advance(30 * 60_000);
        const seen = of(await look(volley), "acme");
        expect(seen).toMatchObject({ actions: 2, error_rate: 0.5 });
        expect(seen!.tools).toMatchObject([
          { tool: "send_later", calls: 1, error_rate: 1 },
          { tool: "echo_text", calls: 1, error_rate: 0 },
        ]);
      }
    },
  );

  trial(
    "counts when it ends, and the rate is no more than 1 in an hour in which little else was asked",
    async () => {
      const volley = await start();
      status = 422;
      const inAnHour = new Date(volley.now() + 3_600_000).toISOString();
      await run(
        volley,
        "test-key",
        ...Array.from({ length: 3 }, () => ({ ...later("a"), run_at: inAnHour })),
      );
      expect(of(await look(volley), "acme")).toMatchObject({ error_rate: 0 });
      await volley.advance(3_600_000);
      expect(of(await look(volley, "?hours=1"), "acme")).toMatchObject({ actions: 0, error_rate: 1 });
      await run(volley, "test-key", said);
      expect(of(await look(volley, "?hours=1"), "acme")).toMatchObject({ actions: 1, error_rate: 1 });
    },
  );

  test("that is a run counts by the actions of that alone", async () => {
    const book = new TallyBook({ tenants: 1, tools: 1, tenantTools: 1 });
    const counted: CountedTenant[] = [];
    const part = createOperatorPart(() => ({
      tell: async () => {},
      report: async (rows) => void counted.push(...rows),
    }));
    const open = part.open({
      tenant: "acme",
      object: "acme",
      onDue: () => {},
      usage: () => ({}),
      outbox: { usage: () => ({ jobs: { dead: 0 } }) },
    } as unknown as PartWorld);
    const ended = (more: object): Job =>
      ({ status: "failed", updatedAt: 0, spec: { tool: "t", ...more } }) as unknown as Job;
    open.turned!(ended({ kind: "run", run: { trigger: "cron" } }));
    open.turned!(ended({}));
    open.take!(10_000);
    book.addFailedJob("acme", "t");
    expect(counted).toEqual([...book.counted()]);
    open.take!(20_000);
    expect(counted).toHaveLength(1);
  });
});

describe("The flag operator", () => {
  trial("T02 is needed: every other key is refused before its request is read, as a flag is", async () => {
    const volley = await start();
    await run(volley, "other-key", said);
    await volley.advance(3_000);
    for (const key of ["test-key", "other-key", "small-key"])
      for (const [method, path] of [
        ["GET", "/v1/operator/overview?hours=x"],
        ["POST", "/v1/operator/redrive"],
      ] as const) {
        const answer = await send(
          volley,
          key,
          method,
          path,
          method === "GET" ? undefined : { tenant: "other" },
        );
        expect(answer.status).toBe(403);
        const text = await answer.text();
        expect(text).toContain("FORBIDDEN");
        if (key !== "other-key") expect(text).not.toContain('"other"');
      }
  });

  trial("T03 shows counts alone: no argument, result, id or key of a tenant is in an overview", async () => {
    const volley = await start();
    await run(volley, "test-key", { id: "secret-id", tool: "echo_text", args: { text: "secret text" } });
    const text = JSON.stringify(await look(volley));
    for (const word of ["secret", "test-key", '"test"']) expect(text).not.toContain(word);
  });
});

describe("A tenant that is deleted", () => {
  trial("is in no overview and no export any more, and others are", async () => {
    const volley = await start();
    await run(volley, "test-key", said, { tool: "drop_it", args: { text: "a" } });
    await run(volley, "other-key", said);
    expect(await look(volley)).toHaveLength(2);
    const exported = await (await send(volley, "test-key", "GET", "/v1/export")).json();
    expect((exported as { counts: unknown }).counts).toMatchObject([
      { runs: 1, actions: 2, errors: 0, tools: [{ tool: "echo_text", calls: 1 }] },
    ]);
    expect(JSON.stringify(exported)).not.toContain("other");
    const deleted = await send(volley, "test-key", "POST", "/v1/tenant/delete", { tenant: "acme" });
    expect(await deleted.json()).toMatchObject({ counts: 1 });
    expect((await look(volley)).map(({ tenant }) => tenant)).toEqual(["other"]);
  });

  trial("is counted anew once it runs something again", async () => {
    const volley = await start();
    await run(volley, "test-key", said);
    await look(volley);
    await send(volley, "test-key", "POST", "/v1/tenant/delete", { tenant: "acme" });
    await volley.advance(60_000);
    await run(volley, "test-key", said);
    expect(of(await look(volley), "acme")?.runs).toBe(1);
  });
});
