import fc from "fast-check";
import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import type { GlobalLimits, PermitAnswer, PermitRequest } from "../../../../src/core/contract/gate/permit.ts";
import { gcraIntervalMs } from "../../../../src/core/kit/gcra.ts";
import {
  openPermits,
  PERMIT_OPTIONS,
  type PermitBook,
  type PermitMarks,
  type PermitOptions,
} from "../../../../src/core/gate/state/permit-book.ts";
import { stepPermits } from "../../../../src/core/gate/state/permits.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

const START = 1_800_000_000_000;
const TWO: GlobalLimits = { concurrency: 2, rate: null };
const FIVE_A_SECOND: GlobalLimits = { concurrency: null, rate: { limit: 5, windowS: 1 } };

/** A gate in virtual time: what it answered and when, and what it wrote. */
class TestGate {
  now = START;
  book: PermitBook;
  marks: PermitMarks;
  rows = 0;
  wakeAtMs: number | null = null;
  readonly options: PermitOptions;
  readonly answers = new Map<string, PermitAnswer & { readonly at: number }>();

  constructor(options: PermitOptions = PERMIT_OPTIONS, marks: PermitMarks = { aliveMs: 0, rateMs: 0 }) {
    this.options = options;
    this.marks = marks;
    this.book = openPermits(marks, this.now, options);
  }

  /** Ask for a call of the tenant that its id begins with, up to a slash; of one that is not said without any. */
  ask(id: string, limits: GlobalLimits, request: Partial<PermitRequest> = {}): PermitAnswer | undefined {
    this.answers.delete(id);
    const tenant = id.includes("/") ? { tenant: id.split("/")[0]! } : {};
    this.#step({
      kind: "ask",
      request: { id, ...tenant, limits, waitMs: 10_000, holdMs: 1_000, ...request },
    });
    return this.answers.get(id);
  }

  release(id: string, retryAfterMs: number | null = null): void {
    this.#step({ kind: "release", id, retryAfterMs });
  }

  /** Let time pass as the object does: it wakes when it said it would. */
  advance(ms: number): void {
    const end = this.now + ms;
    while (this.wakeAtMs !== null && this.wakeAtMs <= end) {
      this.now = this.wakeAtMs;
      this.#step({ kind: "tick" });
    }
    this.now = end;
  }

  /** Lose everything that is not durable, the waiting ones' answers too. */
  restart(): void {
    this.book = openPermits(this.marks, this.now, this.options);
    this.wakeAtMs = null;
  }

  statusOf(id: string): string {
    const answer = this.answers.get(id);
    return answer === undefined ? "waiting" : answer.granted ? "granted" : answer.reason;
  }

  #step(command: Parameters<typeof stepPermits>[2]): void {
    const [book, { answers, marks, wakeAtMs }] = stepPermits(this.book, this.now, command);
    this.book = book;
    this.rows += Object.keys(marks).length;
    this.marks = { ...this.marks, ...marks };
    this.wakeAtMs = wakeAtMs;
    for (const { id, answer } of answers) this.answers.set(id, { ...answer, at: this.now });
  }
}

