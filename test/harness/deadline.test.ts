import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

import { resultSchema } from "../../src/core/answer/result-schema.ts";
import { eventually } from "../support/eventually.ts";
import type { WireResult } from "../support/execute-batch.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { upstream, caller } = await setUpSandbox();

interface WireJob {
  readonly tool: string;
  readonly status: string;
  readonly attempts: number;
  readonly data?: unknown;
}

/** Wait until a result's job is over. */
function endOf({ job_id }: WireResult, of: TestCaller = caller): Promise<WireJob> {
  return eventually(
    "the job's end",
    async () => {
      const answer = await of.get(`/v1/jobs/${job_id}`);
      if (answer.status !== 200) return undefined;
      const job = JSON.parse(answer.text) as WireJob;
      return ["running", "retrying"].includes(job.status) ? undefined : job;
    },
    { everyMs: 50 },
  );
}

const bodiesOf = (path: string, n: number) =>
  upstream.requestsTo(path).filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);

test("A read that is unfinished at the deadline goes on: its job has the data, the upstream saw one call", async () => {
  const answerRead = upstream.hold("/read", 41);
  const { results, summary } = await caller.execute(
    [
      { tool: "probe-echo", args: { n: 1 } },
      { tool: "probe-read", args: { n: 41 } },
    ],
    { deadline_ms: 2_000 },
  );
  answerRead();
  expect(results).toMatchObject([
    { status: "success" },
    { status: "initiated", tool: "probe-read", meta: { demoted: true, attempts: 1 } },
  ]);
  expect(summary).toMatchObject({ ok: 1, initiated: 1 });
  expect(resultSchema().safeParse(results[1]).error).toBeUndefined();

  expect(await endOf(results[1]!)).toMatchObject({
    tool: "probe-read",
    status: "succeeded",
    attempts: 1,
    data: { path: "/read", n: 41 },
  });
  expect(upstream.requestsTo("/read").filter(({ query }) => query.get("n") === "41")).toHaveLength(1);
});

test("Actions that still wait for their tool's cap at the deadline run after the answer, one at a time", async () => {
  const answer = upstream.hold("/serial");
  const { results } = await caller.execute(
    [51, 52, 53].map((n) => ({ tool: "probe-serial", args: { n } })),
    { deadline_ms: 1_000 },
  );
  answer();
  expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated", "initiated"]);
  for (const result of results)
    expect(await endOf(result)).toMatchObject({ status: "succeeded", attempts: 1 });
  expect(upstream.requestsTo("/serial")).toHaveLength(3);
  expect(upstream.peakOf("/serial")).toBe(1);
});

test("A job whose call dies with the runtime still ends, under the key that was sent first", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-deadline-"));
  onTestFinished(() => rm(storageDir, { recursive: true, force: true }));
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: "3000" };
  const first = await startRawSandbox({ storageDir, vars });
  const answers = [upstream.hold("/keyed"), upstream.hold("/serial")];
  const { results } = await new TestCaller(first.url).execute(
    [
      { tool: "probe-write-keyed", args: { n: 61 } },
      { tool: "probe-serial", args: { n: 62 } },
      { tool: "probe-serial", args: { n: 63 } },
    ],
    { deadline_ms: 1_000 },
  );
  await eventually("the write", () => bodiesOf("/keyed", 61)[0]);
  await first.kill();
  for (const answer of answers) answer();
  expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated", "initiated"]);

  await using second = await startRawSandbox({ storageDir, vars, port: first.port });
  const again = new TestCaller(second.url);
  for (const result of results) expect(await endOf(result, again)).toMatchObject({ status: "succeeded" });
  const writes = bodiesOf("/keyed", 61);
  expect(writes).toHaveLength(2);
  expect(new Set(writes.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
});

describe("A write that may not be repeated and is not answered by the deadline", () => {
  const write = async (args: object) => {
    const { results } = await caller.execute([{ tool: "probe-write-verified", args }], {
      deadline_ms: 2_000,
    });
    return results[0]!;
  };

  test("is unknown and never a job; a read says whether it took effect", async () => {
    const answer = upstream.hold("/verified", 71);
    const result = await write({ n: 71 });
    answer();
    expect(result).toMatchObject({
      status: "unknown",
      error: { code: "DEADLINE_EXCEEDED", retryable: false },
      meta: { verification: { tool: "probe-verify", verdict: "took_effect" } },
    });
    expect(result).not.toHaveProperty("job_id");
    expect(resultSchema().safeParse(result).error).toBeUndefined();
    const [sent, ...more] = bodiesOf("/verified", 71);
    expect(more).toEqual([]);
    expect(await sent!.end).toBe("answered");
  });

  test("that has not taken effect yet is said to be under way", async () => {
    const result = await write({ n: 72, d: 15_000, late: true });
    expect(result).toMatchObject({ status: "unknown", meta: { verification: { verdict: "not_found" } } });
    expect(result.error?.hint).toContain("still under way");
  });
});

test("A write whose connection breaks is looked up, and not found where nothing was written", async () => {
  upstream.script("/verified", (_, response) => void response.destroy());
  const { results } = await caller.execute([{ tool: "probe-write-verified", args: { n: 73 } }]);
  expect(results[0]).toMatchObject({
    status: "unknown",
    error: { code: "UPSTREAM_ERROR" },
    meta: { verification: { verdict: "not_found" } },
  });
});
