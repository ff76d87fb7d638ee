import { expect, test } from "vitest";

import type { ParkedAction } from "../../../src/features/confirmations/parked-group.ts";
import { begunFlows, listAsked } from "../../../src/features/confirmations/confirmation.ts";
import { begunFlowOf as flowOf, parkedAction as action } from "../../support/parked-samples.ts";

const asked = (...actions: ParkedAction[]) =>
  listAsked(actions).map(({ id, gated, waitsFor }) => ({ id, gated, waitsFor }));

test("listAsked() names what each action waits for, in the group's order", () => {
  expect(asked(action("a"), action("b", { gated: false, needs: [0] }))).toEqual([
    { id: "a", gated: true, waitsFor: [] },
    { id: "b", gated: false, waitsFor: ["a"] },
  ]);
});

test("listAsked() lists a begun flow's own actions before it under its id, and asks about those only", () => {
  const begun = flowOf(action("x"), action("y", { gated: false, needs: [0] }));
  expect(asked(action("a"), action("f", { needs: [0], begun }))).toEqual([
    { id: "a", gated: true, waitsFor: [] },
    { id: "f/x", gated: true, waitsFor: [] },
    { id: "f/y", gated: false, waitsFor: ["f/x"] },
    { id: "f", gated: false, waitsFor: ["f/x", "f/y", "a"] },
  ]);
});

test("listAsked() says which element of a loop a flow is, and lists nothing of one that is over", () => {
  const over = { kind: "over", outcomeJson: "{}" } as const;
  const begun = { kind: "loop", elements: [over, flowOf(action("x"))] } as const;
  expect(begunFlows(begun)).toEqual([{ at: [1], flow: begun.elements[1] }]);
  expect(asked(action("f", { begun }))).toEqual([
    { id: "f/1/x", gated: true, waitsFor: [] },
    { id: "f", gated: false, waitsFor: ["f/1/x"] },
  ]);
});
