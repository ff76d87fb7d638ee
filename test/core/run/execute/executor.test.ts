import * as z from "zod";
import { expect, test } from "vitest";

import { defineTool, type ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../../src/core/catalog/tool-failure.ts";
import { toResultJson } from "../../../../src/core/answer/envelope.ts";
import { TestWorld } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { trial } from "../../../support/trial.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The first job's id, of the first seed of a world. */
const FIRST_JOB = "00000001-0000-4000-8000-000000000000";

/** A read that waits `ms` and answers with `n`, without sending anything. */
function waitTool(world: TestWorld, name = "wait", orchestration = {}) {
  return contractOf(name, {
    input: z.strictObject({ n: z.int(), ms: z.int().default(0) }),
    orchestration: { mode: "parallel-safe", ...orchestration },
    run: async (args) => {
      const { n, ms } = args as { n: number; ms: number };
      await world.clock.sleep(ms);
      return { n };
    },
  });
}

const failing = (name: string, run: () => Promise<unknown>) => contractOf(name, { run });

const mail = defineTool({
  name: "mail",
  summary: "Send a mail",
  description: "Sends a mail.",
  category: "test",
  actions: ["create"],
  isWrite: true,
  execution: "fire-and-forget",
  input: z.strictObject({ to: z.string() }),
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  run: ({ to }, { idempotencyKey }) => Promise.resolve({ sent: to, key: idempotencyKey }),
});

test("every action is answered once, in the order asked, with what was measured", async () => {
  const world = new TestWorld();
  const { batch_id, results, summary, stats } = await world.run([waitTool(world)], {
    actions: [
      { id: "slow", tool: "wait", args: { n: 1, ms: 300 } },
      { tool: "wait", args: { n: 2, ms: 100 } },
    ],
  });
  expect(batch_id).toMatch(UUID);
  expect(results).toEqual([
    {
      index: 0,
      id: "slow",
      tool: "wait",
      status: "success",
      data: { n: 1 },
      meta: { started_ms: 0, duration_ms: 300, queued_ms: 0, attempts: 1, bytes: 7 },
    },
    {
      index: 1,
      id: "a1",
      tool: "wait",
      status: "success",
      data: { n: 2 },
      meta: { started_ms: 0, duration_ms: 100, queued_ms: 0, attempts: 1, bytes: 7 },
    },
  ]);
  expect(summary).toEqual({
    total: 2,
    ok: 2,
    error: 0,
    initiated: 0,
    skipped: 0,
    pending_confirmation: 0,
    unknown: 0,
  });
  expect(stats).toEqual({
    duration_ms: 300,
    critical_path_ms: 300,
    sequential_ms: 400,
    speedup: 1.33,
    max_parallelism: 2,
  });
});

test("a slip in one action costs that action only", async () => {
  const world = new TestWorld();
  const { results } = await world.run([waitTool(world)], {
    actions: [
      { tool: "wait", args: { n: "one" } },
      { tool: "wiat", args: { n: 1 } },
      { args: { n: 1 } },
      "nonsense",
      { tool: "wait", args: { n: 5 } },
    ],
  });
  expect(results.map(({ error }) => error?.code)).toEqual([
    "INVALID_ARGS",
    "UNKNOWN_TOOL",
    "INVALID_ACTION",
    "INVALID_ACTION",
    undefined,
  ]);
  expect(results[0]!.error).toMatchObject({
    issues: [{ path: "/args/n", expected: "a number", received: 'the string "one"' }],
  });
  expect(results[1]!.error?.hint).toContain("'wait'");
  expect(results[4]!.status).toBe("success");
});

test.each([
  ["throws", () => Promise.reject(new Error("secret stack")), "TOOL_FAILED"],
  ["returns undefined", () => Promise.resolve(undefined), "TOOL_FAILED"],
  ["returns a BigInt", () => Promise.resolve({ big: 1n }), "TOOL_FAILED"],
  [
    "returns a cycle",
    () => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      return Promise.resolve(cycle);
    },
    "TOOL_FAILED",
  ],
  ["never settles", () => new Promise(() => {}), "TIMEOUT"],
  [
    "says why it failed",
    () => Promise.reject(new ToolFailure("NOT_FOUND", { hint: "Try another city." })),
    "NOT_FOUND",
  ],
])("F08 a tool that %s has one result and its sibling is unharmed", async (_, run, code) => {
  const world = new TestWorld();
  const { results } = await world.run([failing("bad", run), waitTool(world)], {
    actions: [{ tool: "bad" }, { tool: "wait", args: { n: 1, ms: 5 } }],
  });
  expect(results[0]).toMatchObject({ status: "error", error: { code } });
  expect(JSON.stringify(results[0])).not.toContain("secret stack");
  expect(results[1]!.status).toBe("success");
});

