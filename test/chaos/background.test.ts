import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { startChaosUpstream } from "./chaos-upstream.ts";
import { until } from "./collect-evidence.ts";
import { comeBack } from "./run-loop.ts";
import { startVictim } from "./victim.ts";

/* A batch in the background of a runtime that is killed in the middle of its writes. */

const COUNT = 1_000;
const LEASE_MS = 500;
/** Longer than an attempt has its job for itself. */
const LATER_MS = 300_000;
/** A batch that had its turn goes on within this time of a restart. */
const SOON_MS = 15_000;
const KILLED_AT = [200, 600] as const;

interface Element {
  readonly index: number;
  readonly status: string;
}

interface Page {
  readonly results: readonly { readonly data: readonly Element[] }[];
  readonly next_cursor: string | null;
}

async function ask<T>(url: string, body?: object): Promise<T> {
  const headers = { authorization: "Bearer sandbox-key", "content-type": "application/json" };
  const answer = await fetch(
    url,
    body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) },
  );
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return JSON.parse(text) as T;
}

/** The elements of a batch's loop, from all pages. */
async function elementsOf(url: string, jobId: string): Promise<readonly Element[]> {
  const found: Element[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const asked: string = cursor === "" ? "" : `?cursor=${cursor}`;
    const page: Page = await ask(`${url}/v1/jobs/${jobId}/results${asked}`);
    found.push(...page.results.flatMap(({ data }) => data));
    cursor = page.next_cursor;
  }
  return found;
}

test("P2: F31 of 1,000 writes in the background none is sent twice and none is missing, however often the runtime is killed", async () => {
  await using upstream = await startChaosUpstream();
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
  await using victim = await startVictim({ vars });
  const { job_id: jobId } = await ask<{ job_id: string }>(`${victim.current.url}/v1/execute_actions`, {
    background: true,
    actions: [
      {
        id: "all",
        tool: "probe-write-each",
        args: { n: { $ref: "item#" }, d: 1 },
        for_each: Array.from({ length: COUNT }, (_, n) => n),
      },
    ],
  });
  const sent = (n: number): number => upstream.attemptsOf(n, "/write").length;
  for (const n of KILLED_AT) {
    await until(() => sent(n) > 0);
    victim.kill();
    await comeBack(victim, () => victim.age(LATER_MS));
  }
  const look = () => ask<{ status: string }>(`${victim.current.url}/v1/jobs/${jobId}`);
  await until(() => sent(COUNT - 1) > 0);
  await eventually("the end", async () => {
    const { status } = await look();
    return ["running", "retrying"].includes(status) ? undefined : status;
  });

  const elements = await elementsOf(victim.current.url, jobId);
  expect(elements.map(({ index }) => index)).toEqual(Array.from({ length: COUNT }, (_, n) => n));
  expect(elements.filter(({ index }) => sent(index) > 1)).toEqual([]);
  const unknown = elements.filter(({ status }) => status === "unknown");
  expect(elements.filter(({ index, status }) => status === "success" && sent(index) !== 1)).toEqual([]);
  expect(elements.length - unknown.length).toBe(elements.filter(({ status }) => status === "success").length);
  // The write that was under way and the one before it, of each runtime that was killed.
  expect(unknown.length).toBeLessThanOrEqual(2 * KILLED_AT.length);
  // The rest ran; the job alone does not say that all is well.
  expect(await look()).toMatchObject({
    status: unknown.length > 0 ? "unknown" : "succeeded",
    progress: { done: COUNT, failed: unknown.length, total: COUNT },
  });
}, 300_000);

test.each([1, 8])(
  "F40 %i batches that run when the runtime is killed go on within 15 s of its restart, by themselves",
  async (count) => {
    await using upstream = await startChaosUpstream();
    await using victim = await startVictim({ vars: { PROBE_ORIGIN: upstream.url } });
    const numbersOf = (batch: number) => Array.from({ length: COUNT }, (_, n) => batch * COUNT + n);
    for (let batch = 0; batch < count; batch += 1)
      await ask(`${victim.current.url}/v1/execute_actions`, {
        background: true,
        actions: [
          { tool: "probe-write-each", args: { n: { $ref: "item#" }, d: 50 }, for_each: numbersOf(batch) },
        ],
      });
    const sentOf = (batch: number) => numbersOf(batch).flatMap((n) => upstream.attemptsOf(n, "/write"));
    const batches = Array.from({ length: count }, (_, batch) => batch);
    await until(() => batches.every((batch) => sentOf(batch).length >= 3));
    victim.kill();
    await comeBack(victim);
    const backAt = performance.now();
    const after = (batch: number) => sentOf(batch).filter(({ at }) => at > backAt);
    await until(() => batches.every((batch) => after(batch).length > 0));
    const waits = batches.map((batch) => after(batch)[0]!.at - backAt);
    expect(Math.max(...waits)).toBeLessThanOrEqual(SOON_MS);
    for (const batch of batches)
      for (const n of numbersOf(batch))
        expect(upstream.attemptsOf(n, "/write").length).toBeLessThanOrEqual(1);
  },
  300_000,
);
