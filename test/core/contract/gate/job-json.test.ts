import { expect, test } from "vitest";

import { jobSchema, toEventJson, toJobJson } from "../../../../src/core/contract/gate/job-json.ts";
import type { JobRecord } from "../../../../src/core/contract/gate/job.ts";

const AT = Date.parse("2026-01-02T03:04:05.006Z");
const JOB: JobRecord = {
  id: "job-1",
  tool: "send_email",
  status: "retrying",
  attempts: 2,
  tries: [{ at: AT, durationMs: 250, code: "TIMEOUT", upstreamStatus: 504 }],
  createdAt: AT,
  updatedAt: AT + 1_000,
  nextAttemptAt: AT + 2_000,
  dataJson: null,
  errorJson: '{"code":"TIMEOUT"}',
  note: null,
  callback: null,
};

test("toJobJson() writes times as ISO, and leaves out what there is not", () => {
  expect(JSON.parse(toJobJson(JOB))).toEqual({
    job_id: "job-1",
    tool: "send_email",
    status: "retrying",
    attempts: 2,
    tries: [{ at: "2026-01-02T03:04:05.006Z", duration_ms: 250, code: "TIMEOUT", upstream_status: 504 }],
    created_at: "2026-01-02T03:04:05.006Z",
    updated_at: "2026-01-02T03:04:06.006Z",
    next_attempt_at: "2026-01-02T03:04:07.006Z",
    error: { code: "TIMEOUT" },
  });
});

test("toJobJson() shows data and a note", () => {
  const job = { ...JOB, nextAttemptAt: null, dataJson: "[1]", errorJson: null, note: "So it is." };
  expect(JSON.parse(toJobJson(job))).toMatchObject({ data: [1], note: "So it is.", next_attempt_at: null });
});

test("toJobJson() shows arguments and the envelope only to a reader who may know of them", () => {
  const job = { ...JOB, argsJson: '{"to":"geheim"}', envelopeJson: '{"results":["geheim"]}' };
  expect(toJobJson(job)).not.toContain("geheim");
  expect(JSON.parse(toJobJson(job, { showsArgs: true }))).toMatchObject({
    args: { to: "geheim" },
    envelope: { results: ["geheim"] },
  });
  const bare = JSON.parse(toJobJson(JOB, { showsArgs: true })) as object;
  for (const field of [
    "args",
    "envelope",
    "data",
    "note",
    "callback",
    "duration_ms",
    "key",
    "batch_id",
    "trigger",
  ])
    expect(bare).not.toHaveProperty(field);
});

test("toJobJson() shows how the event about its end fares, in the form that is described", () => {
  const callback = { status: "pending", attempts: 1, lastStatus: 503, nextAttemptAt: AT } as const;
  const job: JobRecord = {
    ...JOB,
    tries: [],
    durationMs: 900,
    batchId: "batch-1",
    key: "agent",
    trigger: "webhook",
    errorJson: null,
    callback,
  };
  expect(jobSchema().parse(JSON.parse(toJobJson(job)))).toMatchObject({
    batch_id: "batch-1",
    key: "agent",
    trigger: "webhook",
    duration_ms: 900,
    callback: {
      status: "pending",
      attempts: 1,
      last_status: 503,
      next_attempt_at: "2026-01-02T03:04:05.006Z",
    },
  });
  const delivered = { ...callback, status: "delivered", nextAttemptAt: null } as JobRecord["callback"];
  expect(JSON.parse(toJobJson({ ...job, callback: delivered }))).toMatchObject({
    callback: { status: "delivered", next_attempt_at: null },
  });
});

test("toEventJson() is the job as everybody may see it, under the type that its end is", () => {
  const job: JobRecord = { ...JOB, status: "dead", argsJson: '"geheim"' };
  expect(JSON.parse(toEventJson(job))).toEqual({
    type: "job.dead",
    timestamp: "2026-01-02T03:04:06.006Z",
    data: JSON.parse(toJobJson(job)) as unknown,
  });
});
