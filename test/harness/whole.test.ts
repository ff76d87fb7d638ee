import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

/* The only file of this folder that `npm test` runs: the built Worker over HTTP, from end to end. */
const upstream = await HostileUpstream.start();
const storageDir = await mkdtemp(join(tmpdir(), "volley-whole-"));
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await rm(storageDir, { recursive: true, force: true });
});

const start = (port?: number) =>
  startRawSandbox({
    storageDir,
    ...(port !== undefined && { port }),
    vars: { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: "1000" },
  });

const deletions = (): number =>
  upstream.requestsTo("/item").filter(({ method }) => method === "DELETE").length;

test("A batch has every result in order; after kill -9 its job ends, and its deletion runs with a person's yes", async () => {
  const first = await start();
  const answerJob = upstream.hold("/background", 3);
  const { results, summary } = await new TestCaller(first.url).execute([
    { id: "found", tool: "probe-search", args: { q: "lamp" } },
    { id: "gone", tool: "probe-delete", args: { id: { $ref: "found#/items/0/id" } } },
    { id: "job", tool: "probe-background", args: { n: 3 } },
    { id: "wrong", tool: "probe-echo", args: { n: "three" } },
    { id: "lost", tool: "no-such-tool", args: {} },
  ]);
  expect(results.map(({ id, status, error }) => [id, error?.code ?? status])).toEqual([
    ["found", "success"],
    ["gone", "pending_confirmation"],
    ["job", "initiated"],
    ["wrong", "INVALID_ARGS"],
    ["lost", "UNKNOWN_TOOL"],
  ]);
  expect(summary).toMatchObject({ total: 5, ok: 1, initiated: 1, error: 2, pending_confirmation: 1 });
  await eventually("the job to be sent", () => upstream.requestsTo("/background")[0]);
  await first.kill("SIGKILL");
  answerJob();

  await using second = await start(first.port);
  const caller = new TestCaller(second.url);
  const job = await eventually("the end of the job", async () => {
    const { text } = await caller.get(`/v1/jobs/${results[2]!.job_id}`);
    const shown = JSON.parse(text) as { readonly status: string; readonly attempts: number };
    return shown.status === "running" ? undefined : shown;
  });
  expect(job).toMatchObject({ status: "succeeded", attempts: 2, data: { n: 3 } });
  const keys = upstream.requestsTo("/background").map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toEqual([results[2]!.job_id, results[2]!.job_id]);

  expect(deletions()).toBe(0);
  const approved = await caller.send({
    path: `/v1/confirmations/${results[1]!.confirmation!.id}`,
    body: JSON.stringify({ decision: "approve" }),
  });
  const { results: after } = JSON.parse(approved.text) as WireEnvelope;
  expect(after.map(({ id, status }) => [id, status])).toEqual([["gone", "success"]]);
  expect(deletions()).toBe(1);
  // The first who needs it builds the sandbox, also beside a browser's tests.
}, 180_000);
