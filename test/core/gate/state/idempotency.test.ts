import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { KeyEnd, KeyState } from "../../../../src/core/contract/gate/idempotency.ts";
import {
  claimKey,
  completeKey,
  type KeyRecord,
  renewKey,
} from "../../../../src/core/gate/state/idempotency.ts";

const LEASE_MS = 15_000;
const RETENTION_MS = 86_400_000;
const DONE: KeyEnd = { kind: "done", answer: { json: '{"ok":true}', failed: false } };

const claim = (record: KeyRecord | null, nowMs: number, runId: string, fingerprint = "f") =>
  claimKey(record, nowMs, {
    content: { fingerprint, seed: `seed-of-${runId}` },
    runId,
    leaseMs: LEASE_MS,
    retentionMs: RETENTION_MS,
  });
const complete = (record: KeyRecord | null, nowMs: number, runId: string, end: KeyEnd) =>
  completeKey(record, nowMs, { runId, end, retentionMs: RETENTION_MS });
const renew = (record: KeyRecord | null, nowMs: number, runId: string, seed = "seed-of-one") =>
  renewKey(record, nowMs, { runId, seed, leaseMs: LEASE_MS, retentionMs: RETENTION_MS });
const claimed = (seed: string, inDoubt = false): KeyState => ({
  kind: "claimed",
  seed,
  inDoubt,
  ...(inDoubt && { begunAt: 0 }),
});

