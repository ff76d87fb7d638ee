import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  beginConfirmation,
  changeConfirmation,
  type Confirmation,
  type ConfirmationCommand,
  CONFIRMATION_LIMITS,
  dueTold,
  expireConfirmations,
  fitConfirmations,
  makeRoom,
  nextTold,
  statusAt,
} from "../../../src/features/confirmations/confirmation-rules.ts";
import { trial } from "../../support/trial.ts";

const LIMITS = { ttlMs: 1_000, retentionMs: 5_000, pending: 3, count: 4, allBytes: 100 };
const NEW = beginConfirmation({ id: "c", bytes: 10 }, 0, LIMITS);

const command = (kind: ConfirmationCommand["kind"], by = "ann"): ConfirmationCommand => ({
  kind,
  claim: { id: "c", by },
});

/** Apply commands at their times; what each was refused with, and the end. */
function play(steps: readonly (readonly [atMs: number, command: ConfirmationCommand])[]) {
  let confirmation = NEW;
  const refused = steps.map(([atMs, one]) => {
    const [changed, why] = changeConfirmation(confirmation, atMs, one);
    confirmation = changed;
    return why;
  });
  return { refused, confirmation };
}

describe("changeConfirmation()", () => {
  test("lets the first decision stand and refuses the second, whatever they are", () => {
    expect(
      play([
        [1, command("approve")],
        [2, command("approve", "bob")],
      ]).refused,
    ).toEqual([null, "running"]);
    expect(
      play([
        [1, command("approve")],
        [2, command("reject", "bob")],
      ]).refused,
    ).toEqual([null, "running"]);
    expect(
      play([
        [1, command("reject")],
        [2, command("approve", "bob")],
      ]).refused,
    ).toEqual([null, "rejected"]);
    expect(
      play([
        [1, command("reject")],
        [2, command("reject", "bob")],
      ]).refused,
    ).toEqual([null, "rejected"]);
  });

  test("takes the same decision sent twice as one", () => {
    expect(
      play([
        [1, command("approve")],
        [2, command("approve")],
      ]).refused,
    ).toEqual([null, null]);
    expect(
      play([
        [1, command("reject")],
        [2, command("reject")],
      ]).refused,
    ).toEqual([null, null]);
    expect(
      play([
        [1, command("approve")],
        [2, command("reject")],
      ]).refused,
    ).toEqual([null, "running"]);
  });

  test("is done once its run is lost, tells that once, and takes the report of it all the same", () => {
    const running = { ...play([[1, command("approve")]]).confirmation, lostAt: 100 };
    expect([99, 100].map((atMs) => statusAt(running, atMs))).toEqual(["running", "done"]);
    expect(nextTold(running)).toEqual({ told: "lost", at: 100 });
    expect([99, 100, 9_000].map((atMs) => dueTold(running, atMs))).toEqual([null, "lost", "lost"]);
    expect(nextTold({ ...running, told: "lost" })).toBeNull();
    for (const kind of ["approve", "reject"] as const)
      expect(changeConfirmation(running, 100, command(kind))).toEqual([running, "done"]);
    expect(changeConfirmation(running, 100, command("conclude", "bob"))).toEqual([running, "done"]);
    const [over, refused] = changeConfirmation(running, 100, command("conclude"));
    expect([over.status, refused, nextTold(over)]).toEqual(["done", null, null]);
  });

  test("has nothing to give back or to conclude before a decision", () => {
    expect(
      play([
        [1, command("conclude")],
        [2, command("release")],
        [3, command("approve")],
      ]).refused,
    ).toEqual(["unknown", "unknown", null]);
  });

  test("says what became of it once it is over", () => {
    const { refused, confirmation } = play([
      [1, command("approve")],
      [2, command("conclude")],
      [3, command("approve")],
      [4, command("reject", "bob")],
    ]);
    expect(refused).toEqual([null, null, "done", "done"]);
    expect(confirmation.status).toBe("done");
  });

  test("refuses every decision from the moment it expires, and none of what was approved before", () => {
    expect(play([[999, command("approve")]]).refused).toEqual([null]);
    expect(
      play([
        [1_000, command("approve")],
        [1_001, command("reject")],
      ]).refused,
    ).toEqual(["expired", "expired"]);
    expect(
      play([
        [999, command("approve")],
        [2_000, command("conclude")],
      ]).confirmation.status,
    ).toBe("done");
  });

  test("takes an approval back only for who gave it", () => {
    expect(
      play([
        [1, command("approve")],
        [2, command("release", "bob")],
      ]).refused,
    ).toEqual([null, "running"]);
    const { refused, confirmation } = play([
      [1, command("approve")],
      [2, command("release")],
      [3, command("approve", "bob")],
    ]);
    expect([refused, confirmation.decidedBy]).toEqual([[null, null, null], "bob"]);
  });

  trial(
    "T18 in 10,000 random histories grants an approval to one decider at most, unless that one took it back",
    () => {
      const steps = fc.array(
        fc.tuple(
          fc.integer({ min: 0, max: 1_500 }),
          fc.constantFrom<ConfirmationCommand["kind"]>("approve", "reject", "release", "conclude"),
          fc.constantFrom("ann", "bob", "cy"),
        ),
        { maxLength: 12 },
      );
      fc.assert(
        fc.property(steps, (steps) => {
          let confirmation = NEW;
          let holder: string | null = null;
          for (const [atMs, kind, by] of steps) {
            const before = confirmation;
            const [changed, refused] = changeConfirmation(confirmation, atMs, command(kind, by));
            confirmation = changed;
            if (refused !== null) expect(changed).toBe(before);
            if (kind === "approve" && refused === null) {
              // Not a second one, and none after a no or the end.
              if (holder !== null && holder !== by) throw new Error(`${by} was granted what ${holder} holds`);
              expect(changed.status).toBe("running");
              holder = by;
            }
            if (kind === "release" && refused === null) holder = null;
            if (before.status === "done" || before.status === "rejected") expect(changed).toBe(before);
          }
        }),
        { numRuns: 10_000 },
      );
    },
  );
});

