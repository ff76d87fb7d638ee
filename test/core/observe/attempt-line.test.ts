import { expect, test } from "vitest";

import type { AttemptEnd, JobClaim } from "../../../src/core/contract/gate/job.ts";
import { toWireFailure, makeFailure } from "../../../src/core/contract/failure.ts";
import { tellAttempt } from "../../../src/core/observe/attempt-line.ts";
import { SeenOperator } from "../../support/seen-operator.ts";

const claim: JobClaim = {
  attempt: 2,
  fence: 3,
  spec: {
    id: "job-1",
    tool: "send_email",
    argsJson: '{"to":"CANARY"}',
    idempotencyKey: "CANARY",
    maxAttempts: 5,
    backoffInitialMs: 100,
    delivery: "at-least-once",
    callback: { url: "https://a.example/?CANARY", secretName: "CANARY" },
    origin: { tenant: "acme", key: "tester", requestId: "r", traceId: "t".repeat(32), batchId: "b" },
  },
};
const failed: AttemptEnd = {
  kind: "failed",
  error: toWireFailure(makeFailure("TIMEOUT", { hint: "CANARY" })),
};

test("An attempt's line says whose job it is, which attempt it was and how it ended; never arguments nor output", () => {
  const operator = new SeenOperator();
  tellAttempt(operator, { claim, end: failed, durationMs: 12 });
  tellAttempt(operator, { claim, end: { kind: "succeeded", dataJson: '"CANARY"' }, durationMs: 7 });
  expect(operator.told("job_attempt")).toEqual([
    {
      level: "warn",
      event: "job_attempt",
      request_id: "r",
      trace_id: "t".repeat(32),
      tenant: "acme",
      key: "tester",
      batch_id: "b",
      job_id: "job-1",
      tool: "send_email",
      attempt: 2,
      max_attempts: 5,
      end: "failed",
      code: "TIMEOUT",
      duration_ms: 12,
    },
    expect.objectContaining({ level: "info", end: "succeeded" }),
  ]);
  expect(operator.logged.join()).not.toContain("CANARY");
});

test("Attempts that went well are left out where only errors are wanted; a run says what started it", () => {
  const operator = new SeenOperator("errors");
  const run: JobClaim = { ...claim, spec: { ...claim.spec, run: { trigger: "cron", deadlineMs: 1_000 } } };
  tellAttempt(operator, { claim: run, end: { kind: "released" }, durationMs: 0 });
  tellAttempt(operator, { claim: run, end: failed, durationMs: 0 });
  tellAttempt(undefined, { claim: run, end: failed, durationMs: 0 });
  expect(operator.told("job_attempt")).toMatchObject([{ trigger: "cron", end: "failed" }]);
  expect(operator.logged).toHaveLength(1);
});

test("An attempt of a job that does not say whose it is has a line all the same", () => {
  const operator = new SeenOperator();
  const { origin: _, ...spec } = claim.spec;
  tellAttempt(operator, { claim: { ...claim, spec }, end: failed, durationMs: 1 });
  expect(operator.told("job_attempt")).toMatchObject([{ job_id: "job-1", end: "failed" }]);
  expect(operator.told("job_attempt")[0]).not.toHaveProperty("tenant");
});
