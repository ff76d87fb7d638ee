import * as z from "zod";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool, type Tool, type ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Orchestration } from "../../../src/core/contract/orchestration.ts";
import type { Execution } from "../../../src/core/gate/execution.ts";
import { TestWorld, type WireResult } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { declareTool } from "../../support/sample-tools.ts";

type VerifyWith = Orchestration["verify_with"];

const BY_ID = { tool: "find", args: { id: "/id" }, found: "/id" };

interface Answer {
  readonly ms?: number;
  readonly status?: number;
  readonly body?: unknown;
}

/** A write whose answer is lost, a read that looks for it, and what their upstream saw. */
class Lost {
  readonly world = new TestWorld();
  readonly requests: string[] = [];
  readonly tools: readonly Tool[];
  /** The answer to the read; null when it is never answered. */
  looks: Answer | null = { body: { id: "i1" } };
  readonly #epoch = this.world.clock.now();

  constructor(verify_with: VerifyWith = BY_ID, find: Partial<ToolDeclaration> = {}) {
    const write = (name: string, orchestration: Partial<Orchestration> = {}): Tool =>
      contractOf(name, {
        isWrite: true,
        actions: ["update"],
        domain: name,
        hosts: ["x.example.com"],
        input: z.strictObject({ id: z.string(), text: z.string().optional() }),
        orchestration: { mode: "parallel-safe", ...orchestration },
        run: async (_, ctx) => (await ctx.fetch(`https://x.example.com/${name}`, { method: "POST" })).json(),
      });
    this.tools = [
      write("put", verify_with === undefined ? {} : { verify_with }),
      write("plain"),
      defineTool(
        declareTool({
          name: "find",
          category: "test",
          domain: "put",
          hosts: ["x.example.com"],
          input: z.strictObject({ id: z.string() }),
          run: async ({ id }, ctx) => (await ctx.fetch(`https://x.example.com/find?id=${id}`)).json(),
          ...find,
        }),
      ),
      contractOf("wait", {
        run: async (args) => {
          await this.world.clock.sleep((args as { ms: number }).ms);
          return "waited";
        },
      }),
    ];
    this.world.fetch = async (url, { signal }) => {
      const { pathname, search } = new URL(url);
      this.requests.push(pathname + search);
      // A write's connection breaks after 50 ms, unless it is to hang until the deadline.
      const answer = pathname === "/find" ? this.looks : this.writes;
      if (answer === null)
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      await this.world.clock.sleep(answer.ms ?? 0);
      if (answer.status === 0) throw new Error("connection reset");
      return Response.json(answer.body ?? {}, { status: answer.status ?? 200 });
    };
  }

  /** The answer to the write; a status of 0 is a connection that breaks. */
  writes: Answer | null = { ms: 50, status: 0 };

  async run(actions: readonly object[], fields: object = {}, overrides: Partial<Execution> = {}) {
    const { results } = await this.world.run(this.tools, { deadline_ms: 200, actions, ...fields }, overrides);
    return { results, answeredAt: this.now };
  }

  get now(): number {
    return this.world.clock.now() - this.#epoch;
  }

  async only(): Promise<WireResult> {
    return (await this.run([{ tool: "put", args: { id: "i1", text: "hello" } }])).results[0]!;
  }
}

const verdictOf = ({ meta }: WireResult): unknown =>
  (meta as { verification?: { verdict: string } }).verification?.verdict;

