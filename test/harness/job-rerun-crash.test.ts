import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";
import type { Workerd } from "../support/workerd.ts";

const upstream = await HostileUpstream.start();
afterAll(() => upstream[Symbol.asyncDispose]());
const storageDir = await mkdtemp(join(tmpdir(), "volley-job-rerun-"));
afterAll(() => rm(storageDir, { recursive: true, force: true }));

const start = (port?: number): Promise<Workerd> =>
  startRawSandbox({
    storageDir,
    vars: { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: "500" },
    ...(port !== undefined && { port }),
  });

interface Sent {
  readonly status: number;
  readonly body: { readonly run_id?: string; readonly job_id?: string; readonly code?: string };
}

const post = async (caller: TestCaller, path: string, body: object): Promise<Sent> => {
  const { status, text } = await caller.send({ path, body: JSON.stringify(body) });
  return { status, body: JSON.parse(text) as Sent["body"] };
};
const get = async <T>(caller: TestCaller, path: string): Promise<T> =>
  JSON.parse((await caller.get(path)).text) as T;

/** The end of a job. */
const endOf = (caller: TestCaller, id: string) =>
  eventually(`the end of ${id}`, async () => {
    const { status } = await get<{ status: string }>(caller, `/v1/jobs/${id}`);
    return status === "running" || status === "retrying" ? undefined : status;
  });

/** The rerun of a run, once nothing of it goes on. */
const rerun = (caller: TestCaller, id: string) =>
  eventually(`the rerun of ${id}`, async () => {
    const again = await post(caller, `/v1/runs/${id}/rerun`, {});
    return again.body.code === "IDEMPOTENCY_IN_PROGRESS" ? undefined : again;
  });

const BATCHES = 6;
const WRITES = 3;
const numbers = (batch: number) => Array.from({ length: WRITES }, (_, at) => batch * WRITES + at);

test("P5: killed between the claim and the end of reruns that are jobs, nothing is sent twice and nothing that was answered is lost", async () => {
  const sentOf = (n: number) =>
    upstream.requestsTo("/write").filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);
  upstream.script("/write", (_, response) => void response.writeHead(400).end("{}"));
  const first = await start();
  const caller = new TestCaller(first.url);
  const runs = await Promise.all(
    Array.from({ length: BATCHES }, async (_, batch) => {
      const actions = numbers(batch).map((n) => ({ id: `w${n}`, tool: "probe-write", args: { n } }));
      const { body } = await post(caller, "/v1/execute_actions", { background: true, actions });
      return body as { run_id: string; job_id: string };
    }),
  );
  for (const { job_id: job } of runs) expect(await endOf(caller, job)).toBe("failed");
  const before = upstream.requests.length;
  expect(before).toBe(BATCHES * WRITES);

  // The first rerun has a write that is done and one that takes effect without an answer; a kill meets the last ones anywhere.
  upstream.script("/write", (_, response, __, { body }) => {
    if ((JSON.parse(body) as { n: number }).n % WRITES === 0) response.writeHead(200).end("{}");
  });
  const begun = [await rerun(caller, runs[0]!.run_id)];
  await eventually("a write under way", () => sentOf(1)[1]);
  begun.push(await rerun(caller, runs[1]!.run_id));
  const late = runs.slice(2).map(({ run_id: id }) => rerun(caller, id).catch(() => null));
  await eventually("one more to be sent", () => (upstream.requests.length >= before + 4 ? true : undefined));
  await first.kill("SIGKILL");
  begun.push(...(await Promise.all(late)).filter((one) => one !== null));
  upstream.script("/write", (_, response) => void response.writeHead(200).end("{}"));

  await using second = await start(first.port);
  const after = new TestCaller(second.url);
  for (const { status, body } of begun) {
    expect(status).toBe(202);
    await endOf(after, body.job_id!);
  }
  // A write that ended is answered, one in doubt asks, and one rerun alone sends the rest.
  for (const { run_id: id } of runs) {
    const { status, body } = await rerun(after, id);
    expect([200, 202], JSON.stringify(body)).toContain(status);
    if (status === 202) await endOf(after, body.job_id!);
  }
  for (const { run_id: id } of runs) expect((await rerun(after, id)).status).toBe(200);
  const again = numbers(0).concat(...runs.slice(1).map((_, at) => numbers(at + 1)));
  for (const n of again) expect(sentOf(n).length, `sent ${n}`).toBeLessThanOrEqual(2);
  // The write whose answer was lost waits for a person; the others are done.
  const { confirmations } = await get<{ confirmations: { actions: { id: string }[] }[] }>(
    after,
    "/v1/confirmations?status=pending",
  );
  const asked = confirmations.flatMap(({ actions }) => actions.map(({ id }) => id));
  expect(asked).toContain("w1");
  for (const n of again)
    expect([sentOf(n).length === 2, asked.includes(`w${n}`)], `done ${n}`).toContain(true);
});
