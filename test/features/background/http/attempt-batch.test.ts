import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import type { Tool, ToolContext } from "../../../../src/core/catalog/define-tool.ts";
import type { BatchReport } from "../../../../src/features/background/batch-job.ts";
import { BatchObject } from "../../../support/batch-object.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

const WRITE = {
  isWrite: true,
  actions: ["create"],
  orchestration: { mode: "sequential-only", on_error: "partial-success" },
} as const;
const numbers = (count: number): readonly number[] => [...Array(count).keys()];
const over = (count: number) => ({ for_each: numbers(count), args: { n: { $ref: "item#" } } });

interface Entry {
  readonly index: number;
  readonly status: string;
  readonly error?: { readonly code: string };
}

interface Result extends Omit<Entry, "index"> {
  readonly id: string;
  readonly because?: string;
  readonly data?: unknown;
}

/** An upstream that counts which elements reached it, and takes so long for each. */
class Upstream {
  readonly calls: number[] = [];
  readonly keys = new Map<number, Set<string>>();
  underWay = 0;
  most = 0;
  /** Called before a call is answered. */
  onCall: (n: number) => void = () => {};

  tool(name: string, declared: Parameters<typeof contractOf>[1]): Tool {
    return contractOf(name, {
      ...declared,
      hosts: ["api.example.com"],
      run: async (args: unknown, { fetch, idempotencyKey }: ToolContext) => {
        const { n } = args as { readonly n: number };
        const answer = await fetch(`https://api.example.com/${n}/${idempotencyKey}`, { method: "POST" });
        return answer.json();
      },
    });
  }

  /** Answer a call after so long. */
  async answer(url: string, sleep: () => Promise<void>): Promise<Response> {
    const [, number, key = ""] = new URL(url).pathname.split("/");
    const n = Number(number);
    this.calls.push(n);
    this.keys.set(n, (this.keys.get(n) ?? new Set<string>()).add(key));
    this.underWay += 1;
    this.most = Math.max(this.most, this.underWay);
    await sleep();
    this.underWay -= 1;
    this.onCall(n);
    if (n === -2) return Response.json({ items: numbers(60).map((of) => ({ of, pad: "x".repeat(5_000) })) });
    if (this.refused.has(n)) return new Response("", { status: 404 });
    return this.failing.has(n) && this.times(n) <= 2
      ? new Response("", { status: 429 })
      : Response.json({ n, ...(this.text !== "" && { text: this.text }) });
  }

  /** Stands in each answer. */
  text = "";

  /** Elements that are not found. */
  readonly refused = new Set<number>();
  /** Elements whose first calls are refused. */
  readonly failing = new Set<number>();

  times(n: number): number {
    return this.calls.filter((call) => call === n).length;
  }
}

function setUp(
  actions: readonly object[],
  {
    ms = 10,
    deadlineMs,
    ...declared
  }: { ms?: number; deadlineMs?: number } & Parameters<typeof contractOf>[1] = {},
) {
  const upstream = new Upstream();
  const tools = [
    upstream.tool("read", { ...declared, isWrite: false }),
    upstream.tool("write", { ...WRITE, idempotent: false, ...declared }),
    upstream.tool("keyed", { ...WRITE, domain: "keyed", idempotent: "with-key", ...declared }),
    upstream.tool("later", { ...WRITE, domain: "later", execution: "fire-and-forget" }),
  ];
  const object = new BatchObject(tools, { actions }, deadlineMs);
  object.world.fetch = (url) => upstream.answer(url, () => object.world.clock.sleep(ms));
  return { upstream, object };
}

const entriesOf = (object: BatchObject, index = 0): readonly Entry[] =>
  object.results()[index]!.data as readonly Entry[];

