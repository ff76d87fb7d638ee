import * as z from "zod";
import { describe, expect, test } from "vitest";

import type { Tool, ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { TestWorld, type WireResult } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

/** Tools that answer with what they were sent after `ms`, and a record of when they were called with what. */
class Calls {
  readonly world = new TestWorld();
  readonly log: {
    readonly tool: string;
    readonly at: number;
    readonly args: Readonly<Record<string, unknown>>;
  }[] = [];
  readonly keys: string[] = [];
  readonly tools: Tool[] = [];
  readonly #startedAt = this.world.clock.now();
  active = 0;
  peak = 0;

  /** Declare a tool that answers with `give` (its arguments unless said) or fails when `args.fail` says how. */
  tool(
    name: string,
    declaration: Partial<ToolDeclaration> = {},
    give: (args: Readonly<Record<string, unknown>>) => unknown = (args) => args,
  ): this {
    this.tools.push(
      contractOf(name, {
        ...declaration,
        run: async (input, { idempotencyKey }) => {
          const args = input as Readonly<Record<string, unknown>>;
          this.log.push({ tool: name, at: this.world.clock.now() - this.#startedAt, args });
          this.keys.push(idempotencyKey);
          this.active += 1;
          this.peak = Math.max(this.peak, this.active);
          await this.world.clock.sleep(Number(args["ms"] ?? 0));
          this.active -= 1;
          if (args["fail"] !== undefined && args["fail"] !== false) throw new ToolFailure("NOT_FOUND");
          return give(args);
        },
      }),
    );
    return this;
  }

  async run(...actions: object[]): Promise<readonly WireResult[]> {
    return (await this.world.run(this.tools, { actions })).results;
  }

  async only(...actions: object[]): Promise<WireResult> {
    return (await this.run(...actions))[0]!;
  }

  argsOf(tool: string): object[] {
    return this.log.filter((call) => call.tool === tool).map(({ args }) => args);
  }
}

const SHOPS = {
  places: [{ id: "p1", name: "Joe's" }, { id: "p2", name: "Ann's" }, { id: "p3" }],
  next: null,
};

const shops = () =>
  new Calls()
    .tool("search", {}, () => SHOPS)
    .tool("book", { input: z.strictObject({ id: z.string(), note: z.string().optional() }) })
    .tool("echo");

const WRITE = { isWrite: true, actions: ["create"] };
const MAIL = { ...WRITE, execution: "fire-and-forget" } as const;

describe("references", () => {
  test("a value and a text made of another action's data reach the tool", async () => {
    const calls = shops();
    const [, book] = await calls.run(
      { id: "s", tool: "search" },
      {
        tool: "book",
        args: { id: { $ref: "s#/places/1/id" }, note: { $template: "At {{s#/places/1/name}}!" } },
      },
    );
    expect(book).toMatchObject({ status: "success", data: { id: "p2", note: "At Ann's!" } });
  });

  test("an action refers to one that was asked for after it", async () => {
    const calls = shops();
    const results = await calls.run(
      { tool: "book", args: { id: { $ref: "s#/places/0/id" } } },
      { id: "s", tool: "search" },
    );
    expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(calls.log.map(({ tool }) => tool)).toEqual(["search", "book"]);
  });

  test("three rounds of a model are one call", async () => {
    const [, , last] = await shops().run(
      { id: "s", tool: "search" },
      { id: "b", tool: "book", args: { id: { $ref: "s#/places/0/id" } } },
      { tool: "echo", args: { done: { $ref: "b#" } } },
    );
    expect(last!.data).toEqual({ done: { id: "p1" } });
  });

  test("what does not fit the schema once it is resolved is INVALID_ARGS and not called", async () => {
    const calls = shops();
    const [, book] = await calls.run(
      { id: "s", tool: "search" },
      { tool: "book", args: { id: { $ref: "s#/places/0" } } },
    );
    expect(book!.error).toMatchObject({ code: "INVALID_ARGS", issues: [{ path: "/args/id" }] });
    expect(calls.argsOf("book")).toEqual([]);
  });

  test("a pointer to nothing is BAD_REFERENCE, names what was there, and its siblings run", async () => {
    const [, book, sibling] = await shops().run(
      { id: "s", tool: "search" },
      { tool: "book", args: { id: { $ref: "s#/places/0/di" } } },
      { tool: "echo", args: { x: { $ref: "s#/next" } } },
    );
    expect(book!.error).toMatchObject({
      code: "BAD_REFERENCE",
      hint: "'s#/places/0/di' is not there: s#/places/0 is an object with the similar keys \"id\".",
    });
    expect(sibling).toMatchObject({ status: "success", data: { x: null } });
  });

  test("what refers to a failed action, at any distance, is skipped because of that one", async () => {
    const results = await shops().run(
      { id: "bad", tool: "echo", args: { fail: true } },
      { id: "mid", tool: "echo", args: { x: { $ref: "bad#" } } },
      { id: "end", tool: "echo", args: { x: { $template: "{{mid#}}" } } },
    );
    for (const result of results.slice(1))
      expect(result).toMatchObject({
        status: "skipped",
        because: "bad",
        error: { code: "DEPENDENCY_FAILED" },
      });
  });

  test("a background job is recorded with what its references stood for", async () => {
    const calls = shops().tool("mail", MAIL);
    const [mail] = await calls.run(
      { tool: "mail", args: { to: { $ref: "s#/places/0/id" } } },
      { id: "s", tool: "search" },
    );
    expect(mail!.status).toBe("initiated");
    expect(calls.world.gate.requests[0]!.jobs).toEqual([]);
    expect(calls.world.gate.requests[1]!.jobs).toMatchObject([{ spec: { argsJson: '{"to":"p1"}' } }]);
  });

  test("a background job with a literal waits for nothing and is recorded with the batch", async () => {
    const calls = shops().tool("mail", MAIL);
    await calls.run({ tool: "mail", args: { body: { $literal: { $ref: "x#" } } } });
    expect(calls.world.gate.requests).toHaveLength(1);
    expect(calls.world.gate.requests[0]!.jobs).toMatchObject([
      { spec: { argsJson: '{"body":{"$ref":"x#"}}' } },
    ]);
  });

  test("a kept result of an earlier batch is data like any other; one that is gone says so", async () => {
    const kept = "r-123e4567-e89b-12d3-a456-426614174000";
    const gone = "r-123e4567-e89b-12d3-a456-426614174001";
    const calls = shops();
    calls.world.gate.kept.set(kept, '{"id":"k1"}');
    const results = await calls.run(
      { tool: "book", args: { id: { $ref: `${kept}#/id` } } },
      { tool: "book", args: { id: { $ref: `${gone}#/id` } } },
    );
    expect(results[0]).toMatchObject({ status: "success", data: { id: "k1" } });
    expect(results[1]!.error).toMatchObject({ code: "BAD_REFERENCE" });
    expect(calls.world.gate.recalled).toEqual([kept, gone]);
  });
});

describe("results of earlier batches", () => {
  const handle = (n: number) => `r-123e4567-e89b-12d3-a456-${String(n).padStart(12, "0")}`;

  test("fetching them is part of the deadline, and only what refers to one waits for it", async () => {
    const calls = shops();
    const { clock, gate } = calls.world;
    gate.recall = async () => {
      await clock.sleep(3_000);
      return [{ handle: handle(1), json: '{"id":"k1"}' }];
    };
    const { results, stats } = await calls.world.run(calls.tools, {
      deadline_ms: 100,
      actions: [
        { tool: "book", args: { id: { $ref: `${handle(1)}#/id` } } },
        { tool: "echo", args: { n: 1 } },
        { tool: "echo", depends_on: ["a0"] },
      ],
    });
    expect(results[0]!.error).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    expect(results[1]).toMatchObject({ status: "success", data: { n: 1 } });
    expect(results[2]!.status).not.toBe("success");
    expect(stats["duration_ms"]).toBe(100);
    expect(calls.log.map(({ tool, at }) => [tool, at])).toEqual([["echo", 0]]);
  });

  test("what refers to one starts when they are there", async () => {
    const calls = shops();
    const { clock, gate } = calls.world;
    gate.recall = async () => {
      await clock.sleep(50);
      return [{ handle: handle(1), json: '{"id":"k1"}' }];
    };
    const results = await calls.run(
      { tool: "book", args: { id: { $ref: `${handle(1)}#/id` } } },
      { tool: "echo", args: { x: { $ref: "a0#/id" } } },
    );
    expect(results.map(({ data }) => data)).toEqual([{ id: "k1" }, { x: "k1" }]);
    expect(calls.log.map(({ at }) => at)).toEqual([50, 50]);
  });

  test("one batch refers to 16; the action that would make it more fails alone, and the others are fetched at once", async () => {
    const calls = shops();
    const { gate } = calls.world;
    for (let n = 0; n < 30; n += 1) gate.kept.set(handle(n), `{"id":"k${n}"}`);
    const refs = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({ $ref: `${handle(from + n)}#/id` }));
    const results = await calls.run(
      { tool: "echo", args: { list: refs(0, 15) } },
      { tool: "echo", args: { list: refs(15, 17) } },
      { tool: "echo", args: { list: refs(0, 16) } },
      { tool: "echo", args: { list: refs(0, 17) } },
      { tool: "echo", args: { n: 1 } },
    );
    expect(results.map(({ status }) => status)).toEqual(["success", "error", "success", "error", "success"]);
    expect(results[1]!.error).toMatchObject({
      code: "BAD_REFERENCE",
      hint: expect.stringContaining("One batch may refer to 16 results"),
    });
    expect(gate.recalled).toEqual(Array.from({ length: 16 }, (_, n) => handle(n)));
  });

  trial(
    "those that hold too many values together are refused in the order asked, and never parsed",
    async () => {
      const calls = shops();
      const { gate } = calls.world;
      const many = JSON.stringify({ ones: Array.from({ length: 200_000 }, () => 1), id: "many" });
      for (const n of [1, 2, 3]) gate.kept.set(handle(n), many);
      gate.kept.set(handle(4), '{"id":"last, with [brackets] and \\"commas\\", in text"}');
      const results = await calls.run(
        ...[1, 2, 3, 4].map((n) => ({ tool: "book", args: { id: { $ref: `${handle(n)}#/id` } } })),
      );
      expect(results.map(({ status }) => status)).toEqual(["success", "success", "error", "success"]);
      expect(results[2]!.error).toMatchObject({ code: "RESPONSE_TOO_LARGE" });
    },
  );

  test("a question to a person is recorded with what its dependants refer to of them", async () => {
    const calls = shops().tool("drop", { ...WRITE, actions: ["delete"] });
    calls.world.gate.kept.set(handle(1), '{"id":"k1"}');
    const results = await calls.run(
      { id: "drop", tool: "drop" },
      { tool: "book", depends_on: ["drop"], args: { id: { $ref: `${handle(1)}#/id` } } },
    );
    expect(results.map(({ status }) => status)).toEqual(["pending_confirmation", "pending_confirmation"]);
    expect(JSON.stringify([...calls.world.gate.parked.values()])).toContain("k1");
  });
});

describe("dependent contracts", () => {
  const item: Partial<ToolDeclaration> = {
    orchestration: {
      mode: "dependent",
      depends_on: [{ tool: "search", required_fields: ["id"], from: { id: "/places/2/id" } }],
    },
  };

  test("a field that is missing is taken from the data of the declared tool", async () => {
    const calls = shops().tool("item", item);
    const [, found] = await calls.run({ tool: "search", args: { ms: 50 } }, { tool: "item" });
    expect(found).toMatchObject({ status: "success", data: { id: "p3" } });
    expect(calls.log.at(-1)!.at).toBe(50);
  });

  test("when the action it is filled from fails, it is skipped", async () => {
    const [, found] = await shops()
      .tool("item", item)
      .run({ id: "s", tool: "search", args: { fail: true } }, { tool: "item" });
    expect(found).toMatchObject({ status: "skipped", because: "s" });
  });
});

describe("for_each", () => {
  test("runs an action once per element of a reference and reports each in order", async () => {
    const calls = shops();
    const [, loop] = await calls.run(
      { id: "s", tool: "search" },
      { tool: "book", for_each: { $ref: "s#/places" }, args: { id: { $ref: "item#/id" } } },
    );
    expect(loop).toMatchObject({
      status: "success",
      data: [
        { index: 0, status: "success", data: { id: "p1" } },
        { index: 1, status: "success", data: { id: "p2" } },
        { index: 2, status: "success", data: { id: "p3" } },
      ],
      meta: { attempts: 3, items: { total: 3, ok: 3, error: 0 } },
    });
  });

  test("an element with wrong arguments fails alone", async () => {
    const loop = await shops().only({
      tool: "book",
      for_each: [{ id: "a" }, { id: 5 }, {}],
      args: { id: { $ref: "item#/id" } },
    });
    expect(loop).toMatchObject({
      status: "success",
      data: [
        { status: "success" },
        { index: 1, status: "error", error: { code: "INVALID_ARGS", issues: [{ path: "/args/id" }] } },
        { index: 2, status: "error", error: { code: "BAD_REFERENCE" } },
      ],
      meta: { items: { total: 3, ok: 1, error: 2 } },
    });
  });

  test("25 elements of a reference run; of 26 none does", async () => {
    const over = async (count: number) => {
      const calls = new Calls()
        .tool("list", {}, () => Array.from({ length: count }, (_, n) => n))
        .tool("echo");
      const [, loop] = await calls.run(
        { id: "l", tool: "list" },
        { tool: "echo", for_each: { $ref: "l#" }, args: { n: { $ref: "item#" } } },
      );
      return { loop: loop!, called: calls.argsOf("echo").length };
    };
    expect(await over(25)).toMatchObject({ loop: { status: "success" }, called: 25 });
    expect(await over(26)).toMatchObject({ loop: { error: { code: "INVALID_ARGS" } }, called: 0 });
  });

  test("26 elements that are written out are refused before anything of the batch runs", async () => {
    const calls = shops();
    const { results } = await calls.world.run(calls.tools, {
      on_error: "fail-fast",
      actions: [{ tool: "search" }, { tool: "echo", for_each: Array.from({ length: 26 }, () => 0) }],
    });
    expect(results[1]!.error).toMatchObject({ code: "INVALID_ARGS" });
    expect(calls.log).toEqual([]);
  });

  test("over what is no array is INVALID_ARGS", async () => {
    const [, loop] = await shops().run(
      { id: "s", tool: "search" },
      { tool: "echo", for_each: { $ref: "s#" } },
    );
    expect(loop!.error).toMatchObject({ code: "INVALID_ARGS", hint: expect.stringContaining("an object") });
  });

  test("over nothing is a success with [] and calls nothing", async () => {
    const calls = shops();
    const loop = await calls.only({ tool: "echo", for_each: [] });
    expect(loop).toMatchObject({ status: "success", data: [], meta: { items: { total: 0 } } });
    expect(calls.log).toEqual([]);
  });

  test("over the elements of a write waits for each before the next", async () => {
    const calls = new Calls().tool("create", WRITE);
    await calls.only({ tool: "create", for_each: [30, 10, 20], args: { ms: { $ref: "item#" } } });
    expect(calls.log.map(({ at }) => at)).toEqual([0, 30, 40]);
    expect(calls.peak).toBe(1);
  });

  test("over the elements of a read runs them at once, under the tool's cap and beside other actions of it", async () => {
    const calls = new Calls().tool("two", { orchestration: { mode: "fan-out-bounded", max_concurrency: 2 } });
    await calls.run(
      { tool: "two", args: { ms: 10 } },
      { tool: "two", for_each: [1, 2, 3, 4], args: { ms: 10, n: { $ref: "item#" } } },
    );
    expect(calls.peak).toBe(2);
    expect(calls.log.map(({ at }) => at)).toEqual([0, 0, 10, 10, 20]);
  });

  test("gives every element an idempotency key of its own", async () => {
    const calls = new Calls().tool("create", WRITE);
    await calls.run({ tool: "create", for_each: [1, 2] }, { tool: "create" });
    expect(new Set(calls.keys).size).toBe(3);
  });

  test("a fail-fast contract ends the loop at its first failed element", async () => {
    const calls = new Calls().tool("create", {
      ...WRITE,
      orchestration: { mode: "parallel-safe", on_error: "fail-fast" },
    });
    const loop = await calls.only({
      tool: "create",
      for_each: [false, true, false],
      args: { fail: { $ref: "item#" } },
    });
    expect(loop).toMatchObject({
      status: "error",
      error: { code: "NOT_FOUND", hint: "Element 1 of 3 failed, 1 succeeded." },
      meta: { items: { total: 3, ok: 1, error: 2 } },
    });
    expect(calls.log).toHaveLength(2);
  });

  test("with no element that succeeded is an error, and what refers to it is skipped", async () => {
    const [loop, child] = await shops().run(
      { id: "loop", tool: "echo", for_each: [1, 2], args: { fail: true } },
      { tool: "echo", args: { x: { $ref: "loop#" } } },
    );
    expect(loop).toMatchObject({ status: "error", error: { code: "NOT_FOUND" } });
    expect(child).toMatchObject({ status: "skipped", because: "loop" });
  });

  test("one's data can be referred to, and looped over in turn", async () => {
    const [, second, third] = await shops().run(
      { id: "one", tool: "echo", for_each: ["a", "b"], args: { x: { $ref: "item#" } } },
      { tool: "echo", args: { y: { $ref: "one#/1/data/x" } } },
      {
        tool: "echo",
        for_each: { $ref: "one#" },
        args: { z: { $template: "{{item#/index}}{{item#/data/x}}" } },
      },
    );
    expect(second!.data).toEqual({ y: "b" });
    expect(third!.data).toMatchObject([{ data: { z: "0a" } }, { data: { z: "1b" } }]);
  });

  test("an action called item costs that action only", async () => {
    const results = await shops().run({ id: "item", tool: "echo" }, { tool: "echo" });
    expect(results.map(({ status }) => status)).toEqual(["error", "success"]);
    expect(results[0]!.error?.code).toBe("INVALID_ACTION");
  });

  test("a field that a contract fills in is the same for every element", async () => {
    const calls = shops().tool("item", {
      orchestration: { mode: "dependent", depends_on: [{ tool: "search", required_fields: ["next"] }] },
    });
    const [, loop] = await calls.run(
      { tool: "search" },
      { tool: "item", for_each: [1, 2], args: { n: { $ref: "item#" } } },
    );
    expect(loop!.data).toMatchObject([{ data: { n: 1, next: null } }, { data: { n: 2, next: null } }]);
  });

  test("counts the work of its elements, not its own time, as what one after the other would have taken", async () => {
    const calls = new Calls().tool("echo");
    const { stats } = await calls.world.run(calls.tools, {
      actions: [{ tool: "echo", for_each: [10, 20, 30], args: { ms: { $ref: "item#" } } }],
    });
    expect(stats).toMatchObject({
      duration_ms: 30,
      critical_path_ms: 30,
      sequential_ms: 60,
      max_parallelism: 3,
    });
  });

  test("at the deadline a loop of writes is unknown, and the rest of it is never sent", async () => {
    const orchestration = { mode: "parallel-safe", on_error: "partial-success" } as const;
    const calls = new Calls().tool("create", { ...WRITE, hosts: ["x.example.com"], orchestration });
    const { results } = await calls.world.run(calls.tools, {
      deadline_ms: 50,
      actions: [{ tool: "create", for_each: [40, 40, 40], args: { ms: { $ref: "item#" } } }],
    });
    // Nothing was sent by these tools, so even the write under way is sure not to have happened.
    expect(results[0]).toMatchObject({
      status: "success",
      data: [
        { status: "success" },
        { error: { code: "DEADLINE_EXCEEDED" } },
        { error: { code: "DEADLINE_EXCEEDED" } },
      ],
    });
    expect(calls.log).toHaveLength(2);
  });

  describe("of a rate-limited tool", () => {
    const limited = {
      orchestration: { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 10, scope: "tenant" } },
    } as const;

    test("draws for each element, when it is known how many there are", async () => {
      const calls = new Calls().tool("limited", limited);
      await calls.run({ tool: "limited" }, { tool: "limited", for_each: [1, 2, 3] });
      const draws = calls.world.gate.requests.map((request) => request.draws.map(({ index }) => index));
      expect(draws).toEqual([[0], [0, 1, 2]]);
    });

    test("an element that was denied is RATE_LIMITED and not called", async () => {
      const calls = new Calls().tool("limited", limited);
      calls.world.gate.beforeAnswer = async ({ quota }) => {
        if (quota === null) calls.world.gate.denied = [{ index: 1, retryAfterMs: 700 }];
      };
      const loop = await calls.only({ tool: "limited", for_each: [1, 2], args: { n: { $ref: "item#" } } });
      expect(loop.data).toMatchObject([
        { status: "success" },
        { status: "error", error: { code: "RATE_LIMITED", retry_after_ms: 700 } },
      ]);
      expect(calls.argsOf("limited")).toEqual([{ n: 1 }]);
    });

    test("the deadline passes while it draws, and nothing is called afterwards", async () => {
      const calls = new Calls().tool("limited", { ...limited, ...WRITE });
      calls.world.gate.beforeAnswer = ({ quota }) =>
        quota === null ? calls.world.clock.sleep(500) : Promise.resolve();
      const { results } = await calls.world.run(calls.tools, {
        deadline_ms: 100,
        actions: [{ tool: "limited", for_each: [1, 2] }],
      });
      expect(results[0]!.error?.code).toBe("DEADLINE_EXCEEDED");
      await calls.world.drain();
      expect(calls.log).toEqual([]);
    });
  });

  describe("of a fire-and-forget tool", () => {
    const over = (...elements: unknown[]) => ({
      tool: "mail",
      for_each: elements,
      args: { to: { $ref: "item#" } },
    });
    const mail = (changes: Partial<ToolDeclaration> = {}) =>
      new Calls().tool("mail", { ...MAIL, input: z.strictObject({ to: z.string() }), ...changes });
    const jobsOf = (calls: Calls) => calls.world.gate.requests.map(({ jobs }) => jobs.length);

    test("records a job for every element in one admission and answers with their ids", async () => {
      const calls = mail();
      const loop = await calls.only(over("a", "b"));
      expect(loop).toMatchObject({ status: "success", meta: { items: { total: 2, ok: 2, error: 0 } } });
      const ids = (loop.data as { status: string; job_id: string }[]).map(({ status, job_id }) => {
        expect(status).toBe("initiated");
        return job_id;
      });
      expect(new Set(ids).size).toBe(2);
      expect(jobsOf(calls)).toEqual([0, 2]);
      await calls.world.drain();
      expect([...calls.world.gate.settled.keys()].sort()).toEqual(ids.sort());
    });

    test("an element with wrong arguments is an entry, and the others are recorded", async () => {
      const calls = mail();
      const loop = await calls.only(over("a", 5, "c"));
      expect(loop.data).toMatchObject([
        { status: "initiated" },
        { status: "error", error: { code: "INVALID_ARGS" } },
        { status: "initiated" },
      ]);
    });

    test("when nothing could be recorded it is an error", async () => {
      const calls = mail();
      calls.world.gate.refuseJobsWith = "BACKLOG_FULL";
      expect((await calls.only(over("a", "b"))).error?.code).toBe("BACKLOG_FULL");
    });

    test("draws from the tool's rate limit for each element, in the same admission", async () => {
      const calls = mail({
        orchestration: { mode: "parallel-safe", rate_limit: { limit: 1, window_s: 10, scope: "tenant" } },
      });
      calls.world.gate.beforeAnswer = async ({ quota }) => {
        if (quota === null) calls.world.gate.denied = [{ index: 1, retryAfterMs: 700 }];
      };
      const loop = await calls.only(over("a", "b"));
      expect(calls.world.gate.requests[1]).toMatchObject({ draws: [{ index: 0 }, { index: 1 }] });
      expect(loop.data).toMatchObject([{ status: "initiated" }, { error: { code: "RATE_LIMITED" } }]);
    });

    const FAIL_FAST = { mode: "parallel-safe", on_error: "fail-fast" } as const;

    test("under a fail-fast contract one wrong element means that none is recorded", async () => {
      const calls = mail({ orchestration: FAIL_FAST });
      const loop = await calls.only(over("a", 5));
      expect(loop).toMatchObject({ status: "error", error: { code: "INVALID_ARGS" } });
      expect(jobsOf(calls)).toEqual([0]);
    });

    test("under a fail-fast contract one denied element means that none is recorded", async () => {
      const rate_limit = { limit: 1, window_s: 10, scope: "tenant" } as const;
      const calls = mail({ orchestration: { ...FAIL_FAST, rate_limit } });
      calls.world.gate.beforeAnswer = async ({ quota }) => {
        if (quota === null) calls.world.gate.denied = [{ index: 1, retryAfterMs: 700 }];
      };
      const loop = await calls.only(over("a", "b"));
      expect(loop).toMatchObject({ status: "error", error: { code: "RATE_LIMITED" } });
      expect(calls.world.gate.requests[1]!.allOrNothing).toBe(true);
      await calls.world.drain();
      expect(calls.log).toEqual([]);
    });

    /** The gate takes the first job of a loop and finds no room for the second. */
    const halfFull = (calls: Calls, code: "BACKLOG_FULL" | null): void => {
      const admit = calls.world.gate.admit.bind(calls.world.gate);
      calls.world.gate.admit = async (request) => {
        const answer = await admit(request);
        return {
          ...answer,
          recorded: answer.recorded.slice(0, 1),
          refusedJobs: code === null ? [] : answer.recorded.slice(1).map(({ index }) => ({ index, code })),
        };
      };
    };

    test.each([
      ["BACKLOG_FULL", "BACKLOG_FULL"],
      [null, "OUTBOX_UNAVAILABLE"],
    ] as const)(
      "of which some are recorded says so, under fail-fast too: what is recorded will happen (%s)",
      async (code, told) => {
        for (const orchestration of [FAIL_FAST, { mode: "parallel-safe" } as const]) {
          const calls = mail({ orchestration });
          halfFull(calls, code);
          const loop = await calls.only(over("a", "b"));
          expect(loop).toMatchObject({
            status: "success",
            data: [{ status: "initiated" }, { status: "error", error: { code: told } }],
          });
        }
      },
    );

    test("whose gate fails says of every element that it may be recorded, and under fail-fast is an error", async () => {
      for (const [orchestration, status] of [
        [FAIL_FAST, "error"],
        [{ mode: "parallel-safe" } as const, "error"],
      ] as const) {
        const calls = mail({ orchestration });
        calls.world.gate.beforeAnswer = async ({ quota }) => void (calls.world.gate.down = quota === null);
        const loop = await calls.only(over("a", "b"));
        expect(loop).toMatchObject({ status, error: { code: "OUTBOX_UNAVAILABLE" } });
        expect(loop.error!.hint).toBeTypeOf("string");
      }
    });

    test("nothing to record asks for nothing", async () => {
      const calls = mail();
      expect(await calls.only(over())).toMatchObject({ status: "success", data: [] });
      expect(jobsOf(calls)).toEqual([0]);
    });

    test("depends_on one is met when its jobs are recorded", async () => {
      const [, next] = await mail()
        .tool("echo")
        .run({ id: "m", ...over("a") }, { tool: "echo", depends_on: ["m"] });
      expect(next!.status).toBe("success");
    });
  });
});

describe("under a cap", () => {
  const SERIAL = { mode: "sequential-only" } as const;
  const rate_limit = { limit: 9, window_s: 1, scope: "tenant" } as const;

  trial.each<[string, Partial<ToolDeclaration>, object]>([
    ["call", {}, {}],
    ["selected call", {}, { select: ["/x"] }],
    ["loop", {}, { for_each: [1] }],
    ["selected loop", {}, { for_each: [1, 2, 3], select: ["/x"] }],
    ["rate-limited loop", { orchestration: { ...SERIAL, rate_limit } }, { for_each: [1, 2], select: ["/x"] }],
  ])(
    "what a %s lets go goes before what was waiting, when more hangs on it",
    async (_, declaration, head) => {
      const calls = new Calls().tool("one", { orchestration: SERIAL, ...declaration }).tool("echo");
      await calls.run(
        { id: "head", tool: "one", args: { who: "head", ms: 10 }, ...head },
        { id: "waits", tool: "one", args: { who: "waits", ms: 10 }, depends_on: ["sooner"] },
        { id: "sooner", tool: "echo", args: { ms: 1 } },
        { id: "next", tool: "one", args: { who: "next" }, depends_on: ["head"] },
        { id: "last", tool: "echo", depends_on: ["next"] },
      );
      const order = calls.argsOf("one").map((args) => (args as { who: string }).who);
      expect(order.slice(-2)).toEqual(["next", "waits"]);
    },
  );
});

describe("hazards", () => {
  const calendar = () =>
    new Calls()
      .tool("book", { ...WRITE, domain: "calendar" })
      .tool("agenda", { domain: "calendar" })
      .tool("echo");
  const times = (calls: Calls) => calls.log.map(({ tool, at }) => [tool, at]);

  test("a read after a write of its domain sees what was written; other domains do not wait", async () => {
    const calls = calendar();
    await calls.run(
      { tool: "book", args: { ms: 50 } },
      { tool: "agenda" },
      { tool: "agenda", args: { n: 2 } },
      { tool: "echo" },
    );
    expect(times(calls)).toEqual([
      ["book", 0],
      ["echo", 0],
      ["agenda", 50],
      ["agenda", 50],
    ]);
  });

  test("a write that failed skips no other step", async () => {
    const results = await calendar().run({ tool: "book", args: { fail: true } }, { tool: "agenda" });
    expect(results.map(({ status }) => status)).toEqual(["error", "success"]);
  });

  test("a write that is skipped keeps the order between its neighbours", async () => {
    const calls = calendar();
    const results = await calls.run(
      { tool: "book", args: { ms: 50 } },
      { id: "bad", tool: "echo", args: { fail: true } },
      { tool: "book", depends_on: ["bad"] },
      { tool: "agenda" },
    );
    expect(results.map(({ status }) => status)).toEqual(["success", "error", "skipped", "success"]);
    expect(times(calls).at(-1)).toEqual(["agenda", 50]);
  });

  test("a reference that runs against the order asked wins", async () => {
    const calls = calendar();
    const results = await calls.run(
      { id: "w", tool: "book", args: { x: { $ref: "r#" } } },
      { id: "r", tool: "agenda", args: { ms: 20 } },
    );
    expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(times(calls)).toEqual([
      ["agenda", 0],
      ["book", 20],
    ]);
  });

  test("fire-and-forget neither waits nor is waited for", async () => {
    const calls = calendar().tool("mail", { ...MAIL, domain: "calendar" });
    const results = await calls.run({ tool: "book", args: { ms: 50 } }, { tool: "mail" }, { tool: "agenda" });
    expect(results[1]!.status).toBe("initiated");
    expect(times(calls).find(([tool]) => tool === "agenda")).toEqual(["agenda", 50]);
    expect(times(calls).find(([tool]) => tool === "mail")![1]).toBe(0);
  });

  test("a loop of writes holds up its domain until its last element", async () => {
    const calls = calendar();
    await calls.run(
      { tool: "book", for_each: [20, 20], args: { ms: { $ref: "item#" } } },
      { tool: "agenda" },
    );
    expect(times(calls).at(-1)).toEqual(["agenda", 40]);
  });

  test("under fail-fast a failed write stops what was ordered after it, and what referred to it was skipped for it", async () => {
    const calls = calendar();
    const { results } = await calls.world.run(calls.tools, {
      on_error: "fail-fast",
      actions: [
        { id: "done", tool: "echo" },
        { id: "w", tool: "book", args: { ms: 10, fail: true } },
        { id: "child", tool: "echo", args: { x: { $ref: "w#" } } },
        { id: "later", tool: "agenda" },
        { id: "slow", tool: "echo", args: { ms: 100 } },
        { id: "after-slow", tool: "echo", args: { x: { $ref: "slow#" } } },
      ],
    });
    expect(results.map(({ status, because, error }) => [status, because, error?.code])).toEqual([
      ["success", undefined, undefined],
      ["error", undefined, "NOT_FOUND"],
      ["skipped", "w", "DEPENDENCY_FAILED"],
      ["skipped", "w", "ABORTED"],
      ["error", undefined, "ABORTED"],
      ["skipped", "w", "ABORTED"],
    ]);
  });

  test("under fail-fast a reference to nothing in the data stops the batch like any failure", async () => {
    const calls = shops();
    const { results } = await calls.world.run(calls.tools, {
      on_error: "fail-fast",
      actions: [
        { id: "s", tool: "search" },
        { id: "bad", tool: "book", args: { id: { $ref: "s#/nope" } } },
        { id: "slow", tool: "echo", args: { ms: 100 } },
      ],
    });
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, "BAD_REFERENCE", "ABORTED"]);
  });
});
