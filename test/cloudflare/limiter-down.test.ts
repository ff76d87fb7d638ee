import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import type { TenantGateNamespace } from "../../src/cloudflare/gate-client/gate-client.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { trial } from "../support/trial.ts";

const PROBE = "https://probe.example.com";

/** Long enough that nothing refills while a test runs. */
const QUOTA = { limit: 100, window_s: 3_600 };

let workers = 0;

/**
 * The Worker's time passes when a test says so: the time that a machine takes to ask the object does not count. The object keeps
 * the platform's time, because a timer of one object that fires in another's turn is an error.
 */
let clock: VirtualClock;
beforeEach(() => void (clock = new VirtualClock(Date.now())));

/** The whole Worker, with a gate whose object answers when a test says so; the paths its tools called. */
async function createWorker(beforeAnswer: () => Promise<void>, onAnswer = (): void => {}) {
  const tenant = `limiter-down-${(workers += 1)}`;
  const called: string[] = [];
  /** Also those whose caller has given up: nothing may outlive its test. */
  const pending: Promise<unknown>[] = [];
  const { app } = createVolley({
    tools: createProbeTools(PROBE),
    features: ALL_FEATURES,
    send: async (url) => {
      called.push(new URL(url).pathname);
      return Response.json({ path: new URL(url).pathname, n: 1 });
    },
    standIns: { clock },
  });
  const real: TenantGateNamespace = env.TENANT_GATE;
  const TENANT_GATE: TenantGateNamespace = {
    idFromName: (name) => real.idFromName(name),
    get: (id) => {
      const stub = real.get(id);
      return {
        async since(...asked) {
          const answer = beforeAnswer().then(() => stub.since(...asked));
          pending.push(answer);
          return answer;
        },
      };
    },
  };
  const hash = Array.from(await digestKey("key"), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const VOLLEY_KEYS = JSON.stringify([{ name: "k", hash, tenant, tools: ["*"], quota: QUOTA }]);
  const bindings = { TENANT_GATE, TOOL_GATE: {}, VOLLEY_KEYS };

  const send = (actions: readonly object[]) => ask("/v1/execute_actions", { actions });
  const ask = async (path: string, body: object) => {
    const context = createExecutionContext();
    const response = await app.fetch(
      new Request(`https://volley.test${path}`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
      bindings,
      context,
    );
    onAnswer();
    const answered = (await response.json()) as Record<string, unknown>;
    await waitOnExecutionContext(context);
    await Promise.allSettled(pending);
    return { response, body: answered };
  };
  return { send, ask, called };
}

const ACTIONS = [
  { tool: "probe-echo", args: { n: 1 } },
  { tool: "probe-write", args: { n: 2 } },
  { tool: "probe-background", args: { n: 3 } },
  { tool: "probe-quota", args: { n: 4 } },
];

/** A limiter that is asked, and answers when it is told to. */
function silent() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const before = (): Promise<void> => {
    asked.resolve();
    return answer.promise;
  };
  return { before, answer: answer.resolve, wait: () => asked.promise.then(passPatience) };
}

/** Let the time be over that an admission may take. */
async function passPatience(): Promise<void> {
  await clock.advance(LIMITS.admissionTimeoutMs + 1);
}

test.each([
  ["slow", silent()],
  [
    "down",
    {
      before: () => Promise.reject(new Error("unreachable")),
      answer: () => {},
      wait: () => Promise.resolve(),
    },
  ],
] as const)(
  "F16 a limiter that is %s stops writes, and reads only where they say so",
  async (_, { before, answer, wait }) => {
    // It answers after the batch was answered.
    const { send, called } = await createWorker(before, answer);
    const [{ response, body }] = await Promise.all([send(ACTIONS), wait()]);
    expect(response.status).toBe(200);
    expect(response.headers.has("ratelimit")).toBe(false);
    expect(body["results"]).toMatchObject([
      { status: "success", meta: { limiter: "degraded" } },
      { status: "error", error: { code: "OVERLOADED" }, meta: { limiter: "degraded" } },
      { status: "error", error: { code: "OUTBOX_UNAVAILABLE" }, meta: { limiter: "degraded" } },
      { status: "error", error: { code: "OVERLOADED" }, meta: { limiter: "degraded" } },
    ]);
    expect(called).toEqual(["/echo"]);
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

trial("what runs nothing is answered uncounted, as often as this isolate alone may", async () => {
  const { ask } = await createWorker(() => Promise.reject(new Error("unreachable")));
  const answers = await Promise.all(
    Array.from({ length: 5 * QUOTA.limit + 1 }, (_, n) =>
      n % 2 === 0
        ? ask("/v1/discover_tools", { query: "echo" })
        : ask("/v1/execute_actions", { dry_run: true, actions: ACTIONS }),
    ),
  );
  const statuses = answers.map(({ response }) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5 * QUOTA.limit);
  expect(statuses.filter((status) => status === 503)).toHaveLength(1);
  for (const { response } of answers) expect(response.headers.has("ratelimit")).toBe(false);
});

test("a limiter that answers in time counts", async () => {
  const { send } = await createWorker(() => Promise.resolve());
  const { response, body } = await send(ACTIONS.slice(0, 2));
  expect(response.headers.get("ratelimit")).toMatch(/^"requests";r=99/);
  expect(JSON.stringify(body)).not.toContain("degraded");
});

trial("T20 flooding the limiter until it is late is no way around the quota", async () => {
  let asked = 0;
  let answered = 0;
  const late = silent();
  const sixty = Promise.withResolvers<void>();
  // It answers the first sixty in time, and everybody else after all have been answered.
  const { send, called } = await createWorker(
    async () => {
      asked += 1;
      if (asked > 60) await late.before();
    },
    () => {
      answered += 1;
      if (answered === 60) sixty.resolve();
      if (answered === 300) late.answer();
    },
  );
  const sending = Promise.all(Array.from({ length: 300 }, () => send(ACTIONS.slice(0, 1))));
  await sixty.promise;
  await late.wait();
  const answers = await sending;
  const ran = answers.filter(({ response }) => response.status === 200);
  expect(ran).toHaveLength(100);
  expect(called).toHaveLength(100);
});
