import { expect, test } from "vitest";
import { type Latency, MACHINE } from "../load/ledger.ts";
import { describeLatencies, judgeLatencies, whileNothingBroke } from "./judge-latencies.ts";

const of = (kind: string, msAt: (part: number) => number): Latency[] =>
  Array.from({ length: 300 }, (_, i) => ({ kind, at: 1_000 * i, ms: msAt(i / 300) }));
const wrong = (latencies: readonly Latency[]): string[] =>
  judgeLatencies(latencies)
    .filter(({ isFine }) => !isFine)
    .map(({ what }) => what);

test("judgeLatencies() names a kind of request that becomes slower, and no other", () => {
  const steady = of("reads", (part) => ((part * 100) % 7 === 0 ? 3_000 : 30));
  const slower = of("writes", (part) => 30 + 60 * part);
  expect(wrong([...steady, ...slower])).toEqual(["median of writes"]);
});

test("judgeLatencies() allows for a machine that became slower itself", () => {
  const slower = (part: number): number => (part < 0.5 ? 20 : 60);
  expect(wrong(of("reads", slower))).toEqual(["median of reads"]);
  expect(wrong([...of("reads", slower), ...of(MACHINE, (part) => slower(part) / 20)])).toEqual([]);
  expect(judgeLatencies(of(MACHINE, slower))).toEqual([]);
});

test("judgeLatencies() says nothing of a kind that was asked a few times", () => {
  expect(judgeLatencies(of("reads", (part) => 1_000 * part).slice(0, 40))).toEqual([]);
});

test("whileNothingBroke() leaves out what was asked while something was broken", () => {
  const kept = whileNothingBroke(
    of("reads", () => 1),
    [{ from: 2_000, to: 299_000 }],
  );
  expect(kept.map(({ at }) => at)).toEqual([0, 1_000, 299_000]);
});

test("describeLatencies() gives the quantiles of each kind", () => {
  expect(describeLatencies(of("reads", (part) => part * 300))).toEqual([
    { kind: "reads", count: 300, p50: 150, p95: 285, p99: 297 },
  ]);
});
