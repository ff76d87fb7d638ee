import { describe, expect, test } from "vitest";

import type {
  AdmissionAnswer,
  AdmissionRequest,
  KeyQuota,
  LeaseWish,
} from "../../../src/core/contract/gate/admission.ts";
import { createLeasedAdmission, IsolateQuota } from "../../../src/core/gate/leased-admission.ts";
import { QuotaGate } from "../../support/quota-gate.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const QUOTA = { bucket: "key:busy", limit: 100_000, windowS: 60 };
/** Never leased. */
const RARE = { bucket: "key:rare", limit: 49, windowS: 1 };
const TOOL = { bucket: "tool:search", limit: 60_000, windowS: 60 };

/** One isolate and a gate that runs the real quota, 10 ms away. */
class World {
  readonly clock: VirtualClock;
  readonly gate: QuotaGate;
  readonly deferred: Promise<unknown>[] = [];
  readonly held = new IsolateQuota();
  calls = 0;
  /** Whose use of a lease the gate was told. */
  readonly used = new Set<string | undefined>();
  down = false;
  readonly admit: (request: AdmissionRequest) => Promise<AdmissionAnswer>;

  /** @param other another isolate of the same gate */
  constructor(other?: World) {
    this.clock = other?.clock ?? new VirtualClock();
    this.gate = other?.gate ?? new QuotaGate();
    this.admit = createLeasedAdmission({
      held: this.held,
      clock: this.clock,
      defer: (work) => void this.deferred.push(work),
      send: async (request: AdmissionRequest, wishes: readonly LeaseWish[]) => {
        this.calls += 1;
        if (request.quota === null) this.used.add(request.usedBy);
        await this.clock.sleep(10);
        if (this.down) throw new Error("The gate is down");
        const answer = this.gate.admit(this.clock.now(), request, wishes);
        await this.clock.sleep(10);
        return answer;
      },
    });
  }

  request(parts: Partial<AdmissionRequest> = {}): AdmissionRequest {
    return { quota: QUOTA, draws: [], jobs: [], allOrNothing: false, ...parts };
  }

  /** So many requests at so many a second; how many of them were refused. */
  async send(count: number, perSecond: number, parts: Partial<AdmissionRequest> = {}): Promise<number> {
    const answers = [];
    for (let k = 0; k < count; k += 1) {
      answers.push(this.admit(this.request(parts)).catch(() => null));
      await this.clock.advance(1_000 / perSecond);
    }
    const all = await this.clock.runUntil(Promise.all(answers));
    return all.filter((answer) => answer?.quota?.allowed !== true).length;
  }
}

const job = { index: 0, spec: { id: "job" } as never };