describe("A batch in the background", () => {
  trial("takes a loop of 1,000 elements, and has an entry of each in its results", async () => {
    const { upstream, object } = setUp([{ tool: "write", ...over(1_000) }]);
    const { end } = await object.finish();
    expect(end.kind).toBe("succeeded");
    expect(upstream.calls).toEqual(numbers(1_000));
    expect(entriesOf(object)).toEqual(
      numbers(1_000).map((n) => ({ index: n, status: "success", data: { n } })),
    );
    expect(object.total).toBe(1_000);
  });

  trial("sends nothing that is made of a part of a loop's answers, and ends", async () => {
    const { upstream, object } = setUp([
      { id: "all", tool: "read", ...over(60) },
      { id: "sum", tool: "write", args: { n: -1, all: { $ref: "all#" } } },
      { id: "after", tool: "keyed", args: { n: 1_000 }, depends_on: ["all"] },
    ]);
    upstream.text = "x".repeat(100_000);
    const { end } = await object.finish();
    expect(end).toMatchObject({ kind: "failed", error: { retryable: false } });
    expect(object.results().map(({ status }) => status)).toEqual(["success", "error", "success"]);
    expect(object.results()[1]!.error).toMatchObject({ code: "RESPONSE_TOO_LARGE" });
    expect([...upstream.calls].sort((a, b) => a - b)).toEqual([...numbers(60), 1_000]);
  });

  trial("keeps the list of a loop whole for its next turns, however many actions it has", async () => {
    const { upstream, object } = setUp([
      { id: "list", tool: "read", args: { n: -2 } },
      { tool: "write", for_each: { $ref: "list#/items" }, args: { n: { $ref: "item#/of" } } },
      ...numbers(28).map((n) => ({ tool: "read", args: { n: 1_000 + n } })),
    ]);
    expect((await object.finish()).end.kind).toBe("succeeded");
    expect(upstream.calls.filter((n) => n >= 0 && n < 1_000)).toEqual(numbers(60));
    expect(upstream.times(-2)).toBe(1);
  });

  test("makes its writes one after another, and its reads in slices", async () => {
    const writes = setUp([{ tool: "write", ...over(60) }]);
    await writes.object.finish();
    expect(writes.upstream.most).toBe(1);
    const reads = setUp([{ tool: "read", ...over(60) }]);
    await reads.object.finish();
    expect(reads.upstream.most).toBe(LIMITS.headerSlots);
  });

  trial(
    "writes two rows for a write, by one call, and one for a read, by one call for each slice",
    async () => {
      const writes = setUp([{ tool: "write", ...over(100) }]);
      await writes.object.finish();
      // One more call for the end of each slice and of each attempt, and one row for the loop as a whole.
      expect(writes.object.written).toEqual({ rows: 201, calls: 108 });
      const reads = setUp([{ tool: "read", ...over(100) }]);
      await reads.object.finish();
      expect(reads.object.written).toEqual({ rows: 101, calls: 8 });
    },
  );

  test("has its writes written down before they are sent", async () => {
    const { upstream, object } = setUp([{ tool: "write", ...over(30) }]);
    upstream.onCall = (n) => expect(object.rows.get(`0.${n}`)).toMatchObject({ inDoubt: true });
    expect((await object.finish()).end.kind).toBe("succeeded");
  });

  trial(
    "goes on in the next attempt where time is up for one, and no attempt is counted for it",
    async () => {
      const { upstream, object } = setUp(
        [
          { tool: "write", ...over(500) },
          { tool: "read", args: { n: -1 } },
        ],
        {
          ms: 1_000,
        },
      );
      const first = await object.attempt();
      expect(first.end).toEqual({ kind: "continued" });
      expect(upstream.calls.length).toBeLessThan(130);
      const { end } = await object.finish();
      expect(end.kind).toBe("succeeded");
      expect(upstream.calls.filter((n) => n >= 0)).toEqual(numbers(500));
      expect(entriesOf(object).every(({ status }) => status === "success")).toBe(true);
    },
  );

  trial("ends with its deadline, and says of each element that it did not come to it", async () => {
    const { upstream, object } = setUp([{ tool: "write", ...over(200) }], { ms: 1_000, deadlineMs: 150_000 });
    const { end } = await object.finish();
    expect(end).toMatchObject({ kind: "failed", error: { retryable: false } });
    const entries = entriesOf(object);
    expect(entries).toHaveLength(200);
    const late = entries.filter(({ error }) => error?.code === "DEADLINE_EXCEEDED").length;
    expect(late).toBeGreaterThanOrEqual(50);
    expect(new Set(upstream.calls).size).toBe(upstream.calls.length);
  });

  trial("is ended between elements where it is cancelled", async () => {
    const { upstream, object } = setUp([{ tool: "write", ...over(200) }]);
    upstream.onCall = (n) => {
      if (n === 42) object.kill();
    };
    await object.untilLost();
    expect(upstream.calls).toEqual(numbers(43));
  });

  trial("begins 25 elements in a turn, and leaves what comes after its loop to a later one", async () => {
    const { upstream, object } = setUp([
      { tool: "write", ...over(60) },
      { tool: "write", args: { n: 100 } },
    ]);
    for (const most of [25, 50, 61]) {
      const { end } = await object.attempt();
      expect(upstream.calls).toHaveLength(most);
      expect(end.kind).toBe(most === 61 ? "succeeded" : "continued");
    }
    expect(upstream.calls).toEqual([...numbers(60), 100]);
  });

  trial("begins no call after five seconds, and lets the one under way end", async () => {
    const { upstream, object } = setUp([{ tool: "read", ...over(25) }], {
      ms: 4_000,
      orchestration: { mode: "sequential-only" },
    });
    expect((await object.attempt()).end.kind).toBe("continued");
    expect(upstream.calls).toEqual([0, 1]);
    expect(entriesOf(object)).toMatchObject([{ status: "success" }, { status: "success" }]);
    expect((await object.finish()).end.kind).toBe("succeeded");
    expect(upstream.calls).toEqual(numbers(25));
  });

  trial("asks nothing again in a later turn that was refused in an earlier one", async () => {
    const { upstream, object } = setUp([
      { tool: "read", args: { n: 900 } },
      { tool: "write", args: { n: 901 } },
      { tool: "write", ...over(60) },
    ]);
    for (const n of [900, 901, 3]) upstream.refused.add(n);
    expect((await object.finish()).end).toMatchObject({ kind: "failed", error: { code: "NOT_FOUND" } });
    expect([900, 901, 3].map((n) => upstream.times(n))).toEqual([1, 1, 1]);
    expect(new Set(upstream.calls).size).toBe(62);
  });

  test("F38 has one true result for everything where it is cancelled with an element in flight", async () => {
    const { upstream, object } = setUp([
      { id: "read", tool: "read", args: { n: 500 } },
      { id: "refused", tool: "read", args: { n: 501 } },
      { id: "each", tool: "write", ...over(100) },
      { id: "job", tool: "later", args: { n: 504 } },
      { id: "write", tool: "keyed", args: { n: 502 }, depends_on: ["each"] },
      { id: "needs", tool: "read", args: { n: 503 }, depends_on: ["write"] },
      { id: "unknown", tool: "nobody" },
      { id: "after", tool: "write", ...over(30) },
    ]);
    upstream.refused.add(501);
    upstream.onCall = (n) => {
      if (n === 42) object.cancel();
    };
    await object.untilLost();
    object.complete();

    expect(upstream.calls.toSorted((a, b) => a - b)).toEqual([...numbers(43), 500, 501, 504]);
    const results = object.results();
    expect(results.map(({ id, status, error }) => [id, status, error?.code])).toEqual([
      ["read", "success", undefined],
      ["refused", "error", "NOT_FOUND"],
      ["each", "success", undefined],
      ["job", "initiated", undefined],
      ["write", "error", "CANCELLED"],
      ["needs", "skipped", "DEPENDENCY_FAILED"],
      ["unknown", "error", "UNKNOWN_TOOL"],
      ["after", "error", "CANCELLED"],
    ]);
    expect(entriesOf(object, 2).map(({ status, error }) => [status, error?.code])).toEqual(
      numbers(100).map((n) => (n <= 42 ? ["success", undefined] : ["error", "CANCELLED"])),
    );
    expect(entriesOf(object, 7)).toHaveLength(30);
    expect(results[4]!.meta).toEqual({ attempts: 0 });
    expect(results[7]!.meta).toMatchObject({ attempts: 0, items: { total: 30, ok: 0, error: 30 } });
  });

  trial(
    "F38 says the same as a run and by its results wherever it is cancelled, in a turn or between two",
    async () => {
      const actions = [
        { id: "read", tool: "read", args: { n: 500 } },
        { id: "each", tool: "write", ...over(30), depends_on: ["read"] },
        { id: "refused", tool: "read", args: { n: 501 }, depends_on: ["each"] },
        { id: "waits", tool: "keyed", args: { n: 502 }, depends_on: ["last", "refused"] },
        { id: "all", tool: "keyed", ...over(3), depends_on: ["refused"] },
        { id: "some", tool: "read", ...over(4), depends_on: ["waits"] },
        { id: "last", tool: "write", args: { n: 503 }, depends_on: ["each"] },
        { id: "job", tool: "later", args: { n: 504 }, depends_on: ["last"] },
      ];
      const said = (results: readonly object[], shown: readonly object[] = results) =>
        (results as readonly Result[]).map(({ id, status, because, error, data }, at) => {
          const elements =
            Array.isArray(data) && data.map((one: Entry) => [one.index, one.status, one.error]);
          // A run says of a loop that was not begun only that.
          return { id, status, because, code: error?.code, elements: "data" in shown[at]! && elements };
        });
      for (let at = 1; at <= 33; at += 1)
        for (const isBetween of [false, true]) {
          const { upstream, object } = setUp(actions);
          upstream.refused.add(501);
          let report: BatchReport;
          if (isBetween) {
            report = await object.attempt();
            while (upstream.calls.length < at && report.end.kind === "continued")
              report = await object.attempt();
          } else {
            upstream.onCall = () => void (upstream.calls.length === at && object.cancel());
            report = await object.untilLost();
          }
          object.complete();
          const { results } = JSON.parse(report.envelopeJson!) as { readonly results: readonly object[] };
          expect(said(results), `cancelled after ${at} calls`).toEqual(said(object.results(), results));
        }
    },
  );

  trial(
    "runs the rest after a write of a loop was lost, never sends that again, and ends as unknown",
    async () => {
      const { upstream, object } = setUp([{ tool: "write", ...over(100) }]);
      await killAt(upstream, object, 50);
      const { end } = await object.finish();
      expect(end).toMatchObject({
        kind: "unknown",
        error: { retryable: false, hint: expect.stringContaining("An element of a loop") },
      });
      expect(upstream.times(50)).toBe(1);
      expect(entriesOf(object)[50]).toMatchObject({ status: "unknown", error: { code: "INTERNAL" } });
      expect(entriesOf(object).filter(({ status }) => status === "success")).toHaveLength(99);
    },
  );

  test("does not run the rest where the contract is fail-fast", async () => {
    const { upstream, object } = setUp([{ tool: "write", ...over(100) }], {
      orchestration: { mode: "sequential-only", on_error: "fail-fast" },
    });
    await killAt(upstream, object, 50);
    const { end } = await object.finish();
    expect(end.kind).toBe("unknown");
    expect(upstream.calls).toEqual(numbers(51));
    const entries = entriesOf(object);
    expect(entries).toHaveLength(100);
    expect(entries.slice(51).every(({ error }) => error?.code === "ABORTED")).toBe(true);
  });

  trial("sends a lost write again under its key where that is safe", async () => {
    const { upstream, object } = setUp([{ tool: "keyed", ...over(60) }]);
    await killAt(upstream, object, 30);
    expect((await object.finish()).end.kind).toBe("succeeded");
    expect(upstream.times(30)).toBe(2);
    expect([...upstream.keys.values()].every((keys) => keys.size === 1)).toBe(true);
    expect(new Set([...upstream.keys.values()].flatMap((keys) => [...keys])).size).toBe(60);
  });

  trial("tries elements again that failed in passing, and no others", async () => {
    const { upstream, object } = setUp([{ tool: "write", ...over(60) }]);
    upstream.failing.add(7);
    const { end } = await object.finish();
    expect(end.kind).toBe("succeeded");
    expect(upstream.times(7)).toBeGreaterThan(1);
    expect(upstream.calls.filter((n) => n !== 7)).toEqual(numbers(60).filter((n) => n !== 7));
  });

  trial("records a job for each element of a background tool, the same ones in a later attempt", async () => {
    const { object } = setUp([{ tool: "later", ...over(100) }]);
    await object.finish();
    expect(object.world.gate.recordedIds.size).toBe(100);
    const entries = entriesOf(object);
    expect(entries.every(({ status }) => status === "initiated")).toBe(true);
    for (const key of object.rows.keys()) object.rows.delete(key);
    await object.finish();
    expect(object.world.gate.recordedIds.size).toBe(100);
  });

  trial("waits for the rate limit of its tool", async () => {
    const { upstream, object } = setUp([{ tool: "read", ...over(50) }], {
      orchestration: { mode: "parallel-safe", rate_limit: { limit: 10, window_s: 1, scope: "tenant" } },
    });
    let tokens = 10;
    const { gate, clock } = object.world;
    const admit = gate.admit.bind(gate);
    gate.admit = async (request) => {
      gate.denied = request.draws.slice(tokens).map(({ index }) => ({ index, retryAfterMs: 1_000 }));
      const before = clock.now();
      const answer = await admit(request);
      tokens = Math.max(0, tokens - request.draws.length);
      clock.after(1_000 - (before % 1_000), () => (tokens = 10));
      return answer;
    };
    const { end } = await object.finish();
    expect(end.kind).toBe("succeeded");
    expect([...upstream.calls].sort((a, b) => a - b)).toEqual(numbers(50));
  });

  trial(
    "hands the whole of its elements' data to actions that refer to them, also in a later attempt",
    async () => {
      const { upstream, object } = setUp([
        { id: "all", tool: "read", ...over(40) },
        { id: "use", tool: "write", for_each: { $ref: "all#" }, args: { n: { $ref: "item#/data/n" } } },
      ]);
      await killAt(upstream, object, 20, 2);
      expect((await object.finish()).end.kind).toBe("unknown");
      expect(entriesOf(object, 1)).toHaveLength(40);
    },
  );

  trial("ends where its loop reads more than is kept of it, and reads nothing again", async () => {
    const { upstream, object } = setUp([{ tool: "read", ...over(60) }], { deadlineMs: 10_000 });
    upstream.text = "x".repeat(100_000);
    expect((await object.finish()).end.kind).toBe("succeeded");
    expect([...upstream.calls].sort((a, b) => a - b)).toEqual(numbers(60));
    expect(entriesOf(object).map(({ status }) => status)).toEqual(numbers(60).map(() => "success"));
  });

  const KILLED: readonly [of: string, calls: number, actionsOf: (tool: string) => readonly object[]][] = [
    ["element", 120, (tool) => [{ tool, ...over(120) }]],
    ["action", 40, (tool) => numbers(40).map((n) => ({ tool, args: { n } }))],
  ];
  trial.each(KILLED)("F31 loses and doubles no %s, wherever it is killed", async (of, calls, actionsOf) => {
    const most = Math.ceil(calls * 3.4);
    const kills = fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 4 });
    const property = fc.asyncProperty(
      kills,
      fc.constantFrom("write", "keyed", "read"),
      fc.boolean(),
      async (after, tool, whileWriting) => {
        const { upstream, object } = setUp(actionsOf(tool));
        for (const count of after) await killAfter(upstream, object, { count, whileWriting });
        upstream.onCall = () => {};
        object.onWrite = () => {};
        const { end } = await object.finish();
        expect(end.kind).not.toBe("continued");
        const actions = object.results().map(({ status }, index) => ({ index, status }));
        const entries = of === "element" ? entriesOf(object) : actions;
        expect(entries.map(({ index }) => index)).toEqual(numbers(calls));
        for (const { index, status } of entries) {
          const times = upstream.times(index);
          if (tool !== "write") expect(status).toBe("success");
          else expect(times).toBeLessThanOrEqual(1);
          if (status === "success") expect(times).toBeGreaterThanOrEqual(1);
          else expect(status).toBe("unknown");
          expect(upstream.keys.get(index)?.size ?? 1).toBe(1);
        }
        expect(entries.filter(({ status }) => status === "unknown").length).toBeLessThanOrEqual(
          2 * after.length,
        );
      },
    );
    await fc.assert(property, { numRuns: samples(100) });
  });
});

/** Make an attempt that is killed while this element is under way for the so-manieth time. */
async function killAt(upstream: Upstream, object: BatchObject, n: number, time = 1): Promise<void> {
  upstream.onCall = (called) => {
    if (called === n && upstream.times(n) === time) object.kill();
  };
  await object.untilLost();
  upstream.onCall = () => {};
}

/** Make an attempt that is killed after so many calls, or so many rows. */
async function killAfter(
  upstream: Upstream,
  object: BatchObject,
  { count, whileWriting }: { readonly count: number; readonly whileWriting: boolean },
): Promise<void> {
  let left = count;
  const pass = (): void => {
    left -= 1;
    if (left === 0) object.kill();
  };
  upstream.onCall = whileWriting ? () => {} : pass;
  object.onWrite = whileWriting ? pass : () => {};
  const report = await object.world.clock.runUntil(object.begin());
  // One that was over before is taken, as its object would.
  if (report !== null && left > 0) object.take(report);
}
