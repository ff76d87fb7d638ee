import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type HeldRun, RunBuffer, sizeOf } from "../../../src/features/runs/run-buffer.ts";
import type { RunReport } from "../../../src/features/runs/run.ts";
import type { RunRecord } from "../../../src/features/runs/run-record.ts";
import { samples } from "../../support/samples.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** A record of so many bytes, of which all but 50 are content. */
function fakeRecord(bytes: number): RunRecord {
  const record = {
    bytes,
    hasContent: true,
    dropContent() {
      const freed = this.bytes - 50;
      this.bytes = 50;
      this.hasContent = false;
      return freed;
    },
    toHeadJson: () => "{}",
    toBodyJson() {
      return JSON.stringify("x".repeat(Math.max(0, this.bytes - 2)));
    },
  };
  return record as unknown as RunRecord;
}

let ids = 0;
const runOf = (bytes: number): HeldRun => ({
  facts: { id: `run ${(ids += 1)}`, source: "http", key: "k", request: "r", startedAt: 0, durationMs: 0 },
  record: fakeRecord(bytes),
});

function setUp(limits = { everyMs: 1_000, reportBytes: 10_000, reportRuns: 10, heldBytes: 30_000 }) {
  const clock = new VirtualClock();
  const sent: { at: number; tenant: string; report: RunReport }[] = [];
  const lines: string[] = [];
  const work: Promise<unknown>[] = [];
  let fails = 0;
  const buffer = new RunBuffer({
    clock,
    newId: () => `report ${(ids += 1)}`,
    async send({ tenant }, report) {
      sent.push({ at: clock.now(), tenant, report });
      if ((fails -= 1) >= 0) throw new Error("the object is gone");
    },
    log: (_, json) => void lines.push(json),
    limits,
  });
  return {
    clock,
    sent,
    lines,
    buffer,
    fail: (times: number) => (fails = times),
    add: (tenant: string, bytes = 100) => buffer.add({ tenant }, runOf(bytes), (one) => void work.push(one)),
    /** Work that was deferred. */
    work,
  };
}

describe("RunBuffer", () => {
  test("reports at once, then once a second and tenant, with everything that came meanwhile", async () => {
    const { clock, sent, add, buffer } = setUp();
    const from = clock.now();
    for (let count = 0; count < 30; count += 1) {
      add("acme");
      if (count % 10 === 0) add("other");
      await clock.advance(100);
    }
    await clock.advance(2_000);
    const times = (tenant: string) => sent.filter((one) => one.tenant === tenant).map(({ at }) => at - from);
    expect(times("acme")).toEqual([0, 1_000, 2_000, 3_000]);
    expect(times("other")).toEqual([0, 1_000, 2_000]);
    expect(sent.reduce((sum, { report }) => sum + report.runs.length, 0)).toBe(33);
    expect(buffer.bytes).toBe(0);
  });

  test("sends a report that failed once more, a second later and as the same; then the log says what is lost", async () => {
    const { clock, sent, lines, add, fail, buffer } = setUp();
    fail(1);
    add("acme");
    await clock.advance(3_000);
    expect(sent.map(({ report }) => [report.id, report.isRepeated])).toEqual([
      [sent[0]!.report.id, false],
      [sent[0]!.report.id, true],
    ]);
    expect(lines).toEqual([]);
    fail(2);
    add("acme");
    add("acme");
    await clock.advance(5_000);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: "warn", event: "runs_dropped", tenant: "acme", runs: 2, contents: 0 },
    ]);
    expect(buffer.bytes).toBe(0);
    const gaps = sent.slice(1).map(({ at }, index) => at - sent[index]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  });

  test("drops the oldest content first, then the oldest run, and says so", async () => {
    const { clock, sent, lines, add } = setUp();
    for (let count = 0; count < 4; count += 1) add("acme", 4_000);
    await clock.advance(3_000);
    expect(sent[0]!.report.runs.map(({ body }) => body.length)).toEqual([50, 50, 50, 4_000]);
    expect(JSON.parse(lines[0]!)).toMatchObject({ event: "runs_dropped", runs: 0, contents: 3 });
    for (let count = 0; count < 13; count += 1) add("acme", 60);
    await clock.advance(3_000);
    expect(sent[1]!.report.runs).toHaveLength(10);
    expect(JSON.parse(lines[1]!)).toMatchObject({ runs: 3 });
  });

  test("is taken over by the next run where the platform ended the request that kept its timer", async () => {
    const { clock, sent, buffer } = setUp();
    const lost: VirtualClock = clock;
    const stopped = new RunBuffer({
      clock: { now: () => lost.now(), after: (ms, callback) => (dead ? () => {} : lost.after(ms, callback)) },
      newId: () => "id",
      send: async ({ tenant }, report) => void sent.push({ at: lost.now(), tenant, report }),
      log: () => {},
    });
    let dead = true;
    stopped.add({ tenant: "acme" }, runOf(100), () => {});
    await clock.advance(900);
    dead = false;
    stopped.add({ tenant: "acme" }, runOf(100), () => {});
    await clock.advance(900);
    expect(sent).toEqual([]);
    stopped.add({ tenant: "acme" }, runOf(100), () => {});
    await clock.advance(10);
    expect(sent.map(({ report }) => report.runs.length)).toEqual([3]);
    expect(buffer.bytes).toBe(0);
  });

  test("never holds or sends more than its limits, whatever comes from however many tenants", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            tenant: fc.constantFrom("a", "b", "c", "d", "e", "f"),
            bytes: fc.integer({ min: 60, max: 9_000 }),
            wait: fc.constantFrom(0, 0, 0, 10, 400),
            fails: fc.boolean(),
          }),
          { maxLength: 120 },
        ),
        async (steps) => {
          const { clock, sent, add, buffer, fail } = setUp();
          for (const { tenant, bytes, wait, fails } of steps) {
            if (fails) fail(1);
            add(tenant, bytes);
            expect(buffer.bytes).toBeLessThanOrEqual(30_000);
            await clock.advance(wait);
          }
          await clock.advance(5_000);
          expect(buffer.bytes).toBe(0);
          for (const { report } of sent) {
            expect(report.runs.length).toBeLessThanOrEqual(10);
            expect(sizeOf(report)).toBeLessThanOrEqual(10_000);
          }
          for (const [tenant, own] of Map.groupBy(sent, (one) => one.tenant))
            for (const [index, { at }] of own.entries())
              if (index > 0) expect([tenant, at - own[index - 1]!.at >= 1_000]).toEqual([tenant, true]);
        },
      ),
      { numRuns: samples(100) },
    );
  });
});