test("a tool that throws at once, without a promise, fails like any other", async () => {
  const world = new TestWorld();
  const bad = failing("bad", () => {
    throw new Error("at once");
  });
  const { results } = await world.run([bad], { actions: [{ tool: "bad" }] });
  expect(results[0]!.error?.code).toBe("TOOL_FAILED");
});

test("timeout_ms shortens an action and says which clock ran out", async () => {
  const world = new TestWorld();
  const { results, stats } = await world.run([waitTool(world)], {
    actions: [{ tool: "wait", args: { n: 1, ms: 5_000 }, timeout_ms: 200 }],
  });
  expect(results[0]!.error).toMatchObject({
    code: "TIMEOUT",
    phase: "total",
    retryable: true,
    hint: expect.stringContaining("longer than the 200 ms of this action's timeout_ms"),
  });
  expect(stats["duration_ms"]).toBe(200);
});

test("a timeout names timeout_ms only where that was the limit", async () => {
  const world = new TestWorld();
  const { results } = await world.run([waitTool(world)], {
    actions: [
      { tool: "wait", args: { n: 1, ms: 50_000 } },
      { tool: "wait", args: { n: 2, ms: 50_000 }, timeout_ms: 60_000 },
    ],
  });
  for (const { error } of results) {
    expect(error).toMatchObject({ code: "TIMEOUT", phase: "total" });
    expect(error!.hint).toMatch(/the \d+ ms that its tool may take/);
    expect(error!.hint).not.toContain("timeout_ms");
  }
});

test("a batch's own calls are sent before its background jobs, in the order asked, whatever caps their tools have", async () => {
  const world = new TestWorld();
  const sent: string[] = [];
  world.fetch = (url) => {
    sent.push(new URL(url).pathname);
    return Promise.resolve(Response.json({}));
  };
  const sending = (name: string, declaration: Partial<ToolDeclaration> = {}) =>
    contractOf(name, {
      hosts: ["api.example.com"],
      run: async ({ path }, ctx) => (await ctx.fetch(`https://api.example.com/${String(path)}`)).json(),
      ...declaration,
    });
  const tools = [
    sending("job", { isWrite: true, execution: "fire-and-forget" }),
    sending("capped", { orchestration: { mode: "fan-out-bounded", max_concurrency: 3 } }),
    sending("serial", { orchestration: { mode: "sequential-only" } }),
    sending("free"),
  ];
  await world.run(tools, {
    actions: ["job", "capped", "free", "serial", "capped", "free"].map((tool, index) => ({
      tool,
      args: { path: `${index}-${tool}` },
    })),
  });
  await Promise.all(world.deferred);
  expect(sent).toEqual(["/1-capped", "/2-free", "/3-serial", "/4-capped", "/5-free", "/0-job"]);
});

test("fire-and-forget is answered initiated without waiting for the work, and its job is settled afterwards", async () => {
  const world = new TestWorld();
  const { results, summary } = await world.run([mail, waitTool(world)], {
    actions: [
      { tool: "mail", args: { to: "a@example.com" } },
      { tool: "wait", args: { n: 1, ms: 50 } },
    ],
  });
  expect(results[0]).toEqual({
    index: 0,
    id: "a0",
    tool: "mail",
    status: "initiated",
    job_id: FIRST_JOB,
    meta: {},
  });
  expect(summary).toMatchObject({ ok: 1, initiated: 1 });
  await world.drain();
  expect(world.gate.settled.get(FIRST_JOB)).toEqual({
    kind: "succeeded",
    dataJson: `{"sent":"a@example.com","key":"${FIRST_JOB}"}`,
  });
});

