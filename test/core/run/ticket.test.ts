import { expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { outcomeOf, Ticket } from "../../../src/core/run/ticket.ts";

const DONE: Outcome = { status: "success", data: 1, json: "1", meta: {} };
const LOST: Outcome = { status: "unknown", error: makeFailure("TIMEOUT"), meta: {} };
const INITIATED: Outcome = { status: "initiated", jobId: "j", meta: {} };
const LATE = makeFailure("DEADLINE_EXCEEDED");

/** A ticket and everything its holder was told, in order. */
function held() {
  const told: string[] = [];
  const ticket = new Ticket({
    started: () => told.push("started"),
    settled: ({ status }) => told.push(status),
    over: () => told.push("over"),
  });
  return { ticket, told };
}

test("a ticket is told to have started, settled and ended, once each", () => {
  const { ticket, told } = held();
  ticket.start();
  ticket.start();
  ticket.end(DONE);
  ticket.end(LOST);
  ticket.settle(LOST);
  expect(told).toEqual(["started", "success", "over"]);
  expect(ticket.outcome).toBe(DONE);
});

test("its place is free before anybody hears of the outcome", () => {
  const { ticket, told } = held();
  ticket.occupy(() => told.push("free"));
  ticket.end(DONE);
  expect(told).toEqual(["free", "success", "over"]);
});

test("a lost write is told as unknown at once and keeps its place until it is over", () => {
  const { ticket, told } = held();
  ticket.occupy(() => told.push("free"));
  ticket.settle(LOST);
  expect(ticket.isOver).toBe(false);
  ticket.end(DONE);
  expect(told).toEqual(["unknown", "free", "over"]);
  expect(ticket.outcome).toBe(LOST);
});

test("a ticket without a holder ends when it is stopped, another by its holder", () => {
  const waiting = held();
  waiting.ticket.stop(LATE, "wait");
  expect(waiting.ticket.outcome).toEqual({ status: "error", error: LATE, meta: {} });

  const { ticket, told } = held();
  ticket.hold((failure, sentWrite) => told.push(failure.code, sentWrite));
  ticket.stop(LATE, "report-unknown");
  expect(told).toEqual(["DEADLINE_EXCEEDED", "report-unknown"]);
  ticket.end(DONE);
  ticket.stop(LATE, "wait");
  expect(told).toEqual(["DEADLINE_EXCEEDED", "report-unknown", "success", "over"]);
});

test("what becomes a job is told as initiated, and the job hears how the call ended, once", () => {
  const { ticket, told } = held();
  const ends: string[] = [];
  ticket.becomeJob(INITIATED, ({ status }) => ends.push(status));
  expect(ticket.isJob).toBe(true);
  ticket.settle(LOST);
  ticket.end(DONE);
  expect(told).toEqual(["initiated", "over"]);
  expect(ends).toEqual(["unknown"]);
});

test("shape() changes what is shown, not what a job hears", () => {
  const { ticket } = held();
  ticket.shape((outcome) => ({ ...outcome, meta: { limiter: "degraded" } }));
  ticket.end(DONE);
  expect(ticket.outcome!.meta).toEqual({ limiter: "degraded" });
});

test("outcomeOf() waits for a ticket's outcome", async () => {
  expect(await outcomeOf((ticket) => ticket.end(DONE))).toBe(DONE);
});
