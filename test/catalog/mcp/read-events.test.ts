import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { EventReader } from "../../../src/catalog/mcp/read-events.ts";
import { LIMITS } from "../../../src/contract/limits.ts";

function read(pieces: readonly string[]): string[] {
  const reader = new EventReader();
  const told: string[] = [];
  for (const piece of pieces) reader.read(piece, (data) => told.push(data) < 0);
  return told;
}

test("reads what an independent parser reads, however the text is cut", () => {
  const field = fc.constantFrom(
    "data",
    "data:",
    "data: ",
    "data:  x",
    "event: message",
    "event: other",
    "event:",
    "id: 1",
    ": c",
    "retry: 5",
    "x",
  );
  const line = fc
    .tuple(field, fc.constantFrom("", "a", "ü", " b", ":", "{}"))
    .map(([name, value]) => name + value);
  const stream = fc.array(fc.tuple(fc.oneof(line, fc.constant("")), fc.constantFrom("\n", "\r\n", "\r")), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(stream, fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
      // A carriage return at the very end may be half of an end.
      const text = `${lines.flat().join("")}\n\nx`;
      const at = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, n) => text.slice(at[n], end));
      const expected: string[] = [];
      const parser = createParser({
        onEvent: ({ event = "message", data }) => {
          if (event === "message" && data !== "") expected.push(data);
        },
      });
      parser.feed(text);
      expect(read(pieces)).toEqual(expected);
    }),
  );
});

test("says when it has enough, and reads no further", () => {
  const told: string[] = [];
  expect(new EventReader().read("data: 1\n\ndata: 2\n\n", (data) => told.push(data) > 0)).toBe(true);
  expect(told).toEqual(["1"]);
});

test("gives a stream up that has too many lines", () => {
  const reader = new EventReader();
  const all = "\n".repeat(LIMITS.mcpStreamLines);
  expect(reader.read(all, () => false)).toBe(false);
  expect(() => reader.read("\n", () => false)).toThrow("RESPONSE_TOO_LARGE");
});
