import { expect, test } from "vitest";

import { makeFailure } from "../../src/contract/failure.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import { err, ok, type Result } from "../../src/kit/result.ts";
import type { Call } from "../../src/plan/step.ts";
import { drawElements } from "../../src/run/draw-elements.ts";
import type { Queued } from "../../src/run/tool-pools.ts";
import { contractOf } from "../support/fake-actions.ts";
import { FakeGate } from "../support/fake-gate.ts";

const LIMITED = contractOf("limited", {
  orchestration: { mode: "parallel-safe", rate_limit: { limit: 5, window_s: 10, scope: "tenant" } },
});
const CALL = ok({ tool: LIMITED, input: {}, args: {}, timeoutMs: 1 });
const WRONG = err(makeFailure("INVALID_ARGS"));
const DONE: Outcome = { status: "success", data: [], json: "[]", meta: {} };

/** Draw for calls, and say what the loop was given. */
async function draw(calls: Result<Call, ReturnType<typeof makeFailure>>[], gate = new FakeGate()) {
  const given: string[] = [];
  const queued = drawElements(calls, LIMITED, gate, (admitted) => {
    given.push(...admitted.map((call) => (call.ok ? "ok" : call.error.code)));
    return over();
  });
  const { meta, ...outcome } = await queued.outcome;
  expect({ ...outcome, meta: {} }).toEqual(DONE);
  return { given, gate, meta };
}

function over(): Queued {
  return { outcome: Promise.resolve(DONE), finished: Promise.resolve(), started: true, stop: () => {} };
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

test("a limit that cannot be asked denies every element, and the loop says that nobody counted", async () => {
  const gate = new FakeGate();
  gate.down = true;
  const { given, meta } = await draw([CALL, WRONG], gate);
  expect(given).toEqual(["OVERLOADED", "INVALID_ARGS"]);
  expect(meta).toEqual({ limiter: "degraded" });
});

test("nothing to call asks for nothing", async () => {
  expect((await draw([])).gate.requests).toEqual([]);
  expect((await draw([WRONG])).gate.requests).toEqual([]);
});

test("a loop that is stopped while it draws begins nothing", async () => {
  const gate = new FakeGate();
  const answer = Promise.withResolvers<void>();
  gate.beforeAnswer = () => answer.promise;
  let given: readonly Result<Call, unknown>[] = [];
  const queued = drawElements([CALL, CALL], LIMITED, gate, (calls) => {
    given = calls;
    return over();
  });
  expect(queued.started).toBe(false);
  queued.stop(makeFailure("ABORTED"), "wait");
  answer.resolve();
  await queued.finished;
  expect(given).toEqual([err(makeFailure("ABORTED")), err(makeFailure("ABORTED"))]);
});

test("a loop that is stopped after it drew is stopped itself", async () => {
  const stopped: string[] = [];
  const queued = drawElements([CALL], LIMITED, new FakeGate(), () => ({
    ...over(),
    stop: (failure) => stopped.push(failure.code),
  }));
  await queued.finished;
  queued.stop(makeFailure("DEADLINE_EXCEEDED"), "report-unknown");
  expect(stopped).toEqual(["DEADLINE_EXCEEDED"]);
});
