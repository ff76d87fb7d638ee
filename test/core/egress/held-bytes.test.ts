import { describe, expect, test } from "vitest";
import { CROWDED, HeldBytes } from "../../../src/core/egress/held-bytes.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { IsolateBytes } from "../../../src/core/egress/isolate-bytes.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const MB = 1024 * 1024;

function world() {
  const clock = new VirtualClock();
  const isolate = new IsolateBytes(clock);
  const open = (tenant = "acme"): HeldBytes => new HeldBytes(() => isolate.open(tenant, clock));
  return { clock, isolate, open };
}

describe("HeldBytes", () => {
  test("T44 a request holds its tenant's bytes until its answer has been read", async () => {
    const { isolate, open } = world();
    const bytes = open();
    await bytes.hold(4 * MB);
    expect(isolate.heldBy("acme")).toBe(4 * MB - LIMITS.uncountedBytes);
    const release = bytes.leaveTo("x".repeat(MB));
    bytes.end();
    expect(isolate.heldBy("acme")).toBe(MB - LIMITS.uncountedBytes);
    release();
    expect(isolate.held).toBe(0);
  });

  test("T44 a request that ends without an answer gives everything back", async () => {
    const { isolate, open } = world();
    const bytes = open();
    await bytes.hold(4 * MB);
    bytes.end();
    expect(isolate.held).toBe(0);
  });

  test("T44 what does not fit waits its turn, and is refused when that does not come", async () => {
    const { clock, open } = world();
    const [first, second, third] = [open(), open(), open()];
    await first.hold(20 * MB);
    const asked = [second.hold(20 * MB), third.hold(20 * MB)];
    await clock.advance(LIMITS.bytesWaitMs / 2);
    first.end();
    await clock.advance(LIMITS.bytesWaitMs / 2);
    expect(await Promise.all(asked)).toEqual([null, CROWDED]);
  });

  test("T44 a request that only waits for its model keeps no other from the lead", async () => {
    const { clock, open } = world();
    const [waiting, next] = [open(), open()];
    await waiting.hold(5 * MB);
    const asked = next.hold(20 * MB);
    await clock.advance(10);
    expect(await asked).toBeNull();
  });

  test("T44 more than a request may ever hold is refused at once, and may not be sent again as it is", async () => {
    const { open } = world();
    const bytes = open();
    await bytes.hold(20 * MB);
    expect(await bytes.hold(20 * MB)).toMatchObject({ code: "BODY_TOO_LARGE" });
    bytes.give(20 * MB);
    expect(await bytes.hold(20 * MB)).toBeNull();
  });

  test("T44 a caller that goes away while its request waits takes its place from it", async () => {
    const { clock, open } = world();
    const [first, second] = [open(), open()];
    await first.hold(20 * MB);
    const gone = new AbortController();
    const asked = second.hold(20 * MB, gone.signal);
    await clock.advance(10);
    gone.abort();
    expect(await asked).toBe(CROWDED);
    first.end();
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  test("T44 the batches of its rounds take from the same account, and read what is left", async () => {
    const { isolate, clock } = world();
    const batch = isolate.open("acme", clock);
    const bytes = new HeldBytes(() => batch);
    await bytes.hold(4 * MB);
    const before = bytes.leftToRead;
    expect(batch.take(8 * MB, false)).toBe(true);
    expect(bytes.leftToRead).toBe(before - 8 * MB);
    batch.give(8 * MB);
    bytes.end();
    expect(isolate.held).toBe(0);
  });

  test("where nothing is counted everything is held at once", async () => {
    const bytes = new HeldBytes();
    expect(await bytes.hold(1_000 * MB)).toBeNull();
    expect(bytes.leftToRead).toBe(Number.POSITIVE_INFINITY);
    bytes.end();
  });
});