test("a loop over background work is counted as initiated, and as what it is where none of it was recorded", async () => {
  const world = new TestWorld();
  const actions = [{ tool: "mail", for_each: ["a", "b"], args: { to: { $ref: "item#" } } }];
  const { results, summary } = await world.run([mail], { actions: [...actions, { tool: "none" }] });
  expect(results[0]).toMatchObject({ status: "success", meta: { items: { total: 2, ok: 2 } } });
  expect(summary).toMatchObject({ total: 2, ok: 0, initiated: 1, error: 1 });

  const empty = await world.run([mail], { actions: [{ ...actions[0], for_each: [] }] });
  expect(empty.summary).toMatchObject({ ok: 1, initiated: 0 });
  world.gate.refuseJobsWith = "BACKLOG_FULL";
  expect((await world.run([mail], { actions })).summary).toMatchObject({ ok: 0, initiated: 0, error: 1 });
});

test("max_parallelism counts first attempts of background work from their start to their end", async () => {
  const world = new TestWorld();
  const tools = [mail, waitTool(world)];
  const { stats } = await world.run(tools, {
    actions: [
      { id: "first", tool: "mail", args: { to: "a@example.com" } },
      { id: "pause", tool: "wait", args: { n: 1, ms: 50 }, depends_on: ["first"] },
      { tool: "mail", args: { to: "b@example.com" }, depends_on: ["pause"] },
    ],
  });
  expect(stats["max_parallelism"]).toBe(2);
  const loop = await world.run(tools, {
    actions: [
      { tool: "mail", args: { to: { $ref: "item#" } }, for_each: ["a@example.com", "b@example.com"] },
    ],
  });
  expect(loop.stats["max_parallelism"]).toBe(2);
  await world.drain();
});

test("quota, limits and jobs are asked for in one round trip", async () => {
  const world = new TestWorld();
  const limited = waitTool(world, "limited", { rate_limit: { limit: 5, window_s: 10, scope: "tenant" } });
  await world.run([mail, limited], {
    actions: [
      { tool: "mail", args: { to: "a" } },
      { tool: "limited", args: { n: 1 } },
    ],
  });
  expect(world.gate.requests).toHaveLength(1);
  expect(world.gate.requests[0]).toMatchObject({
    quota: { bucket: "key:tester", limit: 100, windowS: 60 },
    draws: [{ index: 1, limit: { bucket: "tool:limited", limit: 5, windowS: 10 } }],
    jobs: [{ index: 0, spec: { id: FIRST_JOB, tool: "mail", argsJson: '{"to":"a"}' } }],
  });
});

test("an action denied by its tool's limit says when to come back, and the others run", async () => {
  const world = new TestWorld();
  world.gate.denied = [{ index: 1, retryAfterMs: 1_200 }];
  const { results } = await world.run([waitTool(world)], {
    actions: [
      { tool: "wait", args: { n: 1 } },
      { tool: "wait", args: { n: 2 } },
    ],
  });
  expect(results[0]!.status).toBe("success");
  expect(results[1]!.error).toMatchObject({ code: "RATE_LIMITED", retryable: true, retry_after_ms: 1_200 });
});

test("a batch over the key's quota is refused whole and nothing runs", async () => {
  const world = new TestWorld();
  world.gate.quotaAllowed = false;
  let ran = false;
  const tool = failing("tool", () => Promise.resolve((ran = true)));
  const answer = await world.execute([tool], { actions: [{ tool: "tool" }] });
  expect(answer).toMatchObject({
    ok: false,
    error: { refusal: { code: "QUOTA_EXCEEDED", retryAfterMs: 1_500 } },
  });
  expect(ran).toBe(false);
});

test("F15 when the gate cannot be reached and nothing may run uncounted, the batch is refused whole", async () => {
  const world = new TestWorld();
  world.gate.down = true;
  let ran = false;
  const write = { ...failing("write", () => Promise.resolve((ran = true))), isWrite: true };
  const limited = { ...failing("limited", () => Promise.resolve((ran = true))) };
  const answer = await world.execute(
    [write, limited].map((tool) => ({ ...tool, whenLimiterDown: "refuse" as const })),
    {
      actions: [
        { id: "w", tool: "write" },
        { tool: "limited" },
        { tool: "limited", depends_on: ["w"] },
        { tool: "nobody" },
      ],
    },
  );
  expect(answer).toMatchObject({ ok: false, error: { refusal: { code: "UNAVAILABLE" } } });
  expect(ran).toBe(false);
});

