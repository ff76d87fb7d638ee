import { expect, test } from "vitest";

import { recallResults } from "../../src/answer/recall-results.ts";
import { FakeGate } from "../support/fake-gate.ts";

test("recallResults() asks for nothing when nothing is referred to", async () => {
  const gate = new FakeGate();
  gate.down = true;
  expect(await recallResults([], gate)).toEqual(new Map());
  expect(gate.recalled).toEqual([]);
});

test("recallResults() gives the data of what is still kept, and nothing of what is gone", async () => {
  const gate = new FakeGate();
  gate.kept.set("r-1", '{"id":1}');
  gate.kept.set("r-2", "null");
  expect(await recallResults(["r-1", "r-2", "r-3"], gate)).toEqual(
    new Map([
      ["r-1", { data: { id: 1 } }],
      ["r-2", { data: null }],
    ]),
  );
});

test("recallResults() has nothing when the gate does not answer, so that only what refers to it fails", async () => {
  const gate = new FakeGate();
  gate.down = true;
  expect(await recallResults(["r-1"], gate)).toEqual(new Map());
});