describe("fitConfirmations()", () => {
  const make = (id: string, changes: Partial<Confirmation> = {}): Confirmation => ({
    ...NEW,
    id,
    ...changes,
  });
  const bookOf = (...all: Confirmation[]) => new Map(all.map((one) => [one.id, one]));
  const fit = (book: ReadonlyMap<string, Confirmation>, added: Confirmation[], atMs = 0) => {
    const { kept, dropped } = fitConfirmations(book, atMs, { added, limits: LIMITS });
    return [kept.map(({ id }) => id), dropped];
  };

  test("adds what fits, in order, and refuses the rest", () => {
    expect(fit(bookOf(make("a")), [make("b"), make("c"), make("d")])).toEqual([["b", "c"], []]);
    expect(
      fit(bookOf(), [make("a", { bytes: 60 }), make("b", { bytes: 41 }), make("c", { bytes: 40 })]),
    ).toEqual([["a", "c"], []]);
  });

  test("drops what is over to make room, the oldest first, and nothing that waits", () => {
    const old = make("old", { bytes: 50, status: "done", expiresAt: 1_000 });
    const older = make("older", { bytes: 50, status: "rejected", expiresAt: 500 });
    expect(fit(bookOf(old, older), [make("new")])).toEqual([["new"], ["older"]]);
    expect(fit(bookOf(make("a", { bytes: 95 })), [make("new")])).toEqual([[], []]);
    expect(fit(bookOf(make("run", { bytes: 95, status: "running" })), [make("new")])).toEqual([[], []]);
    expect(fit(bookOf(make("a", { bytes: 95 })), [make("new", { expiresAt: 9_000 })], 1_000)).toEqual([
      ["new"],
      ["a"],
    ]);
  });

  test("counts only what waits against how much may wait, and drops no more than it must, to the last byte", () => {
    const done = (id: string, bytes = 10) => make(id, { status: "done", bytes, expiresAt: 500 });
    expect(fit(bookOf(done("a"), done("b"), done("c")), [make("new")])).toEqual([["new"], []]);
    expect(fit(bookOf(done("a", 90)), [make("new")])).toEqual([["new"], []]);
    expect(fit(bookOf(done("a", 91)), [make("new")])).toEqual([["new"], ["a"]]);
    const full = [1, 2, 3, 4].map((n) => make(`${n}`, { status: "done", expiresAt: n }));
    expect(fit(bookOf(...full), [make("new")])).toEqual([["new"], ["1"]]);
  });

  test("does not add again what is there", () => {
    expect(fit(bookOf(make("a")), [make("a"), make("b")])).toEqual([["b"], []]);
  });

  trial("in 2,000 random books keeps within every limit", () => {
    const one = fc.record({
      id: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      bytes: fc.integer({ min: 1, max: 60 }),
      status: fc.constantFrom<Confirmation["status"]>("pending", "running", "done", "rejected"),
      expiresAt: fc.integer({ min: 0, max: 2_000 }),
    });
    fc.assert(
      fc.property(fc.array(fc.array(one, { maxLength: 6 }), { maxLength: 6 }), (rounds) => {
        const book = new Map<string, Confirmation>();
        for (const [round, adds] of rounds.entries()) {
          const now = round * 300;
          const added = adds.map(({ id, bytes, expiresAt }) => make(`${round}${id}`, { bytes, expiresAt }));
          const unique = [...new Map(added.map((each) => [each.id, each])).values()];
          const open = [...book.values()].filter((each) =>
            ["pending", "running"].includes(statusAt(each, now)),
          );
          const { kept, dropped } = fitConfirmations(book, now, { added: unique, limits: LIMITS });
          for (const id of dropped) {
            expect(open.map((each) => each.id)).not.toContain(id);
            book.delete(id);
          }
          for (const each of kept) book.set(each.id, each);
          expect(book.size).toBeLessThanOrEqual(LIMITS.count);
          expect([...book.values()].reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(
            LIMITS.allBytes,
          );
          // Some are decided before the next round.
          for (const { id, status } of adds) {
            const known = book.get(`${round}${id}`);
            if (known !== undefined) book.set(known.id, { ...known, status });
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test("expireConfirmations() forgets a day after the expiry, whatever became of it", () => {
  const book = new Map(
    (["pending", "running", "done", "rejected"] as const).map((status) => [
      status,
      { ...NEW, id: status, status },
    ]),
  );
  const { ttlMs, retentionMs } = LIMITS;
  expect(expireConfirmations(book, ttlMs + retentionMs - 1, LIMITS)).toEqual([]);
  expect(expireConfirmations(book, ttlMs + retentionMs, LIMITS)).toHaveLength(4);
  expect([CONFIRMATION_LIMITS.ttlMs, CONFIRMATION_LIMITS.retentionMs]).toEqual([
    24 * 3_600_000,
    24 * 3_600_000,
  ]);
});

describe("makeRoom()", () => {
  const make = (id: string, changes: Partial<Confirmation> = {}): Confirmation => ({
    ...NEW,
    id,
    ...changes,
  });
  const done = (id: string, expiresAt: number, bytes = 30) => make(id, { status: "done", expiresAt, bytes });
  const roomFor = (bytes: number, ...all: Confirmation[]) =>
    makeRoom(new Map(all.map((one) => [one.id, one])), 0, { id: "c", bytes, limits: LIMITS });

  test("takes nothing away while an answer fits, to the last byte", () => {
    expect(roomFor(70, make("c"), make("a", { bytes: 20 }))).toEqual([]);
    expect(roomFor(0, make("c", { bytes: 90 }), done("a", 1, 50))).toEqual([]);
  });

  test("takes away of those that are over the first to expire, and no more than it needs", () => {
    const book = [make("c"), done("late", 900), done("early", 100), done("later", 950)];
    expect(roomFor(10, ...book)).toEqual(["early"]);
    expect(roomFor(30, ...book)).toEqual(["early"]);
    expect(roomFor(31, ...book)).toEqual(["early", "late"]);
    expect(roomFor(90, ...book)).toEqual(["early", "late", "later"]);
  });

  test("has none when only what waits, runs or asks itself could go", () => {
    expect(roomFor(91, make("c"), done("a", 100))).toBeNull();
    expect(roomFor(50, make("c"), make("a", { bytes: 60 }))).toBeNull();
    expect(roomFor(50, make("c"), make("a", { bytes: 60, status: "running" }))).toBeNull();
    expect(roomFor(50, done("c", 100, 60))).toBeNull();
  });
});

describe("dueTold()", () => {
  const told = (one: Confirmation, ...at: number[]) => at.map((ms) => dueTold(one, ms));

  test("tells of a question once that it ends soon, and once that it has ended", () => {
    expect(told(NEW, 0, 749, 750, 999)).toEqual([null, null, "expiring", "expiring"]);
    const soon: Confirmation = { ...NEW, told: "expiring" };
    expect(told(soon, 750, 999, 1_000, 9_999)).toEqual([null, null, "expired", "expired"]);
    expect(told({ ...NEW, told: "expired" }, 750, 1_000, 9_999)).toEqual([null, null, null]);
  });

  test("tells of one that ended before anybody looked its end alone", () => {
    expect(told(NEW, 1_000)).toEqual(["expired"]);
  });

  test.each(["running", "done", "rejected"] as const)("tells nothing of one that is %s", (status) => {
    expect(told({ ...NEW, status }, 750, 1_000)).toEqual([null, null]);
    expect(nextTold({ ...NEW, status })).toBeNull();
  });
});