test.each(["OUTBOX_UNAVAILABLE", "BACKLOG_FULL"] as const)(
  "F15 a job that could not be recorded is %s, never initiated, and its sibling runs",
  async (code) => {
    const world = new TestWorld();
    world.gate.refuseJobsWith = code;
    const { results } = await world.run([mail, waitTool(world)], {
      actions: [
        { tool: "mail", args: { to: "a" } },
        { tool: "wait", args: { n: 1 } },
      ],
    });
    expect(results[0]).toMatchObject({ status: "error", error: { code, retryable: true } });
    expect(results[1]!.status).toBe("success");
    expect(world.gate.settled.size).toBe(0);
  },
);

test("a job that waits for another action is recorded only after that succeeded", async () => {
  const world = new TestWorld();
  const { results } = await world.run([mail, waitTool(world)], {
    actions: [
      { id: "mail", tool: "mail", args: { to: "a" }, depends_on: ["first"] },
      { id: "first", tool: "wait", args: { n: 1, ms: 40 } },
    ],
  });
  expect(world.gate.requests[0]!.jobs).toEqual([]);
  expect(world.gate.requests[1]).toMatchObject({ quota: null, jobs: [{ index: 0 }] });
  expect(results[0]!.status).toBe("initiated");
});

test("a job whose dependency failed is never recorded", async () => {
  const world = new TestWorld();
  const bad = failing("bad", () => Promise.reject(new Error("no")));
  const { results } = await world.run([mail, bad], {
    actions: [
      { tool: "mail", args: { to: "a" }, depends_on: ["bad"] },
      { id: "bad", tool: "bad" },
    ],
  });
  expect(results[0]).toMatchObject({ status: "skipped", because: "bad" });
  expect(world.gate.requests.flatMap(({ jobs }) => jobs)).toEqual([]);
});

test("fail-fast records no job when an action was wrong to begin with", async () => {
  const world = new TestWorld();
  const { results } = await world.run([mail], {
    on_error: "fail-fast",
    actions: [{ tool: "mail", args: { to: "a" } }, { tool: "nope" }],
  });
  expect(world.gate.requests[0]!.jobs).toEqual([]);
  expect(results[0]).toMatchObject({ status: "skipped", because: "a1", error: { code: "ABORTED" } });
});

test("F20 a tool whose secret is not set is MISCONFIGURED by name and the others run", async () => {
  const world = new TestWorld();
  const keyed = contractOf("keyed", {
    secrets: ["MAPS_KEY"],
    run: (_, { secret }) => Promise.resolve(secret("MAPS_KEY").length),
  });
  const { results } = await world.run([keyed, waitTool(world)], {
    actions: [{ tool: "keyed" }, { tool: "wait", args: { n: 1 } }],
  });
  expect(results[0]!.error).toMatchObject({ code: "MISCONFIGURED" });
  expect(results[0]!.error?.hint).toContain("MAPS_KEY");
  expect(results[1]!.status).toBe("success");
});

test("P7: a secret that ends up in a tool's output is redacted there", async () => {
  const world = new TestWorld();
  world.secrets.set("MAPS_KEY", "sk-very-secret-1");
  const leaky = contractOf("leaky", {
    secrets: ["MAPS_KEY"],
    run: (_, { secret }) => Promise.resolve({ echoed: `Bearer ${secret("MAPS_KEY")}` }),
  });
  const { results } = await world.run([leaky], { actions: [{ tool: "leaky" }] });
  expect(results[0]!.data).toEqual({ echoed: "Bearer [redacted]" });
});

test("results are told one by one as they are known, the envelope in the order asked", async () => {
  const world = new TestWorld();
  const told: string[] = [];
  const { results } = await world.run(
    [waitTool(world)],
    {
      actions: [
        { id: "slow", tool: "wait", args: { n: 1, ms: 90 } },
        { id: "quick", tool: "wait", args: { n: 2, ms: 10 } },
      ],
    },
    { listener: { onOutcome: ({ id }) => told.push(id) } },
  );
  expect(told).toEqual(["quick", "slow"]);
  expect(results.map(({ id }) => id)).toEqual(["slow", "quick"]);
});