describe("a new key", () => {
  const [held, state] = claim(null, 0, "one");

  test("is claimed, with the seed of who sent it", () => {
    expect(state).toEqual(claimed("seed-of-one"));
  });

  test("is running for everyone else until its lease ends", () => {
    expect(claim(held, 1, "two")).toEqual([held, { kind: "running", retryAfterMs: 1_000 }]);
    expect(claim(held, LEASE_MS - 1, "two")).toEqual([held, { kind: "running", retryAfterMs: 1 }]);
    expect(claim(held, LEASE_MS, "two")[1]).toEqual(claimed("seed-of-one", true));
  });

  test("is another's at once where that one's request was never sent before, which the first one's end does not change", () => {
    const content = { fingerprint: "f", seed: "seed-of-two", fresh: true };
    const command = { content, runId: "two", leaseMs: 1, retentionMs: RETENTION_MS };
    const [taken, state] = claimKey(held, 1, command);
    expect(state).toEqual(claimed("seed-of-two"));
    expect(complete(taken, 2, "one", DONE)).toBe(taken);
    // Its admission may be sent twice.
    expect(claimKey(taken, 2, command)).toEqual([taken, claimed("seed-of-two")]);
  });

  test("is to be asked for soon while its run gives signs of life, then when its lease ends", () => {
    const waitAt = (nowMs: number, record = held) =>
      (claim(record, nowMs, "two")[1] as { retryAfterMs?: number }).retryAfterMs;
    const half = LEASE_MS / 2;
    expect([0, half - 1].map((nowMs) => waitAt(nowMs))).toEqual([1_000, 1_000]);
    expect([half, LEASE_MS - 2_000].map((nowMs) => waitAt(nowMs))).toEqual([half, 2_000]);
    expect(waitAt(half, renew(held, half - 1, "one")[0])).toBe(1_000);
  });

  test("is to be asked for when its lease ends by a client that gives up soon", () => {
    const content = { fingerprint: "f", seed: "seed-of-two", givesUpSoon: true };
    const command = { content, runId: "two", leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
    expect(claimKey(held, 1_000, command)[1]).toEqual({ kind: "running", retryAfterMs: LEASE_MS - 1_000 });
  });

  test("is a conflict for other content, whether it runs, is done or was left", () => {
    expect(claim(held, 1, "two", "other")).toEqual([held, { kind: "conflict" }]);
    expect(claim(held, LEASE_MS + 1, "two", "other")[1]).toEqual({ kind: "conflict" });
    const done = complete(held, 1, "one", DONE);
    expect(claim(done, 2, "two", "other")).toEqual([done, { kind: "conflict" }]);
  });

  test("claimed again by the same run, whose first answer was lost, is the same claim", () => {
    expect(claim(held, 5, "one")).toEqual([held, claimed("seed-of-one")]);
  });
});

describe("a key that is done", () => {
  const done = complete(claim(null, 0, "one")[0], 1_000, "one", DONE);

  test("has its answer for a day from then, and is new after it", () => {
    const replayed = { kind: "done", answer: { json: '{"ok":true}', failed: false } };
    expect(claim(done, 1_000 + RETENTION_MS - 1, "two")[1]).toEqual(replayed);
    expect(claim(done, 1_000 + RETENTION_MS, "two")[1]).toEqual(claimed("seed-of-two"));
  });

  test("cannot be completed any more, not even who did it", () => {
    expect(complete(done, 2_000, "one", { kind: "free" })).toBe(done);
    expect(complete(done, 2_000, "two", DONE)).toBe(done);
  });
});

describe("a run that goes silent", () => {
  const [held] = claim(null, 0, "one");
  const [taken, state] = claim(held, LEASE_MS, "two");

  test("is taken over after its lease, with its ids and in doubt", () => {
    expect(state).toEqual(claimed("seed-of-one", true));
  });

  test("tells of what waited for a person in every run that may have sent something", () => {
    const claimParked = (
      record: KeyRecord | null,
      nowMs: number,
      runId: string,
      parked?: readonly number[],
    ) =>
      claimKey(record, nowMs, {
        content: { fingerprint: "f", seed: `seed-of-${runId}`, ...(parked && { parked }) },
        runId,
        leaseMs: LEASE_MS,
        retentionMs: RETENTION_MS,
      });
    const [first, fresh] = claimParked(null, 0, "one", [0, 1, 2]);
    expect(fresh).toEqual(claimed("seed-of-one"));
    const [second, state] = claimParked(first, LEASE_MS, "two", [1, 2, 3]);
    expect(state).toEqual({ ...claimed("seed-of-one", true), parked: [1, 2] });
    expect(claimParked(second, LEASE_MS + 1, "two", [1, 2, 3])).toEqual([second, state]);
    expect(claimParked(second, 2 * LEASE_MS, "three", [0, 2])[1]).toMatchObject({ parked: [2] });
    expect(claimParked(second, 2 * LEASE_MS, "three")[1]).toEqual(claimed("seed-of-one", true));
    // A run that let go had sent nothing, so what its next one holds back is all there is to know.
    const left = complete(first, 5, "one", { kind: "release" });
    const [next] = claimParked(left, 6, "four", [3]);
    expect(claimParked(next, 6 + LEASE_MS, "five", [3])[1]).toMatchObject({ inDoubt: true, parked: [3] });
  });

  test("may not complete what was taken over from it, but may as long as it was not", () => {
    expect(complete(taken, LEASE_MS + 1, "one", DONE)).toBe(taken);
    expect(complete(held, LEASE_MS + 1, "one", DONE)).toMatchObject({ answer: { json: '{"ok":true}' } });
  });

  test("leaves its doubt to the next caller after a run that did nothing", () => {
    for (const kind of ["free", "release"] as const) {
      const left = complete(taken, LEASE_MS + 1, "two", { kind });
      expect(claim(left, LEASE_MS + 2, "three")[1]).toEqual(claimed("seed-of-one", true));
    }
  });

  test("is remembered for a day after its lease", () => {
    expect(claim(held, LEASE_MS + RETENTION_MS - 1, "two")[1]).toEqual(claimed("seed-of-one", true));
    expect(claim(held, LEASE_MS + RETENTION_MS, "two")[1]).toEqual(claimed("seed-of-two"));
  });
});

describe("a run that did nothing", () => {
  const [held] = claim(null, 0, "one");

  test("may forget its key, and other content may use it", () => {
    const freed = complete(held, 1, "one", { kind: "free" });
    expect(freed).toBeNull();
    expect(claim(freed, 2, "two", "other")[1]).toEqual(claimed("seed-of-two"));
  });

  test("or release it to be run again at once, under the same ids and without doubt", () => {
    const released = complete(held, 1, "one", { kind: "release" });
    expect(claim(released, 2, "two")[1]).toEqual(claimed("seed-of-one"));
    expect(claim(released, 2, "two", "other")[1]).toEqual({ kind: "conflict" });
  });
});

describe("a claim that its run renews", () => {
  const [held] = claim(null, 0, "one");

  test.each([
    ["in time", 5_000],
    ["14 s late", 14_000],
    ["when its lease is over, as long as no other run asked for it", 16_000],
  ])("%s is held for as long again", (_, nowMs) => {
    const [renewed, takenOver] = renew(held, nowMs, "one");
    expect(takenOver).toBe(false);
    expect(claim(renewed, nowMs + LEASE_MS - 1, "two")[1].kind).toBe("running");
    expect(claim(renewed, nowMs + LEASE_MS, "two")[1]).toEqual(claimed("seed-of-one", true));
  });

  test("16 s late, when another run has it, stays that one's, also when that one is over", () => {
    const [taken] = claim(held, LEASE_MS, "two");
    expect(renew(taken, 16_000, "one")).toEqual([taken, true]);
    for (const end of [DONE, { kind: "release" }] as const) {
      const left = complete(taken, 16_000, "two", end);
      expect(renew(left, 17_000, "one")).toEqual([left, true]);
    }
  });

  test("is not taken over by a request that was never sent before: they are two", () => {
    const content = { fingerprint: "f", seed: "seed-of-two", fresh: true };
    const command = { content, runId: "two", leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
    const [forgotten] = claimKey(held, 1, command);
    expect(renew(forgotten, 2, "one")).toEqual([forgotten, false]);
    expect(renew(null, 2, "one")).toEqual([null, false]);
  });
});

/** The events of one key: time passes, runs claim it, and some of them end it. */
type Event =
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "claim"; readonly content: string }
  | { readonly kind: "renew"; readonly run: number }
  | { readonly kind: "end"; readonly run: number; readonly as: KeyEnd["kind"] };

const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant("pass" as const),
    ms: fc.constantFrom(1, 500, LEASE_MS - 1, LEASE_MS, RETENTION_MS),
  }),
  fc.record({ kind: fc.constant("claim" as const), content: fc.constantFrom("f", "f", "f", "other") }),
  fc.record({ kind: fc.constant("renew" as const), run: fc.nat(6) }),
  fc.record({
    kind: fc.constant("end" as const),
    run: fc.nat(6),
    as: fc.constantFrom("done", "done", "free", "release" as const),
  }),
);

