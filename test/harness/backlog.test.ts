import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";
import type { WireResult } from "../support/execute-batch.ts";
import { TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();
/** Twice what a tenant may have: a batch's jobs are spread over its objects, and the smaller ones are full first. */
const MOST_BATCHES = 80;
const PER_BATCH = 50;
const SENDERS = 4;

test("T21 F17 a tenant that floods the background is told BACKLOG_FULL, and another's jobs are taken", async () => {
  upstream.hold("/background");
  const jobs = Array.from({ length: PER_BATCH }, (_, n) => ({ tool: "probe-background", args: { n } }));
  const refused: WireResult[] = [];
  let taken = 0;
  let sent = 0;
  const flood = async (): Promise<void> => {
    while (refused.length === 0 && sent < MOST_BATCHES) {
      sent += 1;
      const { results } = await caller.execute(jobs);
      refused.push(...results.filter(({ status }) => status !== "initiated"));
      taken += results.filter(({ status }) => status === "initiated").length;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, flood));
  expect(new Set(refused.map(({ error }) => error?.code))).toEqual(new Set(["BACKLOG_FULL"]));
  expect(refused[0]!.error).toMatchObject({ retryable: true, hint: expect.stringMatching(/\.$/) });
  expect(taken).toBeGreaterThanOrEqual(1_000);

  // Reads still run, and jobs can be looked at and called off.
  const read = await caller.execute([{ tool: "probe-echo", args: { n: 1 } }]);
  expect(read.summary).toMatchObject({ ok: 1 });
  const listed = JSON.parse((await caller.get("/v1/jobs?limit=1")).text) as { jobs: { job_id: string }[] };
  const path = `/v1/jobs/${listed.jobs[0]!.job_id}/cancel`;
  expect((await caller.send({ path })).status).toBe(200);

  const other = await new TestCaller(volley.url, "sandbox-other-key").execute(jobs);
  expect(other.summary).toMatchObject({ initiated: PER_BATCH });
}, 240_000);
