import { describe, expect, test } from "vitest";

import type { AdmissionAnswer, AdmissionRequest } from "../../src/core/contract/gate/admission.ts";
import { admitSharded } from "../../src/cloudflare/gate-client/admit-sharded.ts";
import { HUNDRED_AN_HOUR, makeRequest, makeSpec } from "./gate-requests.ts";

const idAt = (shard: number, n: number): string =>
  shard === 0 ? `home-${n}` : `${shard}0000000-0000-8000-8000-${String(n).padStart(12, "0")}`;
/** One job for each of these shards, by its place in the list. */
const jobsAt = (...shards: number[]) =>
  shards.map((shard, index) => ({ index, spec: makeSpec(idAt(shard, index), []) }));
const QUOTA = { allowed: true, remaining: 9, resetMs: 0, retryAfterMs: 0 };

/** Objects that record everything they are sent, unless told otherwise. */
class FakeShards {
  readonly asked: { readonly shard: number; readonly request: AdmissionRequest }[] = [];
  readonly down = new Set<number>();
  home: Partial<AdmissionAnswer> = {};
  /** Indexes that are on record already. */
  readonly known = new Set<number>();

  readonly ask = async (shard: number, request: AdmissionRequest): Promise<AdmissionAnswer> => {
    this.asked.push({ shard, request });
    if (this.down.has(shard)) throw new Error("down");
    const { denied = [] } = request.countedAtHome ?? this.home;
    const isDenied = (index: number): boolean =>
      !this.known.has(index) &&
      (request.allOrNothing ? denied.length > 0 : denied.some((other) => other.index === index));
    const recorded = request.jobs
      .filter(({ index }) => !isDenied(index))
      .map(({ index }) => ({ index, fence: request.countedAtHome === undefined ? 1 : null }));
    return { quota: null, denied: [], recorded, refusedJobs: [], ...(shard === 0 && this.home) };
  };
}

describe("admitSharded()", () => {
  test.each([
    ["without jobs", makeRequest({ quota: HUNDRED_AN_HOUR })],
    ["with all of its jobs at home", makeRequest({ quota: HUNDRED_AN_HOUR, jobs: jobsAt(0, 0, 0) })],
  ])("asks home once, with the request as it is, for a batch %s", async (_, request) => {
    const shards = new FakeShards();
    await admitSharded(request, shards.ask);
    expect(shards.asked).toEqual([{ shard: 0, request }]);
  });

  test("records at home what is home's, then side by side what is not, and puts the answers together", async () => {
    const shards = new FakeShards();
    const leases = [{ bucket: "b", tokens: 1, leaseMs: 1, remaining: 1, resetMs: 1 }];
    shards.home = { quota: QUOTA, leases };
    const answer = await admitSharded(
      makeRequest({ quota: HUNDRED_AN_HOUR, jobs: jobsAt(0, 1, 2, 1) }),
      shards.ask,
    );
    expect(shards.asked.map(({ shard, request }) => [shard, request.jobs.map(({ index }) => index)])).toEqual(
      [
        [0, [0]],
        [1, [1, 3]],
        [2, [2]],
      ],
    );
    expect(shards.asked[1]!.request).toMatchObject({ quota: null, draws: [], countedAtHome: { denied: [] } });
    expect(answer).toMatchObject({ quota: QUOTA, leases });
    expect(answer.recorded.toSorted((a, b) => a.index - b.index)).toEqual([
      { index: 0, fence: 1 },
      { index: 1, fence: null },
      { index: 2, fence: null },
      { index: 3, fence: null },
    ]);
  });

  test("records nothing anywhere when the quota is used up", async () => {
    const shards = new FakeShards();
    shards.home = { quota: { ...QUOTA, allowed: false }, recorded: [] };
    const answer = await admitSharded(
      makeRequest({ quota: HUNDRED_AN_HOUR, jobs: jobsAt(0, 1) }),
      shards.ask,
    );
    expect(answer.recorded).toEqual([]);
    expect(shards.asked).toHaveLength(1);
  });

  test("rejects when home cannot be reached, having asked no other object", async () => {
    const shards = new FakeShards();
    shards.down.add(0);
    await expect(
      admitSharded(makeRequest({ quota: HUNDRED_AN_HOUR, jobs: jobsAt(0, 1) }), shards.ask),
    ).rejects.toThrow("down");
    expect(shards.asked).toHaveLength(1);
  });

  test("a shard that is down costs its own jobs only", async () => {
    const shards = new FakeShards();
    shards.down.add(2);
    const answer = await admitSharded(makeRequest({ jobs: jobsAt(0, 1, 2, 2) }), shards.ask);
    expect(answer.recorded.map(({ index }) => index)).toEqual([0, 1]);
    expect(answer.refusedJobs).toEqual([2, 3].map((index) => ({ index, code: "OUTBOX_UNAVAILABLE" })));
  });

  test("a draw that home denied records no job elsewhere, and with allOrNothing none of the batch", async () => {
    const shards = new FakeShards();
    shards.home = { denied: [{ index: 1, retryAfterMs: 5 }] };
    const request = makeRequest({ draws: [{ index: 1, limit: HUNDRED_AN_HOUR }], jobs: jobsAt(0, 1, 2) });
    const some = await admitSharded(request, shards.ask);
    expect(some.recorded.map(({ index }) => index)).toEqual([0, 2]);
    expect(some.denied).toEqual([{ index: 1, retryAfterMs: 5 }]);

    shards.home = { denied: [{ index: 1, retryAfterMs: 5 }], recorded: [] };
    const none = await admitSharded({ ...request, allOrNothing: true }, shards.ask);
    expect(none.recorded).toEqual([]);
  });

  test("a job that its shard has on record already is not denied any more", async () => {
    const shards = new FakeShards();
    shards.home = { denied: [{ index: 1, retryAfterMs: 5 }] };
    shards.known.add(1);
    const answer = await admitSharded(makeRequest({ jobs: jobsAt(0, 1) }), shards.ask);
    expect(answer.recorded.map(({ index }) => index)).toEqual([0, 1]);
    expect(answer.denied).toEqual([]);
  });

  test("does not trouble home with a late job that is another's", async () => {
    const shards = new FakeShards();
    await admitSharded(makeRequest({ jobs: jobsAt(3) }), shards.ask);
    expect(shards.asked.map(({ shard }) => shard)).toEqual([3]);
  });
});
