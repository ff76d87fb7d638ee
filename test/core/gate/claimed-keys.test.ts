import { createHash } from "node:crypto";

import * as z from "zod";
import { describe, expect, test } from "vitest";

import { deriveId } from "../../../src/core/kit/derive-id.ts";
import type { Tool, ToolContext } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { KeyedWorld } from "../../support/keyed-world.ts";
import { trial } from "../../support/trial.ts";

/** One tool of every kind that makes a difference to a run whose end was not heard. */
function createWorld() {
  const world = new KeyedWorld();
  const waits = (ms: number) => async () => {
    await world.clock.sleep(ms);
    return { done: true };
  };
  const write = { isWrite: true, actions: ["update"], run: waits(100) };
  const tools = [
    world.tool("read", { run: waits(100) }),
    world.tool("write", { ...write, domain: "a" }),
    world.tool("idempotent", { ...write, idempotent: true, domain: "b" }),
    world.tool("with-key", { ...write, idempotent: "with-key", domain: "c" }),
    world.tool("mail", { ...write, execution: "fire-and-forget" }),
    world.tool("once", { ...write, execution: "fire-and-forget", delivery: "at-most-once" }),
    world.tool("broken", { run: () => Promise.reject(new ToolFailure("NOT_FOUND")) }),
    world.tool("flaky", { run: () => Promise.reject(new ToolFailure("UPSTREAM_ERROR")) }),
  ];
  return { world, tools };
}

const action = (tool: string, more: object = {}) => ({ id: tool, tool, ...more });
const statuses = ({ results }: { results: readonly { id: string; status: string }[] }) =>
  Object.fromEntries(results.map(({ id, status }) => [id, status]));

