import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  compareJobs,
  HOME,
  nameObject,
  placeJob,
  reseedJob,
  shardOf,
  tenantOfObject,
} from "../../../../src/core/contract/gate/job-shard.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { deriveId } from "../../../../src/core/kit/derive-id.ts";
import { makeSpec } from "../../../cloudflare/gate-requests.ts";
import { trial } from "../../../support/trial.ts";

const uuid = fc.uuid({ version: 4 });
const SHARDS = LIMITS.outboxShards;

describe("reseedJob()", () => {
  test("gives the id that the job would have had from the other seed, and the place", () => {
    const idOf = (seed: string, position: number, rank: number): string =>
      placeJob(deriveId(seed, position), { rank, atHome: 6 });
    fc.assert(
      fc.property(uuid, uuid, fc.nat(0xffff), fc.nat(100), (asked, earlier, position, rank) => {
        const reseeded = reseedJob(makeSpec(idOf(asked, position, rank), []), earlier);
        const id = idOf(earlier, position, rank);
        expect(reseeded).toMatchObject({ id, idempotencyKey: id });
        expect(shardOf(id) === HOME).toBe(rank < 6);
      }),
    );
  });
});

describe("placeJob()", () => {
  test("leaves a batch's first jobs at home, under the id they have", () => {
    fc.assert(
      fc.property(uuid, fc.nat(5), (id, rank) => {
        expect(placeJob(id, { rank, atHome: 6 })).toBe(id);
        expect(shardOf(id)).toBe(HOME);
      }),
    );
  });

  /** How many jobs of a batch of `count` each object has; home has the first six. */
  function deal(seed: string, count: number): number[] {
    const shards = Array.from({ length: count }, (_, rank) =>
      shardOf(placeJob(deriveId(seed, rank), { rank, atHome: 6 })),
    );
    return Array.from({ length: SHARDS }, (_, shard) => shards.filter((of) => of === shard).length);
  }

  test("deals the others out by as many as an alarm has slots, and the id says where", () => {
    fc.assert(
      fc.property(uuid, fc.integer({ min: 7, max: 100 }), (seed, count) => {
        const [home, ...others] = deal(seed, count);
        const groups = Math.ceil((count - 6) / LIMITS.headerSlots);
        expect(home).toBe(6);
        expect(others.filter((jobs) => jobs > 0)).toHaveLength(Math.min(groups, SHARDS - 1));
        const most = Math.ceil(groups / (SHARDS - 1)) * LIMITS.headerSlots;
        expect(Math.max(...others)).toBeLessThanOrEqual(most);
      }),
    );
  });

  trial("fills all objects alike with batches of a few jobs more than stay at home", () => {
    const total = Array.from({ length: SHARDS }, () => 0);
    for (let batch = 0; batch < 7_000; batch += 1)
      for (const [shard, jobs] of deal(crypto.randomUUID(), 10).entries()) total[shard]! += jobs;
    const others = total.slice(1);
    expect(Math.max(...others) / Math.min(...others)).toBeLessThan(2);
  });

  test("keeps ids UUIDs, different ones different, and a placed one as it is", () => {
    fc.assert(
      fc.property(uuid, fc.nat(100), (id, rank) => {
        const placed = placeJob(id, { rank, atHome: 0 });
        expect(placed).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(placed.replace(/^.|(?<=^.{14}).?/g, "").slice(1)).toBe(
          id.replace(/^.|(?<=^.{14}).?/g, "").slice(1),
        );
        expect(placeJob(id, { rank, atHome: Number.POSITIVE_INFINITY })).toBe(id);
      }),
    );
  });

  test.each(["job-1", "", "../../x", "00000000-0000-4000-8000-00000000000g", "x".repeat(8_000)])(
    "leaves '%s' at home, which is no UUID",
    (id) => {
      expect(placeJob(id, { rank: 9, atHome: 0 })).toBe(id);
      expect(shardOf(id)).toBe(HOME);
    },
  );
});

test("shardOf() knows home for an id that names a shard there is none of", () => {
  expect(shardOf("f0000000-0000-8000-8000-000000000000")).toBe(HOME);
  expect(shardOf("30000000-0000-8000-8000-000000000000")).toBe(3);
});

test("compareJobs() puts the newest first, and of one moment the greater id, as the tables do", () => {
  const job = (createdAt: number, id: string) => ({ createdAt, id });
  const jobs = [job(1, "a"), job(2, "a"), job(1, "b"), job(3, "0")];
  expect(jobs.toSorted(compareJobs)).toEqual([job(3, "0"), job(2, "a"), job(1, "b"), job(1, "a")]);
  expect(compareJobs(jobs[0]!, jobs[0]!)).toBe(0);
});

test("each object of a tenant has a name of its own that says whose it is", () => {
  const names = ["acme", "acme-outbox-1", "a.b"].flatMap((tenant) =>
    Array.from({ length: SHARDS }, (_, shard) => {
      const name = nameObject(tenant, shard);
      expect(tenantOfObject(name)).toBe(tenant);
      return name;
    }),
  );
  expect(new Set(names).size).toBe(names.length);
});
