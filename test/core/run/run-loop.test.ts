import { expect, test } from "vitest";

import { type Failure, makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { err, ok, type Result } from "../../../src/core/kit/result.ts";
import type { Call } from "../../../src/core/plan/step.ts";
import { combineElements } from "../../../src/core/answer/combine-elements.ts";
import { type LoopOptions, runLoop } from "../../../src/core/run/run-loop.ts";
import { type SentWrite, Ticket } from "../../../src/core/run/ticket.ts";
import { ToolCaps } from "../../../src/core/run/tool-caps.ts";
import { Turn } from "../../../src/core/run/turn.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** How one element goes: it takes `ms`, then succeeds with its number or fails. */
interface ElementSketch {
  readonly ms?: number;
  readonly fails?: Failure;
  /** Wrong arguments: never called. */
  readonly refused?: Failure;
}

interface RunOptions extends Partial<Omit<LoopOptions, "clock" | "begin">> {
  readonly cap?: number;
  readonly stopAfterMs?: number;
  readonly stopWith?: Failure;
  readonly sentWrite?: SentWrite;
}

const FAILURE = makeFailure("UPSTREAM_ERROR");

async function run(elements: readonly ElementSketch[], options: RunOptions = {}) {
  const clock = new VirtualClock(0);
  const caps = new ToolCaps(clock, new Turn());
  const inOrder = options.inOrder ?? false;
  const tool = contractOf("tool", {
    isWrite: inOrder,
    actions: ["create"],
    ...(options.cap !== undefined && {
      orchestration: { mode: "fan-out-bounded", max_concurrency: options.cap },
    }),
  });
  const startedAt = new Map<number, number>();
  const begin = (ticket: Ticket, element: number): void => {
    const { ms = 0, fails } = elements[element]!;
    startedAt.set(element, clock.now());
    const meta = { durationMs: ms, queuedMs: ticket.queuedMs, attempts: 1, bytes: 1 };
    ticket.start();
    const cancel = clock.after(ms, () =>
      ticket.end(
        fails === undefined
          ? { status: "success", data: element, json: `${element}`, meta }
          : { status: "error", error: fails, meta },
      ),
    );
    ticket.hold((failure, sentWrite) => {
      if (!inOrder) {
        cancel();
        ticket.end({ status: "error", error: failure, meta });
      } else if (sentWrite === "report-unknown") ticket.settle({ status: "unknown", error: failure, meta });
    });
  };
  const calls = elements.map(({ refused }): Result<Call, Failure> =>
    refused === undefined ? ok({ tool, input: {}, args: {}, timeoutMs: 1_000 }) : err(refused),
  );
  const settled = Promise.withResolvers<Outcome>();
  const over = Promise.withResolvers<void>();
  const loop = new Ticket({ settled: settled.resolve, over: over.resolve });
  runLoop(loop, calls, {
    clock,
    inOrder,
    failFast: options.failFast ?? false,
    repeatable: options.repeatable ?? !inOrder,
    begin: (ticket, _, element) =>
      caps.enqueue(ticket, { tool, remaining: 1, position: element }, () => begin(ticket, element)),
  });
  if (options.stopAfterMs !== undefined)
    clock.after(options.stopAfterMs, () =>
      loop.stop(options.stopWith ?? makeFailure("ABORTED"), options.sentWrite ?? "wait"),
    );
  const outcome = await clock.runUntil(settled.promise);
  return { outcome, startedAt, over: over.promise, clock, endedAt: clock.now() };
}

const dataOf = (outcome: Outcome): unknown => {
  if (outcome.status !== "success") throw new Error(`Expected success, got ${JSON.stringify(outcome)}`);
  expect(JSON.parse(outcome.json)).toEqual(JSON.parse(JSON.stringify(outcome.data)));
  return outcome.data;
};
const errorOf = (outcome: Outcome): Failure => {
  if (!("error" in outcome)) throw new Error(`Expected a failure, got ${outcome.status}`);
  return outcome.error;
};

test("a loop's data has one entry for every element, in order, whichever ended first", async () => {
  const { outcome, endedAt } = await run([{ ms: 30 }, { ms: 10 }, { ms: 20 }]);
  expect(dataOf(outcome)).toEqual([
    { index: 0, status: "success", data: 0 },
    { index: 1, status: "success", data: 1 },
    { index: 2, status: "success", data: 2 },
  ]);
  expect(endedAt).toBe(30);
});

test("a loop's measures: its own time, the work of all, the calls, the counts", async () => {
  const { outcome } = await run([{ ms: 30 }, { ms: 10, fails: FAILURE }, { refused: FAILURE }]);
  expect(outcome.meta).toEqual({
    durationMs: 30,
    workMs: 40,
    attempts: 2,
    bytes: 2,
    items: { total: 3, ok: 1, error: 2 },
  });
});

test("no elements are a success without entries, and nothing is called", async () => {
  const { outcome, startedAt } = await run([], { failFast: true });
  expect(dataOf(outcome)).toEqual([]);
  expect(outcome.meta.items).toEqual({ total: 0, ok: 0, error: 0 });
  expect(startedAt.size).toBe(0);
});

test("a failed element is an entry with its error while another succeeded", async () => {
  const { outcome } = await run([{ fails: FAILURE }, {}, { refused: makeFailure("INVALID_ARGS") }]);
  expect(dataOf(outcome)).toEqual([
    {
      index: 0,
      status: "error",
      error: expect.objectContaining({ code: "UPSTREAM_ERROR", retryable: true }),
    },
    { index: 1, status: "success", data: 1 },
    { index: 2, status: "error", error: expect.objectContaining({ code: "INVALID_ARGS" }) },
  ]);
});

test("when none succeeded the loop fails as its first element did", async () => {
  const { outcome } = await run([
    { ms: 20, fails: makeFailure("NOT_FOUND", { hint: "Try another id." }) },
    { ms: 10, fails: FAILURE },
  ]);
  expect(outcome.status).toBe("error");
  expect(errorOf(outcome)).toMatchObject({
    code: "NOT_FOUND",
    hint: "Element 0 of 2 failed. Try another id.",
  });
  expect(outcome.meta.items).toEqual({ total: 2, ok: 0, error: 2 });
});

test("under a fail-fast contract one failed element fails the loop and stops the others", async () => {
  const { outcome, endedAt } = await run([{ ms: 5 }, { ms: 10, fails: FAILURE }, { ms: 500 }], {
    failFast: true,
  });
  expect(endedAt).toBe(10);
  expect(outcome.status).toBe("error");
  expect(errorOf(outcome)).toMatchObject({
    code: "UPSTREAM_ERROR",
    hint: "Element 1 of 3 failed, 1 succeeded.",
  });
});

test("under a fail-fast contract an element with wrong arguments fails the loop before it calls anything more", async () => {
  const { outcome, startedAt } = await run([{ refused: makeFailure("INVALID_ARGS") }, {}, {}], {
    failFast: true,
  });
  expect(errorOf(outcome).code).toBe("INVALID_ARGS");
  expect(startedAt.size).toBe(0);
});

test("the elements of a write run one after another", async () => {
  const { startedAt, endedAt } = await run([{ ms: 30 }, { ms: 10 }, { ms: 20 }], { inOrder: true });
  expect([...startedAt.values()]).toEqual([0, 30, 40]);
  expect(endedAt).toBe(60);
});

test("the elements of a write go on after one that failed, unless the contract is fail-fast", async () => {
  const elements = [{ ms: 10, fails: FAILURE }, { ms: 10 }];
  expect((await run(elements, { inOrder: true })).startedAt.size).toBe(2);
  expect((await run(elements, { inOrder: true, failFast: true })).startedAt.size).toBe(1);
});

test("elements run at once, under their tool's cap, in order", async () => {
  const { startedAt, endedAt } = await run(
    Array.from({ length: 5 }, () => ({ ms: 10 })),
    { cap: 2 },
  );
  expect([...startedAt]).toEqual([
    [0, 0],
    [1, 0],
    [2, 10],
    [3, 10],
    [4, 20],
  ]);
  expect(endedAt).toBe(30);
});

test("a loop that is stopped ends its reads with that failure, and is one entry each", async () => {
  const { outcome, endedAt } = await run([{ ms: 5 }, { ms: 500 }], { stopAfterMs: 10 });
  expect(endedAt).toBe(10);
  expect(dataOf(outcome)).toMatchObject([{ status: "success" }, { error: { code: "ABORTED" } }]);
});

test("under a fail-fast contract a loop that is stopped has not succeeded", async () => {
  const { outcome } = await run([{ ms: 5 }, { ms: 500 }], { stopAfterMs: 10, failFast: true });
  expect(outcome.status).toBe("error");
  expect(errorOf(outcome).code).toBe("ABORTED");
});

test("a loop of writes that is stopped lets the one under way finish and starts no other", async () => {
  const { outcome, startedAt, endedAt } = await run([{ ms: 50 }, { ms: 50 }], {
    inOrder: true,
    stopAfterMs: 10,
  });
  expect(endedAt).toBe(50);
  expect([...startedAt.keys()]).toEqual([0]);
  expect(dataOf(outcome)).toMatchObject([{ status: "success" }, { error: { code: "ABORTED" } }]);
});

test("at the deadline a loop of which a write may have happened is unknown, not failed", async () => {
  const { outcome, over, clock, endedAt } = await run([{ ms: 50 }, { ms: 50 }], {
    inOrder: true,
    stopAfterMs: 10,
    stopWith: makeFailure("DEADLINE_EXCEEDED"),
    sentWrite: "report-unknown",
  });
  expect(endedAt).toBe(10);
  expect(outcome.status).toBe("unknown");
  let finished = false;
  void over.then(() => (finished = true));
  await clock.advance(30);
  expect(finished).toBe(false);
  await clock.advance(10);
  expect(finished).toBe(true);
});

test("a loop counts as started once any of its elements is", async () => {
  const clock = new VirtualClock(0);
  const caps = new ToolCaps(clock, new Turn());
  const serial = contractOf("serial", { orchestration: { mode: "sequential-only" } });
  const first = new Ticket({ settled: () => {} });
  caps.enqueue(first, { tool: serial, remaining: 1, position: 0 }, () => first.start());
  const call = ok({ tool: serial, input: {}, args: {}, timeoutMs: 1 });
  const loop = new Ticket({ settled: () => {} });
  runLoop(loop, [call, call], {
    clock,
    inOrder: false,
    failFast: false,
    repeatable: true,
    begin: (ticket, _, element) =>
      caps.enqueue(ticket, { tool: serial, remaining: 1, position: 1 + element }, () => ticket.start()),
  });
  await clock.advance(0);
  expect(loop.started).toBe(false);
  first.end(success("first"));
  await clock.advance(0);
  expect(loop.started).toBe(true);
});

const success = (data: string): Outcome => ({ status: "success", data, json: `"${data}"`, meta: {} });
const failed = (error: Failure): Outcome => ({ status: "error", error, meta: {} });
const unknown: Outcome = { status: "unknown", error: makeFailure("TIMEOUT"), meta: {} };
const initiated: Outcome = { status: "initiated", jobId: "j1", meta: {} };
const TOGETHER = { failFast: false, repeatable: false, durationMs: 0 };

test("combineElements() gives what was recorded as entries with their jobs", () => {
  expect(dataOf(combineElements([initiated, failed(FAILURE)], TOGETHER))).toMatchObject([
    { index: 0, status: "initiated", job_id: "j1" },
    { index: 1, status: "error" },
  ]);
});

test("combineElements() shows the selected parts and keeps the whole for references", () => {
  const outcome = combineElements(
    [{ ...success("whole"), shown: { data: "part", json: '"part"' } } as Outcome, success("other")],
    TOGETHER,
  );
  expect(outcome).toMatchObject({
    data: [{ data: "whole" }, { data: "other" }],
    shown: { data: [{ data: "part" }, { data: "other" }] },
  });
});

test("combineElements() names what was missing in any element once", () => {
  const missing = (...selectMissing: string[]): Outcome => ({ ...success("x"), meta: { selectMissing } });
  expect(combineElements([missing("/a"), missing("/a", "/b")], TOGETHER).meta.selectMissing).toEqual([
    "/a",
    "/b",
  ]);
});

test("combineElements() shows what ran of a failed loop, as it was selected", () => {
  const selected = { ...success("whole"), shown: { data: "part", json: '"part"' } } as Outcome;
  const outcome = combineElements([selected, failed(FAILURE)], { ...TOGETHER, failFast: true });
  expect(outcome).toMatchObject({
    status: "error",
    partial: {
      data: [
        { index: 0, status: "success", data: "part" },
        { index: 1, status: "error", error: { code: "UPSTREAM_ERROR" } },
      ],
    },
  });
  const { json, data } = (outcome as { partial: { json: string; data: unknown } }).partial;
  expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(data)));
});

