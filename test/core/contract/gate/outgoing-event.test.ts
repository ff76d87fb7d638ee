import { expect, test } from "vitest";

import type { JobRecord } from "../../../../src/core/contract/gate/job.ts";
import { toFailedJobEvent, toOpenedEvent } from "../../../../src/core/contract/gate/outgoing-event.ts";

const AT = Date.parse("2026-01-02T03:04:05.006Z");
const ISO = "2026-01-02T03:04:05.006Z";
const JOB: JobRecord = {
  id: "job-1",
  tool: "send_email",
  status: "dead",
  attempts: 5,
  tries: [],
  createdAt: AT - 1_000,
  updatedAt: AT,
  nextAttemptAt: null,
  key: "agent",
  batchId: "batch-1",
  trigger: "cron",
  argsJson: '{"to":"geheim"}',
  dataJson: null,
  errorJson: '{"code":"TIMEOUT","hint":"geheim"}',
  note: null,
  callback: null,
};
const bodyOf = ({ json }: { json: string }) => JSON.parse(json) as unknown;

test("a job that is dead is told with ids, names, times and the code, and nothing of what it was about", () => {
  const event = toFailedJobEvent("acme", "end-1", JOB);
  expect(event.id).toBe("job-dead-end-1");
  expect(bodyOf(event)).toEqual({
    type: "job.dead",
    timestamp: ISO,
    data: {
      tenant: "acme",
      job_id: "job-1",
      tool: "send_email",
      key: "agent",
      batch_id: "batch-1",
      trigger: "cron",
      attempts: 5,
      created_at: "2026-01-02T03:04:04.006Z",
      code: "TIMEOUT",
    },
  });
  expect(event.json).not.toContain("geheim");
  expect(bodyOf(toFailedJobEvent("acme", "end-1", { ...JOB, errorJson: null }))).not.toHaveProperty(
    "data.code",
  );
});

test("a job that failed for good is told as one that is dead, and says that it may have taken effect", () => {
  const event = toFailedJobEvent("acme", "end-1", { ...JOB, status: "failed", inDoubt: true });
  expect(event.id).toBe("job-failed-end-1");
  expect(bodyOf(event)).toMatchObject({ type: "job.failed", data: { job_id: "job-1", in_doubt: true } });
});

test("a breaker that opened is told with its upstream, and until when it is open", () => {
  const opened = {
    id: "report-1",
    key: "agent",
    tool: "mail",
    origin: "https://api.example.com",
    since: AT,
    until: AT + 1_000,
  };
  const event = toOpenedEvent("acme", opened);
  expect(event.id).toBe("breaker-opened-report-1");
  expect(bodyOf(event)).toEqual({
    type: "breaker.opened",
    timestamp: ISO,
    data: {
      tenant: "acme",
      key: "agent",
      tool: "mail",
      origin: "https://api.example.com",
      until: "2026-01-02T03:04:06.006Z",
    },
  });
});
