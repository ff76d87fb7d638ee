import { expect, test } from "vitest";

import { type Failure, makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { err, ok, type Result } from "../../../src/core/kit/result.ts";
import type { Call } from "../../../src/core/plan/step.ts";
import { runDrawnLoop } from "../../../src/core/run/run-loop.ts";
import { Ticket } from "../../../src/core/run/ticket.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { FakeGate } from "../../support/fake-gate.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const LIMITED = contractOf("limited", {
  orchestration: { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 10, scope: "tenant" } },
});
const CALL = ok({ tool: LIMITED, input: {}, args: {}, timeoutMs: 1 });
const WRONG = err(makeFailure("INVALID_ARGS"));
const DONE: Outcome = { status: "success", data: 1, json: "1", meta: {} };

/** Begin a loop over these calls that draws first. */
function begin(calls: Result<Call, Failure>[], gate: FakeGate, call = (ticket: Ticket) => ticket.end(DONE)) {
  const settled = Promise.withResolvers<Outcome>();
  const ticket = new Ticket({ settled: settled.resolve });
  const options = {
    clock: new VirtualClock(0),
    inOrder: false,
    failFast: false,
    repeatable: true,
    begin: call,
  };
  const begun = runDrawnLoop(ticket, calls, { ...options, tool: LIMITED, gate });
  return { ticket, begun, outcome: settled.promise };
}

/** Draw for calls, and say what became of each element. */
async function draw(calls: Result<Call, Failure>[], gate = new FakeGate()) {
  const outcome = await begin(calls, gate).outcome;
  return { given: endsOf(outcome), gate, meta: outcome.meta };
}

function endsOf(outcome: Outcome): string[] {
  if (outcome.status === "success")
    return (outcome.data as { status: string; error?: Failure }[]).map(({ error }) => error?.code ?? "ok");
  return "error" in outcome ? [outcome.error.code] : [outcome.status];
}

test("every element that would be called draws once, all in one round trip that records and charges nothing", async () => {
  const { given, gate } = await draw([CALL, WRONG, CALL]);
  const limit = { bucket: "tool:limited", limit: 5, windowS: 10 };
  expect(gate.requests).toEqual([
    {
      quota: null,
      draws: [
        { index: 0, limit },
        { index: 2, limit },
      ],
      jobs: [],
      allOrNothing: false,
    },
  ]);
  expect(given).toEqual(["ok", "INVALID_ARGS", "ok"]);
});

test("an element that is denied fails alone", async () => {
  const gate = new FakeGate();
  gate.denied = [{ index: 1, retryAfterMs: 900 }];
  expect((await draw([CALL, CALL], gate)).given).toEqual(["ok", "RATE_LIMITED"]);
});

test("a limit that cannot be asked denies every element, and the loop says that it was not counted", async () => {
  const gate = new FakeGate();
  gate.down = true;
  let called = 0;
  const outcome = await begin([CALL, WRONG], gate, () => (called += 1)).outcome;
  expect(called).toBe(0);
  expect(outcome).toMatchObject({ status: "error", error: { code: "OVERLOADED" } });
  expect(outcome.meta).toMatchObject({ limiter: "degraded", items: { total: 2, ok: 0, error: 2 } });
});

test("nothing to call asks for nothing", async () => {
  expect((await draw([])).gate.requests).toEqual([]);
  expect((await draw([WRONG])).gate.requests).toEqual([]);
});

test("a loop that is stopped while it draws begins nothing", async () => {
  const gate = new FakeGate();
  const answer = Promise.withResolvers<void>();
  gate.beforeAnswer = () => answer.promise;
  let called = 0;
  const { ticket, outcome } = begin([CALL, CALL], gate, () => (called += 1));
  expect(ticket.started).toBe(false);
  ticket.stop(makeFailure("ABORTED"), "wait");
  answer.resolve();
  expect(endsOf(await outcome)).toEqual(["ABORTED"]);
  expect([called, ticket.started]).toEqual([0, false]);
});

test("a loop that is stopped after it drew is stopped itself", async () => {
  const stopped: string[] = [];
  const { ticket, begun } = begin([CALL], new FakeGate(), (own) =>
    own.hold((failure) => stopped.push(failure.code)),
  );
  await begun;
  ticket.stop(makeFailure("DEADLINE_EXCEEDED"), "report-unknown");
  expect(stopped).toEqual(["DEADLINE_EXCEEDED"]);
});
