import { expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { judge, MOST, ratioOf, type Sum } from "./judge.ts";

const MIB = 1024 * 1024;
/** A read that is at every bound. */
const FULL: Sum = {
  name: "GET /v1/everything",
  status: 200,
  statuses: { 200: 2, 503: 38 },
  bytes: LIMITS.answerBytes,
  isEndless: false,
  cpuMs: MOST.cpuMs,
  tookMs: 60_000,
  heldMib: LIMITS.isolateBytes / MIB,
  peakMib: MOST.peakMib,
  laterMib: MOST.keptMib,
  collectedMib: MOST.keptMib,
  heapMib: 0,
  stranger: { aloneMs: 10, besideMs: 15 },
};
const judged = (changes: Partial<Sum>) => judge({ ...FULL, ...changes });

test("A read that is at every bound holds, and each bound that it passes is said", () => {
  expect(judge(FULL)).toEqual([]);
  expect(judged({ cpuMs: 1_001 })).toEqual(["1001 ms of CPU"]);
  expect(judged({ heldMib: 65 })).toEqual(["65 MiB are counted"]);
  expect(judged({ peakMib: 201 })).toEqual(["201 MiB above rest"]);
  expect(judged({ bytes: 17 * MIB })).toEqual(["an answer of 17.0 MiB"]);
  expect(judged({ status: 500, statuses: { 500: 40 } })).toEqual(["answers 500"]);
  expect(judged({ statuses: { 200: 39, 0: 1 } })).toEqual(["1 got no answer"]);
  expect(judged({ statuses: { 503: 40 } })).toEqual(["answers 200"]);
  expect(judged({ cpuMs: 2_000, peakMib: 300 })).toHaveLength(2);
});

test("Memory is kept where it is there after 10 s and after a collection: what a collection takes away is not", () => {
  expect(judged({ laterMib: 134, collectedMib: 3 })).toEqual([]);
  expect(judged({ laterMib: 3, collectedMib: 65 })).toEqual([]);
  expect(judged({ laterMib: 134, collectedMib: 100 })).toEqual([
    "100 MiB above rest after 10 s and a collection",
  ]);
});

test("A stream that does not end has no size, and every other bound", () => {
  expect(judged({ isEndless: true, bytes: 20 * MIB })).toEqual([]);
  expect(judged({ isEndless: true, peakMib: 201 })).toEqual(["201 MiB above rest"]);
});

test("A stranger's ratio is of one run, and there is none where no stranger called", () => {
  expect(ratioOf(FULL)).toBe(1.5);
  expect(ratioOf({ ...FULL, stranger: null })).toBeNull();
});
