import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import type { Execution } from "../../../../src/core/gate/execution.ts";
import { KeyedWorld } from "../../../support/keyed-world.ts";

const CHARACTERS = 2 * LIMITS.wholeAnswerCharacters;

/** A world where a batch under a key has an answer of so many characters, and what asks for it again. */
async function world(characters: number) {
  const keyed = new KeyedWorld();
  const isolate = new IsolateBytes(keyed.clock);
  const tools = [keyed.tool("large", { run: async () => ({ text: "x".repeat(characters) }) })];
  const body = { actions: [{ tool: "large" }] };
  await keyed.send(tools, body, "k");
  const gives: (() => void)[] = [];
  const again = (overrides: Partial<Execution> = {}) =>
    keyed.execute(tools, body, {
      batchKey: { key: "k", content: body },
      upstreams: {
        ...keyed.execution([]).upstreams,
        share: () => isolate.open("acme", keyed.clock),
      },
      listener: { onWritten: (give) => void gives.push(give) },
      ...overrides,
    });
  return { isolate, gives, again, clock: keyed.clock };
}

describe("An answer that is given again", () => {
  test("T44 is held until it has been read", async () => {
    const { isolate, gives, again } = await world(CHARACTERS);
    expect(await again()).toMatchObject({ ok: true, value: { replayed: true } });
    expect(isolate.heldBy("acme")).toBeGreaterThanOrEqual(CHARACTERS);
    for (const give of gives) give();
    expect(isolate.held).toBe(0);
  });

  test("T44 is refused where its tenant's bytes have no room for it, and given when they have", async () => {
    const { isolate, again, clock } = await world(CHARACTERS);
    const [first, second] = [isolate.open("acme", clock), isolate.open("acme", clock)];
    const { claim } = isolate.limits;
    expect(first.take(claim, false)).toBe(true);
    expect(second.take(LIMITS.isolateBytes / 2 - claim - CHARACTERS, true)).toBe(true);
    expect(await again()).toMatchObject({
      ok: false,
      error: { refusal: { code: "UNAVAILABLE", retryAfterMs: 1_000 } },
    });
    first.give(claim);
    expect(await again()).toMatchObject({ ok: true, value: { replayed: true } });
  });

  test("holds nothing where it is as small as most, or nothing is counted, or nobody waits for its reader", async () => {
    const small = await world(1_000);
    await small.again();
    expect(small.isolate.held).toBe(0);
    const large = await world(CHARACTERS);
    expect(await large.again({ listener: {} })).toMatchObject({ ok: true });
    const { share: _, ...upstreams } = new KeyedWorld().execution([]).upstreams;
    expect(await large.again({ upstreams })).toMatchObject({ ok: true });
    expect(large.isolate.held).toBe(0);
  });
});