describe("createLeasedAdmission()", () => {
  test("1,000 batches at 200 a second are at most 100 calls of the gate", async () => {
    const world = new World();
    expect(await world.send(1_000, 200)).toBe(0);
    expect(world.calls).toBeLessThanOrEqual(100);
    // The gate hears whose requests a lease covered, with the next one.
    expect([...world.used]).toEqual([QUOTA.bucket]);
  });

  test("the same when every batch draws from its tool's limit too", async () => {
    const world = new World();
    const draws = [0, 1].map((index) => ({ index, limit: TOOL }));
    expect(await world.send(1_000, 200, { draws })).toBe(0);
    expect(world.calls).toBeLessThanOrEqual(100);
    // Nothing is lost on the way: what the gate counted is what was sent, and what is held.
    const held = (name: string): number => world.held.leases.heldOf(name);
    expect(world.gate.counted(QUOTA.bucket)).toBeLessThanOrEqual(1_000 + held(QUOTA.bucket) + 100);
    expect(world.gate.counted(TOOL.bucket)).toBeLessThanOrEqual(2_000 + held(TOOL.bucket) + 200);
  });

  test("asks for nothing ahead when a request comes now and then", async () => {
    const world = new World();
    await world.send(50, 2);
    expect([world.calls, world.gate.wishes]).toEqual([50, 0]);
  });

  test("asks the gate for everything but quota, even when quota is at hand", async () => {
    const world = new World();
    await world.send(200, 200);
    const before = world.calls;
    await world.send(1, 200, { jobs: [job] });
    expect(world.calls).toBe(before + 1);
    await world.send(1, 200, { idempotency: { runId: "run", batch: null, actions: [] } });
    expect(world.calls).toBe(before + 2);
  });

  test("asks the gate when one of the limits is not covered, and then spends nothing that is at hand", async () => {
    const world = new World();
    await world.send(200, 200);
    const held = world.held.leases.heldOf(QUOTA.bucket);
    const before = world.calls;
    const rare = { bucket: "tool:rare", limit: 60, windowS: 60 };
    await world.send(1, 200, { draws: [{ index: 0, limit: rare }] });
    expect(world.calls).toBe(before + 1);
    expect(world.held.leases.heldOf(QUOTA.bucket)).toBe(held);
  });

  test("says what is left: never more than the gate said, and what is at hand", async () => {
    const world = new World();
    for (let k = 0; k < 400; k += 1) {
      const answer = world.clock.runUntil(world.admit(world.request()));
      const { quota } = await answer;
      expect(quota!.remaining).toBeLessThan(QUOTA.limit);
      await world.clock.advance(5);
    }
    const { quota } = await world.clock.runUntil(world.admit(world.request()));
    const truly = world.gate.remaining(world.clock.now(), QUOTA);
    const held = world.held.leases.heldOf(QUOTA.bucket);
    expect(quota!.remaining).toBeLessThanOrEqual(truly + held);
    expect(quota!.remaining).toBeGreaterThan(QUOTA.limit / 2);
  });

  test("goes on from what is at hand while the gate is down, and no longer than that lasts", async () => {
    const world = new World();
    await world.send(200, 200);
    world.down = true;
    expect(await world.send(20, 200)).toBe(0);
    await world.clock.advance(2_000);
    expect(await world.send(5, 200)).toBe(5);
    world.down = false;
    expect(await world.send(5, 200)).toBe(0);
  });

  test("P3: a limit that is used up is asked about once in the time that the gate named, and never refused beyond that", async () => {
    const world = new World();
    const quota = { bucket: "key:slow", limit: 49, windowS: 49 };
    const refused = await world.send(500, 50, { quota });
    // 49 at once, then one a second for ten seconds.
    expect(refused).toBeGreaterThanOrEqual(500 - 49 - 10);
    expect(refused).toBeLessThanOrEqual(500 - 49 - 8);
    expect(world.calls).toBeLessThanOrEqual(49 + 2 * 10 + 2);
  });

  test("a clock that is set back asks the gate about a limit that was used up", async () => {
    const world = new World();
    const quota = { bucket: "key:slow", limit: 49, windowS: 3_600 };
    await world.send(60, 50, { quota });
    const before = world.calls;
    await world.send(5, 50, { quota });
    expect(world.calls).toBe(before);
    world.clock.jump(-60_000);
    await world.send(1, 50, { quota });
    expect(world.calls).toBe(before + 1);
  });

  test("a gate that does not answer is asked by one request at a time, and by all again once it does", async () => {
    const world = new World();
    world.down = true;
    expect(await world.send(100, 1_000, { quota: RARE })).toBe(100);
    // The first are asked before any has failed; from then on one after the other.
    expect(world.calls).toBeLessThanOrEqual(10 + 20 + 15);
    world.down = false;
    expect(await world.send(20, 100, { quota: RARE })).toBe(0);
  });

  test("questions that were cut off take no place for longer than one that is answered may take", async () => {
    const world = new World();
    const never = createLeasedAdmission({
      held: world.held,
      clock: world.clock,
      defer: () => {},
      send: () => new Promise(() => {}),
    });
    for (let k = 0; k < 10; k += 1) void never(world.request({ quota: RARE }));
    world.down = true;
    expect(await world.send(1, 10, { quota: RARE })).toBe(1);
    world.down = false;
    await world.clock.advance(2_000);
    expect(await world.send(5, 10, { quota: RARE })).toBe(0);
  });

  test("a clock set back ends every lease at once", async () => {
    const world = new World();
    await world.send(200, 200);
    const before = world.calls;
    world.clock.jump(-60_000);
    await world.send(1, 200);
    expect(world.calls).toBe(before + 1);
  });

  test("a demand that is over costs one unused lease, and then none", async () => {
    const world = new World();
    await world.send(200, 200);
    await world.clock.advance(3_000);
    const { wishes } = world.gate;
    for (let k = 0; k < 5; k += 1) {
      await world.send(1, 200);
      await world.clock.advance(3_000);
    }
    expect(world.gate.wishes).toBe(wishes + 1);
  });

  test("a burst after a pause is one call, and no batch waits for longer than that takes", async () => {
    const world = new World();
    for (let burst = 0; burst < 3; burst += 1) {
      await world.send(100, 200);
      await world.clock.advance(2_500);
    }
    const before = world.calls;
    const startedAt = world.clock.now();
    expect(await world.send(20, 1_000_000)).toBe(0);
    expect([world.calls - before, Math.round(world.clock.now() - startedAt)]).toEqual([1, 20]);
  });

  test("who waits for an answer that never comes asks by himself", async () => {
    const world = new World();
    for (let k = 0; k < 16; k += 1) void world.admit(world.request());
    world.held.coming = new Promise(() => {});
    const { quota } = await world.clock.runUntil(world.admit(world.request()));
    expect(quota!.allowed).toBe(true);
  });

  test("one that fetches for a bucket at a time, however many come at once", async () => {
    const world = new World();
    await world.send(60, 20_000);
    expect(world.gate.wishes).toBe(1);
  });

  trial("3,000 at once at a limit of 100 are exactly 100", async () => {
    const world = new World();
    const quota = { bucket: "key:small", limit: 100, windowS: 3_600 };
    expect(await world.send(3_000, 3_000, { quota })).toBe(2_900);
  });

  test("never fetches ahead from a limit under 50", async () => {
    const world = new World();
    const quota = { bucket: "key:small", limit: 49, windowS: 1 };
    await world.send(400, 40, { quota });
    expect([world.calls, world.gate.wishes]).toEqual([400, 0]);
  });

  test("knows how many requests came through this isolate alone, however they were admitted", async () => {
    const world = new World();
    const quota = { bucket: "key:some", limit: 300, windowS: 3_600 };
    expect(await world.send(280, 100, { quota })).toBe(0);
    const alone = Array.from({ length: 30 }, () => world.held.countAlone(world.clock.now(), quota));
    expect(alone.filter(Boolean)).toHaveLength(20);
  });
});

