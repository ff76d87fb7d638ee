import { beforeEach, describe, expect, it } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { IsolateBytes, type RequestBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** Half of it is 150: one request of 100 leads, and the others have 50 beside it, of which large ones have 37. */
const WORLD = { bytes: 300, claim: 100, waiting: 10 };

let clock: VirtualClock;
let isolate: IsolateBytes;
beforeEach(() => {
  clock = new VirtualClock();
  isolate = new IsolateBytes(clock, WORLD);
});

const open = (tenant = "acme"): RequestBytes => isolate.open(tenant, clock);
/** A request that the platform has cut off: its timers are gone with it. */
const openDead = (tenant = "acme"): RequestBytes =>
  isolate.open(tenant, { now: () => clock.now(), after: () => () => {} });

/** Take large bytes, or small ones, at once or in turn. */
function ask(request: RequestBytes, bytes: number, isSmall = false) {
  if (request.take(bytes, isSmall)) return { is: "taken", cancel: () => {} };
  return wait(request, bytes, isSmall);
}

function wait(request: RequestBytes, bytes: number, isSmall = false) {
  const { granted, cancel } = request.wait(bytes, isSmall);
  const asked = { is: "waits", cancel };
  void granted.then((isGranted) => (asked.is = isGranted ? "granted" : "refused"));
  return asked;
}

const [LARGE, SMALL] = [false, true];

/** A request that holds so much that no other of its tenant leads. */
function lead(tenant = "acme"): RequestBytes {
  const leader = open(tenant);
  expect(leader.take(90, LARGE)).toBe(true);
  return leader;
}

/** A request that does not lead and holds so much in small pieces. */
function beside(bytes: number, tenant = "acme"): RequestBytes {
  const request = open(tenant);
  expect(request.take(bytes, SMALL)).toBe(true);
  return request;
}

describe("the room beside leaders", () => {
  it("is no room at all where half of the isolate is one request's", () => {
    for (const bytes of [200, 100])
      expect(() => new IsolateBytes(clock, { ...WORLD, bytes })).toThrow(RangeError);
    expect(() => new IsolateBytes(clock, { ...WORLD, bytes: 202 })).not.toThrow();
  });

  it("is full for large bodies at three quarters, for small ones at all of it, to the byte", () => {
    lead();
    expect([ask(open(), 37).is, ask(open(), 1).is]).toEqual(["taken", "waits"]);
    expect([ask(open(), 13, SMALL).is, ask(open(), 1, SMALL).is]).toEqual(["taken", "waits"]);
  });

  it("of all tenants together is that of two", () => {
    for (const tenant of ["a", "b"]) lead(tenant);
    for (const tenant of ["c", "d"]) beside(50, tenant);
    expect(ask(open("e"), 1, SMALL).is).toBe("waits");
  });

  it("is there again for what was given back", () => {
    lead();
    const request = beside(37);
    request.give(20);
    expect([ask(open(), 20).is, ask(open(), 1).is]).toEqual(["taken", "waits"]);
    expect(isolate.heldBy("acme")).toBe(90 + 37);
  });

  it("is counted for each tenant", () => {
    beside(20, "a");
    beside(30, "b");
    expect([isolate.heldBy("a"), isolate.heldBy("b"), isolate.held]).toEqual([20, 30, 50]);
  });
});

describe("the order of turns", () => {
  it("lets nothing overtake of its own kind, and no large body a small one that waits", async () => {
    lead();
    const holder = beside(30);
    const [large, small] = [ask(open(), 20), ask(open(), 30, SMALL)];
    expect([ask(open(), 5).is, ask(open(), 5, SMALL).is]).toEqual(["waits", "waits"]);
    holder.give(1);
    await clock.advance(1);
    expect([large.is, small.is]).toEqual(["waits", "waits"]);
  });

  it("passes the room on to the small ones for which it is enough, and to no large one behind the first", async () => {
    lead();
    const holder = beside(31);
    const [first, small, second] = [ask(open(), 37), ask(open(), 20, SMALL), ask(open(), 5)];
    holder.give(1);
    await clock.advance(1);
    expect([first.is, small.is, second.is]).toEqual(["waits", "granted", "waits"]);
    expect(isolate.held).toBe(90 + 30 + 20);
  });

  it("passes over large ones behind the first while no small one gets anything", async () => {
    lead();
    const holder = beside(21);
    const asked = [ask(open(), 37), ask(open(), 40, SMALL), ask(open(), 5)];
    holder.give(1);
    await clock.advance(1);
    expect(asked.map(({ is }) => is)).toEqual(["waits", "waits", "waits"]);
  });

  it("lets a small one in at once again when none waits any more", async () => {
    lead();
    const holder = beside(50);
    const [small, large] = [ask(open(), 10, SMALL), ask(open(), 37)];
    holder.give(20);
    await clock.advance(1);
    expect([small.is, large.is]).toEqual(["granted", "waits"]);
    expect(ask(open(), 10, SMALL).is).toBe("taken");
  });

  it("knows of a small one behind a large one, after other large ones have had their turn", async () => {
    lead();
    const holder = beside(37);
    const first = ask(open(), 10);
    holder.give(10);
    await clock.advance(1);
    expect(first.is).toBe("granted");

    const [large, small] = [ask(open(), 37), ask(open(), 20, SMALL)];
    holder.give(7);
    await clock.advance(1);
    expect([large.is, small.is]).toEqual(["waits", "granted"]);
  });

  it("gives one room to as many as it is enough for", async () => {
    lead();
    const holder = beside(37);
    const asked = [ask(open(), 10), ask(open(), 10), ask(open(), 18)];
    holder.give(37);
    await clock.advance(1);
    expect(asked.map(({ is }) => is)).toEqual(["granted", "granted", "waits"]);
  });

  it("goes on to the room beside when the lead was given on", async () => {
    const leader = lead();
    beside(37);
    const asked = [ask(open(), 80), ask(open(), 5)];
    leader.give(90);
    await clock.advance(1);
    expect(asked[0]!.is).toBe("granted");
    // Bytes beside the first leader are beside the second.
    expect(asked[1]!.is).toBe("waits");

    const other = lead("other");
    const [next, small] = [ask(open("other"), 80), ask(open("other"), 5, SMALL)];
    expect([next.is, small.is]).toEqual(["waits", "taken"]);
    const third = ask(open("other"), 10);
    other.give(90);
    await clock.advance(1);
    expect([next.is, third.is]).toEqual(["granted", "granted"]);
  });

  it("grants every call of a request, and the request stays in its place until the last of them", async () => {
    lead();
    const holder = beside(37);
    const request = open();
    const [first, second] = [ask(request, 10), ask(request, 20)];
    holder.give(10);
    await clock.advance(1);
    expect([first.is, second.is]).toEqual(["granted", "waits"]);
    holder.give(20);
    await clock.advance(1);
    expect(second.is).toBe("granted");
  });

  it("goes round the tenants that wait", async () => {
    for (const tenant of ["a", "b"]) lead(tenant);
    const holder = beside(37, "c");
    beside(37, "d");
    const [c1, c2, e] = [ask(open("e"), 10), ask(open("e"), 10), ask(open("f"), 10)];
    holder.give(10);
    await clock.advance(1);
    expect([c1.is, c2.is, e.is]).toEqual(["granted", "waits", "waits"]);
    holder.give(10);
    await clock.advance(1);
    expect([c1.is, c2.is, e.is]).toEqual(["granted", "waits", "granted"]);
  });

  it("passes over a call that leaves it, and lets those behind go on", async () => {
    lead();
    beside(27);
    const [first, second] = [ask(open(), 20), ask(open(), 10)];
    first.cancel();
    await clock.advance(1);
    expect([first.is, second.is]).toEqual(["refused", "granted"]);
    first.cancel();
    await clock.advance(1);
    expect([first.is, isolate.held]).toEqual(["refused", 127]);
  });

  it("has room for as many again as have left it", async () => {
    lead();
    const asked = Array.from({ length: 10 }, () => ask(open(), 90));
    asked[0]!.cancel();
    const [again, tooMany] = [ask(open(), 90), ask(open(), 90)];
    await clock.advance(1);
    expect([again.is, tooMany.is]).toEqual(["waits", "refused"]);
  });
});

describe("the lead", () => {
  it("is free at once when the leader holds nothing any more", () => {
    const leader = lead();
    leader.give(90);
    expect(ask(open(), 100).is).toBe("taken");
  });

  it("is not given on while the leader still holds something that it reads", async () => {
    const leader = lead();
    const next = ask(open(), 90);
    leader.give(80);
    await clock.advance(1);
    expect(next.is).toBe("waits");
    expect(leader.take(90, LARGE)).toBe(true);
  });

  it("ends when all that the leader holds is at rest, and not before", async () => {
    const [leader] = [open("a"), lead("b")];
    leader.take(60, LARGE);
    const third = ask(open("c"), 90);
    const tryAgain = async (): Promise<string> => {
      // Bytes that are given back let others look for their turn.
      const request = open("d");
      ask(request, 1, SMALL);
      request.give(1);
      await clock.advance(1);
      return third.is;
    };
    leader.give(30);
    expect(await tryAgain()).toBe("waits");
    leader.rest(10);
    expect(await tryAgain()).toBe("waits");
    leader.rest(20);
    expect(await tryAgain()).toBe("granted");
    // Bytes at rest are beside the others now.
    expect([ask(open("a"), 7).is, ask(open("a"), 1).is]).toEqual(["taken", "waits"]);
  });

  it("is kept by a leader that rests with more than has room beside", async () => {
    const [leader] = [open("a"), lead("b")];
    leader.take(45, LARGE);
    leader.rest(45);
    const third = ask(open("c"), 90);
    await clock.advance(2_000);
    expect(third.is).toBe("waits");
    leader.give(8);
    await clock.advance(1);
    expect(third.is).toBe("granted");
  });
});

describe("the bytes of one request", () => {
  it("are never more than its claim", async () => {
    const request = open();
    expect([request.take(60, LARGE), request.take(41, LARGE), request.take(40, LARGE)]).toEqual([
      true,
      false,
      true,
    ]);
    const tooMuch = wait(request, 1);
    await clock.advance(1);
    expect([tooMuch.is, isolate.held]).toEqual(["refused", 100]);
  });

  it("may be waited for up to the claim", async () => {
    lead();
    const all = ask(open(), 100);
    await clock.advance(1);
    expect(all.is).toBe("waits");
  });

  it("are given back no more often than they were taken", () => {
    const request = lead();
    request.give(200);
    request.give(200);
    expect(isolate.held).toBe(0);
    expect(request.held).toBe(0);
  });

  it("have one timer as long as they are held or waited for, and none for a turn that came or was left", async () => {
    const leader = lead();
    leader.take(5, SMALL);
    expect(clock.pending).toBe(1);
    const next = ask(open(), 90);
    expect(clock.pending).toBe(3);
    leader.give(95);
    await clock.advance(1);
    expect([next.is, clock.pending]).toEqual(["granted", 2]);
    const late = ask(open(), 90);
    late.cancel();
    expect(clock.pending).toBe(3);
    await clock.advance(1_000);
    expect(clock.pending).toBe(1);
  });
});

describe("a request that gives no sign of life", () => {
  it("is forgotten after five seconds to the millisecond", async () => {
    openDead().take(90, LARGE);
    const next = ask(open(), 90);
    await clock.advance(4_999);
    expect(next.is).toBe("waits");
    await clock.advance(1);
    expect(next.is).toBe("granted");
  });

  it("is left alone as long as nobody waits", async () => {
    openDead().take(90, LARGE);
    beside(10);
    await clock.advance(60_000);
    expect(isolate.held).toBe(100);
  });

  it("is forgotten as soon when the clock was set back meanwhile", async () => {
    openDead().take(90, LARGE);
    clock.jump(-60_000);
    const next = ask(open(), 90);
    await clock.advance(4_999);
    expect(next.is).toBe("waits");
    await clock.advance(1);
    expect(next.is).toBe("granted");
  });

  it("leaves its room beside the leader, and no more than it had", async () => {
    lead();
    openDead().take(30, LARGE);
    const next = ask(open(), 30);
    await clock.advance(6_000);
    expect(next.is).toBe("granted");
    expect([ask(open(), 7).is, ask(open(), 1).is]).toEqual(["taken", "waits"]);
  });

  it("leaves no room beside when it led", async () => {
    openDead().take(90, LARGE);
    const next = ask(open(), 90);
    await clock.advance(6_000);
    expect(next.is).toBe("granted");
    expect([ask(open(), 37).is, ask(open(), 1).is]).toEqual(["taken", "waits"]);
  });

  it("leaves the lead, even where nobody wants it yet", async () => {
    openDead().take(90, LARGE);
    openDead().take(30, LARGE);
    const next = ask(open(), 20);
    await clock.advance(6_000);
    expect(next.is).toBe("granted");
    expect(ask(open(), 90).is).toBe("taken");
  });

  it("has no turn any more, whether it holds something or only waits", async () => {
    const leader = lead();
    const dead = openDead();
    dead.take(10, LARGE);
    const [held, only] = [wait(dead, 80), wait(openDead(), 80)];
    dead.give(10);
    const alive = open();
    wait(alive, 90).cancel();
    const next = ask(alive, 90);
    await clock.advance(6_000);
    leader.give(90);
    await clock.advance(1);
    expect([held.is, only.is, next.is]).toEqual(["waits", "waits", "granted"]);
    // It comes back to life and finds its turn gone.
    held.cancel();
    only.cancel();
    dead.give(10);
    expect(isolate.held).toBe(90);
  });

  it("is none that waits without having asked before", async () => {
    const leader = lead();
    const waits = wait(open(), 90);
    await clock.advance(LIMITS.bytesWaitMs - 1_000);
    leader.give(90);
    await clock.advance(1);
    expect(waits.is).toBe("granted");
  });
});
