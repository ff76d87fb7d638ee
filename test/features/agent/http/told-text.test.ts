import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { HeldBytes } from "../../../../src/core/egress/held-bytes.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { ToldText } from "../../../../src/features/agent/http/answer-model-request.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const MOST = LIMITS.idempotencyAnswerBytes;

function world() {
  const clock = new VirtualClock();
  const isolate = new IsolateBytes(clock);
  const bytes = new HeldBytes(() => isolate.open("acme", clock));
  return { clock, isolate, bytes, told: new ToldText(bytes) };
}

describe("The text of a stream that may be asked for again", () => {
  test("T44 is held of its tenant's bytes while it is told, and is all of it in the end", () => {
    const { isolate, bytes, told } = world();
    told.add("x".repeat(100_000));
    told.add("y".repeat(100_000));
    expect(isolate.heldBy("acme")).toBe(200_000 - LIMITS.uncountedBytes);
    expect(told.endWith("z")).toBe(`${"x".repeat(100_000)}${"y".repeat(100_000)}z`);
    bytes.end();
    expect(isolate.held).toBe(0);
  });

  test("T44 holds nothing any more, and is not kept, once it is more than can be", () => {
    const { isolate, told } = world();
    told.add("x".repeat(MOST));
    expect(told.endWith("")).toHaveLength(MOST);
    told.add("x");
    expect(isolate.held).toBe(0);
    told.add("x");
    expect(told.endWith("x")).toBeNull();
    expect(isolate.held).toBe(0);
  });

  test("T44 is not kept where its tenant's bytes have no room for it, and is told all the same", () => {
    const { clock, isolate, told } = world();
    const other = isolate.open("acme", clock);
    expect(other.take(isolate.limits.claim, false)).toBe(true);
    const { bytes, claim } = isolate.limits;
    expect(isolate.open("acme", clock).take((3 / 4) * (bytes / 2 - claim), false)).toBe(true);
    told.add("x".repeat(100_000));
    expect(told.endWith("y")?.length).toBeUndefined();
  });
});