test("a caller that asks is told what tools report of their progress, without their secrets; no other is", async () => {
  const world = new TestWorld();
  world.secrets.set("KEY", "s3cr3t-value");
  const rows = (name: string, declaration: Partial<ToolDeclaration> = {}) =>
    contractOf(name, {
      secrets: ["KEY"],
      run: (_, ctx) => {
        ctx.report({ progress: 1, total: 2, message: `Read with ${ctx.secret("KEY")}` });
        return Promise.resolve({ name });
      },
      ...declaration,
    });
  const tools = [rows("rows"), rows("later", { isWrite: true, execution: "fire-and-forget" })];
  const body = { actions: [{ tool: "rows" }, { tool: "later" }] };

  const unheard = await world.run(tools, body);
  const reports: unknown[] = [];
  const heard = await world.run(tools, body, {
    listener: { onReport: (report) => void reports.push(report) },
  });
  await world.drain();

  for (const { results } of [unheard, heard])
    expect(results.map(({ status }) => status)).toEqual(["success", "initiated"]);
  // One: a background attempt has no waiting caller.
  expect(reports).toEqual([{ progress: 1, total: 2, message: "Read with [redacted]" }]);
});

test("a cycle is refused whole, spelled out, before anything is admitted", async () => {
  const world = new TestWorld();
  const answer = await world.execute([waitTool(world)], {
    actions: [
      { id: "a", tool: "wait", args: { n: 1 }, depends_on: ["b"] },
      { id: "b", tool: "wait", args: { n: 1 }, depends_on: ["a"] },
    ],
  });
  expect(answer).toMatchObject({ ok: false, error: { refusal: { code: "INVALID_BATCH" } } });
  expect(JSON.stringify(answer)).toContain("a → b → a");
  expect(world.gate.requests).toEqual([]);
});

test("dry_run says what would be done and calls no tool, and asks the gate for one of the second allowance", async () => {
  const world = new TestWorld();
  let ran = false;
  const search = contractOf("search", { run: () => Promise.resolve((ran = true)) });
  const book = contractOf("book", {
    isWrite: true,
    actions: ["delete"],
    domain: "store",
    run: () => Promise.resolve((ran = true)),
  });
  const keyed = contractOf("keyed", { secrets: ["MAPS_KEY"] });
  const told: string[] = [];
  const answer = await world.execute(
    [search, book, keyed, mail],
    {
      dry_run: true,
      actions: [
        { id: "s", tool: "search" },
        { id: "b", tool: "book", args: { x: { $ref: "s#/id" } } },
        { id: "k", tool: "keyed" },
        { id: "m", tool: "mail", args: { to: "a" } },
        { id: "r", tool: "search", args: { x: { $ref: "r-123e4567-e89b-12d3-a456-426614174000#" } } },
      ],
    },
    { listener: { onOutcome: ({ id }) => told.push(id), onAdmitted: () => told.push("admitted") } },
  );
  if (!answer.ok) throw new Error("The dry run was refused");
  expect(answer.value.quota).toMatchObject({ allowance: "lists" });
  expect(JSON.parse(answer.value.json)).toMatchObject({
    dry_run: true,
    plan: {
      waves: [["s", "m", "r"], ["b"]],
      edges: [{ from: "s", to: "b", reason: "reference" }],
      confirmations: ["b"],
    },
    errors: [{ index: 2, id: "k", error: { code: "MISCONFIGURED" } }],
  });
  expect(ran).toBe(false);
  expect(world.gate.requests).toEqual([
    {
      quota: expect.objectContaining({ bucket: expect.stringMatching(/^lists:/) }),
      draws: [],
      jobs: [],
      allOrNothing: false,
      toolsVersion: 0,
    },
  ]);
  expect(world.gate.recalled).toEqual([]);
  expect(world.deferred).toEqual([]);
  expect(told).toEqual([]);
  expect(world.clock.pending).toBe(0);
});

test("a dry run of a cycle is refused like any other", async () => {
  const world = new TestWorld();
  const answer = await world.execute([waitTool(world)], {
    dry_run: true,
    actions: [{ id: "a", tool: "wait", args: { n: { $ref: "a#" } } }],
  });
  expect(answer).toMatchObject({ ok: false, error: { refusal: { code: "INVALID_BATCH" } } });
});