describe("A write whose answer was lost is looked up:", () => {
  test("what is found took effect, so it is not to be sent again", async () => {
    const lost = new Lost();
    lost.looks = { ms: 70, body: { id: "i1" } };
    const result = await lost.only();
    expect(result).toMatchObject({
      status: "unknown",
      error: { code: "UPSTREAM_ERROR", retryable: false },
      meta: { verification: { tool: "find", verdict: "took_effect", duration_ms: 70 } },
    });
    expect(result.error?.hint).toBe(
      "Its answer was lost, but 'find' finds that it took effect: do not send it again.",
    );
    expect(result).not.toHaveProperty("data");
    expect(lost.requests).toEqual(["/put", "/find?id=i1"]);
  });

  test("what is not found has not taken effect as of now", async () => {
    const lost = new Lost();
    lost.looks = { status: 404 };
    const result = await lost.only();
    expect([result.status, verdictOf(result)]).toEqual(["unknown", "not_found"]);
    expect(result.error?.hint).toContain(
      "does not find its effect as of now; the service may still be working on it",
    );
  });

  test.each<[string, Answer | null, VerifyWith, string]>([
    ["a read that succeeds is enough", { body: null }, { tool: "find", args: { id: "/id" } }, "took_effect"],
    ["an output without the field", { body: { other: 1 } }, BY_ID, "not_found"],
    ["another value", { body: { t: "bye" } }, { ...BY_ID, found: "/t", equals: "/text" }, "not_found"],
    ["the same value", { body: { t: "hello" } }, { ...BY_ID, found: "/t", equals: "/text" }, "took_effect"],
    ["a refusal", { status: 403 }, BY_ID, "inconclusive"],
    ["a failing service", { status: 500 }, BY_ID, "inconclusive"],
    ["a broken connection", { status: 0 }, BY_ID, "inconclusive"],
  ])("%s", async (_, looks, verify, verdict) => {
    const lost = new Lost(verify);
    lost.looks = looks;
    const result = await lost.only();
    expect([result.status, verdictOf(result)]).toEqual(["unknown", verdict]);
    if (verdict === "inconclusive") expect(result.error?.hint).toContain("could not tell, so look yourself");
  });

  test("what cannot be asked for, because the write left it out, is inconclusive and not asked", async () => {
    const byText = new Lost({ tool: "find", args: { id: "/text" } });
    const [result] = (await byText.run([{ tool: "put", args: { id: "i1" } }])).results;
    expect(verdictOf(result!)).toBe("inconclusive");
    expect(byText.requests).toEqual(["/put"]);

    const equal = new Lost({ ...BY_ID, equals: "/text" });
    const [unequal] = (await equal.run([{ tool: "put", args: { id: "i1" } }])).results;
    expect(verdictOf(unequal!)).toBe("inconclusive");
  });

  test("a look that hangs is given up, once", async () => {
    const lost = new Lost();
    lost.looks = null;
    const { results, answeredAt } = await lost.run([{ tool: "put", args: { id: "i1" } }]);
    expect(verdictOf(results[0]!)).toBe("inconclusive");
    expect(answeredAt).toBe(50 + LIMITS.verifyMs);
    expect(lost.requests).toHaveLength(2);
    expect(lost.world.clock.pending).toBe(0);
  });

  test("a read that is tried again elsewhere is made once here", async () => {
    const backoff = { strategy: "exponential", initial_ms: 1 } as const;
    const lost = new Lost(BY_ID, { orchestration: { mode: "parallel-safe", backoff } });
    lost.looks = { status: 503 };
    expect(verdictOf(await lost.only())).toBe("inconclusive");
    expect(lost.requests).toHaveLength(2);
  });

  test("at the deadline, at once, and said so: the request is still under way", async () => {
    const lost = new Lost();
    lost.writes = { ms: 900 };
    lost.looks = { ms: 40, status: 404 };
    const { results, answeredAt } = await lost.run([{ tool: "put", args: { id: "i1" } }]);
    expect(answeredAt).toBe(240);
    expect(results[0]).toMatchObject({
      status: "unknown",
      error: { code: "DEADLINE_EXCEEDED", retryable: false },
      meta: { verification: { verdict: "not_found" } },
    });
    expect(results[0]!.error?.hint).toContain("the request is still under way, so look once more");
    await lost.world.drain();
    expect(lost.now).toBe(900);
  });

  test("even when the batch holds every header slot", async () => {
    const lost = new Lost();
    lost.writes = { ms: 900 };
    const { options } = lost.world.execution(lost.tools);
    const { results } = await lost.run(
      [{ tool: "put", args: { id: "i1" } }],
      {},
      { options: { ...options, headerSlots: 1 } },
    );
    expect(verdictOf(results[0]!)).toBe("took_effect");
  });

  test("beside the rest of the batch, which does not wait for it", async () => {
    const lost = new Lost();
    lost.looks = { ms: 100, body: { id: "i1" } };
    const told: [number, string, string][] = [];
    const { results, answeredAt } = await lost.run(
      [
        { id: "w", tool: "put", args: { id: "i1" } },
        { id: "after", tool: "wait", args: { ms: 20 }, depends_on: ["w"] },
        { id: "beside", tool: "wait", args: { ms: 80 } },
      ],
      {},
      {
        listener: { onOutcome: ({ id }, { meta }) => told.push([lost.now, id, JSON.stringify(meta)]) },
      },
    );
    expect(answeredAt).toBe(150);
    expect(results.map(({ status }) => status)).toEqual(["unknown", "skipped", "success"]);
    expect(told.map(([at, id]) => [at, id])).toEqual([
      [50, "after"],
      [80, "beside"],
      [150, "w"],
    ]);
    expect(told[2]![2]).toContain("took_effect");
  });

  test("under fail-fast what it stops is stopped before the look, not after", async () => {
    const lost = new Lost();
    lost.looks = { ms: 100 };
    const { results } = await lost.run(
      [
        { tool: "put", args: { id: "i1" } },
        { id: "first", tool: "wait", args: { ms: 60 } },
        { tool: "wait", args: { ms: 0 }, depends_on: ["first"] },
      ],
      { on_error: "fail-fast" },
    );
    expect(results.map(({ error }) => error?.code)).toEqual(["UPSTREAM_ERROR", "ABORTED", "ABORTED"]);
  });

  test("for a key that may not call the read as well, which sees the verdict only", async () => {
    const lost = new Lost();
    const catalog = createCatalog(lost.tools).restrictTo(["put"]);
    const { results } = await lost.run([{ tool: "put", args: { id: "i1" } }], {}, { catalog });
    expect(results[0]!.meta).toMatchObject({ verification: { verdict: "took_effect" } });
    expect(results[0]!.error!.hint).toContain("a look at it finds that it took effect");
    expect(JSON.stringify(results[0])).not.toMatch(/i1|'find'|"find"/);
  });
});

describe("Nothing is looked up", () => {
  test.each<[string, Answer]>([
    ["succeeded", { body: {} }],
    ["was refused", { status: 422 }],
  ])("of a write that %s", async (_, writes) => {
    const lost = new Lost();
    lost.writes = writes;
    expect(await lost.only()).not.toHaveProperty("meta.verification");
    expect(lost.requests).toEqual(["/put"]);
  });

  test("where the contract does not say how, nor in a loop, whose elements are one result", async () => {
    const lost = new Lost();
    const { results } = await lost.run([
      { tool: "plain", args: { id: "i1" } },
      { tool: "put", for_each: ["i1"], args: { id: { $ref: "item#" } } },
    ]);
    expect(results.map(({ status }) => status)).toEqual(["unknown", "unknown"]);
    expect(lost.requests.toSorted()).toEqual(["/plain", "/put"]);
  });
});