describe("a global concurrency", () => {
  test("grants its places at once and the next one when one is given back, first come, first served", () => {
    const gate = new TestGate();
    for (const id of ["a", "b", "c", "d"]) gate.ask(id, TWO);
    expect(["a", "b", "c", "d"].map((id) => gate.statusOf(id))).toEqual([
      "granted",
      "granted",
      "waiting",
      "waiting",
    ]);
    gate.advance(300);
    gate.release("b");
    expect(gate.answers.get("c")).toMatchObject({ granted: true, waitedMs: 300 });
    expect(gate.statusOf("d")).toBe("waiting");
  });

  test("F09 takes a permit back by time when it is not given back", () => {
    const gate = new TestGate();
    for (const id of ["a", "b", "c"]) gate.ask(id, TWO);
    gate.advance(999);
    expect(gate.statusOf("c")).toBe("waiting");
    gate.advance(1);
    expect(gate.answers.get("c")).toMatchObject({ granted: true, waitedMs: 1_000 });
  });

  test("a permit that is given back late, twice, or was never there frees nothing", () => {
    const gate = new TestGate();
    for (const id of ["a", "b"]) gate.ask(id, TWO);
    gate.advance(1_000);
    for (const id of ["c", "d", "e"]) gate.ask(id, TWO);
    for (const late of ["a", "b", "a", "nobody"]) gate.release(late);
    expect(gate.statusOf("e")).toBe("waiting");
    expect(gate.book.live.map(({ id }) => id)).toEqual(["c", "d"]);
  });

  test("turns away whose time is over, and lets who gave up out of the queue", () => {
    const gate = new TestGate();
    for (const id of ["a", "b"]) gate.ask(id, TWO, { holdMs: 60_000 });
    gate.ask("short", TWO, { waitMs: 100 });
    gate.ask("gone", TWO);
    gate.ask("last", TWO);
    gate.ask("now-or-never", TWO, { waitMs: 0 });
    expect(gate.answers.get("now-or-never")).toMatchObject({ reason: "busy", retryAfterMs: null });
    gate.advance(100);
    expect(gate.answers.get("short")).toMatchObject({ granted: false, reason: "busy", at: START + 100 });
    gate.release("gone");
    gate.release("a");
    expect([gate.statusOf("gone"), gate.statusOf("last")]).toEqual(["busy", "granted"]);
    expect(gate.book.waiting).toEqual([]);
  });

  test("asked again under the same id it keeps the permit, or the place in the queue", () => {
    const gate = new TestGate();
    gate.ask("a", TWO);
    gate.advance(200);
    expect(gate.ask("a", TWO)).toMatchObject({ granted: true, waitedMs: -200 });
    gate.ask("b", TWO);
    for (const id of ["c", "d", "c"]) gate.ask(id, TWO);
    expect(gate.book.waiting.map(({ id }) => id)).toEqual(["c", "d"]);
    expect(gate.book.live).toHaveLength(2);
    gate.advance(100);
    gate.ask("c", TWO);
    gate.advance(50);
    gate.release("a");
    // Counted from the question that gets the answer, or its asker would think the grant older than it is.
    expect(gate.answers.get("c")).toMatchObject({ granted: true, waitedMs: 50 });
  });

  test("turns away a caller at once when too many wait", () => {
    const gate = new TestGate({ ...PERMIT_OPTIONS, waiters: 3 });
    for (const id of ["a", "b", "c", "d", "e", "f"]) gate.ask(id, TWO);
    expect(gate.answers.get("f")).toMatchObject({ granted: false, reason: "full" });
    expect(gate.statusOf("e")).toBe("waiting");
  });

  test("follows a contract that changed: a lower cap lets the others end first", () => {
    const gate = new TestGate();
    for (const id of ["a", "b"]) gate.ask(id, TWO);
    gate.ask("c", { concurrency: 1, rate: null });
    gate.release("a");
    expect(gate.statusOf("c")).toBe("waiting");
    gate.release("b");
    expect(gate.statusOf("c")).toBe("granted");
  });

  test("no permit and no wait is longer than any call can be, whatever was asked for", () => {
    const gate = new TestGate();
    for (const id of ["a", "b"]) gate.ask(id, TWO, { holdMs: 1e12 });
    gate.ask("c", TWO, { waitMs: 1e12 });
    gate.advance(LIMITS.maxDeadlineMs);
    expect(gate.statusOf("c")).toBe("busy");
    gate.advance(LIMITS.permitMarginMs);
    expect(gate.book.live).toEqual([]);
  });
});