trial("a streamed result is cut to the token budget like the envelope's", async () => {
  const world = new TestWorld();
  const wordy = contractOf("wordy", { run: () => Promise.resolve({ text: "many words ".repeat(500) }) });
  const told: string[] = [];
  const body = { max_tokens: 60, actions: [{ tool: "wordy" }] };
  const { results } = await world.run([wordy], body, {
    listener: { onOutcome: (step, outcome) => told.push(toResultJson(step, outcome)) },
  });
  expect(told[0]!.length).toBeLessThan(1_000);
  expect(results[0]!.meta).toMatchObject({ truncated: { tokens_before: expect.any(Number) } });
});

test.each([
  ["nothing", undefined, false],
  ["the same key", "with-key", false],
  ["the same arguments", true, true],
] as const)(
  "a lost write that may be repeated with %s tells its caller whether to",
  async (_, idempotent, retryable) => {
    const world = new TestWorld();
    world.fetch = () => Promise.reject(new Error("connection reset"));
    const write = contractOf("write", {
      isWrite: true,
      actions: ["create"],
      hosts: ["api.example.com"],
      ...(idempotent !== undefined && { idempotent }),
      run: (_args, ctx) => ctx.fetch("https://api.example.com/", { method: "POST" }),
    });
    const { results } = await world.run([write], { actions: [{ tool: "write" }] });
    expect(results[0]).toMatchObject({ status: "unknown", error: { code: "UPSTREAM_ERROR", retryable } });
    expect(results[0]!.error?.hint).toContain("not known");
  },
);

test("under fail-fast nothing starts beside an action that turns out wrong as it is prepared", async () => {
  const world = new TestWorld();
  let ran = false;
  const write = contractOf("write", {
    isWrite: true,
    actions: ["create"],
    run: () => Promise.resolve((ran = true)),
  });
  const gone = { $ref: "r-00000000-0000-0000-0000-000000000000#/x" };
  const { results } = await world.run([write], {
    on_error: "fail-fast",
    actions: [
      { tool: "write", args: { x: gone } },
      { tool: "write", args: {} },
    ],
  });
  expect(results[0]!.error?.code).toBe("BAD_REFERENCE");
  expect(results[1]).toMatchObject({ status: "skipped", because: "a0", error: { code: "ABORTED" } });
  expect(ran).toBe(false);
});

test("the meta-tools answer from the caller's catalog without a request, and cost one request of quota with the rest", async () => {
  const world = new TestWorld();
  const { results } = await world.run([waitTool(world)], {
    actions: [
      { id: "found", tool: "discover_tools", args: { query: "wait" } },
      { tool: "get_tool_schema", args: { tool_name: { $ref: "found#/tools/0/name" } } },
      { tool: "get_tool_schema", args: { tool_name: "wayt" } },
    ],
  });

  expect(results[0]!.data).toMatchObject({ tools: [{ name: "wait" }], total: 1 });
  expect(results[1]!.data).toMatchObject({ name: "wait", required: ["n"] });
  expect(results[2]!.error).toMatchObject({ code: "UNKNOWN_TOOL", hint: expect.stringContaining("'wait'") });
  expect(world.gate.requests).toHaveLength(1);
});

test("an invoked tool draws from its own limit and goes to the background where it is declared to", async () => {
  const world = new TestWorld();
  const limited = waitTool(world, "limited", { rate_limit: { limit: 1, window_s: 60, scope: "tenant" } });
  const invoke = (tool_name: string, parameters: object) => ({
    tool: "invoke_tool",
    args: { tool_name, parameters },
  });
  const { results } = await world.run([limited, mail], {
    actions: [invoke("limited", { n: 1 }), invoke("mail", { to: "a@example.com" })],
  });

  expect(world.gate.requests[0]!.draws).toEqual([
    { index: 0, limit: { bucket: "tool:limited", limit: 1, windowS: 60 } },
  ]);
  expect(results.map(({ tool, status }) => [tool, status])).toEqual([
    ["limited", "success"],
    ["mail", "initiated"],
  ]);
  await world.drain();
});

/** A read and a write that take any text, and a read that has data to refer to. */
const textTools = (["tell", "ask", "shops"] as const).map((name) =>
  contractOf(name, {
    isWrite: name === "tell",
    input: z.strictObject({ text: z.unknown().optional() }),
    run: async (args) => ({ ...(args as object), name: "Ann" }),
  }),
);
const SHOPS = { id: "shops", tool: "shops" };

