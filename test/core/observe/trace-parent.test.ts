import { expect, test } from "vitest";

import { readTraceId } from "../../../src/core/observe/traced-fetch.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test("the id of a trace is read from the strict form of this version, and of later ones that say more", () => {
  expect(readTraceId(`00-${TRACE}-${PARENT}-01`)).toBe(TRACE);
  expect(readTraceId(`00-${TRACE}-${PARENT}-00`)).toBe(TRACE);
  expect(readTraceId(`01-${TRACE}-${PARENT}-01-more of it`)).toBe(TRACE);
});

test.each([
  ["nothing", ""],
  ["capitals", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
  ["no trace", `00-${"0".repeat(32)}-${PARENT}-01`],
  ["no parent", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["a version that there will never be", `ff-${TRACE}-${PARENT}-01`],
  ["more than this version says", `00-${TRACE}-${PARENT}-01-x`],
  ["too short an id", `00-${TRACE.slice(1)}-${PARENT}-01`],
  ["two headers in one", `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
  ["a line break", `00-${TRACE}-${PARENT}-01\n{"event":"batch"}`],
  ["a space before it", ` 00-${TRACE}-${PARENT}-01`],
  ["text", "sk-live-abcdef"],
])("a traceparent with %s counts as not sent", (_, sent) => {
  expect(readTraceId(sent)).toBeNull();
});
