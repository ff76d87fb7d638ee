import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { defineTool, type Tool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { type BatchRequest, runHere, VolleyError } from "../../../src/package/client.ts";
import { fromAiSdk } from "../../../src/package/from.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { createFakeUrl } from "./fake-url.ts";

type Run = (args: Record<string, unknown>, context: Parameters<Tool["run"]>[1]) => unknown;

/** A tool of this process that takes anything. */
function own(name: string, run: Run, more: Partial<ToolDeclaration> = {}): Tool {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    input: z.record(z.string(), z.unknown()),
    isWrite: false,
    ...more,
    run: async (args, context) => run(args as Record<string, unknown>, context),
  });
}

const echo = own("echo", (args) => args);

const HANDLE = "r-00000000-0000-4000-8000-000000000000";

/** Run a batch here, with whatever is not said of `url`. */
function runWith(tools: readonly Tool[], remote = createFakeUrl(), ports?: Parameters<typeof runHere>[1]) {
  return (actions: BatchRequest["actions"], more: Omit<BatchRequest, "actions"> = {}, options = {}) =>
    runHere({ ...remote, tools }, ports)({ actions, ...more }, options);
}

describe("a batch of tools here and at url", () => {
  test("is one graph that crosses twice: what is ready at one moment is one part, and results come in the order asked", async () => {
    const asked: unknown[] = [];
    const remote = createFakeUrl(({ id, args }) => ({ from: id, got: args.$literal }));
    const join = own("join", (args) => (asked.push(args), { both: Object.values(args).join("+") }));
    const run = runWith([echo, join], remote);
    const envelope = await run(
      [
        { id: "last", tool: "far-write", args: { text: { $template: "all: {{join#/both}}" } } },
        { id: "here", tool: "echo", args: { n: 1 } },
        { id: "far1", tool: "far-read", args: { n: { $ref: "here#/n" } } },
        { id: "far2", tool: "far-read", args: { fixed: true } },
        { id: "join", tool: "join", args: { a: { $ref: "far1#/from" }, b: { $ref: "far2#/from" } } },
        { id: "end", tool: "echo", args: { of: { $ref: "last#/got/text" } } },
      ],
      { tags: ["mine"], on_error: "fail-fast", subject: "ada" },
    );
    expect(remote.parts).toMatchObject([
      {
        tags: ["mine"],
        on_error: "fail-fast",
        subject: "ada",
        actions: [
          { id: "far2", tool: "far-read", args: { $literal: { fixed: true } } },
          { id: "far1", tool: "far-read", args: { $literal: { n: 1 } } },
        ],
      },
      { tags: ["mine"], actions: [{ id: "last", args: { $literal: { text: "all: far1+far2" } } }] },
    ]);
    expect(asked).toEqual([{ a: "far1", b: "far2" }]);
    expect(envelope.results.map(({ index, id, tool, status }) => [index, id, tool, status])).toEqual([
      [0, "last", "far-write", "success"],
      [1, "here", "echo", "success"],
      [2, "far1", "far-read", "success"],
      [3, "far2", "far-read", "success"],
      [4, "join", "join", "success"],
      [5, "end", "echo", "success"],
    ]);
    expect(envelope.results[5]).toMatchObject({ data: { of: "all: far1+far2" } });
    expect(envelope.summary).toMatchObject({ total: 6, ok: 6 });
    expect(envelope.parts).toEqual([
      { batch_id: "part-1", actions: ["far2", "far1"] },
      { batch_id: "part-2", actions: ["last"] },
    ]);
  });

  test("has loops over what the other side found, each element with its own arguments", async () => {
    const remote = createFakeUrl(({ for_each: each, args }) =>
      each === undefined
        ? { list: [{ n: 1 }, {}, { n: 3 }] }
        : each.map((one, index) => ({ index, status: "success", data: { args, one } })),
    );
    const { results } = await runWith(
      [echo],
      remote,
    )([
      { id: "far", tool: "far-list" },
      {
        id: "here",
        tool: "echo",
        for_each: { $ref: "far#/list" },
        args: { of: { $ref: "item#" } },
        select: ["/of/n"],
      },
      {
        id: "back",
        tool: "far-each",
        for_each: { $ref: "far#/list" },
        args: { n: { $ref: "item#/n" }, word: { $template: "{{far#/list/0/n}}!" } },
      },
    ]);
    expect(results[1]).toMatchObject({
      data: [
        { index: 0, status: "success", data: { of: { n: 1 } } },
        { index: 1, status: "success", data: {} },
        { index: 2, status: "success", data: { of: { n: 3 } } },
      ],
      meta: { items: { total: 3, ok: 3 }, select_missing: ["/of/n"] },
    });
    const [, loop] = remote.parts;
    expect(loop!.actions).toEqual([
      {
        id: "back",
        tool: "far-each",
        args: { $ref: "item#" },
        for_each: [{ $literal: { n: 1, word: "1!" } }, null, { $literal: { n: 3, word: "1!" } }],
      },
    ]);
    expect(results[2]).toMatchObject({
      data: [
        { status: "success" },
        { index: 1, status: "error", error: { code: "BAD_REFERENCE" } },
        { status: "success" },
      ],
    });
  });

  test("selects at url, and here where another action refers to the whole", async () => {
    const remote = createFakeUrl(({ select, for_each: each }) => {
      if (select !== undefined) return { a: "selected there" };
      return each === undefined
        ? { a: 1, b: 2 }
        : each.map((_, index) => ({ index, status: "success", data: { a: index, b: 2 } }));
    });
    const { results } = await runWith(
      [echo],
      remote,
    )([
      { id: "alone", tool: "far", select: ["/a"] },
      { id: "needed", tool: "far", args: { needed: true }, select: ["/a", "/none"] },
      { id: "loop", tool: "far", for_each: [1, 2], args: { n: { $ref: "item#" } }, select: ["/a", "/none"] },
      { id: "b", tool: "echo", args: { b: { $ref: "needed#/b" }, too: { $ref: "loop#/1/data/b" } } },
    ]);
    expect(remote.parts[0]!.actions.map(({ select }) => select)).toEqual([["/a"], undefined, undefined]);
    expect(results).toMatchObject([
      { data: { a: "selected there" } },
      { data: { a: 1 }, meta: { select_missing: ["/none"] } },
      { data: [{ data: { a: 0 } }, { data: { a: 1 } }], meta: { select_missing: ["/none"] } },
      { data: { b: 2, too: 2 } },
    ]);
    expect(results[1]).not.toHaveProperty("data.b");
  });

  test("keeps domains, caps and the time of a tool here", async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const slow =
      (name: string): Run =>
      async (_, { time }) => {
        log.push(`${name} begins`);
        await time.sleep(1_000);
        log.push(`${name} ends`);
        return {};
      };
    const tools = [
      own("save", slow("save"), { isWrite: true, domain: "store" }),
      own("load", slow("load"), { domain: "store", orchestration: { mode: "parallel-safe" } }),
      own("capped", slow("capped"), { orchestration: { mode: "fan-out-bounded", max_concurrency: 2 } }),
      own("endless", () => new Promise(() => {}), { timeoutMs: 2_500 }),
    ];
    const run = runWith(tools, createFakeUrl(), { clock, newId: () => "id" });
    const { results, stats } = await clock.runUntil(
      run([
        { tool: "save" },
        { tool: "load" },
        { tool: "endless" },
        ...[1, 2, 3].map((n) => ({ tool: "capped", args: { n } })),
      ]),
    );
    expect(log.filter((line) => !line.startsWith("capped"))).toEqual([
      "save begins",
      "save ends",
      "load begins",
      "load ends",
    ]);
    expect(results[2]).toMatchObject({ status: "error", error: { code: "TIMEOUT" } });
    expect(results.slice(3).map(({ meta }) => meta.queued_ms)).toEqual([0, 0, 1_000]);
    expect(stats).toMatchObject({ duration_ms: 2_500, max_parallelism: 4 });
  });

  test("carries digits and what only looks like a reference as they are", async () => {
    const bodies: string[] = [];
    const remote = {
      ...createFakeUrl(),
      async fetch(_: string, { body }: RequestInit) {
        bodies.push(body as string);
        const data = bodies.length === 1 ? '{"id":12345678901234567890,"text":{"$ref":"x#"}}' : "{}";
        const { actions } = JSON.parse(body as string) as { actions: { id: string }[] };
        return new Response(
          `{"batch_id":"b","results":[{"index":0,"id":"${actions[0]!.id}","tool":"far","status":"success","data":${data},"meta":{}}]}`,
        );
      },
    };
    await runWith(
      [],
      remote,
    )([
      { id: "x", tool: "far" },
      { id: "y", tool: "far", args: { id: { $ref: "x#/id" }, text: { $ref: "x#/text" } } },
    ]);
    expect(bodies[1]).toContain('"args":{"$literal":{"id":12345678901234567890,"text":{"$ref":"x#"}}}');
  });

  test("goes there in several parts where a body has no room for all of it", async () => {
    const remote = createFakeUrl();
    const text = "x".repeat(60_000);
    await runWith([], remote)([1, 2, 3, 4, 5].map((n) => ({ tool: "far", args: { n, text } })));
    expect(remote.parts.map(({ actions }) => actions.length)).toEqual([4, 1]);
  });

  test("takes the tools of another library", async () => {
    const tools = fromAiSdk(
      {
        forecast: {
          description: "The weather.",
          inputSchema: z.object({ city: z.string() }),
          execute: ({ city }: { city: string }) => ({ sky: `${city} is blue` }),
        },
      },
      { forecast: { isWrite: false } },
    );
    const { results } = await runWith(tools)([
      { tool: "forecast", args: { city: "Phoenix" } },
      { tool: "forecast", args: {} },
    ]);
    expect(results).toMatchObject([
      { data: { sky: "Phoenix is blue" } },
      { error: { code: "INVALID_ARGS", issues: [{ path: "/args/city" }] } },
    ]);
  });
});

