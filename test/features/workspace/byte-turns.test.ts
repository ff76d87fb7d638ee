import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ByteTurns } from "../../../src/features/workspace/byte-turns.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const LIMITS = { bytes: 100, waitMs: 50, turnMs: 30, waiting: 3 };

function world(limits = LIMITS) {
  const clock = new VirtualClock(0);
  const turns = new ByteTurns(limits, clock);
  const begun: string[] = [];
  /** Begin a turn and note it by name. */
  const begin = async (name: string, bytes: number): Promise<number | null> => {
    const turn = await turns.begin(bytes);
    begun.push(turn === null ? `${name} refused` : name);
    return turn;
  };
  return { clock, turns, begun, begin };
}

describe("ByteTurns", () => {
  it("lets those wait who do not fit, and those behind them, in the order of asking", async () => {
    const { clock, turns, begun, begin } = world();
    const first = await begin("first", 60);
    void begin("second", 60);
    void begin("third", 10);
    await clock.advance(1);
    expect(begun).toEqual(["first"]);
    turns.end(first!);
    await clock.advance(1);
    expect(begun).toEqual(["first", "second", "third"]);
    expect(turns.underWay).toBe(70);
  });

  it("lets one that is larger than all go alone", async () => {
    const { clock, turns, begun, begin } = world();
    const first = await begin("first", 1);
    void begin("large", 1_000);
    await clock.advance(1);
    expect(begun).toEqual(["first"]);
    turns.end(first!);
    await clock.advance(1);
    expect(begun).toEqual(["first", "large"]);
    expect(turns.underWay).toBe(100);
  });

  it("refuses who has waited for too long, and lets those go on who waited behind", async () => {
    const { clock, begun, begin } = world({ ...LIMITS, turnMs: 1_000 });
    await begin("first", 60);
    void begin("large", 60);
    await clock.advance(10);
    void begin("small", 10);
    await clock.advance(40);
    expect(begun).toEqual(["first", "large refused", "small"]);
  });

  it("refuses one more than may wait", async () => {
    const { clock, begun, begin } = world();
    for (const name of ["first", "a", "b", "c", "d"]) void begin(name, 100);
    await clock.advance(1);
    expect(begun).toEqual(["first", "d refused"]);
  });

  it("ends a turn by itself, and only once", async () => {
    const { clock, turns, begin } = world();
    const first = await begin("first", 100);
    await clock.advance(30);
    expect(turns.underWay).toBe(0);
    await begin("second", 100);
    turns.end(first!);
    expect(turns.underWay).toBe(100);
  });

  it("never has more under way, and leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ bytes: fc.nat(150), afterMs: fc.nat(20), lastsMs: fc.nat(60) }), {
          maxLength: 12,
        }),
        async (asked) => {
          const { clock, turns } = world({ ...LIMITS, waiting: 100 });
          let most = 0;
          for (const { bytes, afterMs, lastsMs } of asked) {
            await clock.advance(afterMs);
            void turns.begin(bytes).then((turn) => {
              most = Math.max(most, turns.underWay);
              if (turn !== null) clock.after(lastsMs, () => turns.end(turn));
            });
          }
          await clock.advance(1_000);
          expect(most).toBeLessThanOrEqual(LIMITS.bytes);
          expect([turns.underWay, clock.pending]).toEqual([0, 0]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