/** Names of a tenant's calls: `a/0`, `a/1`, … */
const callsOf = (tenant: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${tenant}/${n}`);

const waitingIn = (gate: TestGate): string[] => gate.book.waiting.map(({ id }) => id);

describe("T33 several tenants", () => {
  const ONE: GlobalLimits = { concurrency: 1, rate: null };

  test("have their turns one after the other, however many calls each has waiting", () => {
    const gate = new TestGate();
    for (const id of [...callsOf("a", 6), ...callsOf("b", 2), ...callsOf("c", 2)]) gate.ask(id, ONE);
    expect(waitingIn(gate)).toEqual(["a/1", "b/0", "c/0", "a/2", "b/1", "c/1", "a/3", "a/4", "a/5"]);
    gate.release("a/0");
    gate.ask("d/0", ONE);
    expect(waitingIn(gate).slice(0, 4)).toEqual(["b/0", "c/0", "a/2", "d/0"]);
  });

  test("40 calls that wait cost another tenant's call no more than two turns, whenever it comes", () => {
    const gate = new TestGate();
    for (const id of callsOf("flood", 41)) gate.ask(id, ONE);
    for (let round = 0; round < 10; round += 1) {
      gate.ask(`quiet/${round}`, ONE);
      let turns = 0;
      for (; gate.statusOf(`quiet/${round}`) === "waiting"; turns += 1) gate.release(gate.book.live[0]!.id);
      expect(turns).toBeLessThanOrEqual(2);
    }
  });

  test("who gives up leaves no gap: the next of the same tenant has its turn", () => {
    const gate = new TestGate();
    for (const id of ["a/0", "a/1", "a/2", "b/0", "b/1"]) gate.ask(id, ONE);
    gate.release("b/0");
    expect(waitingIn(gate)).toEqual(["a/1", "b/1", "a/2"]);
  });

  test("share a rate in turns too, and who is pushed behind its time is told at once", () => {
    const gate = new TestGate();
    for (let n = 0; n < 5; n += 1) gate.ask(`used/${n}`, FIVE_A_SECOND);
    for (const id of callsOf("flood", 5)) gate.ask(id, FIVE_A_SECOND, { waitMs: 1_000 });
    expect(callsOf("flood", 5).map((id) => gate.statusOf(id))).toEqual(Array(5).fill("waiting"));
    gate.ask("quiet/0", FIVE_A_SECOND, { waitMs: 1_000 });
    expect(gate.answers.get("flood/4")).toMatchObject({ reason: "rate", retryAfterMs: 1_200 });
    gate.advance(1_000);
    expect(gate.answers.get("quiet/0")).toMatchObject({ granted: true, at: START + 400 });
  });

  test("a tenant that fills the queue makes room for another's call, never the other way round", () => {
    const gate = new TestGate({ ...PERMIT_OPTIONS, waiters: 6 });
    for (const id of callsOf("flood", 9)) gate.ask(id, ONE);
    expect(["flood/6", "flood/7", "flood/8"].map((id) => gate.statusOf(id))).toEqual([
      "waiting",
      "full",
      "full",
    ]);
    for (const id of callsOf("quiet", 3)) gate.ask(id, ONE);
    expect(["flood/6", "flood/5", "flood/4"].map((id) => gate.statusOf(id))).toEqual([
      "full",
      "full",
      "full",
    ]);
    // Each has half of it now: who wants more than that is refused.
    for (const id of ["quiet/3", "flood/9"]) {
      gate.ask(id, ONE);
      expect(gate.statusOf(id)).toBe("full");
    }
    expect(waitingIn(gate).filter((id) => id.startsWith("quiet"))).toEqual(callsOf("quiet", 3));
  });

  test("calls of Workers that do not say whose they are count as one tenant's", () => {
    const gate = new TestGate();
    for (const id of ["old-0", "old-1", "old-2", "a/0", "old-3"]) gate.ask(id, ONE);
    expect(waitingIn(gate)).toEqual(["old-1", "a/0", "old-2", "old-3"]);
  });
});

describe("a global rate", () => {
  test("grants the limit at once, then one every window / limit, to callers that can wait that long", () => {
    const gate = new TestGate();
    const ids = Array.from({ length: 12 }, (_, k) => `${k}`);
    for (const id of ids) gate.ask(id, FIVE_A_SECOND, { waitMs: 1_000 });
    const told = ids.slice(10).map((id) => gate.answers.get(id));
    // Ten fit into the second; each that does not learns when it would have, without other calls.
    expect(told).toMatchObject([
      { reason: "rate", retryAfterMs: 1_200 },
      { reason: "rate", retryAfterMs: 1_200 },
    ]);
    gate.advance(1_000);
    expect(ids.slice(0, 10).map((id) => gate.answers.get(id)!.at - START)).toEqual([
      0, 0, 0, 0, 0, 200, 400, 600, 800, 1_000,
    ]);
  });

  test("holds no permit, so nothing has to be given back", () => {
    const gate = new TestGate();
    gate.ask("a", FIVE_A_SECOND);
    expect(gate.book.live).toEqual([]);
  });

  test("together with a concurrency both must have room", () => {
    const gate = new TestGate();
    const both: GlobalLimits = { concurrency: 1, rate: { limit: 2, windowS: 1 } };
    for (const id of ["a", "b", "c"]) gate.ask(id, both);
    gate.release("a");
    gate.release("b");
    expect(gate.statusOf("c")).toBe("waiting");
    gate.advance(500);
    expect(gate.answers.get("c")).toMatchObject({ granted: true, at: START + 500 });
  });
});

describe("a global rate beside a concurrency", () => {
  test("turns away at once who would have no draw in time behind those who wait for a place", () => {
    const gate = new TestGate();
    const both: GlobalLimits = { concurrency: 1, rate: { limit: 2, windowS: 10 } };
    for (const id of ["a", "b"]) gate.ask(id, both);
    expect(gate.ask("c", both, { waitMs: 1_000 })).toMatchObject({ reason: "rate", retryAfterMs: 5_000 });
    gate.release("a");
    expect(gate.statusOf("b")).toBe("granted");
  });
});

describe("an upstream's Retry-After", () => {
  test("stops everyone for that long, and turns away at once who cannot wait", () => {
    const gate = new TestGate();
    for (const id of ["a", "b", "patient", "hasty"])
      gate.ask(id, TWO, { waitMs: id === "hasty" ? 500 : 5_000 });
    gate.release("a", 1_000);
    expect(gate.answers.get("hasty")).toMatchObject({ reason: "paused", retryAfterMs: 1_000 });
    gate.advance(999);
    expect(gate.statusOf("patient")).toBe("waiting");
    gate.advance(1);
    expect(gate.statusOf("patient")).toBe("granted");
  });

  test("a shorter one does not shorten it, and none is longer than the limit", () => {
    const gate = new TestGate();
    gate.release("x", 1e12);
    gate.release("y", 10);
    expect(gate.ask("a", FIVE_A_SECOND)).toMatchObject({
      reason: "paused",
      retryAfterMs: LIMITS.permitPauseMs,
    });
  });
});

describe("a cold start", () => {
  test("grants nothing until the last permit that may be alive is over", () => {
    const gate = new TestGate();
    for (const id of ["a", "b"]) gate.ask(id, TWO, { holdMs: 1_000 });
    gate.restart();
    gate.ask("c", TWO);
    gate.advance(1_000 + LIMITS.permitLeadMs - 1);
    expect(gate.statusOf("c")).toBe("waiting");
    gate.advance(1);
    expect(gate.statusOf("c")).toBe("granted");
  });

  test("grants at once when it is written that none is alive", () => {
    const gate = new TestGate();
    gate.ask("a", TWO, { holdMs: 60_000 });
    gate.release("a");
    gate.advance(LIMITS.permitIdleMs);
    gate.restart();
    expect(gate.ask("b", TWO)).toMatchObject({ granted: true });
  });

  test("does not take the mark back while what it stands for may be alive, so a second one is as careful", () => {
    const gate = new TestGate();
    gate.ask("a", TWO, { holdMs: 60_000 });
    gate.restart();
    gate.advance(LIMITS.permitIdleMs);
    gate.release("nobody");
    gate.advance(LIMITS.permitIdleMs);
    gate.release("nobody");
    gate.restart();
    expect(gate.ask("b", TWO)).toMatchObject({ granted: false, reason: "busy" });
  });

  test("tells who cannot wait for it when to come back", () => {
    const gate = new TestGate();
    gate.ask("a", TWO, { holdMs: 1_000 });
    gate.restart();
    expect(gate.ask("b", TWO, { waitMs: 100 })).toMatchObject({
      reason: "busy",
      retryAfterMs: 1_000 + LIMITS.permitLeadMs,
    });
  });

  test("remembers the rate", () => {
    const gate = new TestGate();
    for (let k = 0; k < 5; k += 1) gate.ask(`${k}`, FIVE_A_SECOND);
    gate.restart();
    expect(gate.ask("late", FIVE_A_SECOND, { waitMs: 0 })).toMatchObject({ reason: "rate" });
  });

  test("does not wait for a mark that a clock set back since has made absurd", () => {
    const gate = new TestGate(PERMIT_OPTIONS, { aliveMs: START + 86_400_000, rateMs: 0 });
    const longestMs = LIMITS.maxDeadlineMs + LIMITS.permitMarginMs;
    expect(gate.ask("a", TWO)).toMatchObject({ granted: false, retryAfterMs: longestMs });
    gate.advance(longestMs);
    expect(gate.ask("b", TWO)).toMatchObject({ granted: true });
  });
});

describe("rows written", () => {
  trial("a busy minute of a hundred calls a second: one every five seconds", () => {
    const gate = new TestGate();
    const ten: GlobalLimits = { concurrency: 10, rate: null };
    for (let call = 0; call < 6_000; call += 1) {
      gate.ask(`${call}`, ten);
      gate.advance(10);
      gate.release(`${call}`);
    }
    expect(gate.rows).toBeLessThanOrEqual(13);
  });

  test("a call that comes alone: one before it, one when it is over", () => {
    const gate = new TestGate();
    for (let call = 0; call < 10; call += 1) {
      gate.ask(`${call}`, TWO);
      gate.advance(100);
      gate.release(`${call}`);
      gate.advance(30_000);
    }
    expect(gate.rows).toBe(20);
  });
});

type Act =
  | { readonly kind: "ask"; readonly tenant: string; readonly waitMs: number; readonly holdMs: number }
  | { readonly kind: "release"; readonly which: number; readonly retryAfterMs: number | null }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "restart" };

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      tenant: fc.constantFrom("a", "b", "c"),
      waitMs: fc.integer({ min: 0, max: 3_000 }),
      holdMs: fc.integer({ min: 1, max: 4_000 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("release" as const),
      which: fc.nat(40),
      retryAfterMs: fc.option(fc.integer({ min: 1, max: 500 }), { freq: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 700 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

const limits: fc.Arbitrary<GlobalLimits> = fc
  .record({
    concurrency: fc.option(fc.integer({ min: 1, max: 4 })),
    rate: fc.option(fc.record({ limit: fc.integer({ min: 1, max: 6 }), windowS: fc.constantFrom(1, 2, 7) })),
  })
  .filter(({ concurrency, rate }) => concurrency !== null || rate !== null);

describe("whatever happens", () => {
  trial(
    "no more calls than the cap, no more grants than the rate, in turn, and everyone is answered in time",
    () => {
      fc.assert(
        fc.property(limits, fc.array(acts, { maxLength: 80 }), (limits, history) => {
          const gate = new TestGate({ waiters: 8, leadMs: 100, idleMs: 150 });
          /** Calls as the outside world knows them: a restart of the gate ends none. */
          const calls: {
            id: string;
            tenant: string;
            askedAt: number;
            waitMs: number;
            holdMs: number;
            lost: boolean;
          }[] = [];
          const released = new Map<string, number>();
          for (const act of history) {
            if (act.kind === "ask") {
              const id = `${calls.length}`;
              const { tenant, waitMs, holdMs } = act;
              calls.push({ id, tenant, askedAt: gate.now, waitMs, holdMs, lost: false });
              gate.ask(id, limits, { tenant, waitMs, holdMs });
            } else if (act.kind === "release") {
              const id = `${act.which}`;
              if (gate.answers.get(id)?.granted === true && !released.has(id)) released.set(id, gate.now);
              gate.release(id, act.retryAfterMs);
            } else if (act.kind === "restart") {
              gate.restart();
              for (const call of calls) if (!gate.answers.has(call.id)) call.lost = true;
            } else gate.advance(act.ms);
          }
          gate.advance(10_000);

          const granted = calls.flatMap(({ id, holdMs }) => {
            const answer = gate.answers.get(id);
            if (answer?.granted !== true) return [];
            return [{ from: answer.at, to: Math.min(released.get(id) ?? Infinity, answer.at + holdMs) }];
          });
          if (limits.concurrency !== null) {
            for (const { from } of granted) {
              const alive = granted.filter((other) => other.from <= from && from < other.to);
              expect(alive.length).toBeLessThanOrEqual(limits.concurrency);
            }
          }
          if (limits.rate !== null) {
            const times = granted.map(({ from }) => from).sort((a, b) => a - b);
            const interval = gcraIntervalMs(limits.rate);
            for (const [first, from] of times.entries())
              for (const [last, to] of times.entries())
                if (last >= first)
                  expect(last - first + 1).toBeLessThanOrEqual(
                    limits.rate.limit + (to - from) / interval + 1e-9,
                  );
          }
          const lastGrants = new Map<string, number>();
          for (const { id, tenant, askedAt, waitMs, lost } of calls) {
            const answer = gate.answers.get(id);
            if (answer === undefined) {
              expect(lost).toBe(true);
              continue;
            }
            expect(answer.at).toBeGreaterThanOrEqual(askedAt);
            expect(answer.at).toBeLessThanOrEqual(askedAt + waitMs);
            if (!answer.granted) continue;
            expect(answer.at).toBeGreaterThanOrEqual(lastGrants.get(tenant) ?? 0);
            lastGrants.set(tenant, answer.at);
          }
          expect(gate.book.live).toEqual([]);
          expect(gate.book.waiting).toEqual([]);
        }),
        { numRuns: samples(2_000) },
      );
    },
  );

  trial(
    "while a call waits, another tenant has one turn for it and one for each call of its own tenant before it",
    () => {
      const turn = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom("a", "b", "c") },
        { weight: 2, arbitrary: fc.constantFrom("release" as const, "give up" as const) },
      );
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 3 }),
          fc.array(fc.tuple(turn, fc.nat(20)), { maxLength: 100 }),
          (concurrency, history) => {
            const gate = new TestGate();
            const asked = new Map<string, { readonly ahead: number; readonly grantsBefore: number }>();
            const tenantOf = (id: string): string => id.split("/")[0]!;
            const grantsOf = (): string[] =>
              [...asked.keys()].filter((id) => gate.statusOf(id) === "granted");
            const order: string[] = [];
            const look = (): void => {
              for (const id of grantsOf()) if (!order.includes(id)) order.push(id);
            };
            for (const [act, which] of history) {
              if (act === "release") {
                const { live } = gate.book;
                if (live.length > 0) gate.release(live[which % live.length]!.id);
              } else if (act === "give up") {
                const ids = waitingIn(gate);
                if (ids.length > 0) gate.release(ids[which % ids.length]!);
              } else {
                const ahead = waitingIn(gate).filter((id) => tenantOf(id) === act).length;
                const id = `${act}/${asked.size}`;
                asked.set(id, { ahead, grantsBefore: order.length });
                gate.ask(id, { concurrency, rate: null }, { waitMs: 60_000, holdMs: 60_000 });
              }
              look();
            }
            for (const [at, id] of order.entries()) {
              const { ahead, grantsBefore } = asked.get(id)!;
              const between = order.slice(grantsBefore, at).map(tenantOf);
              for (const other of ["a", "b", "c"].filter((tenant) => tenant !== tenantOf(id)))
                expect(between.filter((tenant) => tenant === other).length).toBeLessThanOrEqual(ahead + 1);
            }
          },
        ),
        { numRuns: samples(1_000) },
      );
    },
  );
});
