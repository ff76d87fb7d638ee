import { expect, test } from "vitest";

import { recallResults } from "../../../src/core/answer/recall-results.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { ByteBudget } from "../../../src/core/egress/byte-budget.ts";
import { FakeGate } from "../../support/fake-gate.ts";
import { trial } from "../../support/trial.ts";

test("recallResults() asks for nothing when nothing is referred to", async () => {
  const gate = new FakeGate();
  gate.down = true;
  expect(await recallResults([], gate, { budget: new ByteBudget(0), maySee: () => true })).toEqual(new Map());
  expect(gate.recalled).toEqual([]);
});

test("recallResults() gives the data of what is still kept, and nothing of what is gone", async () => {
  const gate = new FakeGate();
  gate.kept.set("r-1", '{"id":1}');
  gate.kept.set("r-2", "null");
  expect(
    await recallResults(["r-1", "r-2", "r-3"], gate, { budget: new ByteBudget(0), maySee: () => true }),
  ).toEqual(
    new Map([
      ["r-1", { data: { id: 1 } }],
      ["r-2", { data: null }],
    ]),
  );
});

test("T49 recallResults() gives nothing of a tool that the key may not call, nor what does not say whose it is", async () => {
  const gate = new FakeGate();
  await gate.keep([
    { handle: "r-1", json: "1", tool: "orders" },
    { handle: "r-2", json: "2", tool: "weather" },
    { handle: "r-3", json: "3" },
  ]);
  const asked = { budget: new ByteBudget(0), maySee: (tool: string | undefined) => tool === "weather" };
  expect(await recallResults(["r-1", "r-2", "r-3"], gate, asked)).toEqual(new Map([["r-2", { data: 2 }]]));
});

test("recallResults() has nothing when the gate does not answer, so that only what refers to it fails", async () => {
  const gate = new FakeGate();
  gate.down = true;
  expect(await recallResults(["r-1"], gate, { budget: new ByteBudget(0), maySee: () => true })).toEqual(
    new Map(),
  );
});

trial(
  "P6: recallResults() parses no more values than a batch may have, and says which are too many",
  async () => {
    const gate = new FakeGate();
    const json = `[${"{},".repeat(199_999)}{}]`;
    for (const handle of ["r-1", "r-2", "r-3"]) gate.kept.set(handle, json);
    const budget = new ByteBudget(0);

    const recalled = await recallResults(["r-1", "r-2", "r-3"], gate, { budget, maySee: () => true });
    expect([...recalled.values()].map((source) => "data" in source)).toEqual([true, true, false]);
    expect(recalled.get("r-3")).toMatchObject({ refused: { code: "RESPONSE_TOO_LARGE" } });
    expect(LIMITS.requestValues).toBeLessThan(3 * 200_001);
  },
);