/** The facts that have to be true of a key, told without its record. */
class KeyModel {
  /** The content that the key stands for, and since when it need not any more. */
  content: string | null = null;
  done: string | null = null;
  seed = "";
  liveUntil = Number.NEGATIVE_INFINITY;
  forgottenAt = Number.NEGATIVE_INFINITY;
}

test("P5: T19 the same key never starts a second batch while one runs or its answer is kept, nor other content, nor under other ids", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let record: KeyRecord | null = null;
      let nowMs = 0;
      const runs: string[] = [];
      let holder: string | null = null;
      const model = new KeyModel();
      for (const event of events) {
        if (event.kind === "pass") nowMs += event.ms;
        if (event.kind === "claim") {
          const runId = `run-${runs.length}`;
          const [next, state] = claim(record, nowMs, runId, event.content);
          record = next;
          if (nowMs >= model.forgottenAt) model.content = model.done = null;
          if (state.kind === "claimed") {
            expect([model.done, model.content ?? event.content]).toEqual([null, event.content]);
            expect(nowMs).toBeGreaterThanOrEqual(model.liveUntil);
            if (model.content === null) model.seed = `seed-of-${runId}`;
            expect(state.seed).toBe(model.seed);
            model.content = event.content;
            model.liveUntil = nowMs + LEASE_MS;
            model.forgottenAt = model.liveUntil + RETENTION_MS;
            holder = runId;
            runs.push(runId);
          } else if (state.kind === "done") expect(state.answer.json).toBe(model.done);
          else if (state.kind === "conflict") expect(model.content).not.toBe(event.content);
          else expect(nowMs).toBeLessThan(model.liveUntil);
        }
        const run = event.kind === "end" || event.kind === "renew" ? runs[event.run] : undefined;
        if (event.kind === "renew" && run !== undefined) {
          const [next, takenOver] = renew(record, nowMs, run, model.seed);
          // Nothing but the claim of another run ends a run's own: not even a late renewal.
          expect(takenOver).toBe(record !== null && run !== holder);
          record = next;
          if (record !== null && run === holder) {
            model.liveUntil = nowMs + LEASE_MS;
            model.forgottenAt = model.liveUntil + RETENTION_MS;
          }
        }
        if (event.kind !== "end" || run === undefined) continue;
        const json = `"${run}"`;
        const end: KeyEnd =
          event.as === "done" ? { kind: "done", answer: { json, failed: false } } : { kind: event.as };
        const inDoubt = record?.inDoubt === true;
        record = complete(record, nowMs, run, end);
        if (run !== holder) continue;
        holder = null;
        model.liveUntil = nowMs;
        model.forgottenAt = nowMs + RETENTION_MS;
        if (event.as === "done") model.done = json;
        if (event.as === "free" && !inDoubt) model.content = null;
      }
    }),
    { numRuns: 2_000 },
  );
});
