import * as z from "zod";
import { describe, expect, test, vi } from "vitest";

import type { ToolDeclaration } from "../../src/core/catalog/define-tool.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { createTestVolley } from "../../src/package/testing.ts";
import { addedTools } from "../../src/features/added-tools/index.ts";
import { confirmations } from "../../src/features/confirmations/index.ts";
import { discovery } from "../../src/features/discovery/index.ts";
import { flows } from "../../src/features/flows/index.ts";
import { keys } from "../../src/features/keys/index.ts";
import { github } from "../features/flows/hooks/sample-senders.ts";
import { sleep } from "../support/eventually.ts";
import { trial } from "../support/trial.ts";

const ORIGIN = "https://api.example.com";

function tool(name: string, declaration: Partial<ToolDeclaration> = {}) {
  return defineTool({
    name,
    summary: "A tool",
    description: "A tool of a test.",
    category: "shop",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({ n: z.int() }),
    hosts: ["api.example.com"],
    orchestration: { mode: "parallel-safe" },
    run: async (args, ctx) => (await ctx.fetch(`${ORIGIN}/${name}?n=${(args as { n: number }).n}`)).json(),
    ...declaration,
  });
}

const read = tool("read_it");
const send = tool("send_it", {
  actions: ["send"],
  isWrite: true,
  idempotent: "with-key",
  execution: "fire-and-forget",
  run: async (args, ctx) => {
    const headers = { "idempotency-key": ctx.idempotencyKey };
    return (await ctx.fetch(`${ORIGIN}/send`, { method: "POST", headers, body: args })).json();
  },
});
const drop = tool("drop_it", {
  actions: ["delete"],
  isWrite: true,
  run: async (_, ctx) => (await ctx.fetch(`${ORIGIN}/drop`, { method: "DELETE" })).json(),
});

