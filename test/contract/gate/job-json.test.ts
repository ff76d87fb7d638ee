import { expect, test } from "vitest";

import { toJobJson } from "../../../src/contract/gate/job-json.ts";
import type { JobRecord } from "../../../src/contract/gate/job.ts";

const AT = Date.parse("2026-01-02T03:04:05.006Z");
const JOB: JobRecord = {
  id: "job-1",
  tool: "send_email",
  status: "retrying",
  attempts: 2,
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
