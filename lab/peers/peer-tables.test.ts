import { expect, test } from "vitest";

import type { Series } from "./measure-peers.ts";
import { HEAD, makePeerRows, type PeerRun, sayBare, updatePeerPage } from "./peer-tables.ts";

const seriesOf = (name: string, own: Partial<Series>): Series => ({
  name,
  n: 3,
  perSecond: [],
  cpuMicros: [],
  latenciesMs: [],
  rssMiB: [],
  checked: 100,
  faults: {},
  example: null,
  ...own,
});
/** Slices of one cost, two of which something else got in the way of. */
const disturbed = (micros: number): number[] => [...Array<number>(8).fill(micros), 2 * micros, 9 * micros];
const run: PeerRun = {
  at: "2026-01-01T00:00:00.000Z",
  machine: "2 × a CPU",
  node: "24.0.0",
  workerd: "1.0.0",
  packages: [["p-limit", "7.0.0"]],
  seconds: 60,
  busyBefore: 0,
  options: { sizes: [3], processes: 2, connections: 12, rounds: 3, compileRounds: 0, warmUpRounds: 0 },
  benchCpus: 0.5,
  otherCpus: 0,
  series: [
    seriesOf("bare", { perSecond: [1_000, 2_000], cpuMicros: disturbed(100) }),
    seriesOf("bare", { perSecond: [1_000, 1_000], cpuMicros: disturbed(102) }),
    seriesOf("hono-zod", {
      perSecond: [500, 1_000, 500],
      cpuMicros: disturbed(202),
      faults: { wrong: 2, lost: 1 },
      example: "wrong: 200",
    }),
    seriesOf("mastra", { faults: { missing: 1 }, example: "Cannot start" }),
  ],
};
const rowOf = (name: number) =>
  Object.fromEntries(makePeerRows(run, 3)[name]!.map((cell, i) => [HEAD[i]!, cell]));

test("a ratio is that of all processes of one to all of the other, without the slices that something got in the way of", () => {
  expect(rowOf(1)).toMatchObject({
    "batches/s": "500",
    "of bare": "0.50",
    "CPU µs": "202",
    "of bare's": "0.50",
  });
  expect(rowOf(0)).toMatchObject({ "CPU µs": "101", "of each process": "100, 102", "of bare's": "1.00" });
});

test("the bare Worker stands against itself first", () => {
  expect(sayBare(run, 3)).toBe("The bare Worker against itself: 100 and 102 µs, 2.0 % apart.");
});

test("what was wrong stands in the table, and who could not be measured has no figures", () => {
  expect(rowOf(0)["errors"]).toBe("0");
  expect(rowOf(1)["errors"]).toBe("2 wrong, 1 lost of 100");
  expect(rowOf(2)).toMatchObject({ "batches/s": "", "of bare": "", errors: "1 missing of 100" });
});

test("the page keeps what stands outside its markers", () => {
  const page = "before\n<!-- npm run bench:peers: begin -->\nold\n<!-- npm run bench:peers: end -->\nafter\n";
  const updated = updatePeerPage(page, run);
  expect(updated).toMatch(/^before\n/);
  expect(updated).toMatch(/\nafter\n$/);
  expect(updated).not.toContain("old");
  expect(updatePeerPage(updated, run)).toBe(updated);
  expect(() => updatePeerPage("no markers", run)).toThrow("the page needs");
});