describe("P4: a batch that takes over from one that died", () => {
  test("runs again what may be repeated under the same upstream keys, and calls the rest unknown", async () => {
    const { world, tools } = createWorld();
    const body = { actions: ["read", "write", "idempotent", "with-key"].map((tool) => action(tool)) };
    await world.lose(tools, body, { key: "k", ms: 50 });
    const again = await world.send(tools, body, "k");

    expect(statuses(again)).toEqual({
      read: "success",
      write: "unknown",
      idempotent: "success",
      "with-key": "success",
    });
    expect(again.results[1]!.error).toMatchObject({
      retryable: false,
      hint: expect.stringContaining("look before you send it again"),
    });
    const seed = world.seedOf("batch:k");
    expect(world.calls).toEqual(
      ["read", "idempotent", "with-key"].map((tool) => ({ tool, key: `${seed}:${tool}` })),
    );
  });

  test("knows the elements of a loop by their arguments, though the list that it goes over is shorter by now", async () => {
    const world = new KeyedWorld();
    const open = ["a", "b", "b", "c"];
    const keys = new Map<string, string>();
    let isBack = false;
    const tools = [
      world.tool("list", { run: () => Promise.resolve([...open]) }),
      world.tool("send", {
        isWrite: true,
        actions: ["update"],
        idempotent: "with-key",
        run: async (args: unknown, { idempotencyKey }: ToolContext) => {
          // The first life of the batch sends one and dies.
          if (keys.size === 1 && !isBack) return new Promise(() => {});
          const { item } = args as { readonly item: string };
          // As an upstream that honours keys.
          if (!keys.has(idempotencyKey)) open.splice(open.indexOf(item), 1);
          keys.set(idempotencyKey, item);
          return { item };
        },
      }),
    ];
    const body = {
      actions: [
        action("list"),
        action("send", { for_each: { $ref: "list#" }, args: { item: { $ref: "item#" } } }),
      ],
    };
    await world.lose(tools, body, { key: "k", ms: 150 });
    expect(open).toEqual(["b", "b", "c"]);
    isBack = true;
    await world.send(tools, body, "k");
    expect(open).toEqual([]);
    expect([...keys.values()].sort()).toEqual(["a", "b", "b", "c"]);
  });

  test("says of a write that is refused the second time that the first may have happened", async () => {
    const world = new KeyedWorld();
    let answer: Promise<unknown> = new Promise(() => {});
    const write = { isWrite: true, actions: ["update"], idempotent: "with-key" } as const;
    const tools = [world.tool("write", { ...write, run: () => answer })];
    const body = { actions: [action("write")] };
    await world.lose(tools, body, { key: "k", ms: 50 });
    answer = Promise.reject(new ToolFailure("NOT_FOUND"));
    const { results } = await world.send(tools, body, "k");
    expect(results[0]).toMatchObject({
      status: "error",
      error: { code: "NOT_FOUND" },
      meta: { in_doubt: true },
    });
  });

  test("finds the jobs of the first by their ids, and makes none of their attempts", async () => {
    const { world, tools } = createWorld();
    const body = {
      actions: [
        action("mail"),
        action("once"),
        action("read"),
        action("late", { tool: "mail", depends_on: ["read"] }),
      ],
    };
    await world.lose(tools, body, { key: "k", ms: 50 });
    const recorded = [...world.gate.recordedIds];
    const again = await world.send(tools, body, "k");
    await world.drain();

    expect(again.results.map(({ job_id }) => job_id)).toEqual([
      ...recorded.slice(0, 2),
      undefined,
      expect.any(String),
    ]);
    // `late` was not recorded before, so its attempt is this run's to make.
    expect(world.calls.map(({ tool }) => tool)).toEqual(["read", "mail"]);
  });

  test("never says of a write that it was skipped: the first run may have got there", async () => {
    const { world, tools } = createWorld();
    let fails = false;
    tools.push(
      world.tool("source", {
        run: () => (fails ? Promise.reject(new ToolFailure("UPSTREAM_ERROR")) : Promise.resolve({})),
      }),
    );
    const body = {
      actions: [
        action("source"),
        action("idempotent", { depends_on: ["source"] }),
        action("mail", { depends_on: ["source"] }),
        action("read", { depends_on: ["source"] }),
      ],
    };
    await world.lose(tools, body, { key: "k", ms: 50 });
    fails = true;
    const again = await world.send(tools, body, "k");
    expect(statuses(again)).toEqual({
      source: "error",
      idempotent: "unknown",
      mail: "unknown",
      read: "skipped",
    });
    expect(again.results[2]!.error?.hint).toContain("GET /v1/jobs");
  });

  test("under fail-fast starts nothing beside a write in doubt", async () => {
    const { world, tools } = createWorld();
    const body = { actions: [action("write"), action("idempotent"), action("read")], on_error: "fail-fast" };
    await world.lose(tools, body, { key: "k", ms: 50 });
    const again = await world.send(tools, body, "k");
    expect(statuses(again)).toEqual({ write: "unknown", idempotent: "unknown", read: "skipped" });
    expect(world.calls).toEqual([]);
  });

  test("keeps its answer for a third caller", async () => {
    const { world, tools } = createWorld();
    const body = { actions: [action("write"), action("read")] };
    await world.lose(tools, body, { key: "k", ms: 50 });
    const second = await world.send(tools, body, "k");
    world.calls.length = 0;
    expect(await world.send(tools, body, "k")).toEqual(second);
    expect(world.calls).toEqual([]);
  });

  test("after a lost action of its own key decides by that key, not by the batch's", async () => {
    const { world, tools } = createWorld();
    const keyed = action("write", { idempotency_key: "w" });
    await world.lose(tools, { actions: [keyed] }, { ms: 50 });
    const { results } = await world.send(tools, { actions: [keyed, action("read")] }, "new");
    expect(results.map(({ status }) => status)).toEqual(["unknown", "success"]);
    const later = await world.send(tools, { actions: [keyed] });
    expect(later.results[0]).toMatchObject({ status: "unknown", meta: { idempotency_replayed: true } });
  });
});

