import { describe, expect, test } from "vitest";

import type { RateLimit } from "../../../../src/core/contract/gate/admission.ts";
import { leaseMsOf } from "../../../../src/core/gate/state/lease.ts";
import { LeaseSimulation, worstExcess } from "../../../support/lease-simulation.ts";
import { createRandom } from "../../../support/random.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

const ISOLATES = 50;
const HISTORIES = samples(10_000);

/** Real time here is whole milliseconds, as clocks show it: to less than one no count is exact, leased or not. */
const START = 1_800_000_000_000;

/**
 * One random history in a few rounds: some isolates fetch leases, then, about when these end, more requests come at once
 * than the limit allows, to those isolates and to others. In between, everything that can go wrong.
 */
function simulate(seed: number): { sim: LeaseSimulation; limit: RateLimit } {
  const random = createRandom(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const limit = { bucket: "key:busy", limit: 50 + below(50), windowS: [1, 7, 60][below(3)]! };
  const windowMs = limit.windowS * 1_000;
  const leaseMs = leaseMsOf(limit.windowS);
  let wishing = 1;
  const sim = new LeaseSimulation({
    limit,
    isolates: ISOLATES,
    random,
    // As free with leases as can be: the limit may not depend on being careful.
    policy: { share: 1, reserve: 0, leastLimit: 1 },
    wish: () => (random() < wishing ? 1 + below(limit.limit / 4) : 0),
  });

  const disturb = (): void => {
    const what = random();
    if (what < 0.15) sim.gate.restart();
    else if (what < 0.3) sim.gate.offsetMs -= below(2 * leaseMs);
    else if (what < 0.4) sim.isolates[below(ISOLATES)]!.evict();
    // The clocks of all of them: most isolates hold nothing.
    else for (const isolate of sim.isolates) isolate.offsetMs -= below(2 * leaseMs);
  };
  let at = START;
  for (let round = below(3); round >= 0; round -= 1) {
    const holders = 1 + below(6);
    const first = below(ISOLATES);
    for (let k = 0; k < holders; k += 1) {
      const lost = random() < 0.1;
      const sentAt = at + below(leaseMs / 4);
      sim.at(sentAt, () => {
        wishing = 1;
        sim.request((first + k) % ISOLATES, lost);
      });
    }
    for (let k = below(3); k > 0; k -= 1) sim.at(at + below(1.5 * leaseMs), disturb);
    const strikeAt = at + below(1.5 * leaseMs);
    const spreadMs = 1 + below(random() < 0.5 ? 3 : leaseMs);
    const crowd = holders + below(2 * holders);
    for (let k = below(limit.limit * 2); k >= 0; k -= 1) {
      const isolate = (first + below(crowd)) % ISOLATES;
      sim.at(strikeAt + below(spreadMs), () => {
        wishing = 0.02;
        sim.request(isolate);
      });
    }
    at += 2 * leaseMs + below(random() < 0.5 ? leaseMs : windowMs);
  }
  sim.run();
  return { sim, limit };
}

describe("leased quota", () => {
  trial(
    `P3: no window above limit + refill in ${HISTORIES} histories of ${ISOLATES} isolates, whatever is lost, evicted, restarted or set back`,
    () => {
      let leased = 0;
      let admitted = 0;
      let denied = 0;
      for (let seed = 0; seed < HISTORIES; seed += 1) {
        const { sim, limit } = simulate(seed);
        const excess = worstExcess(sim.admitted, limit);
        if (excess > 1e-6) expect.fail(`the history of seed ${seed} is ${excess} above the limit`);
        admitted += sim.admitted.length;
        denied += sim.denied;
        leased += sim.leasedUses;
      }
      // Proof that the histories are about leases, and about the limit.
      expect(leased).toBeGreaterThan(admitted / 10);
      expect(denied).toBeGreaterThan(admitted / 10);
    },
  );

  trial.each([0.5, 0.9, 1, 1.2, 3])(
    "admits at least 95 percent of what is allowed under a steady demand of %f of the limit from 10 isolates",
    (demand) => {
      for (const limit of [
        { bucket: "key:busy", limit: 120, windowS: 60 },
        { bucket: "key:busy", limit: 10_000, windowS: 10 },
        { bucket: "key:busy", limit: 1_000, windowS: 1 },
      ]) {
        const windowMs = limit.windowS * 1_000;
        const windows = limit.windowS === 1 ? 20 : 4;
        const random = createRandom(limit.limit);
        const sim = new LeaseSimulation({ limit, isolates: 10, random });
        const requests = Math.floor(limit.limit * demand * windows);
        for (let k = 0; k < requests; k += 1) {
          const isolate = Math.floor(random() * 10);
          sim.at(START + Math.floor(random() * windows * windowMs), () => sim.request(isolate));
        }
        sim.run();
        const allowed = Math.min(requests, limit.limit * (windows + 1));
        expect(sim.admitted.length, JSON.stringify(limit)).toBeGreaterThanOrEqual(0.95 * allowed);
        expect(worstExcess(sim.admitted, limit)).toBeLessThanOrEqual(1e-6);
        // Busy enough to be leased: 50 requests a second and more at each isolate.
        if (limit.limit === 10_000) expect(sim.leasedUses).toBeGreaterThan(sim.admitted.length / 10);
      }
    },
  );

  trial.each([
    ["50 a second", { perSecond: 50, onMs: 30_000 }],
    ["200 a second", { perSecond: 200, onMs: 30_000 }],
    ["1,000 a second", { perSecond: 1_000, onMs: 30_000 }],
    ["50 a second for a second", { perSecond: 50, onMs: 1_000 }],
    ["200 a second for a fifth of a second", { perSecond: 200, onMs: 200 }],
    ["200 a second for a second", { perSecond: 200, onMs: 1_000 }],
    ["1,000 a second for half a second", { perSecond: 1_000, onMs: 500 }],
    ["200 a second for three seconds", { perSecond: 200, onMs: 3_000 }],
  ])(
    "asks the gate at most 0.05 times a request at %s, with pauses of one second",
    (_, { perSecond, onMs }) => {
      for (const isolates of [1, 4]) {
        const limit = { bucket: "key:busy", limit: 300_000, windowS: 60 };
        const sim = new LeaseSimulation({ limit, isolates, random: createRandom(perSecond + onMs) });
        for (let from = 0; from < 30_000; from += onMs + 1_000) {
          for (let ms = 0; ms < Math.min(onMs, 30_000 - from); ms += 1_000 / perSecond)
            for (let isolate = 0; isolate < isolates; isolate += 1)
              sim.at(START + from + ms, () => sim.request(isolate));
        }
        sim.run();
        expect(sim.denied).toBe(0);
        expect(sim.gateCalls / sim.admitted.length).toBeLessThanOrEqual(0.05);
        expect(worstExcess(sim.admitted, limit)).toBeLessThanOrEqual(1e-6);
      }
    },
  );

  test("spares nearly every round trip of a busy caller, from one isolate and from ten", () => {
    for (const isolates of [1, 10]) {
      const limit = { bucket: "key:busy", limit: 100_000, windowS: 60 };
      const random = createRandom(isolates);
      const sim = new LeaseSimulation({ limit, isolates, random });
      for (let k = 0; k < 1_000 * isolates; k += 1) {
        const isolate = Math.floor(random() * isolates);
        sim.at(START + Math.floor((k * 5) / isolates), () => sim.request(isolate));
      }
      sim.run();
      expect(sim.admitted).toHaveLength(1_000 * isolates);
      expect(sim.gateCalls).toBeLessThanOrEqual(100 * isolates);
    }
  });
});
