import { expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { type SentWrite, Ticket } from "../../../src/core/run/ticket.ts";
import { ToolCaps } from "../../../src/core/run/tool-caps.ts";
import { Turn } from "../../../src/core/run/turn.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const SERIAL = contractOf("serial", { orchestration: { mode: "sequential-only" } });
const TWO = contractOf("two", { orchestration: { mode: "fan-out-bounded", max_concurrency: 2 } });
const FREE = contractOf("free");
const DONE: Outcome = { status: "success", data: 1, json: "1", meta: {} };

/** Calls that end when a test says so, under caps. */
class Bench {
  readonly clock = new VirtualClock(0);
  readonly caps = new ToolCaps(this.clock, new Turn());
  readonly begun: string[] = [];
  readonly queuedMs = new Map<string, number>();
  readonly stops: [name: string, code: string, sentWrite: SentWrite][] = [];
  readonly #tickets = new Map<string, Ticket>();

  add(name: string, tool = SERIAL, remaining = 1, position = 0, settled = () => {}): Ticket {
    const ticket = new Ticket({ settled });
    this.#tickets.set(name, ticket);
    this.caps.enqueue(ticket, { tool, remaining, position }, () => this.#begin(name, ticket));
    return ticket;
  }

  #begin(name: string, ticket: Ticket): void {
    this.begun.push(name);
    this.queuedMs.set(name, ticket.queuedMs);
    ticket.start();
    ticket.hold((failure, sentWrite) => void this.stops.push([name, failure.code, sentWrite]));
  }

  /** Let a call have its outcome without being over. */
  answer(name: string): void {
    this.#tickets.get(name)!.settle(DONE);
  }

  /** Let a call be over and give everybody the time to notice. */
  async end(name: string): Promise<void> {
    this.#tickets.get(name)!.end(DONE);
    await this.settle();
  }

  settle(): Promise<void> {
    return this.clock.advance(0);
  }
}

test("a tool without a cap is called at once", () => {
  const bench = new Bench();
  bench.add("a", FREE);
  bench.add("b", FREE);
  expect(bench.begun).toEqual(["a", "b"]);
});

test("a capped tool has as many calls under way as its cap, and the next starts when one is over", async () => {
  const bench = new Bench();
  for (const [position, name] of ["a", "b", "c"].entries()) bench.add(name, TWO, 1, position);
  await bench.settle();
  expect(bench.begun).toEqual(["a", "b"]);
  await bench.end("b");
  expect(bench.begun).toEqual(["a", "b", "c"]);
});

test("of calls that are ready in one moment, those of a capped tool keep their place", async () => {
  const bench = new Bench();
  bench.add("a", SERIAL, 1, 0);
  bench.add("b", FREE, 1, 1);
  bench.add("c", TWO, 1, 2);
  bench.add("d", FREE, 9, 3);
  bench.add("e", TWO, 1, 4);
  await bench.settle();
  expect(bench.begun).toEqual(["a", "b", "c", "d", "e"]);
});

test("a call of a tool without a cap that is stopped in the moment it was queued is never dispatched", async () => {
  const bench = new Bench();
  bench.add("first", SERIAL, 1, 0);
  const free = bench.add("free", FREE, 1, 1);
  expect(free.started).toBe(false);
  free.stop(makeFailure("CANCELLED"), "wait");
  await bench.settle();
  expect(bench.begun).toEqual(["first"]);
});

test("a call that is stopped once it was chosen leaves its place to the next", async () => {
  const bench = new Bench();
  const first = new Ticket({ settled: () => {} });
  bench.caps.enqueue(first, { tool: TWO, remaining: 1, position: 0 }, () => {
    first.start();
    chosen.stop(makeFailure("ABORTED"), "wait");
  });
  const chosen = bench.add("chosen", TWO, 1, 1);
  bench.add("next", TWO, 1, 2);
  await bench.settle();
  expect(first.started).toBe(true);
  expect(bench.begun).toEqual(["next"]);
});

test("tools do not wait for each other", async () => {
  const bench = new Bench();
  bench.add("a", SERIAL);
  bench.add("b", TWO);
  await bench.settle();
  expect(bench.begun).toEqual(["a", "b"]);
});

test("the call with the longest path behind it goes first, in whichever order they came", async () => {
  const bench = new Bench();
  bench.add("short", SERIAL, 1, 0);
  bench.add("long", SERIAL, 9, 1);
  bench.add("middle", SERIAL, 5, 2);
  await bench.settle();
  await bench.end("long");
  await bench.end("middle");
  expect(bench.begun).toEqual(["long", "middle", "short"]);
});

test("ties go by position, elements of a loop between the actions around it", async () => {
  const bench = new Bench();
  for (const position of [2, 1 + 1 / 26, 1, 0]) bench.add(position.toFixed(2), SERIAL, 3, position);
  await bench.settle();
  for (const name of ["0.00", "1.00", "1.04"]) await bench.end(name);
  expect(bench.begun).toEqual(["0.00", "1.00", "1.04", "2.00"]);
});

test("a call that comes later overtakes those that still wait when its path is longer", async () => {
  const bench = new Bench();
  bench.add("first", SERIAL, 1, 0);
  bench.add("waiting", SERIAL, 1, 1);
  await bench.settle();
  bench.add("urgent", SERIAL, 2, 2);
  await bench.end("first");
  expect(bench.begun).toEqual(["first", "urgent"]);
});

test("a call that becomes ready because another ended is there to be chosen from", async () => {
  const bench = new Bench();
  bench.add("first", SERIAL, 1, 0, () => bench.add("urgent", SERIAL, 2, 2));
  bench.add("waiting", SERIAL, 1, 1);
  await bench.settle();
  await bench.end("first");
  expect(bench.begun).toEqual(["first", "urgent"]);
});

test("a write that outlives its outcome keeps its place until it is over", async () => {
  const bench = new Bench();
  const write = bench.add("write", SERIAL, 1, 0);
  bench.add("next", SERIAL, 1, 1);
  await bench.settle();
  bench.answer("write");
  expect(write.outcome).toBe(DONE);
  await bench.settle();
  expect(bench.begun).toEqual(["write"]);
  await bench.end("write");
  expect(bench.begun).toEqual(["write", "next"]);
});

test("a call that is stopped while it waits ends with that failure and is never dispatched", async () => {
  const bench = new Bench();
  bench.add("first", SERIAL, 1, 0);
  const waiting = bench.add("waiting", SERIAL, 1, 1);
  bench.add("next", SERIAL, 1, 2);
  await bench.settle();
  expect(waiting.started).toBe(false);
  waiting.stop(makeFailure("ABORTED"), "wait");
  expect(waiting.outcome).toEqual({ status: "error", error: makeFailure("ABORTED"), meta: {} });
  expect(waiting.isOver).toBe(true);
  await bench.end("first");
  expect(bench.begun).toEqual(["first", "next"]);
  expect(bench.stops).toEqual([]);
});

test("a call that is stopped in the moment it was queued is never dispatched", async () => {
  const bench = new Bench();
  bench.add("only", SERIAL).stop(makeFailure("CANCELLED"), "wait");
  await bench.settle();
  expect(bench.begun).toEqual([]);
});

test("a call under way is stopped itself", async () => {
  const bench = new Bench();
  const call = bench.add("call", SERIAL);
  await bench.settle();
  expect(call.started).toBe(true);
  call.stop(makeFailure("DEADLINE_EXCEEDED"), "report-unknown");
  expect(bench.stops).toEqual([["call", "DEADLINE_EXCEEDED", "report-unknown"]]);
});

test("a call is told how long it waited for its cap", async () => {
  const bench = new Bench();
  bench.add("first", SERIAL, 1, 0);
  bench.add("second", SERIAL, 1, 1);
  await bench.clock.advance(70);
  await bench.end("first");
  expect([...bench.queuedMs]).toEqual([
    ["first", 0],
    ["second", 70],
  ]);
});

test("a clock that is set back makes no wait negative", async () => {
  const bench = new Bench();
  bench.add("first", SERIAL, 1, 0);
  bench.add("second", SERIAL, 1, 1);
  await bench.settle();
  bench.clock.jump(-500);
  await bench.end("first");
  expect(bench.queuedMs.get("second")).toBe(0);
});