test("combineElements() shows which element may have happened", () => {
  expect(combineElements([failed(FAILURE), unknown], TOGETHER)).toMatchObject({
    status: "unknown",
    partial: { data: [{ status: "error" }, { status: "unknown", error: { code: "TIMEOUT" } }] },
  });
});

test("combineElements() shows no elements when surely none of them did anything", () => {
  expect(combineElements([failed(FAILURE), failed(FAILURE)], TOGETHER)).not.toHaveProperty("partial");
});

test.each([
  ["another element succeeded", [success("x"), failed(FAILURE)]],
  ["another element was recorded", [initiated, failed(FAILURE)]],
])("combineElements() never calls a failed loop of writes retryable when %s", (_, outcomes) => {
  const options = { ...TOGETHER, failFast: true };
  expect(errorOf(combineElements(outcomes, options)).retryable).toBe(false);
  expect(errorOf(combineElements(outcomes, { ...options, repeatable: true })).retryable).toBe(true);
});

test("combineElements() never calls a loop of writes retryable when one of them may have happened", () => {
  const outcome = combineElements([failed(FAILURE), unknown], TOGETHER);
  expect(outcome).toMatchObject({ status: "unknown", error: { code: "UPSTREAM_ERROR", retryable: false } });
});

test("combineElements() calls a loop of writes retryable when surely none of them happened", () => {
  expect(errorOf(combineElements([failed(FAILURE), failed(FAILURE)], TOGETHER)).retryable).toBe(true);
});

