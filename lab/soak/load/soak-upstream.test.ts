import { expect, test } from "vitest";
import { toPassages, toPeaks } from "./soak-upstream.ts";

const call = (block: number, from: number, to: number) => ({
  path: "/serial",
  block: `/serial ${block}`,
  from,
  to,
});

test("toPeaks() is the most calls of one batch at once, and leaves other batches alone", () => {
  expect(toPeaks([])).toEqual(new Map());
  const inTurn = [call(1, 0, 10), call(1, 10, 20), call(2, 5, 15), call(3, 6, 16)];
  expect(toPeaks(inTurn)).toEqual(new Map([["/serial", 1]]));
  expect(toPeaks([...inTurn, call(3, 12, 30)])).toEqual(new Map([["/serial", 2]]));
});

test("toPassages() are the calls that arrived, each let through since it was sent", () => {
  const arrived = [
    { n: 1, at: 30 },
    { n: 7, at: 40 },
  ];
  expect(
    toPassages(
      arrived,
      new Map([
        [1, 10],
        [2, 20],
      ]),
    ),
  ).toEqual([{ notBefore: 10, notAfter: 30 }]);
});
