import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { CountedStorage } from "./counted-storage.ts";
import { EventQueue } from "./event-queue.ts";
import { createRandom } from "../../../test/support/random.ts";
import { dealEndpoints, simulateFanOuts } from "./fan-outs.ts";
import { simulate, type SimulateOptions } from "./simulate.ts";
import { dealPermits } from "./tool-gate.ts";
import { MIX, pick, split, TENANTS_LEASED, zipf } from "./workload.ts";
import { trial } from "../../../test/support/trial.ts";

const READS = { job: 0, wide: 0, keyed: 0, flow: 0 };
const SMALL: SimulateOptions = {
  rate: 20,
  tenants: 50,
  regions: 3,
  mix: MIX,
  seed: 1,
  warmUpS: 5,
  seconds: 20,
};

describe("simulate()", () => {
  trial("gives the same figures for the same seed", async () => {
    expect(await simulate(SMALL)).toEqual(await simulate(SMALL));
  });

  trial("a job is two calls, and three rows with the one that forgetting it writes", async () => {
    const { calls, rows, rowsForgotten, ends } = await simulate({
      ...SMALL,
      tenants: 1,
      mix: { ...READS, job: 1 },
      seconds: 60,
    });
    expect(calls / ends.jobs).toBeCloseTo(2, 0);
    expect((rows + rowsForgotten) / ends.jobs).toBeCloseTo(3, 0);
  });

  test("a tenant in few isolates costs its object less than a call for ten batches", async () => {
    const { calls, ends } = await simulate({ ...SMALL, rate: 200, tenants: 1, regions: 1, mix: READS });
    expect(calls / ends.asked).toBeLessThan(0.1);
  });

  trial("an object that begins with more in line than it can answer in time gets out of it", async () => {
    const begins = { ...SMALL, rate: 2_000, tenants: 1, regions: 30, mix: READS };
    const cold = await simulate({ ...begins, warmUpS: 0, seconds: 1 });
    expect(cold.hottest.load).toBeGreaterThan(0.9);
    const later = await simulate({ ...begins, warmUpS: 5, seconds: 1 });
    expect(later.ends.late).toBe(0);
    expect(later.hottest.load).toBeLessThan(0.5);
  });

  trial("a tenant over its limit keeps no other tenant from its own", async () => {
    const { leastServed, flood } = await simulate({ ...SMALL, flood: 100 });
    expect(leastServed).toBe(1);
    expect(flood!.denied).toBeGreaterThan(flood!.admitted);
  });
});

test("EventQueue runs what is due in the order of its time, and nothing that was cancelled", async () => {
  const queue = new EventQueue();
  const ran: string[] = [];
  const cancel = queue.after(20, () => ran.push("cancelled"));
  queue.after(30, () => ran.push("late"));
  queue.after(10, () => queue.after(0, () => ran.push("then")));
  queue.after(10, () => void Promise.resolve().then(() => ran.push("reaction")));
  cancel();
  await queue.run(0.02);
  expect(ran).toEqual(["reaction", "then"]);
  await queue.run(1);
  expect(ran).toEqual(["reaction", "then", "late"]);
});

test("CountedStorage refuses a statement that it does not know", () => {
  const { sql } = new CountedStorage();
  expect(() => sql.exec("SELECT * FROM tools")).toThrow("not known: SELECT * FROM tools");
});

describe("simulateFanOuts()", () => {
  const all = { tenants: 1_000, endpoints: 100_000, events: 10_000 };

  test("gives every tenant an endpoint and none more than the limit, and deals out all there are", () => {
    const sizes = dealEndpoints(all);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThanOrEqual(99_900);
  });

  test("no object makes more than a sixteenth, rounded up, and a delivery is at most three rows", () => {
    const figures = simulateFanOuts({ ...all, random: createRandom(1) });
    expect(figures.largestShare).toBeLessThanOrEqual(1 / 16 + 1 / 160);
    expect(figures.rows).toBeLessThanOrEqual(3);
    expect(simulateFanOuts({ ...all, random: createRandom(1) })).toEqual(figures);
  });

  test("an event for one endpoint is four rows, as the objects count them", () => {
    const { rows } = simulateFanOuts({ tenants: 1, endpoints: 1, events: 100, random: createRandom(1) });
    expect(rows).toBeCloseTo(4, 0);
  });
});

test("zipf() and split() share out everything, and pick() meets each share", () => {
  const shares = split(zipf(3), 0.3);
  // 6/11, 3/11, 2/11: the first in two parts.
  expect([...shares].map((share) => Math.round(share * 11))).toEqual([3, 6, 9, 11]);
  expect([0, 0.4, 0.6, 0.999].map((at) => pick(shares, at))).toEqual([0, 1, 2, 3]);
});

trial("dealPermits() deals places evenly between tenants that want more than there are", async () => {
  const { ran, callsEach } = await dealPermits([40, 20], 5);
  expect(Math.abs(ran[0]! - ran[1]!)).toBeLessThanOrEqual(20);
  expect(callsEach).toBeCloseTo(2, 0);
});

test("an isolate of the simulation holds leases of as many tenants as one of the product", async () => {
  const source = await readFile("src/cloudflare/deployment.ts", "utf8");
  expect(source).toContain(`TENANTS_LEASED = ${TENANTS_LEASED.toLocaleString("en-US").replace(",", "_")};`);
});
