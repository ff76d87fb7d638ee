import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { createVolley } from "../../src/edge/create-volley.ts";
import { digestKey } from "../../src/edge/http/key-ring.ts";
import type { Gate } from "../../src/contract/gate/tenant-gate-methods.ts";
import type { TenantGateNamespace } from "../../src/edge/gate-client/gate-client.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";

const PROBE = "https://probe.example.com";

/** Long enough that nothing refills while a test runs. */
const QUOTA = { limit: 100, window_s: 3_600 };

let workers = 0;

/** The whole Worker, with a gate whose object answers when a test says so; the paths its tools called. */
async function createWorker(beforeAnswer: () => Promise<void>, onResponse: () => void = () => {}) {
  const tenant = `limiter-down-${(workers += 1)}`;
  const called: string[] = [];
  /** Also those whose caller has given up: nothing may outlive its test. */
  const pending: Promise<unknown>[] = [];
  const { app } = createVolley({
    tools: createProbeTools(PROBE),
    send: async (url) => {
      called.push(new URL(url).pathname);
      return Response.json({ path: new URL(url).pathname, n: 1 });
    },
  });
  const real: TenantGateNamespace = env.TENANT_GATE;
  const TENANT_GATE: TenantGateNamespace = {
    idFromName: (name) => real.idFromName(name),
    get: (id) => {
      const stub = real.get(id);
      const admit: Gate["admit"] = async (request, wishes) => {
        const answer = beforeAnswer().then(() => stub.admit(request, wishes));
        pending.push(answer);
        return answer;
      };
      // A batch asks for nothing else here.
      return { admit } as unknown as Gate;
    },
  };
  const hash = Array.from(await digestKey("key"), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const VOLLEY_KEYS = JSON.stringify([{ name: "k", hash, tenant, tools: ["*"], quota: QUOTA }]);
  const bindings = { TENANT_GATE, TOOL_GATE: {}, VOLLEY_KEYS };

  const send = async (actions: readonly object[]) => {
    const context = createExecutionContext();
    const startedAt = Date.now();
    const response = await app.fetch(
      new Request("https://volley.test/v1/execute_actions", {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/json" },
        body: JSON.stringify({ actions }),
      }),
      bindings,
      context,
    );
    const tookMs = Date.now() - startedAt;
    onResponse();
    const body = (await response.json()) as Record<string, unknown>;
    await waitOnExecutionContext(context);
    await Promise.allSettled(pending);
    return { response, body, tookMs };
  };
  return { send, called };
}

const ACTIONS = [
  { tool: "probe-echo", args: { n: 1 } },
  { tool: "probe-write", args: { n: 2 } },
  { tool: "probe-background", args: { n: 3 } },
  { tool: "probe-quota", args: { n: 4 } },
];

test.each([
  ["silent", (answered: Promise<void>) => answered, 700],
  ["down", () => Promise.reject(new Error("unreachable")), 0],
] as const)(
  "a limiter that is %s stops writes, and reads only where they say so",
  async (_, before, leastMs) => {
    const answered = Promise.withResolvers<void>();
    const { send, called } = await createWorker(() => before(answered.promise), answered.resolve);
    const { response, body, tookMs } = await send(ACTIONS);
    expect(response.status).toBe(200);
    expect(response.headers.has("ratelimit")).toBe(false);
    expect(body["results"]).toMatchObject([
      { status: "success", meta: { limiter: "degraded" } },
      { status: "error", error: { code: "OVERLOADED" }, meta: { limiter: "degraded" } },
      { status: "error", error: { code: "OUTBOX_UNAVAILABLE" }, meta: { limiter: "degraded" } },
      { status: "error", error: { code: "OVERLOADED" }, meta: { limiter: "degraded" } },
    ]);
    expect(called).toEqual(["/echo"]);
    expect(tookMs).toBeGreaterThanOrEqual(leastMs);
  },
);

test("with nothing but writes the whole request is unavailable", async () => {
  const { send, called } = await createWorker(() => Promise.reject(new Error("unreachable")));
  const { response, body } = await send(ACTIONS.slice(1));
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(body).toMatchObject({
    code: "UNAVAILABLE",
    detail: expect.stringContaining("may have been recorded"),
  });
  expect(called).toEqual([]);
});

test("a limiter that answers in time counts", async () => {
  const { send } = await createWorker(() => Promise.resolve());
  const { response, body } = await send(ACTIONS.slice(0, 2));
  expect(response.headers.get("ratelimit")).toMatch(/^"requests";r=99/);
  expect(JSON.stringify(body)).not.toContain("degraded");
});

test("flooding the limiter until it is late is no way around the quota", async () => {
  let asked = 0;
  // It answers the first sixty in time, and everybody else too late.
  const { send, called } = await createWorker(async () => {
    asked += 1;
    if (asked > 60) await new Promise((resolve) => setTimeout(resolve, 1_000));
  });
  const answers = await Promise.all(Array.from({ length: 300 }, () => send(ACTIONS.slice(0, 1))));
  const ran = answers.filter(({ response }) => response.status === 200);
  expect(ran).toHaveLength(100);
  expect(called).toHaveLength(100);
});