test("a placeholder that stands for nothing is refused in a write, and only warned of in a read", async () => {
  const args = { text: "Hi {{shops.name}}" };
  const right = '{"$template":"Hi {{shops#/name}}"}';
  const { results } = await new TestWorld().run(textTools, {
    actions: [SHOPS, { tool: "tell", args }, { tool: "ask", args }, { tool: "tell", args: { text: "Hi" } }],
  });
  expect(results.map(({ status }) => status)).toEqual(["success", "error", "success", "success"]);
  expect(results[1]!.error).toMatchObject({
    code: "BAD_REFERENCE",
    hint: expect.stringContaining(right),
    issues: [{ path: "/args/text", expected: right }],
  });
  expect(results[2]).toMatchObject({
    data: { text: "Hi {{shops.name}}" },
    meta: { warnings: [expect.stringContaining(right)] },
  });
  expect(results[3]!.meta).not.toHaveProperty("warnings");
});

test("the right form that a hint gives for a placeholder works as it stands", async () => {
  for (const text of [
    "{{shops.name}}",
    "Hi $shops.name!",
    "<shops#/name>",
    "{{shops#/name",
    "{{ {{shops#/name}}",
    { $ref: "shops#/name", description: "x" },
    { $template: "Hi {{shops#/name}}", description: "x" },
    { $template: "{{shops#/name}} {{" },
  ]) {
    const bad = await new TestWorld().run(textTools, { actions: [SHOPS, { tool: "tell", args: { text } }] });
    const right = JSON.parse(bad.results[1]!.error!.issues![0]!.expected) as unknown;
    const good = await new TestWorld().run(textTools, {
      actions: [SHOPS, { tool: "tell", args: { text: right } }],
    });
    expect(good.results[1]).toMatchObject({
      status: "success",
      data: { text: expect.stringMatching(/Ann/) },
    });
  }
});

test("the hint for a loop over too many elements gives the part of them that works", async () => {
  const many = contractOf("many", { run: async () => ({ items: Array.from({ length: 60 }, (_, n) => n) }) });
  const run = async (...loops: readonly string[]) => {
    const asks = loops.map(($ref) => ({
      tool: "ask",
      for_each: { $ref },
      args: { text: { $ref: "item#" } },
    }));
    const { results } = await new TestWorld().run([...textTools, many], {
      actions: [{ id: "s", tool: "many", args: { q: "x" } }, ...asks],
    });
    return results.slice(1);
  };
  const [refused, part] = await run("s#/items", "s#/items?from=10");
  expect(refused!.error!.hint).toContain('{"$ref":"s#/items?from=0&count=25"}');
  expect(part!.error!.hint).toContain('{"$ref":"s#/items?from=10&count=25"}');
  const parts = await run(
    "s#/items?from=0&count=25",
    "s#/items?from=25&count=25",
    "s#/items?from=50&count=25",
  );
  expect(
    parts.flatMap(({ data }) => (data as { data: { text: number } }[]).map((one) => one.data.text)),
  ).toEqual(Array.from({ length: 60 }, (_, n) => n));
});

test("a select that finds nothing says the similar keys, and on a write keeps the whole by a handle", async () => {
  const world = new TestWorld();
  const select = ["/nama"];
  const { results } = await world.run(textTools, {
    actions: [
      { tool: "tell", args: {}, select },
      { tool: "ask", args: {}, select },
      { tool: "tell", args: {}, select: ["/nama", "/name"] },
      { tool: "tell", args: { text: { $ref: "item#" } }, for_each: [1, 2], select },
    ],
  });
  const warnings = [
    `select found nothing: '/nama' is not there: the data is an object with the similar keys "name".`,
  ];
  expect(results[0]).toMatchObject({
    status: "success",
    data: {},
    meta: { select_missing: select, warnings },
  });
  expect(results[1]).toMatchObject({ data: {}, meta: { select_missing: select, warnings } });
  expect(results[1]!.meta).not.toHaveProperty("handle");
  expect(results[2]!.meta).not.toHaveProperty("handle");
  expect(results[2]!.meta).not.toHaveProperty("warnings");
  expect(results[3]!.meta).toMatchObject({ warnings, handle: expect.any(String) });
  const { handle } = results[0]!.meta as { handle: string };
  const later = await world.run(textTools, {
    actions: [{ tool: "ask", args: { text: { $ref: `${handle}#/name` } } }],
  });
  expect(later.results[0]!.data).toMatchObject({ text: "Ann" });
});