describe("P5: an action's key", () => {
  test.each([
    ["a success", "read", "done"],
    ["a job", "mail", "done"],
    ["an error that is for good", "broken", "done"],
    ["a retryable error", "flaky", "free"],
  ])("after %s is left as it should be", async (_, tool, end) => {
    const { world, tools } = createWorld();
    await world.send(tools, { actions: [action(tool, { idempotency_key: "k" })] });
    expect(world.ends).toEqual([`action:k ${end}`]);
  });

  test.each([
    [
      "skipped for a dependency",
      { actions: [action("broken"), action("write", { depends_on: ["broken"], idempotency_key: "k" })] },
    ],
    [
      "skipped by fail-fast",
      {
        on_error: "fail-fast",
        actions: [
          action("broken"),
          action("write", { depends_on: ["read"], idempotency_key: "k" }),
          action("read"),
        ],
      },
    ],
    [
      "too late to start",
      {
        deadline_ms: 50,
        actions: [action("read"), action("write", { depends_on: ["read"], idempotency_key: "k" })],
      },
    ],
    [
      "given what is not there",
      {
        actions: [
          action("read"),
          action("write", { args: { x: { $ref: "read#/nothing" } }, idempotency_key: "k" }),
        ],
      },
    ],
  ])("that was %s is free, and really runs when it is sent again", async (_, body) => {
    const { world, tools } = createWorld();
    await world.send(tools, body);
    expect(world.ends).toEqual(["action:k free"]);
    const { results } = await world.send(tools, { actions: [action("write", { idempotency_key: "k" })] });
    expect(results[0]!.status).toBe("success");
  });

  test("of an action that is wrong is not used, so a corrected one may have it", async () => {
    const { world, tools } = createWorld();
    await world.send(tools, { actions: [{ tool: "nobody", idempotency_key: "k" }] });
    expect(world.gate.requests.at(-1)!.idempotency).toBeUndefined();
  });

  test("is released where the outbox did not answer: the job may be recorded, and is found by its id", async () => {
    const { world, tools } = createWorld();
    const keyed = action("mail", { idempotency_key: "k" });
    world.gate.refuseJobsWith = "OUTBOX_UNAVAILABLE";
    await world.send(tools, { actions: [keyed] });
    expect(world.ends).toEqual(["action:k release"]);
    const seed = world.seedOf("action:k");
    world.gate.refuseJobsWith = null;
    const { results } = await world.send(tools, { actions: [keyed] });
    expect(results[0]!.job_id).toBe(deriveId(seed, 0));
  });

  test("goes upstream, the same in whichever batch and place", async () => {
    const { world, tools } = createWorld();
    const keyed = action("flaky", { idempotency_key: "k" });
    await world.lose(tools, { actions: [action("with-key", { idempotency_key: "k" })] }, { ms: 50 });
    const { results } = await world.send(tools, {
      actions: [
        action("read"),
        { ...action("with-key", { idempotency_key: "k" }), id: "moved" },
        { ...keyed, idempotency_key: "other" },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual(["success", "success", "error"]);
    expect(world.calls.find(({ tool }) => tool === "with-key")!.key).toBe(world.seedOf("action:k"));
  });

  test("on a loop stands for the whole of it, and each element has a key upstream", async () => {
    const { world, tools } = createWorld();
    const loop = action("with-key", {
      for_each: [1, 2],
      args: { n: { $ref: "item#" } },
      idempotency_key: "k",
    });
    const first = await world.send(tools, { actions: [loop] });
    expect(new Set(world.calls.map(({ key }) => key)).size).toBe(2);
    const again = await world.send(tools, { actions: [loop] });
    expect(world.calls).toHaveLength(2);
    expect(again.results[0]).toMatchObject({
      data: first.results[0]!.data,
      meta: { items: { total: 2, ok: 2 }, idempotency_replayed: true },
    });
  });

  test("on a background loop gives the same jobs again", async () => {
    const { world, tools } = createWorld();
    const loop = action("mail", { for_each: [1, 2], args: { n: { $ref: "item#" } }, idempotency_key: "k" });
    const first = await world.send(tools, { actions: [loop] });
    const again = await world.send(tools, { actions: [loop] });
    expect(again.results[0]!.data).toEqual(first.results[0]!.data);
    expect(world.gate.recordedIds.size).toBe(2);
  });

  test("gives who refers to it the data it had then, whole, even where only a part was selected", async () => {
    const { world, tools } = createWorld();
    tools.push(world.tool("source", { run: () => Promise.resolve({ a: 1, b: { c: 2 } }) }));
    const source = action("source", { select: ["/a"], idempotency_key: "k" });
    await world.send(tools, { actions: [source] });
    tools.push(world.tool("echo", { run: (args) => Promise.resolve(args) }));
    const { results } = await world.send(tools, {
      actions: [source, action("echo", { args: { c: { $ref: "source#/b/c" } } })],
    });
    expect(results.map(({ data }) => data)).toEqual([{ a: 1 }, { c: 2 }]);
  });

  test("with a stored failure fails the batch again under fail-fast, and skips its dependents otherwise", async () => {
    const { world, tools } = createWorld();
    const broken = action("broken", { idempotency_key: "k" });
    await world.send(tools, { actions: [broken] });
    world.calls.length = 0;
    const rest = [action("read"), action("write", { depends_on: ["broken"] })];
    const fast = await world.send(tools, { actions: [broken, ...rest], on_error: "fail-fast" });
    expect(statuses(fast)).toEqual({ broken: "error", read: "skipped", write: "skipped" });
    expect(world.calls).toEqual([]);
    const slow = await world.send(tools, { actions: [broken, ...rest] });
    expect(statuses(slow)).toEqual({ broken: "error", read: "success", write: "skipped" });
  });

  test("twice in one batch is a slip of the second", async () => {
    const { world, tools } = createWorld();
    const { results } = await world.send(tools, {
      actions: [action("read", { idempotency_key: "k" }), action("write", { idempotency_key: '"k"' })],
    });
    expect(results[1]).toMatchObject({
      status: "error",
      error: { code: "INVALID_ACTION", hint: expect.stringContaining("'read'") },
    });
  });
});

interface LostQuestion {
  readonly isAsked: boolean;
  readonly toolsOf?: (world: KeyedWorld) => Tool[];
  /** Its tools by then. */
  readonly toolsAfter?: (world: KeyedWorld) => Tool[];
  /** The batch's key; null where its actions have their own. */
  readonly keyed?: string | null;
  readonly again?: readonly object[];
}

describe("an action that a person has to allow", () => {
  const gated = action("idempotent", { id: "gated", idempotency_key: "k" });
  const gatedTools = (world: KeyedWorld) => [
    world.tool("idempotent", {
      isWrite: true,
      actions: ["update"],
      idempotent: true,
      orchestration: { mode: "parallel-safe", confirm: "always" },
    }),
    world.tool("read"),
  ];

  test("is asked once under a key: later batches point to the same confirmation, which is no failure", async () => {
    const world = new KeyedWorld();
    const tools = gatedTools(world);
    const first = await world.send(tools, { actions: [gated] });
    const again = await world.send(tools, { actions: [gated, action("read")], on_error: "fail-fast" });
    expect(again.results[0]).toEqual({ ...first.results[0], meta: { idempotency_replayed: true } });
    expect(again.results[0]!.status).toBe("pending_confirmation");
    expect(again.results[1]!.status).toBe("success");
    expect(world.gate.parked.size).toBe(1);
  });

  /** A batch that is lost after its question was recorded, where `isAsked`, or before; then it comes again. */
  const loseAndSend = async (
    actions: readonly object[],
    { isAsked, toolsOf = gatedTools, toolsAfter = toolsOf, keyed = "b", again = actions }: LostQuestion,
  ) => {
    const world = new KeyedWorld();
    const { park } = world.gate.confirmations;
    world.gate.confirmations.park = (groups) => {
      if (isAsked) void park(groups);
      return new Promise(() => {});
    };
    const key = keyed === null ? {} : { key: keyed };
    await world.lose(toolsOf(world), { actions }, { ...key, ms: 50 });
    expect(world.gate.parked.size).toBe(isAsked ? 1 : 0);
    world.gate.confirmations.park = park;
    const { results } = await world.send(toolsAfter(world), { actions: again }, keyed ?? undefined);
    const asked = results.flatMap(({ confirmation }) => confirmation?.id ?? []);
    return { world, results, asked, statuses: results.map(({ status }) => status) };
  };

  const others = (world: KeyedWorld) => [
    ...gatedTools(world),
    world.tool("write", { isWrite: true, actions: ["update"], domain: "w" }),
  ];
  const withOthers = [
    { id: "gated", tool: "idempotent" },
    { id: "after", tool: "write", depends_on: ["gated"] },
    { id: "beside", tool: "write" },
  ];

  test.each([
    ["recorded", true],
    ["not recorded", false],
  ])(
    "T56 is pending where an earlier run died and its question was %s, with what waits for it: only what was sent is unknown",
    async (_, isAsked) => {
      const { world, statuses, asked } = await loseAndSend(withOthers, { isAsked, toolsOf: others });
      expect(statuses).toEqual(["pending_confirmation", "pending_confirmation", "unknown"]);
      expect([...world.gate.parked.keys()]).toEqual([asked[0]]);
      expect(asked[1]).toBe(asked[0]);
      expect(world.calls).toEqual([]);
    },
  );

  test("T56 is asked about once where actions of one question come again one by one, under keys of their own", async () => {
    const keyed = withOthers.map((one) => ({ ...one, idempotency_key: one.id }));
    const lost = { isAsked: true, toolsOf: others, keyed: null } as const;
    const { world, results, asked } = await loseAndSend(keyed, { ...lost, again: keyed.slice(0, 1) });
    expect([...world.gate.parked.keys()]).toEqual(asked);
    expect(results[0]!.confirmation!.message).toContain("With it: 'after' (write).");
    const rest = await world.send(others(world), { actions: keyed });
    expect(rest.results.map(({ status }) => status)).toEqual(["pending_confirmation", "skipped", "unknown"]);
    expect(world.gate.parked.size).toBe(1);
  });

  test("T56 is pending with the arguments that were asked about, where a read says otherwise by now", async () => {
    let n = 0;
    const counting = (world: KeyedWorld) => [
      ...gatedTools(world),
      world.tool("count", { run: () => Promise.resolve({ n: (n += 1) }) }),
    ];
    const actions = [
      { id: "count", tool: "count" },
      { id: "gated", tool: "idempotent", args: { n: { $ref: "count#/n" } } },
    ];
    const { results, statuses } = await loseAndSend(actions, { isAsked: true, toolsOf: counting });
    expect([n, statuses]).toEqual([2, ["success", "pending_confirmation"]]);
    expect(results[1]!.confirmation!.message).toContain('{"n":1}');
  });

  const ungated = (world: KeyedWorld) => [
    world.tool("idempotent", {
      isWrite: true,
      actions: ["update"],
      idempotent: true,
      run: () => new Promise(() => {}),
    }),
    world.tool("read"),
  ];

  test("T56 is unknown where its tool asks only since the run that died", async () => {
    const lost = { isAsked: false, toolsOf: ungated, toolsAfter: gatedTools };
    const { world, statuses } = await loseAndSend([gated], lost);
    expect(statuses).toEqual(["unknown"]);
    expect(world.gate.parked.size).toBe(0);
  });

  test("P5: is released where the question may be recorded all the same, and finds it then", async () => {
    const world = new KeyedWorld();
    const tools = gatedTools(world);
    const { park } = world.gate.confirmations;
    world.gate.confirmations.park = (groups) => {
      void park(groups);
      throw new Error("The gate is slow");
    };
    const { results } = await world.send(tools, { actions: [gated] });
    expect(results[0]!.error?.code).toBe("OVERLOADED");
    expect(world.ends).toEqual(["action:k release"]);
    world.gate.confirmations.park = park;
    const again = await world.send(tools, { actions: [gated] });
    expect([...world.gate.parked.keys()]).toEqual([again.results[0]!.confirmation!.id]);
  });
});

describe("the answer under a key", () => {
  test("is given even when it cannot be kept", async () => {
    const { world, tools } = createWorld();
    world.gate.complete = () => Promise.reject(new Error("The gate is down"));
    const { results } = await world.send(tools, { actions: [action("write")] }, "k");
    expect(results[0]!.status).toBe("success");
  });

  test("is refused when the gate does not admit, and the key is let go of", async () => {
    const { world, tools } = createWorld();
    world.gate.beforeAnswer = () => Promise.reject(new Error("The gate is slow"));
    const body = { actions: [action("write"), action("mail")] };
    await expect(world.send(tools, body, "k")).rejects.toThrow("with the same key again");
    await world.drain();
    expect(world.ends).toEqual(["batch:k release"]);
    expect(world.calls).toEqual([]);
  });

  test("covers what came of reads after the caller went away: the batch goes on", async () => {
    const { world, tools } = createWorld();
    const running = world.send(tools, { actions: [action("read")] }, "k");
    world.gone.abort();
    expect((await running).results[0]!.status).toBe("success");
  });

  trial(
    "over its limit is kept cut: every result is there, jobs are whole, and what was cut says so",
    async () => {
      const { world, tools } = createWorld();
      const rows = Array.from({ length: 20_000 }, (_, n) => ({ n, text: `row number ${n} of the table` }));
      tools.push(world.tool("large", { run: () => Promise.resolve({ rows }) }));
      const body = {
        actions: [
          action("large"),
          action("more", { tool: "large", idempotency_key: "a" }),
          action("mail"),
          action("read"),
        ],
      };
      const first = await world.send(tools, body, "k");
      const again = await world.send(tools, body, "k");
      const kept = world.records.get("batch:k")!.answer!.json;

      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(LIMITS.idempotencyAnswerBytes);
      expect(Buffer.byteLength(kept)).toBeGreaterThan(LIMITS.idempotencyAnswerBytes / 2);
      expect(statuses(again)).toEqual(statuses(first));
      expect(again.results[2]).toEqual(first.results[2]);
      expect(again.results[0]!.meta).toMatchObject({ truncated: { at: ["/rows"] } });
      expect(again.results[3]).toEqual(first.results[3]);

      const action1 = world.records.get("action:a")!.answer!.json;
      expect(Buffer.byteLength(action1)).toBeLessThanOrEqual(LIMITS.idempotencyResultBytes * 1.5);
      const { results } = await world.send(tools, { actions: [body.actions[1]!] });
      expect(results[0]!.meta).toMatchObject({ idempotency_replayed: true, truncated: { at: ["/rows"] } });
    },
  );

  trial.each([
    ["whole", 1],
    ["cut, when it is over its limit", 60_000],
  ])("what ran of a failed loop is kept: %s", async (_, size) => {
    const { world, tools } = createWorld();
    const run = ({ n }: { n: number }) =>
      n === 2
        ? Promise.reject(new ToolFailure("NOT_FOUND"))
        : Promise.resolve({ rows: Array(size).fill("a row") });
    tools.push(
      world.tool("copy", {
        isWrite: true,
        actions: ["create"],
        input: z.strictObject({ n: z.number() }),
        run,
      }),
    );
    const loop = { for_each: [1, 2, 3], args: { n: { $ref: "item#" } }, idempotency_key: "a" };
    const first = await world.send(tools, { actions: [action("copy", loop)] });
    const again = await world.send(tools, { actions: [action("copy", loop)] });

    const kept = world.records.get("action:a")!.answer!.json;
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(LIMITS.idempotencyResultBytes * 1.5);
    expect(again.results[0]).toMatchObject({ status: "error", meta: { idempotency_replayed: true } });
    const { data } = again.results[0]!;
    if (size === 1) expect(data).toEqual(first.results[0]!.data);
    else expect(data).toMatchObject([{ index: 0, data: { rows: expect.arrayContaining(["a row"]) } }]);
    expect("truncated" in again.results[0]!.meta).toBe(size > 1);
  });
});

describe("P5: the key of an action that refers to another", () => {
  /** A world whose tool `number` answers the next of these numbers each time. */
  function createNumbers(...numbers: number[]) {
    const { world, tools } = createWorld();
    tools.push(world.tool("number", { run: () => Promise.resolve({ n: numbers.shift() }) }));
    const refers = (tool: string, more: object = {}) => ({
      actions: [
        action("number"),
        action(tool, { args: { n: { $ref: "number#/n" } }, idempotency_key: "k", ...more }),
      ],
    });
    const literal = (tool: string, args: object, more: object = {}) => ({
      actions: [action(tool, { args, idempotency_key: "k", ...more })],
    });
    const callsOf = (tool: string) => world.calls.filter((call) => call.tool === tool).length;
    return { world, tools, refers, literal, callsOf };
  }
  const CONFLICT = {
    status: "error",
    error: {
      code: "IDEMPOTENCY_CONFLICT",
      retryable: false,
      hint: expect.stringContaining("other arguments"),
    },
  };
  const REPLAY = { status: "success", meta: { idempotency_replayed: true } };

  test("is a conflict when the reference stands for another value", async () => {
    const { world, tools, refers, callsOf } = createNumbers(1, 2);
    await world.send(tools, refers("write"));
    const { results } = await world.send(tools, refers("write"));
    expect(results[1]).toMatchObject(CONFLICT);
    expect(callsOf("write")).toBe(1);
  });

  test("replays when the reference stands for the same value again, and for the value itself", async () => {
    const { world, tools, refers, literal, callsOf } = createNumbers(1, 1);
    await world.send(tools, refers("write"));
    expect((await world.send(tools, refers("write"))).results[1]).toMatchObject(REPLAY);
    expect((await world.send(tools, literal("write", { n: 1 }))).results[0]).toMatchObject(REPLAY);
    expect((await world.send(tools, literal("write", { n: 2 }))).results[0]).toMatchObject(CONFLICT);
    expect(callsOf("write")).toBe(1);
  });

  test("that stood for the value itself before replays it for a reference to it alone", async () => {
    const { world, tools, refers, literal, callsOf } = createNumbers(1, 2);
    await world.send(tools, literal("write", { n: 1 }));
    expect((await world.send(tools, refers("write"))).results[1]).toMatchObject(REPLAY);
    expect((await world.send(tools, refers("write"))).results[1]).toMatchObject(CONFLICT);
    expect(callsOf("write")).toBe(1);
  });

  test("of a job is a conflict too, and records none", async () => {
    const { world, tools, refers } = createNumbers(1, 1, 2);
    const [, first] = (await world.send(tools, refers("mail"))).results;
    const [, again] = (await world.send(tools, refers("mail"))).results;
    expect(again).toMatchObject({ status: "initiated", job_id: first!.job_id });
    expect((await world.send(tools, refers("mail"))).results[1]).toMatchObject(CONFLICT);
    expect(world.gate.recordedIds).toHaveLength(1);
  });

  test("of a loop compares the elements that it runs over", async () => {
    const { world, tools, callsOf } = createNumbers();
    const lists = [
      [1, 2],
      [1, 2],
      [1, 3],
    ];
    tools.push(world.tool("list", { run: () => Promise.resolve({ list: lists.shift() }) }));
    const loop = (forEach: unknown) =>
      action("with-key", { for_each: forEach, args: { n: { $ref: "item#" } }, idempotency_key: "k" });
    const body = { actions: [action("list"), loop({ $ref: "list#/list" })] };
    await world.send(tools, body);
    expect((await world.send(tools, body)).results[1]).toMatchObject(REPLAY);
    expect((await world.send(tools, body)).results[1]).toMatchObject(CONFLICT);
    expect((await world.send(tools, { actions: [loop([1, 2])] })).results[0]).toMatchObject(REPLAY);
    expect(callsOf("with-key")).toBe(2);
  });

  test("under fail-fast stops the batch when it turns out a conflict", async () => {
    const { world, tools, refers, callsOf } = createNumbers(1, 2);
    await world.send(tools, refers("write"));
    const actions = [
      ...refers("write").actions,
      action("with-key", { depends_on: ["read"] }),
      action("read"),
    ];
    const { results } = await world.send(tools, { actions, on_error: "fail-fast" });
    expect(results[1]).toMatchObject(CONFLICT);
    expect(results[2]!.status).toBe("skipped");
    expect(callsOf("with-key")).toBe(0);
  });

  test("of a run that was lost: the write is unknown, because it is not known what it sent", async () => {
    const { world, tools, refers, callsOf } = createNumbers(1, 2);
    await world.lose(tools, refers("idempotent"), { ms: 50 });
    const { results } = await world.send(tools, refers("idempotent"));
    expect(results[1]!.status).toBe("unknown");
    expect(callsOf("idempotent")).toBe(0);
  });

  test("of a run that was lost with the value itself goes by the value", async () => {
    const { world, tools, refers, literal, callsOf } = createNumbers(2, 1);
    await world.lose(tools, literal("write", { n: 1 }), { ms: 50 });
    expect((await world.send(tools, refers("write"))).results[1]).toMatchObject(CONFLICT);
    expect((await world.send(tools, refers("write"))).results[1]!.status).toBe("unknown");
    expect(callsOf("write")).toBe(0);
  });

  test("asks a person once for the same value", async () => {
    const { world, tools, refers } = createNumbers(1, 1, 2);
    tools.push(
      world.tool("gated", {
        isWrite: true,
        actions: ["delete"],
        domain: "g",
        orchestration: { mode: "sequential-only", confirm: "always" },
      }),
    );
    const [, first] = (await world.send(tools, refers("gated"))).results;
    const [, again] = (await world.send(tools, refers("gated"))).results;
    expect([first!.status, again!.status]).toEqual(["pending_confirmation", "pending_confirmation"]);
    expect(again).toMatchObject({
      confirmation: { id: (first as { confirmation?: { id: string } }).confirmation!.id },
    });
    expect((await world.send(tools, refers("gated"))).results[1]).toMatchObject(CONFLICT);
  });

  test("that an earlier version kept replays for what was sent, as it was spelled", async () => {
    const { world, tools, refers, callsOf } = createNumbers(1, 1);
    const body = refers("write", { select: ["/done"] });
    await world.send(tools, body);
    const { tool, args, select } = body.actions[1] as Record<string, unknown>;
    const content = JSON.stringify(["tester", { args, select, tool }]);
    const fingerprint = createHash("sha256").update(content).digest("hex");
    world.records.set("action:k", { ...world.records.get("action:k")!, fingerprint });
    expect((await world.send(tools, body)).results[1]).toMatchObject(REPLAY);
    expect(callsOf("write")).toBe(1);
  });

  test("does not look at select", async () => {
    const { world, tools, literal, refers, callsOf } = createNumbers(1);
    await world.send(tools, literal("write", { n: 1 }, { select: ["/done"] }));
    expect((await world.send(tools, literal("write", { n: 1 }))).results[0]).toMatchObject(REPLAY);
    expect((await world.send(tools, refers("write", { select: ["/from"] }))).results[1]).toMatchObject(
      REPLAY,
    );
    expect(callsOf("write")).toBe(1);
  });
});
