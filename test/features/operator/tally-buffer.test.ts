import { describe, expect, test } from "vitest";

import type { CountedTenant } from "../../../src/features/operator/operator.ts";
import { TallyBuffer } from "../../../src/features/operator/tally-buffer.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function setUp() {
  const clock = new VirtualClock();
  const sent: { at: number; counted: readonly CountedTenant[] }[] = [];
  const lines: string[] = [];
  let fails = false;
  const buffer = new TallyBuffer({
    clock,
    async send(counted) {
      sent.push({ at: clock.now(), counted });
      if (fails) throw new Error("the object is gone");
    },
    log: (_, json) => void lines.push(json),
  });
  const work: Promise<unknown>[] = [];
  return {
    clock,
    sent,
    lines,
    buffer,
    work,
    fail: (isGone: boolean) => (fails = isGone),
    run: (tenant: string, defer = (one: Promise<unknown>) => void work.push(one)) =>
      buffer.count((book) => book.addRun(tenant, 5), defer),
  };
}

describe("Counts of an isolate", () => {
  test("are reported once a second for all tenants together, and none is lost", async () => {
    const { clock, sent, run } = setUp();
    for (let at = 0; at < 1_000; at += 1) {
      run(`tenant-${at % 7}`);
      await clock.advance(10);
    }
    await clock.advance(1_000);
    for (const [at, { at: time }] of sent.slice(1).entries())
      expect(time - sent[at]!.at).toBeGreaterThanOrEqual(1_000);
    expect(sent.length).toBeLessThanOrEqual(12);
    const runs = sent.flatMap(({ counted }) => counted.map(({ row }) => row[1]));
    expect(runs.reduce((sum, one) => sum + one, 0)).toBe(1_000);
  });

  test("F34 are missing where the object is down, which the log says; later ones are counted", async () => {
    const { clock, sent, lines, run, work, fail } = setUp();
    fail(true);
    run("acme");
    await clock.advance(1_000);
    await Promise.all(work);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { level: "warn", event: "counts_dropped", runs: 1, tenants: 1 },
    ]);
    fail(false);
    run("acme");
    await clock.advance(2_000);
    expect(sent).toHaveLength(2);
  });

  test("are taken over by the next request where the platform ended the one that kept the timer", async () => {
    const { clock, sent, run } = setUp();
    run("acme", () => {});
    await clock.advance(0);
    const before = sent.length;
    run("acme");
    await clock.advance(2_500);
    run("acme");
    await clock.advance(2_500);
    const counted = sent.flatMap(({ counted: all }) => all.map(({ row }) => row[1]));
    expect(before).toBeLessThanOrEqual(1);
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(3);
  });
});