describe("A Volley for tests", () => {
  test("runs a batch of one's own tools against scripted answers, and shows what they sent", async () => {
    const volley = await createTestVolley({
      tools: [read],
      routes: { [`GET ${ORIGIN}/read_it`]: { ok: true } },
    });
    const { results } = await volley.run({
      actions: [{ tool: "read_it", args: { n: 7 } }, { tool: "nope" }],
    });
    expect(results).toMatchObject([
      { status: "success", data: { ok: true } },
      { status: "error", error: { code: "UNKNOWN_TOOL" } },
    ]);
    expect(volley.requests).toMatchObject([{ method: "GET", url: `${ORIGIN}/read_it?n=7`, body: undefined }]);
  });

  test("lets no real time pass: reads of a minute run at once, in virtual time", async () => {
    const volley = await createTestVolley({
      tools: [tool("read_it", { timeoutMs: 30_000 })],
      routes: {
        [`GET ${ORIGIN}/read_it`]: async (_, { sleep }) => {
          await sleep(9_000);
          return { ok: true };
        },
      },
    });
    const from = volley.now();
    const { stats } = await volley.run({
      actions: [1, 2, 3].map((n) => ({ tool: "read_it", args: { n } })),
    });
    expect(stats).toMatchObject({ duration_ms: 9_000, sequential_ms: 27_000 });
    expect(volley.now() - from).toBe(9_000);
  });

  test("ends a call at the tool's own limit", async () => {
    const volley = await createTestVolley({
      tools: [tool("read_it", { timeoutMs: 2_000 })],
      routes: { [`GET ${ORIGIN}/read_it`]: () => new Promise(() => {}) },
    });
    const { results } = await volley.run({
      actions: [{ tool: "read_it", args: { n: 1 } }],
      deadline_ms: 60_000,
    });
    expect(results).toMatchObject([{ status: "error", error: { code: "TIMEOUT" } }]);
  });

  test("retries a job by the clock, with one idempotency key, as the deployed object does", async () => {
    let fails = 2;
    const volley = await createTestVolley({
      tools: [send],
      routes: {
        [`POST ${ORIGIN}/send`]: () =>
          (fails -= 1) >= 0 ? new Response("", { status: 503 }) : { sent: true },
      },
    });
    const { results } = await volley.run({ actions: [{ tool: "send_it", args: { n: 1 } }] });
    const [first] = results;
    if (first?.status !== "initiated") throw new Error("The job was not recorded");
    expect(await volley.client.waitFor(first.job_id)).toMatchObject({
      status: "succeeded",
      attempts: 3,
      data: { sent: true },
    });
    expect(new Set(volley.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(volley.requests[0]!.json()).toEqual({ n: 1 });
  });

  trial("gives every run the same ids, times and pauses", async () => {
    const play = async (): Promise<unknown> => {
      const routes = { [`POST ${ORIGIN}/send`]: new Response("", { status: 503 }) };
      const volley = await createTestVolley({ tools: [send], routes });
      const { results } = await volley.run({ actions: [{ tool: "send_it", args: { n: 1 } }] });
      await volley.advance(24 * 3_600_000);
      return [results, (await volley.client.jobs()).jobs];
    };
    expect(await play()).toEqual(await play());
  });

  trial("asks a person, lets the question expire, and runs what was parked on a yes", async () => {
    const volley = await createTestVolley({
      tools: [drop],
      features: [confirmations()],
      routes: { [`DELETE ${ORIGIN}/drop`]: { gone: true } },
    });
    const ask = async (): Promise<string> => {
      const [result] = (await volley.run({ actions: [{ tool: "drop_it", args: { n: 1 } }] })).results;
      if (result?.status !== "pending_confirmation") throw new Error("There was no question");
      return result.confirmation.id;
    };
    const [late, inTime] = [await ask(), await ask()];
    expect(volley.requests).toEqual([]);
    expect((await volley.client.decide(inTime, "approve")).results).toMatchObject([{ data: { gone: true } }]);
    await volley.advance(24 * 3_600_000);
    await expect(volley.client.decide(late, "approve")).rejects.toMatchObject({
      code: "CONFIRMATION_INVALID",
    });
    expect(volley.requests).toHaveLength(1);
  });

  trial(
    "lets no time pass while a key is digested or a signature checked, however long the machine needs",
    async () => {
      const volley = await createTestVolley({
        tools: [read, drop],
        routes: { [`GET ${ORIGIN}/read_it`]: { ok: true } },
        features: [discovery(), addedTools(), confirmations(), flows(), keys()],
        key: { flags: ["approve", "manage_keys", "manage_tools"] },
        env: {
          VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["test"], hosts: [] } }),
          HOOK: github.secret,
        },
      });
      const json = { "content-type": "application/json" };
      await volley.fetch("/v1/flows/told", {
        method: "PUT",
        headers: json,
        body: JSON.stringify({
          summary: "Is told",
          input_schema: { type: "object" },
          actions: [{ tool: "read_it", args: { n: 2 } }],
          triggers: { webhook: { verify: "github", secret: "HOOK" } },
        }),
      });
      // The question's end is what the clock would go on to.
      await volley.run({ actions: [{ tool: "drop_it", args: { n: 1 } }] });
      const from = volley.now();
      using _sign = slowDown("sign");
      using _verify = slowDown("verify");

      const body = JSON.stringify({ name: "made", tools: ["*"] });
      const made = await volley.fetch("/v1/keys", { method: "POST", headers: json, body });
      const { key } = (await made.json()) as { readonly key: string };
      const headers = { authorization: `Bearer ${key}` };
      expect((await volley.fetch("/v1/jobs", { headers })).status).toBe(200);
      expect((await volley.fetch("/v1/jobs", { headers: { authorization: "Bearer unknown" } })).status).toBe(
        401,
      );
      const delivery = await volley.fetch("/hooks/test/told", {
        method: "POST",
        headers: { ...json, ...github.sign({ body: new TextEncoder().encode("{}") }) },
        body: "{}",
      });
      expect(delivery.status).toBe(202);
      expect(volley.now()).toBe(from);
    },
  );

  trial("counts quotas, and lets them recover", async () => {
    const volley = await createTestVolley({
      tools: [read],
      routes: { [`GET ${ORIGIN}/read_it`]: {} },
      key: { quota: { limit: 2, window_s: 60 } },
    });
    const once = () => volley.run({ actions: [{ tool: "read_it", args: { n: 1 } }] });
    await once();
    await once();
    await expect(once()).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    await volley.advance(60_000);
    expect((await once()).summary.ok).toBe(1);
  });

  trial("streams, and runs a flow by its clock", async () => {
    const volley = await createTestVolley({
      tools: [read],
      routes: { [`GET ${ORIGIN}/read_it`]: { ok: true } },
      features: [discovery(), addedTools(), confirmations(), flows()],
      key: { flags: ["manage_tools"] },
      now: new Date("2026-11-02T06:00:00Z"),
    });
    const told: string[] = [];
    for await (const { event } of volley.client.stream({ actions: [{ tool: "read_it", args: { n: 1 } }] }))
      told.push(event);
    expect(told).toEqual(["result", "done"]);
    const flow = {
      summary: "Look every morning",
      input_schema: { type: "object" },
      actions: [{ tool: "read_it", args: { n: 2 } }],
      triggers: { cron: "0 7 * * *" },
    };
    const kept = await volley.fetch("/v1/flows/morning", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(flow),
    });
    expect(kept.status).toBe(201);
    await volley.advance(2 * 3_600_000);
    expect((await volley.client.jobs()).jobs).toMatchObject([
      { tool: "morning", trigger: "cron", status: "succeeded", created_at: "2026-11-02T07:00:00.000Z" },
    ]);
  });

  test("fails a test whose tool calls what no route is for, and names the routes", async () => {
    const volley = await createTestVolley({ tools: [read], routes: { [`GET ${ORIGIN}/other/*`]: {} } });
    await expect(volley.run({ actions: [{ tool: "read_it", args: { n: 1 } }] })).rejects.toThrow(
      `Cannot answer 'GET ${ORIGIN}/read_it?n=1': no route is for it. There are: GET ${ORIGIN}/other/*`,
    );
  });

  test("answers by paths that only begin so, and gives tools the secrets of its environment", async () => {
    const secretive = tool("read_it", {
      secrets: ["TOKEN"],
      run: async (_, ctx) =>
        (
          await ctx.fetch(`${ORIGIN}/a/b`, { headers: { authorization: `Bearer ${ctx.secret("TOKEN")}` } })
        ).json(),
    });
    const volley = await createTestVolley({
      tools: [secretive],
      routes: {
        [`GET ${ORIGIN}/a/*`]: ({ headers }) => ({
          said: headers["authorization"],
        }),
      },
      env: { TOKEN: "very-secret-token" },
    });
    const { results } = await volley.run({ actions: [{ tool: "read_it", args: { n: 1 } }] });
    expect(volley.requests[0]!.headers["authorization"]).toBe("Bearer very-secret-token");
    expect(JSON.stringify(results)).not.toContain("very-secret-token");
  });

  test("gives an answer without a body as it is", async () => {
    const volley = await createTestVolley({
      tools: [],
      features: [discovery(), addedTools()],
      key: { flags: ["manage_tools"] },
    });
    const body = JSON.stringify({
      summary: "Find",
      description: "Find.",
      category: "shop",
      actions: ["search"],
      is_write: false,
      input_schema: { type: "object", properties: {} },
      http: { method: "GET", url: `${ORIGIN}/find` },
    });
    const headers = { "content-type": "application/json" };
    expect((await volley.fetch("/v1/tools/find", { method: "PUT", headers, body })).status).toBe(201);
    const deleted = await volley.fetch("/v1/tools/find", { method: "DELETE" });
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
  });
});

/** Have a computation of the platform take a while in real time. */
function slowDown(name: "sign" | "verify"): Disposable {
  const { subtle } = crypto;
  const fast = subtle[name].bind(subtle) as (...args: unknown[]) => Promise<never>;
  return vi.spyOn(subtle, name).mockImplementation(async (...args: unknown[]) => {
    await sleep(20);
    return fast(...args);
  });
}
