import { beforeEach, describe, expect, test } from "vitest";

import { expectClean } from "../support/expect-clean.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { type RawAnswer, TestCaller } from "../support/test-caller.ts";

interface ToolResult {
  readonly toolId: string;
  readonly toolName: string;
  readonly success: boolean;
  readonly output?: unknown;
  readonly error?: string;
  readonly durationMs: number;
}

interface Stats {
  readonly totalTools: number;
  readonly parallelBatches: number;
  readonly serialBatches: number;
  readonly maxParallelism: number;
}

interface BatchAnswer {
  readonly result: {
    readonly success: boolean;
    readonly results: readonly ToolResult[];
    readonly stats: Stats & { readonly totalDurationMs: number };
  };
  readonly partition: Stats & { readonly batches: number; readonly estimatedSpeedup: string };
}

interface PartitionAnswer {
  readonly batches: readonly { readonly parallel: boolean; readonly tools: readonly object[] }[];
  readonly stats: object;
}

const BATCH = "/api/orchestration/batch";
const PARTITION = "/api/orchestration/partition";

/** How long the workspace tools take here, at least. */
const WORK_MS = 60;

const { upstream, volley, caller } = await setUpSandbox();
/** The requests that the upstream saw of the workspace tools: `+name label` when a call came, `-name label` when it was answered. */
let seen: string[] = [];

for (const name of ["read", "grep", "write", "bash"]) {
  upstream.script(`/tool/${name}`, (_, response, __, { body }) => {
    const input = JSON.parse(body) as Record<string, unknown>;
    const call = `${name} ${String(input["path"] ?? input["command"] ?? "")}`;
    seen.push(`+${call}`);
    setTimeout(() => {
      seen.push(`-${call}`);
      const status = Number(input["status"] ?? 200);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ input }));
    }, WORK_MS);
  });
}

beforeEach(() => {
  seen = [];
});

const send = (path: string, body: unknown): Promise<RawAnswer> =>
  caller.send({ path, body: JSON.stringify(body) });

async function run(tools: readonly unknown[]): Promise<BatchAnswer> {
  const answer = await send(BATCH, { tools });
  expectClean(answer);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as BatchAnswer;
}

async function preview(tools: readonly unknown[]): Promise<PartitionAnswer> {
  const answer = await send(PARTITION, { tools });
  expectClean(answer);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as PartitionAnswer;
}

/** A call of a workspace tool; `label` is its path, or its command. */
const call = (id: string, toolName: string, label: string, more: object = {}): object => ({
  id,
  toolName,
  input: { [toolName === "bash" ? "command" : "path"]: label, ...more },
});

/** The calls of the record that were under way beside another one. */
function overlapping(): Set<string> {
  const active = new Set<string>();
  const found = new Set<string>();
  for (const event of seen) {
    const name = event.slice(1);
    if (event.startsWith("-")) active.delete(name);
    else active.add(name);
    if (active.size > 1) for (const other of active) found.add(other);
  }
  return found;
}

const EXAMPLE = [
  { id: "t1", toolName: "read", input: { path: "/src/index.ts" } },
  { id: "t2", toolName: "grep", input: { pattern: "TODO" } },
  { id: "t3", toolName: "write", input: { path: "/src/config.ts", content: "..." } },
  { id: "t4", toolName: "read", input: { path: "/src/utils.ts" } },
];