describe("createLeasedAdmission() of made keys", () => {
  const MAKER = { bucket: "key:maker", limit: 1_200, windowS: 60 };
  const madeBy = (name: string, limit = 1_200): KeyQuota => ({
    bucket: `key:${name}`,
    limit,
    windowS: 60,
    makers: [MAKER],
  });

  trial(
    "T45 P3: two busy keys in three isolates, partly by leases, never send more than their maker may, nor much less",
    async () => {
      const first = new World();
      const isolates = [first, new World(first), new World(first)];
      const startedAtMs = first.clock.now();
      const answers = [];
      // Each key sends 30 requests a second for a minute.
      for (let k = 0; k < 1_800; k += 1) {
        for (const [n, isolate] of isolates.entries())
          answers.push(isolate.admit(isolate.request({ quota: madeBy(`a${n % 2}`) })));
        await first.clock.advance(100 / 3);
      }
      const tookMs = first.clock.now() + 300 - startedAtMs;
      const all = await first.clock.runUntil(Promise.all(answers));
      const admitted = all.filter(({ quota }) => quota?.allowed === true).length;
      // The quota after a pause, and the part that comes back until the last is answered.
      const most = MAKER.limit + (MAKER.limit * tookMs) / 60_000;
      expect(admitted).toBeLessThanOrEqual(most);
      expect(admitted).toBeGreaterThan(most * 0.95);
      expect(first.calls + isolates[1]!.calls + isolates[2]!.calls).toBeLessThan(answers.length);
    },
  );

  test("T45 P3: a busy key is covered by leases of its own quota and its maker's together", async () => {
    const world = new World();
    expect(await world.send(500, 10, { quota: madeBy("steady") })).toBe(0);
    expect(world.calls).toBeLessThan(250);
    expect(world.gate.counted(MAKER.bucket)).toBeGreaterThanOrEqual(500);
  });

  test("many keys that are each used now and then waste no lease of their maker", async () => {
    const world = new World();
    for (let round = 0; round < 10; round += 1)
      for (let k = 0; k < 40; k += 1) expect(await world.send(1, 20, { quota: madeBy(`k${k}`) })).toBe(0);
    expect(world.gate.counted(MAKER.bucket)).toBe(400);
  });

  test("what the maker's quota refused to one key is refused to the others without asking, until it is there again", async () => {
    const world = new World();
    const small = { bucket: "key:small", limit: 5, windowS: 60 };
    const quotaOf = (name: string): KeyQuota => ({ ...small, bucket: `key:${name}`, makers: [small] });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, k) =>
        world.clock.runUntil(world.admit(world.request({ quota: quotaOf(`k${k}`) }))),
      ),
    );
    expect(answers.map(({ quota }) => quota?.remaining)).toEqual([4, 3, 2, 1, 0]);
    const refused = await world.clock.runUntil(world.admit(world.request({ quota: quotaOf("k5") })));
    expect(refused.quota).toMatchObject({ allowed: false, remaining: 0, usedUp: small.bucket });
    const before = world.calls;
    for (const name of ["k6", "k7"])
      expect(await world.admit(world.request({ quota: quotaOf(name) }))).toMatchObject({
        quota: { allowed: false },
      });
    // The maker itself, too.
    expect(await world.admit(world.request({ quota: small }))).toMatchObject({ quota: { allowed: false } });
    expect(world.calls).toBe(before);
    await world.clock.advance(refused.quota!.retryAfterMs);
    const later = await world.clock.runUntil(world.admit(world.request({ quota: quotaOf("k6") })));
    expect(later.quota?.allowed).toBe(true);
  });

  test("counts alone what came through this isolate, for all keys of a maker together", () => {
    const held = new IsolateQuota();
    const small = { bucket: "key:small", limit: 5, windowS: 60 };
    const quotaOf = (k: number): KeyQuota => ({ ...small, bucket: `key:k${k}`, makers: [small] });
    const counted = Array.from({ length: 12 }, (_, k) => held.countAlone(0, quotaOf(k)));
    expect(counted.filter(Boolean)).toHaveLength(5);
    // The refused request has cost its own key nothing.
    expect(held.countAlone(0, { ...small, bucket: "key:k11" })).toBe(true);
  });
});
