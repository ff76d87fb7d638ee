import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { elementsOf, look, sendLong } from "./background-batch.ts";
import { startChaosUpstream } from "./chaos-upstream.ts";
import { until } from "./collect-evidence.ts";
import { comeBack } from "./run-loop.ts";
import { startVictim } from "./victim.ts";
import { waitBehind } from "./wait-behind.ts";

/* A batch in the background of a runtime that is killed in the middle of its writes. */

const COUNT = 1_000;
const LEASE_MS = 500;
/** Longer than an attempt has its job for itself. */
const LATER_MS = 300_000;
/** A batch that had its turn goes on within this time of a restart. */
const SOON_MS = 15_000;
const KILLED_AT = [200, 600] as const;

test("P2: F31 of 1,000 writes in the background none is sent twice and none is missing, however often the runtime is killed", async () => {
  await using upstream = await startChaosUpstream();
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
  await using victim = await startVictim({ vars });
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  const jobId = await sendLong(victim.current.url, { numbers, d: 1 });
  const sent = (n: number): number => upstream.attemptsOf(n, "/write").length;
  for (const n of KILLED_AT) {
    await until(() => sent(n) > 0);
    victim.kill();
    await comeBack(victim, () => victim.age(LATER_MS));
  }
  const lookAtJob = () => look<{ status: string }>(`${victim.current.url}/v1/jobs/${jobId}`);
  await until(() => sent(COUNT - 1) > 0);
  await eventually("the end", async () => {
    const { status } = await lookAtJob();
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
  expect(await lookAtJob()).toMatchObject({
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
      await sendLong(victim.current.url, { numbers: numbersOf(batch), d: 50 });
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

test("F31 F40 a short batch ends behind twenty long ones that cannot end before it, however the runtime is killed, and none of their writes is lost", async () => {
  const { waiting, kills, violations } = await waitBehind({ long: 20, elements: 100 });
  expect({ waiting, kills, violations }).toEqual({ waiting: 20, kills: 3, violations: [] });
}, 300_000);