test("a hint for a placeholder gives no form that would be refused next, and says why", async () => {
  const count = contractOf("count", { isWrite: true, input: z.strictObject({ n: z.int() }) });
  const job = contractOf("job", { isWrite: true, execution: "fire-and-forget", input: z.looseObject({}) });
  const { results } = await new TestWorld().run([...textTools, count, job], {
    actions: [
      SHOPS,
      { id: "job", tool: "job" },
      { tool: "tell", args: { text: "{{job.id}}" } },
      { id: "early", tool: "tell", args: { text: "{{late.name}}" } },
      { id: "late", tool: "ask", args: { text: { $ref: "early#/text" } } },
      { tool: "count", args: { n: "n = $shops.n" } },
      { id: "one", tool: "tell", args: { text: "{{two.name}}" } },
      { id: "two", tool: "tell", args: { text: "{{one.name}}" } },
    ],
  });
  const expected = results.map(({ error }) => error?.issues?.[0]?.expected);
  expect(expected.slice(2)).toEqual([
    "no placeholder",
    "no placeholder",
    undefined,
    '{"$ref":"shops#/n"}',
    '{"$ref":"two#/name"}',
    "no placeholder",
  ]);
  expect(results[2]!.error!.hint).toContain("fire-and-forget");
  expect(results[3]!.error!.hint).toContain("waits for this one");
  expect(results[5]!.error!.hint).not.toContain("$literal");
});

test("a placeholder of a loop's element is one only inside a loop", async () => {
  const args = { text: "{{item.id}}" };
  const { results } = await new TestWorld().run(textTools, {
    actions: [
      { tool: "tell", args, for_each: [{ id: 1 }] },
      { tool: "ask", args, for_each: [{ id: 1 }] },
      { tool: "tell", args },
      { tool: "tell", args: { text: { $ref: "item#" } }, for_each: ["$a0.x"] },
    ],
  });
  expect(results.map(({ status }) => status)).toEqual(["error", "success", "success", "error"]);
  expect(results[0]!.error!.hint).toContain('{"$ref":"item#/id"}');
  expect(results[1]!.meta).toMatchObject({ warnings: [expect.stringContaining('{"$ref":"item#/id"}')] });
  expect(results[3]!.error!.issues).toMatchObject([{ path: "/for_each/0" }]);
});

test("dry_run shows placeholders that would be refused, and those that would be warned of", async () => {
  const args = { text: "$shops.name" };
  const answer = await new TestWorld().execute(textTools, {
    dry_run: true,
    actions: [SHOPS, { id: "w", tool: "tell", args }, { id: "r", tool: "ask", args }],
  });
  expect(answer.ok && JSON.parse(answer.value.json)).toMatchObject({
    plan: { waves: [["shops", "r"]] },
    errors: [{ id: "w", error: { code: "BAD_REFERENCE" } }],
    warnings: [
      { index: 2, id: "r", tool: "ask", warnings: [expect.stringContaining('{"$ref":"shops#/name"}')] },
    ],
  });
});

test("a literal keeps what only looks like a placeholder", async () => {
  const { results } = await new TestWorld().run(textTools, {
    actions: [SHOPS, { tool: "tell", args: { text: { $literal: "{{shops.name}}" } } }],
  });
  expect(results[1]).toMatchObject({ status: "success", data: { text: "{{shops.name}}" } });
});

test("a result says from where the fields of its action were read, whatever became of it", async () => {
  const { results } = await new TestWorld().run(textTools, {
    actions: [
      { name: "ask", arguments: '{"text": "hi"}' },
      { function: "nobody", input: {} },
      { tool: "ask", parameters: { txt: 1 } },
      { tool: "ask", args: {} },
    ],
  });
  expect(results.map(({ status, meta }) => [status, (meta as { read_as?: unknown }).read_as])).toEqual([
    ["success", { tool: "name", args: "arguments" }],
    ["error", { tool: "function", args: "input" }],
    ["error", { args: "parameters" }],
    ["success", undefined],
  ]);
});