describe("POST /api/orchestration/batch", () => {
  test("answers the reference document's example in its words", async () => {
    upstream.gather(({ body }) => /index\.ts|TODO/.test(body), 2);
    const { result, partition } = await run(EXAMPLE);

    expect(result).toEqual({
      success: true,
      results: EXAMPLE.map(({ id, toolName, input }) => ({
        toolId: id,
        toolName,
        success: true,
        output: { input },
        durationMs: expect.any(Number),
      })),
      stats: {
        totalTools: 4,
        parallelBatches: 2,
        serialBatches: 1,
        maxParallelism: 2,
        totalDurationMs: expect.any(Number),
      },
    });
    expect(partition).toEqual({
      batches: 3,
      totalTools: 4,
      parallelBatches: 2,
      serialBatches: 1,
      maxParallelism: 2,
      estimatedSpeedup: "133%",
    });
    for (const { durationMs } of result.results) expect(durationMs).toBeGreaterThanOrEqual(WORK_MS - 5);
    // Three batches one after the other, which is less than four calls.
    expect(result.stats.totalDurationMs).toBeGreaterThanOrEqual(3 * (WORK_MS - 5));
    expect(seen).toEqual([
      ...seen.slice(0, 4),
      "+write /src/config.ts",
      "-write /src/config.ts",
      "+read /src/utils.ts",
      "-read /src/utils.ts",
    ]);
    expect(overlapping()).toEqual(new Set(["read /src/index.ts", "grep "]));
  });

  test("lets bash(\"cat file\") join the reads, and bash('git push') wait for everything", async () => {
    upstream.gather(({ path }) => path.startsWith("/tool/"), 3);
    const { result, partition } = await run([
      call("1", "read", "a"),
      call("2", "grep", "b"),
      call("3", "bash", "cat file"),
      call("4", "write", "c"),
      call("5", "read", "d"),
      call("6", "bash", "git push"),
    ]);

    expect(result.success).toBe(true);
    expect(partition).toMatchObject({ batches: 4, maxParallelism: 3, estimatedSpeedup: "150%" });
    expect(seen.slice(0, 3).sort()).toEqual(["+bash cat file", "+grep b", "+read a"]);
    expect(seen.slice(6)).toEqual([
      "+write c",
      "-write c",
      "+read d",
      "-read d",
      "+bash git push",
      "-bash git push",
    ]);
  });

  test("never runs a write beside anything, however they are mixed", async () => {
    const names = ["write", "read", "read", "write", "write", "read", "grep", "bash", "read", "write"];
    upstream.gather(({ body }) => /rm [12]"/.test(body), 2);
    upstream.gather(({ body }) => /rm [56]"/.test(body), 2);
    const { result } = await run(names.map((name, index) => call(`t${index}`, name, `rm ${index}`)));

    expect(result.results.map(({ toolId }) => toolId)).toEqual(names.map((_, index) => `t${index}`));
    const beside = overlapping();
    expect([...beside].filter((name) => /^(?:write|bash)/.test(name))).toEqual([]);
    expect(beside).toEqual(new Set(["read rm 1", "read rm 2", "read rm 5", "grep rm 6"]));
    // Every batch is over before the next one begins, in the order asked.
    const order = seen.filter((event) => event.startsWith("+")).map((event) => Number(event.split(" ")[2]));
    const batches = [[0], [1, 2], [3], [4], [5, 6], [7], [8], [9]];
    let at = 0;
    for (const batch of batches) {
      expect(order.slice(at, at + batch.length).sort((a, b) => a - b)).toEqual(batch);
      at += batch.length;
    }
  });

  test("stops everything after a write that fails; what was read before stays", async () => {
    const { result, partition } = await run([
      call("before", "read", "a"),
      call("fails", "write", "b", { status: 500 }),
      call("read-after", "read", "c"),
      call("write-after", "write", "d"),
      call("last", "grep", "e"),
    ]);

    expect(result.success).toBe(false);
    expect(result.results.map(({ toolId, success }) => [toolId, success])).toEqual([
      ["before", true],
      ["fails", false],
      ["read-after", false],
      ["write-after", false],
      ["last", false],
    ]);
    expect(result.results[0]!.output).toEqual({ input: { path: "a" } });
    expect(result.results[1]!.error).toMatch(/^UPSTREAM_ERROR: /);
    for (const skipped of result.results.slice(2)) {
      expect(skipped.error).toBe("Not executed: 'write' ('fails') failed before it.");
      expect(skipped.durationMs).toBe(0);
      expect(skipped).not.toHaveProperty("output");
    }
    expect(seen).toEqual(["+read a", "-read a", "+write b", "-write b"]);
    // The plan's counts stay as planned, whatever came of it.
    expect(partition).toMatchObject({ batches: 5, parallelBatches: 3, serialBatches: 2 });
  });

  test("stops no other action for a read that fails", async () => {
    const { result } = await run([
      call("bad", "read", "a", { status: 404 }),
      call("good", "grep", "b"),
      call("write", "write", "c"),
      call("after", "read", "d"),
    ]);

    expect(result.success).toBe(false);
    expect(result.results.map(({ success }) => success)).toEqual([false, true, true, true]);
    expect(result.results[0]!.error).toMatch(/^NOT_FOUND: /);
  });

  test("runs calls that share an id, each for itself", async () => {
    upstream.gather("/tool/read", 2);
    const { result } = await run([call("same", "read", "a"), call("same", "read", "b")]);

    expect(result.results.map(({ toolId, output }) => [toolId, output])).toEqual([
      ["same", { input: { path: "a" } }],
      ["same", { input: { path: "b" } }],
    ]);
    expect(overlapping().size).toBe(2);
  });

  test("knows no references: what looks like one is data", async () => {
    const input = {
      path: { $ref: "t1#/input/path" },
      text: { $template: "{{t1#}}" },
      kept: { $literal: 1 },
    };
    upstream.gather("/tool/read", 2);
    const { result } = await run([call("t1", "read", "a"), { id: "t2", toolName: "read", input }]);

    expect(result.success).toBe(true);
    expect(result.results[1]!.output).toEqual({ input });
    expect(overlapping().size).toBe(2);
  });

  test("gives malformed calls a result of their own, and runs what came before", async () => {
    const malformed = [{}, null, 7, { id: "x" }, { id: 1, toolName: "read", input: {} }];
    const { result } = await run([call("t1", "read", "a"), ...malformed, call("t2", "read", "b")]);

    expect(result.results).toHaveLength(7);
    expect(result.results[0]!.success).toBe(true);
    for (const { success, error, toolId, toolName } of result.results.slice(1)) {
      expect({ success, error, toolId, toolName }).toEqual({
        success: false,
        error: expect.any(String),
        toolId: expect.any(String),
        toolName: expect.any(String),
      });
    }
    expect(result.results[1]!.error).toMatch(/^INVALID_ACTION: .*'id' of a tool call must be a string/);
    // The meaning of a malformed call is not known, so it counts as a write that failed.
    expect(seen).toEqual(["+read a", "-read a"]);
  });

  test("counts an unknown tool as a write that failed", async () => {
    const { result, partition } = await run([
      call("t1", "read", "a"),
      call("t2", "frobnicate", "b"),
      call("t3", "read", "c"),
    ]);

    expect(result.results.map(({ success }) => success)).toEqual([true, false, false]);
    expect(result.results[1]!.error).toMatch(/^UNKNOWN_TOOL: /);
    expect(partition).toMatchObject({ batches: 3, parallelBatches: 2, serialBatches: 1 });
  });

  test("counts a tool that is read-only by name and not here as a read that failed", async () => {
    const { result } = await run([call("t1", "file_read", "a"), call("t2", "read", "b")]);

    expect(result.results.map(({ success }) => success)).toEqual([false, true]);
    expect(result.results[0]!.error).toMatch(/^UNKNOWN_TOOL: /);
  });

  test("classes the catalogue's other tools by their contracts", async () => {
    const echo = (n: number): object => ({ id: `e${n}`, toolName: "probe-echo", input: { n } });
    const write = { id: "w", toolName: "probe-write", input: { n: 1 } };
    const { result, partition } = await run([echo(1), echo(2), write, echo(3)]);

    expect(result.success).toBe(true);
    expect(partition).toMatchObject({ batches: 3, maxParallelism: 2 });
  });

  test("says of work that goes on in the background that it is recorded", async () => {
    const { result } = await run([{ id: "j", toolName: "probe-background", input: { n: 1 } }]);

    expect(result.results[0]).toMatchObject({
      success: true,
      output: { status: "initiated", job_id: expect.any(String) },
    });
  });

  test("takes 20 calls", async () => {
    const { result } = await run(Array.from({ length: 20 }, (_, n) => call(`t${n}`, "read", `${n}`)));

    expect(result.results.map(({ toolId }) => toolId)).toEqual(Array.from({ length: 20 }, (_, n) => `t${n}`));
    expect(result.stats).toMatchObject({ totalTools: 20, maxParallelism: 20, parallelBatches: 1 });
  });

  test("takes a userId, and anything else beside the calls, without looking at it", async () => {
    const answer = await send(BATCH, { tools: EXAMPLE.slice(0, 1), userId: "u-1", other: [] });
    expect(answer.status).toBe(200);
  });
});

describe("POST /api/orchestration/partition", () => {
  test("previews the reference document's example, and runs nothing", async () => {
    const tools = [
      { id: "t1", toolName: "read", input: { path: "/src/a.ts" } },
      { id: "t2", toolName: "read", input: { path: "/src/b.ts" } },
      { id: "t3", toolName: "write", input: { path: "/src/c.ts" } },
      { id: "t4", toolName: "grep", input: { pattern: "error" } },
    ];
    expect(await preview(tools)).toEqual({
      batches: [
        {
          parallel: true,
          tools: [
            { call: tools[0], class: "readonly", reason: "read is read-only" },
            { call: tools[1], class: "readonly", reason: "read is read-only" },
          ],
        },
        { parallel: false, tools: [{ call: tools[2], class: "mutating", reason: "write is mutating" }] },
        { parallel: true, tools: [{ call: tools[3], class: "readonly", reason: "grep is read-only" }] },
      ],
      stats: {
        totalTools: 4,
        parallelBatches: 2,
        serialBatches: 1,
        maxParallelism: 2,
        estimatedSpeedup: "133%",
      },
    });
    expect(seen).toEqual([]);
  });

  test("has no batches for no calls", async () => {
    expect(await preview([])).toEqual({
      batches: [],
      stats: {
        totalTools: 0,
        parallelBatches: 0,
        serialBatches: 0,
        maxParallelism: 1,
        estimatedSpeedup: "100%",
      },
    });
  });

  test("shows malformed calls as they were sent", async () => {
    const { batches } = await preview([null, { toolName: "read" }]);
    expect(batches.map(({ parallel, tools }) => [parallel, tools])).toEqual([
      [false, [{ call: null, class: "mutating", reason: "a tool call without a name is mutating" }]],
      [true, [{ call: { toolName: "read" }, class: "readonly", reason: "read is read-only" }]],
    ]);
  });

  test("says the same as the batch says of itself", async () => {
    const tools = [call("1", "bash", "ls | wc -l"), call("2", "bash", "ls > x"), call("3", "read", "a")];
    const { batches, stats } = await preview(tools);
    const { partition } = await run(tools);
    expect(partition).toEqual({ batches: batches.length, ...stats });
  });
});

describe("A refused request", () => {
  const required = { error: "tools array required" };

  test.each([
    ["a batch without tools", BATCH, {}, required],
    ["a batch of no array", BATCH, { tools: { id: "t1" } }, required],
    ["an empty batch", BATCH, { tools: [] }, required],
    ["a batch that is null", BATCH, null, required],
    ["a batch that is an array", BATCH, [EXAMPLE], required],
    [
      "a batch of 21",
      BATCH,
      { tools: Array.from({ length: 21 }, () => EXAMPLE[0]) },
      { error: "Maximum 20 tools per batch" },
    ],
    ["a preview without tools", PARTITION, {}, required],
    ["a preview of no array", PARTITION, { tools: "read" }, required],
  ])("%s, with 400 and the document's own text", async (_, path, body, error) => {
    const answer = await send(path, body);
    expectClean(answer);
    expect(answer.status).toBe(400);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(answer.text)).toEqual(error);
    expect(seen).toEqual([]);
  });

  test.each([BATCH, PARTITION])("%s: no key, or a wrong one", async (path) => {
    for (const authorization of [undefined, "Bearer wrong"]) {
      const answer = await caller.send({ path, body: JSON.stringify({}), headers: { authorization } });
      expectClean(answer);
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
      expect(JSON.parse(answer.text)).toEqual({ error: "Unauthorized" });
    }
  });

  test.each([BATCH, PARTITION])("%s: what is no JSON, no POST, or too large", async (path) => {
    const answers = [
      [400, await caller.send({ path, body: "{" })],
      [405, await caller.get(path)],
      [413, await caller.send({ path, body: JSON.stringify({ tools: ["x".repeat(300 * 1024)] }) })],
      [415, await caller.send({ path, body: "{}", headers: { "content-type": "text/plain" } })],
      [404, await caller.send({ path: `${path}/other`, body: "{}" })],
    ] as const;
    for (const [status, answer] of answers) {
      expectClean(answer);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toEqual({ error: expect.any(String) });
    }
  });

  test("what a key may not call is as unknown as what does not exist", async () => {
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const ask = async (toolName: string): Promise<string> => {
      const tools = [{ id: "t", toolName, input: { city: "Oslo" } }];
      const { text } = await small.send({ path: BATCH, body: JSON.stringify({ tools }) });
      return (JSON.parse(text) as BatchAnswer).result.results[0]!.error!.replaceAll(toolName, "X");
    };
    expect(await ask("get_weather")).toBe(await ask("get_wisdom"));
  });
});

describe("The quota", () => {
  test("is counted on every answer that ran or previewed something", async () => {
    for (const [path, policy] of [
      [BATCH, '"requests";q=100000;w=60'],
      [PARTITION, '"lists";q=500000;w=60'],
    ] as const) {
      const { headers } = await send(path, { tools: EXAMPLE.slice(0, 1) });
      expect(headers["ratelimit-policy"]).toBe(policy);
      expect(headers["ratelimit"]).toMatch(/^"(requests|lists)";r=\d+;t=\d+$/);
    }
    const refused = await send(BATCH, { tools: [] });
    expect(refused.headers).not.toHaveProperty("ratelimit");
  });

  test("turns away what is over it, in this API's words", async () => {
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const body = JSON.stringify({ tools: [call("t", "read", "a")] });
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 30 }, () => small.send({ path: BATCH, body })));

    const denied = answers.filter(({ status }) => status === 429);
    // Two of the 20 went to the test before; one comes back every three seconds, also while these are sent.
    const refilled = Math.floor((performance.now() - startedAt) / 3_000);
    expect(denied.length).toBeGreaterThanOrEqual(10 - refilled);
    expect(denied.length).toBeGreaterThan(0);
    expect(answers.length - denied.length).toBeGreaterThanOrEqual(18);
    for (const answer of denied) {
      expectClean(answer);
      expect(answer.headers["ratelimit-policy"]).toBe('"requests";q=20;w=60');
      expect(answer.headers["ratelimit"]).toMatch(/^"requests";r=0;t=\d+$/);
      expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
      expect(JSON.parse(answer.text)).toEqual({
        error: expect.stringContaining("20 requests every 60 s"),
      });
    }
  });
});

test("A failure of ours is 500 'Internal server error'", async () => {
  await using broken = await startRawSandbox({ vars: { VOLLEY_KEYS: "no JSON" } });
  for (const path of [BATCH, PARTITION]) {
    const answer = await new TestCaller(broken.url).send({ path, body: JSON.stringify({ tools: EXAMPLE }) });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toEqual({ error: "Internal server error" });
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  }
});