test("T63 a loop of calls that never wait for a timer lets timers fire between its elements, and is stopped by the first", () => {
  let now = 0;
  const timers: { readonly at: number; readonly fire: () => void }[] = [];
  const clock = {
    now: () => now,
    after: (ms: number, fire: () => void) => {
      timers.push({ at: now + ms, fire });
      return () => {};
    },
  };
  let outcome: Outcome | null = null;
  const ticket = new Ticket({ settled: (came) => (outcome = came) });
  const tool = contractOf("publish", { isWrite: true });
  const call: Call = { tool, input: {}, args: {}, timeoutMs: 1_000 };
  let begun = 0;
  clock.after(100, () => ticket.stop(makeFailure("DEADLINE_EXCEEDED"), "report-unknown"));
  runLoop(
    ticket,
    Array.from({ length: 1_000 }, () => ok(call)),
    {
      clock,
      inOrder: true,
      failFast: false,
      repeatable: false,
      begin: (own) => {
        begun += 1;
        now += 2;
        own.start();
        own.end({ status: "success", data: begun, json: String(begun), meta: {} });
      },
    },
  );
  while (timers.length > 0) {
    timers.sort((a, b) => a.at - b.at);
    const next = timers.shift()!;
    now = Math.max(now, next.at);
    next.fire();
  }
  expect(outcome).toMatchObject({ status: "success", meta: { items: { total: 1_000, ok: begun } } });
  expect(begun).toBeLessThan(60);
});

test.each([true, false])(
  "T63 a loop begins no element once the deadline has passed, though its timer has not fired (in order: %s)",
  (inOrder) => {
    let now = 0;
    let outcome: Outcome | null = null;
    const ticket = new Ticket({ settled: (came) => (outcome = came) });
    const call: Call = { tool: contractOf("publish"), input: {}, args: {}, timeoutMs: 1_000 };
    let begun = 0;
    runLoop(
      ticket,
      Array.from({ length: 5 }, () => ok(call)),
      {
        clock: { now: () => now, after: () => () => {} },
        inOrder,
        failFast: false,
        repeatable: false,
        late: () => (now >= 2 ? makeFailure("DEADLINE_EXCEEDED") : null),
        begin: (own) => {
          begun += 1;
          now += 1;
          own.start();
          // The others have begun, or would, before any of these ends.
          if (inOrder) own.end({ status: "success", data: begun, json: String(begun), meta: {} });
        },
      },
    );
    expect(begun).toBe(2);
    if (inOrder) expect(outcome).toMatchObject({ status: "success", meta: { items: { total: 5, ok: 2 } } });
  },
);
