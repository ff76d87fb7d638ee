import { beforeEach, describe, expect, it } from "vitest";

import type { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { CallClock } from "../../../src/core/egress/call-clock.ts";
import { IsolateBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { ByteBudget, CallBytes } from "../../../src/core/egress/byte-budget.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const KIB = 1024;
/** A request holds so many bytes before its isolate counts any. */
const FREE = LIMITS.uncountedBytes;
/** Half of it is 300 KiB: one request of 200 leads, and the others have 100 beside it, of which large bodies have 75. */
const WORLD = { bytes: 600 * KIB, claim: 200 * KIB, waiting: 10 };

let time: VirtualClock;
let isolate: IsolateBytes;
beforeEach(() => {
  time = new VirtualClock();
  isolate = new IsolateBytes(time, WORLD);
});

const openBudget = (values?: number): ByteBudget =>
  new ByteBudget(1_000 * KIB, 0, {
    share: () => isolate.open("acme", time),
    ...(values !== undefined && { values }),
  });
const openCall = (budget = openBudget()): CallBytes => new CallBytes(budget, false);
const openClock = (): CallClock => new CallClock(time, 30_000);

/** Read a body of so many bytes: whether that was possible at once, or what became of it later. */
function read(call: CallBytes, bytes: number, clock = openClock()) {
  if (!call.take(bytes, bytes)) return { is: "refused" };
  const turn = call.share(bytes, bytes, clock);
  const asked = { is: turn === null ? "taken" : "waits" };
  if (turn === null) call.keep(bytes);
  turn?.then(
    () => {
      asked.is = "granted";
      call.keep(bytes);
    },
    ({ failure }) => (asked.is = failure.code),
  );
  return asked;
}

/** Fill the isolate for this tenant, up to so many bytes beside the leader. */
function fill(besides: number): { readonly leader: CallBytes; readonly other: CallBytes } {
  const [leader, other] = [openCall(), openCall()];
  expect(read(leader, 190 * KIB + FREE).is).toBe("taken");
  for (let left = besides + FREE; left > 0; left -= 64 * KIB)
    expect(read(other, Math.min(64 * KIB, left)).is).toBe("taken");
  return { leader, other };
}

/** A text of so many characters with so many values. */
function textOf(length: number, values: number): string {
  const zeros = ",0".repeat(values - 2);
  return `["${"x".repeat(length - zeros.length - 4)}"${zeros}]`;
}

describe("the bytes that an isolate counts of a request", () => {
  it("are those that it holds beyond the first ones, however they come and go", () => {
    const budget = openBudget();
    const call = openCall(budget);
    for (const [bytes, counted] of [
      [FREE, 0],
      [10 * KIB, 10 * KIB],
      [30 * KIB, 40 * KIB],
    ] as const) {
      expect(read(call, bytes).is).toBe("taken");
      expect(isolate.held).toBe(counted);
    }
    call.give(15 * KIB);
    expect(isolate.held).toBe(25 * KIB);
    call.give(35 * KIB);
    expect(isolate.held).toBe(0);
    expect(read(call, 10 * KIB + 6 * KIB).is).toBe("taken");
    expect(isolate.held).toBe(FREE + 40 * KIB - 50 * KIB);
  });

  it("are not more than were taken of it when some are given back before", () => {
    const budget = openBudget();
    budget.take(50 * KIB);
    budget.give(10 * KIB);
    expect(isolate.held).toBe(0);
    expect(budget.share(true)).toBeNull();
    expect(isolate.held).toBe(40 * KIB - FREE);
    budget.give(40 * KIB);
    expect(isolate.held).toBe(0);
  });

  it("are eight for each value, besides the text", () => {
    const budget = openBudget();
    expect(budget.takeValues(textOf(64 * KIB, 10_000))).toEqual({ ok: true, value: 10_000 });
    expect(isolate.held).toBe(80_000 - FREE);
    budget.give(0, 10_000);
    expect(isolate.held).toBe(0);
  });

  it("are given back once the answer is written, but for those of calls that go on", () => {
    const budget = openBudget();
    const [over, running] = [openCall(budget), openCall(budget)];
    read(over, 60 * KIB);
    read(running, 30 * KIB);
    running.keepValues(textOf(64 * KIB, 1_000));
    over.end(60 * KIB);
    expect(isolate.held).toBe(90 * KIB + 8_000 - FREE);
    budget.release();
    expect(isolate.held).toBe(30 * KIB + 8_000 - FREE);
    running.end(30 * KIB);
    budget.release();
    expect(isolate.held).toBe(0);
  });
});

describe("a call for which its isolate has no bytes", () => {
  it("waits for its turn while its time stands still, and has it left afterwards", async () => {
    const { leader } = fill(60 * KIB);
    const clock = openClock();
    await time.advance(1_000);
    const asked = read(openCall(), 190 * KIB, clock);
    await time.advance(4_000);
    expect([asked.is, clock.remainingMs]).toEqual(["waits", 29_000]);
    leader.end(0);
    await time.advance(1_000);
    expect([asked.is, clock.remainingMs]).toEqual(["granted", 28_000]);
    expect(isolate.held).toBe(60 * KIB + 190 * KIB - FREE);
    // Its clock has no listener any more.
    clock.close();
    expect(clock.ended).toBeNull();
  });

  it("stands still until the last of its responses has its turn", async () => {
    const { leader, other } = fill(60 * KIB);
    const clock = openClock();
    const call = openCall();
    // The first of them waits for room beside, the second for the lead.
    const [first, second] = [read(call, 30 * KIB + FREE, clock), read(call, 64 * KIB, clock)];
    await time.advance(1_000);
    expect([first.is, second.is]).toEqual(["taken", "waits"]);
    const third = read(call, 80 * KIB, clock);
    other.end(0);
    await time.advance(1_000);
    expect([second.is, third.is]).toEqual(["granted", "waits"]);
    await time.advance(1_000);
    expect(clock.pausedMs).toBe(0);
    leader.end(0);
    await time.advance(1_000);
    expect(third.is).toBe("granted");
    expect(clock.pausedMs).toBe(3_000);
  });

  it("is OVERLOADED when its turn does not come, and nothing of it is counted any more", async () => {
    const { leader } = fill(60 * KIB);
    const budget = openBudget();
    const call = openCall(budget);
    expect(read(call, 10 * KIB + FREE).is).toBe("taken");
    const asked = read(call, 170 * KIB);
    await time.advance(LIMITS.bytesWaitMs);
    expect(asked.is).toBe("OVERLOADED");
    expect(isolate.held).toBe(260 * KIB);
    const left = 990 * KIB - FREE;
    expect([budget.take(left + 1), budget.take(left)]).toEqual([false, true]);

    budget.give(left);
    leader.end(0);
    expect(read(call, 170 * KIB).is).toBe("taken");
    expect(isolate.held).toBe(60 * KIB + 180 * KIB);
  });

  it("ends with the reason of its clock, which ends the wait too", async () => {
    fill(60 * KIB);
    const clock = openClock();
    const asked = read(openCall(), 190 * KIB, clock);
    clock.end(makeFailure("ABORTED"));
    await time.advance(1);
    expect(asked.is).toBe("ABORTED");
  });

  it("finds room for a body of up to 64 KiB where a larger one waits", () => {
    fill(20 * KIB);
    expect(read(openCall(), 64 * KIB + 1 + FREE).is).toBe("waits");
    expect(read(openCall(), 64 * KIB).is).toBe("taken");
  });

  it("is OVERLOADED at once where only the values of what it has read find no room, and may try again", () => {
    const { other } = fill(80 * KIB);
    const budget = openBudget();
    expect(read(openCall(budget), 2 * KIB + FREE).is).toBe("taken");
    const text = textOf(64 * KIB, 10_000);
    const timers = time.pending;
    expect(budget.takeValues(text)).toMatchObject({ ok: false, error: { code: "OVERLOADED" } });
    expect(isolate.held).toBe(272 * KIB);
    expect(time.pending).toBe(timers);

    other.end(0);
    expect(budget.takeValues(text)).toEqual({ ok: true, value: 10_000 });
    expect(isolate.held).toBe(192 * KIB + 80_000);
  });

  it("finds room for values where only small bodies do", () => {
    fill(30 * KIB);
    expect(openBudget().takeValues(textOf(64 * KIB, 10_000)).ok).toBe(true);
  });
});

describe("the values of a request", () => {
  it("are those that were asked for without the half of the characters that are not counted", () => {
    const budget = (): ByteBudget => openBudget(40_000);
    const most = 40_000 - 32 * KIB;
    expect(budget().takeValues(textOf(64 * KIB, most))).toEqual({ ok: true, value: most });
    expect(budget().takeValues(textOf(64 * KIB, most + 1)).ok).toBe(false);
  });

  it("are not counted in the first 64 KiB of texts, each with a character more than it has", () => {
    expect(openBudget().takeValues(textOf(64 * KIB - 1, 5))).toMatchObject({ value: 0 });
    expect(openBudget().takeValues(textOf(64 * KIB, 5))).toMatchObject({ value: 5 });
    const budget = openBudget();
    budget.takeValues(textOf(64 * KIB - 1, 5));
    expect(budget.takeValues("1")).toMatchObject({ value: 1 });
  });

  it("count threefold for numbers whose digits are kept", () => {
    const long = `,${"1".repeat(30)}`.repeat(10);
    const text = textOf(64 * KIB, 5).replace("]", `${long}]`);
    expect(openBudget().takeValues(text)).toEqual({ ok: true, value: 5 + 3 * 10 });
    // The digits alone may not lead beyond the bound.
    const most = 5 + 10 + 32 * KIB;
    expect(openBudget(most).takeValues(text).ok).toBe(false);
    expect(openBudget(most + 19).takeValues(text).ok).toBe(false);
    expect(openBudget(most + 20).takeValues(text).ok).toBe(true);
  });

  it("are refused with the bound that they exceed: one answer's, or the batch's", () => {
    const many = `[${"0,".repeat(250_000)}0]`;
    const few = `[${"0,".repeat(40_000)}0]`;
    expect(openBudget().takeValues(many)).toMatchObject({
      error: { hint: expect.stringContaining("One answer") },
    });
    expect(openBudget(60_000).takeValues(few)).toMatchObject({
      error: { hint: expect.stringContaining("60000") },
    });
  });

  it("are held by the call that goes on, and by none that is over or failed", () => {
    const budget = new ByteBudget(0, 0, { values: 40_000 + 32 * KIB });
    const text = textOf(64 * KIB, 30_000);
    const keep = (call: CallBytes): string => {
      try {
        call.keepValues(text);
        return "kept";
      } catch (error) {
        return (error as ToolFailure).failure.code;
      }
    };
    const call = new CallBytes(budget, false);
    expect([keep(call), keep(call)]).toEqual(["kept", "RESPONSE_TOO_LARGE"]);
    for (let attempts = 0; attempts < 3; attempts += 1) {
      call.drop();
      expect(keep(call)).toBe("kept");
    }
    call.end(0);
    expect([keep(call), keep(call)]).toEqual(["kept", "kept"]);
    expect(keep(new CallBytes(budget, false))).toBe("kept");
  });
});

describe("a call whose bytes count more than once", () => {
  const WEIGHT = 2;
  const left = (budget: ByteBudget): number => {
    let bytes = 0;
    while (budget.take(bytes + 1)) {
      budget.give(bytes + 1);
      bytes += 1;
    }
    return bytes;
  };

  it("takes, gives, keeps and holds each of them so often", async () => {
    const budget = new ByteBudget(200);
    const call = new CallBytes(budget, false, WEIGHT);
    call.take(30, 30);
    expect(left(budget)).toBe(140);
    call.give(10);
    expect(left(budget)).toBe(160);
    call.keep(20);
    await call.hold(40, openClock());
    expect(left(budget)).toBe(80);
    await call.hold(10, openClock());
    expect(left(budget)).toBe(140);
    call.end(20);
    expect(left(budget)).toBe(160);
  });

  it("gives all of them back when it is over", async () => {
    const budget = new ByteBudget(200);
    const call = new CallBytes(budget, false, WEIGHT);
    call.take(30, 30);
    call.keep(30);
    await call.hold(20, openClock());
    call.end(0);
    expect(left(budget)).toBe(200);
  });
});

describe("calls that wait for others of their request", () => {
  const hold = (call: CallBytes, bytes: number) => {
    const asked = { is: "waits" };
    call.hold(bytes, openClock()).then(
      () => (asked.is = "holds"),
      ({ failure }) => (asked.is = failure.code),
    );
    return asked;
  };

  it("are refused what nobody can give back, and not what somebody can", async () => {
    const budget = new ByteBudget(100);
    const [first, second] = [new CallBytes(budget, false), new CallBytes(budget, false)];
    hold(first, 60);
    await time.advance(1);
    first.drop();
    const tooMuch = hold(first, 101);
    await time.advance(1);
    expect(tooMuch.is).toBe("RESPONSE_TOO_LARGE");

    hold(first, 60);
    const all = hold(second, 100);
    await time.advance(1);
    expect(all.is).toBe("waits");
    first.end(0);
    await time.advance(1);
    expect(all.is).toBe("holds");
  });

  it("do not count what they hold themselves for what others will give back", async () => {
    const budget = new ByteBudget(100);
    const [first, second] = [new CallBytes(budget, false), new CallBytes(budget, false)];
    hold(first, 40);
    hold(second, 30);
    await time.advance(1);
    const [tooMuch] = [hold(second, 101)];
    await time.advance(1);
    expect(tooMuch.is).toBe("RESPONSE_TOO_LARGE");
    const enough = hold(second, 100);
    await time.advance(1);
    expect(enough.is).toBe("waits");
  });

  it("hold as much as before, or less, without waiting behind those that want more", async () => {
    const budget = new ByteBudget(100);
    const [first, second] = [new CallBytes(budget, false), new CallBytes(budget, false)];
    hold(first, 90);
    await time.advance(1);
    const more = hold(second, 60);
    const same = hold(first, 90);
    await time.advance(1);
    expect([same.is, more.is]).toEqual(["holds", "waits"]);
    const less = hold(first, 20);
    await time.advance(1);
    expect([less.is, more.is]).toEqual(["holds", "holds"]);
  });
});