describe("what fails", () => {
  const write = (run: Run): Tool => own("save", run, { isWrite: true });
  const LOST = new TypeError("fetch failed");
  const REFUSED = new TypeError("fetch failed", {
    cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
  });

  test("of a connection is sent again under the key of its part, and a write here is sent once", async () => {
    const sent: unknown[] = [];
    const remote = createFakeUrl(() => ({ got: true }), [null, LOST]);
    const { results } = await runWith(
      [write((args) => (sent.push(args), {}))],
      remote,
    )([
      { id: "a", tool: "far", args: { n: 1 } },
      { id: "w", tool: "save", args: { of: { $ref: "a#/got" } } },
      { id: "b", tool: "far", args: { n: 2 }, depends_on: ["w"] },
    ]);
    expect(results.map(({ status }) => status)).toEqual(["success", "success", "success"]);
    expect(sent).toEqual([{ of: true }]);
    expect(remote.parts.map(({ actions }) => actions.map(({ id }) => id))).toEqual([["a"], ["b"], ["b"]]);
    const [first, second, third] = remote.keys;
    expect([second === third, first === second]).toEqual([true, false]);
  });

  test("of a connection for good is unknown, and an error only where nothing arrived", async () => {
    const unknown = await runWith([], createFakeUrl(undefined, [LOST, REFUSED, REFUSED]))([{ tool: "far" }]);
    expect(unknown.results[0]).toMatchObject({
      status: "unknown",
      error: { retryable: false },
      meta: { in_doubt: true },
    });
    const keyed = await runWith([], createFakeUrl(undefined, [LOST, LOST, LOST]))(
      [{ tool: "far" }],
      {},
      { idempotencyKey: "k" },
    );
    expect(keyed.results[0]).toMatchObject({ status: "unknown", error: { retryable: true } });
    const unmade = await runWith(
      [],
      createFakeUrl(undefined, [REFUSED, REFUSED, REFUSED]),
    )([{ tool: "far" }]);
    expect(unmade.results[0]).toMatchObject({
      status: "error",
      error: { code: "UPSTREAM_ERROR", retryable: true },
    });
  });

  test.each([
    ["QUOTA_EXCEEDED", 429, "error", "RATE_LIMITED"],
    ["UNAUTHORIZED", 401, "error", "MISCONFIGURED"],
    ["IDEMPOTENCY_IN_PROGRESS", 409, "unknown", "UPSTREAM_ERROR"],
    ["UNAVAILABLE", 503, "unknown", "UPSTREAM_ERROR"],
  ])("of a part that is refused with %s is told in its place", async (code, refusal, status, said) => {
    const refused = (): Response =>
      Response.json({ code, detail: "Later.", retry_after_ms: 7 }, { status: refusal });
    const remote = createFakeUrl(undefined, [refused(), refused(), refused()]);
    const { results } = await runWith(
      [echo],
      remote,
    )([{ id: "x", tool: "far" }, { tool: "echo" }, { tool: "echo", args: { of: { $ref: "x#" } } }]);
    expect(results).toMatchObject([
      { status, error: { code: said } },
      { status: "success" },
      { status: "skipped", because: "x", error: { code: "DEPENDENCY_FAILED" } },
    ]);
    if (status === "error")
      expect(results[0]).toMatchObject({
        error: { hint: expect.stringContaining(code) as unknown, retry_after_ms: 7 },
      });
  });

  test.each([
    ["of the batch", {}, { idempotencyKey: "k" }],
    ["of its own", { idempotency_key: "mine" }, {}],
  ])("of a part that is refused under a key %s is unknown: it may have run before", async (_, own, given) => {
    const refused = createFakeUrl(undefined, [
      Response.json({ code: "QUOTA_EXCEEDED", detail: "Later.", retry_after_ms: 7 }, { status: 429 }),
    ]);
    const { results } = await runWith([], refused)([{ tool: "far", ...own }], {}, given);
    expect(results[0]).toMatchObject({
      status: "unknown",
      error: {
        code: "RATE_LIMITED",
        retry_after_ms: 7,
        hint: "The batch for 'url' was refused, and it may have run under its key before: QUOTA_EXCEEDED: Later.",
      },
    });
  });

  test.each([
    ["that leaves an action out", { batch_id: "b", results: [] }],
    ["of another form", { ok: true }],
    ["with results of another form", { batch_id: "b", results: [{ id: "a0" }] }],
  ])("of an answer %s is unknown", async (_, answer) => {
    const remote = createFakeUrl(undefined, [Response.json(answer)]);
    expect((await runWith([], remote)([{ tool: "far" }])).results[0]).toMatchObject({ status: "unknown" });
  });

  test("of a write here is unknown, unless it says that it did nothing", async () => {
    const told: unknown[] = [];
    const fault = new Error("in the middle");
    const options = { ...createFakeUrl(), log: (...said: unknown[]) => told.push(said) };
    const run = async (thrown: Error) =>
      (
        await runHere({ ...options, tools: [write(() => Promise.reject(thrown))] })({
          actions: [{ tool: "save" }],
        })
      ).results[0];
    expect(await run(fault)).toMatchObject({
      status: "unknown",
      error: { code: "TOOL_FAILED", retryable: false },
    });
    expect(told).toEqual([["error", fault]]);
    expect(await run(new ToolFailure("NOT_FOUND", { hint: "There is none." }))).toMatchObject({
      status: "error",
      error: { code: "NOT_FOUND" },
    });
  });

  test("under fail-fast stops what has not begun on either side", async () => {
    const more = { on_error: "fail-fast" } as const;
    const breaks = own("breaks", () => Promise.reject(new ToolFailure("NOT_FOUND")));
    const remote = createFakeUrl(() => ({
      status: "error",
      error: { code: "NOT_FOUND", message: "x", retryable: false },
    }));
    const there = await runWith([echo], remote)(
      [
        { id: "x", tool: "far" },
        { id: "y", tool: "echo", depends_on: ["z"] },
        { id: "z", tool: "far", args: { n: 1 }, depends_on: ["w"] },
        { id: "w", tool: "far", args: { n: 2 } },
      ],
      more,
    );
    expect(there.results.map(({ status }) => status)).toEqual(["error", "skipped", "skipped", "error"]);
    expect(remote.parts).toHaveLength(1);
    const none = createFakeUrl();
    const here = await runWith([breaks, echo], none)(
      [
        { id: "x", tool: "breaks" },
        { id: "f", tool: "far", depends_on: ["e"] },
        { id: "e", tool: "far", depends_on: ["x"] },
      ],
      more,
    );
    expect(here.results.map(({ status }) => status)).toEqual(["error", "skipped", "skipped"]);
    expect(none.parts).toHaveLength(0);
  });

  test("of time: a part has what is left, and its answer a moment more before it is unknown", async () => {
    const clock = new VirtualClock();
    const slow = own("slow", async (_, { time }) => (await time.sleep(4_000), {}));
    const bodies: { deadline_ms: number }[] = [];
    const remote = {
      ...createFakeUrl(),
      async fetch(_: string, { body }: RequestInit): Promise<Response> {
        bodies.push(JSON.parse(body as string) as { deadline_ms: number });
        return new Promise(() => {});
      },
    };
    const run = runWith([slow, own("endless", () => new Promise(() => {}), { timeoutMs: 60_000 })], remote, {
      clock,
      newId: () => "id",
    });
    const { results, stats } = await clock.runUntil(
      run([{ id: "s", tool: "slow" }, { tool: "far", depends_on: ["s"] }, { tool: "endless" }], {
        deadline_ms: 10_000,
      }),
    );
    expect(bodies).toMatchObject([{ deadline_ms: 6_000 }]);
    expect(results).toMatchObject([
      { status: "success" },
      { status: "unknown", error: { code: "DEADLINE_EXCEEDED" } },
      { status: "error", error: { code: "DEADLINE_EXCEEDED" } },
    ]);
    expect(stats.duration_ms).toBe(15_000);
  });
});

