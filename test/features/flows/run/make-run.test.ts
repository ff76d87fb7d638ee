import { expect, test } from "vitest";

import type { KeptFlow } from "../../../../src/features/flows/declaration/flow-schema.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { makeRun } from "../../../../src/features/flows/run/make-run.ts";

const kept = (flow: object = {}) => ({ name: "nightly", flow }) as unknown as KeptFlow;

function runOf(flow: object = {}) {
  let ids = 0;
  return makeRun({
    tenant: "acme",
    trigger: "cron",
    kept: kept(flow),
    toolJson: '{"flow":{}}',
    inputJson: '{"n":1}',
    newId: () => `id-${(ids += 1)}`,
  });
}

test("makeRun() makes a job that is tried like any other, of the flow as it is kept, under ids of its own", () => {
  expect(runOf()).toEqual({
    id: "id-1",
    kind: "run",
    tool: "nightly",
    argsJson: '{"n":1}',
    idempotencyKey: "id-2",
    maxAttempts: LIMITS.jobAttempts,
    backoffInitialMs: LIMITS.jobBackoffInitialMs,
    delivery: "at-least-once",
    origin: { tenant: "acme", key: "cron:nightly", requestId: "id-1", batchId: "id-1" },
    toolJson: '{"flow":{}}',
    run: { trigger: "cron", deadlineMs: LIMITS.deadlineMs },
  });
});

test("makeRun() gives a run the time that its flow says", () => {
  expect(runOf({ deadline_ms: 7_000 }).run).toEqual({ trigger: "cron", deadlineMs: 7_000 });
});