describe("a caller", () => {
  test("with a key repeats nothing at url: each action has a key of its own, and a tool here is told its", async () => {
    const told: string[] = [];
    const remote = createFakeUrl();
    const tool = own("tell", (_, { idempotencyKey }) => (told.push(idempotencyKey), {}));
    await runWith([tool], remote)(
      [
        { id: "a", tool: "far", timeout_ms: 500 },
        { id: "b", tool: "far", idempotency_key: "mine", args: { n: 1 } },
        { id: "c", tool: "tell", for_each: [1, 2] },
        { id: "d", tool: "tell", idempotency_key: "own", depends_on: ["c"] },
      ],
      {},
      { idempotencyKey: '"order-7"' },
    );
    expect(remote.parts[0]!.actions).toMatchObject([
      { id: "a", idempotency_key: "order-7:a", timeout_ms: 500 },
      { id: "b", idempotency_key: "mine" },
    ]);
    expect(told).toEqual(["order-7:c:0", "order-7:c:1", "own"]);
  });

  test("that goes away ends the request, and is told what was sent when a write here is over", async () => {
    const gone = new AbortController();
    const log: string[] = [];
    const begun = Promise.withResolvers<void>();
    const write = own(
      "save",
      async () => {
        await begun.promise;
        log.push("saved");
        return {};
      },
      { isWrite: true },
    );
    const remote = {
      ...createFakeUrl(),
      fetch: (_: string, { signal }: RequestInit) =>
        new Promise<Response>((_resolve, reject) => {
          signal!.addEventListener("abort", () => {
            log.push("request ended");
            begun.resolve();
            reject(signal!.reason as Error);
          });
          gone.abort(new Error("enough"));
        }),
    };
    const ran = runWith([write, echo], remote)(
      [{ tool: "save" }, { id: "f", tool: "far" }, { tool: "echo", depends_on: ["f"] }],
      {},
      { signal: gone.signal },
    );
    const { results } = await ran;
    expect(log).toEqual(["request ended", "saved"]);
    expect(results).toMatchObject([
      { status: "success" },
      { status: "unknown", error: { code: "UPSTREAM_ERROR" } },
      { status: "skipped", because: "f" },
    ]);
  });

  test("that goes away begins nothing more: no call that waits for another, for its cap or for its turn in a loop, and no part", async () => {
    const gone = new AbortController();
    const begun: unknown[] = [];
    const held = Promise.withResolvers<void>();
    const first: Run = async ({ name }) => {
      begun.push(name);
      gone.abort(new Error("enough"));
      await held.promise;
      return { name };
    };
    const capped = own("capped", first, {
      isWrite: true,
      domain: "capped",
      orchestration: { mode: "fan-out-bounded", max_concurrency: 1 },
    });
    const looped = own("looped", async ({ n }) => (begun.push(n), await held.promise, { n }), {
      isWrite: true,
    });
    const remote = createFakeUrl();
    const ran = runWith([capped, looped, echo], remote)(
      [
        { tool: "looped", for_each: [1, 2, 3], args: { n: { $ref: "item#" } } },
        { id: "a", tool: "capped", args: { name: "a" } },
        { id: "b", tool: "capped", args: { name: "b" } },
        { tool: "echo", args: { of: { $ref: "a#/name" } } },
        { id: "far", tool: "far", depends_on: ["a"] },
        { tool: "far" },
      ],
      {},
      { signal: gone.signal },
    );
    held.resolve();
    const { results, parts } = await ran;
    expect(begun).toEqual([1, "a"]);
    expect(remote.parts).toEqual([]);
    expect(parts).toEqual([]);
    expect(results.map(({ status }) => status)).toEqual([
      "error",
      "success",
      "error",
      "error",
      "error",
      "error",
    ]);
    expect(results[0]).toMatchObject({
      data: [
        { status: "success", data: { n: 1 } },
        { status: "error", error: { code: "CANCELLED" } },
        { status: "error", error: { code: "CANCELLED" } },
      ],
    });
    for (const { meta } of results.slice(2)) expect(meta).not.toHaveProperty("in_doubt");
  });

  test("that is gone before gets its reason, and nothing begins", async () => {
    const begun: unknown[] = [];
    const remote = createFakeUrl();
    const tool = own("tell", (args) => (begun.push(args), {}));
    const signal = AbortSignal.abort(new Error("gone before"));
    await expect(
      runWith([tool], remote)([{ tool: "tell" }, { tool: "far" }], {}, { signal }),
    ).rejects.toThrow("gone before");
    expect([begun, remote.parts]).toEqual([[], []]);
  });

  test("refers by a handle to a result of url: only that action fails, and says why", async () => {
    const remote = createFakeUrl();
    const { results } = await runWith(
      [echo],
      remote,
    )([
      { tool: "echo", args: { of: { $ref: `${HANDLE}#/id` } } },
      { tool: "far", args: { of: { $ref: `${HANDLE}#/id` } } },
      { tool: "echo", args: { n: 1 } },
    ]);
    const refused = {
      status: "error",
      error: { code: "BAD_REFERENCE", hint: expect.stringContaining("only 'url' keeps these") as unknown },
    };
    expect(results).toMatchObject([refused, refused, { status: "success" }]);
    expect(remote.parts).toEqual([]);
  });

  test("names fields of an action as the contract does: another name is refused in its place", async () => {
    const sent = [{ name: "echo", arguments: {} }, { tool: "echo" }] as unknown as BatchRequest["actions"];
    const { results } = await runWith([echo])(sent);
    expect(results).toMatchObject([
      { status: "error", error: { code: "INVALID_ACTION" } },
      { status: "success" },
    ]);
  });

  test("writes what looks like a reference into a write: it is refused before anything is sent", async () => {
    const remote = createFakeUrl();
    const { results } = await runWith(
      [echo],
      remote,
    )([
      { id: "a", tool: "echo", args: { n: 1 } },
      { tool: "far", args: { text: "It is {{a#/n}}" } },
    ]);
    expect(results[1]).toMatchObject({
      status: "error",
      error: { code: "BAD_REFERENCE", hint: expect.stringContaining("$template") as unknown },
    });
    expect(remote.parts).toEqual([]);
  });

  test("has tools that share what they keep for the length of one batch", async () => {
    const seen = new Set<object>();
    const tool = own("share", (_, { request }) => (seen.add(request), {}));
    const run = runWith([tool]);
    await run([1, 2].map((n) => ({ tool: "share", args: { n } })));
    expect(seen.size).toBe(1);
    await run([{ tool: "share" }]);
    expect(seen.size).toBe(2);
  });

  test("is told of what waits for a person at url, and what needs it is skipped", async () => {
    const confirmation = {
      id: "c-1",
      expires_at: "2026-01-02T00:00:00.000Z",
      message: "Delete it?",
      url: "https://v/c-1",
    };
    const remote = createFakeUrl(() => ({ status: "pending_confirmation", confirmation }));
    const { results, summary } = await runWith(
      [echo],
      remote,
    )([
      { id: "x", tool: "far" },
      { tool: "echo", depends_on: ["x"] },
    ]);
    expect(results).toMatchObject([
      { status: "pending_confirmation", confirmation },
      { status: "skipped", because: "x" },
    ]);
    expect(summary).toMatchObject({ pending_confirmation: 1, skipped: 1 });
  });

  test("refers to what a write at url goes on with in the background: it is told that there is no data, and not to write again", async () => {
    const remote = createFakeUrl(() => ({ status: "initiated", job_id: "j-1" }));
    const { results } = await runWith(
      [echo],
      remote,
    )([
      { id: "c", tool: "far" },
      { tool: "echo", args: { of: { $ref: "c#/job_id" } } },
      { tool: "far", for_each: { $ref: "c#" }, args: { n: { $ref: "item#" } } },
      { tool: "echo", args: { n: 1 }, depends_on: ["c"] },
    ]);
    const failed = {
      status: "error",
      error: {
        code: "BAD_REFERENCE",
        hint: expect.stringMatching(/^'c' has no data here: it goes on in the background/),
      },
    };
    expect(results).toMatchObject([{ status: "initiated" }, failed, failed, { status: "success" }]);
    expect(remote.parts).toHaveLength(1);
  });

  test.each([
    [{ background: true }, "'background'"],
    [{ on_error: "undo" }, "'on_error'"],
    [{ dry_run: true }, "'dry_run'"],
    [{ max_tokens: 100 }, "'max_tokens'"],
    [{ actions: [] }, "/actions"],
    [
      {
        actions: [
          { id: "a", tool: "x", depends_on: ["b"] },
          { id: "b", tool: "x", depends_on: ["a"] },
        ],
      },
      "wait for each other",
    ],
  ])("is refused %j with a sentence, before anything runs", async (more, said) => {
    const remote = createFakeUrl();
    const ran: unknown[] = [];
    const run = runHere({ ...remote, tools: [own("x", () => ran.push(1))] });
    const error: unknown = await run({
      actions: [{ tool: "x" }, { tool: "far" }],
      ...more,
    } as BatchRequest).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(VolleyError);
    expect(error).toMatchObject({
      code: "INVALID_BATCH",
      arrived: false,
      hint: expect.stringContaining(said) as unknown,
    });
    expect([ran, remote.parts]).toEqual([[], []]);
  });

  test("is refused a key without room for the ids", async () => {
    const run = runWith([]);
    await expect(run([{ tool: "far" }], {}, { idempotencyKey: "k".repeat(200) })).rejects.toThrow(
      "185 characters",
    );
    await expect(run([{ tool: "far" }], {}, { idempotencyKey: "\n" })).rejects.toThrow("printable");
  });

  test("is refused a tool here that asks a person, in its place", async () => {
    const ran: unknown[] = [];
    const remove = own("remove", () => ran.push(1), { isWrite: true, actions: ["delete"] });
    const { results } = await runWith([remove, echo])(
      [{ id: "r", tool: "remove" }, { tool: "echo" }, { tool: "echo", args: { n: 1 }, depends_on: ["r"] }],
      { skip_approval: true },
    );
    expect(results).toMatchObject([
      {
        status: "error",
        error: { code: "MISCONFIGURED", hint: expect.stringContaining("approval") as unknown },
      },
      { status: "success" },
      { status: "skipped", because: "r" },
    ]);
    expect(ran).toEqual([]);
  });
});

test.each([
  [{ hosts: ["api.example.com"] }, "hosts"],
  [{ secrets: ["TOKEN"], hosts: ["api.example.com"] }, "hosts, secrets"],
  [{ isWrite: true, execution: "fire-and-forget", orchestration: { mode: "sequential-only" } }, "jobs"],
] as const)("A tool with %j is refused where the program starts", (more, said) => {
  expect(() => runWith([own("x", () => ({}), more)])([])).toThrow(`it declares ${said}`);
});

test("Two tools of one name are refused where the program starts", () => {
  expect(() => runHere({ ...createFakeUrl(), tools: [echo, echo] })).toThrow("two tools are named 'echo'");
});
