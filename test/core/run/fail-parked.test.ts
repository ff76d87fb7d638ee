import { expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { BegunFlow } from "../../../src/core/contract/gate/parked-group.ts";
import { failParkedGroup } from "../../../src/core/run/fail-parked.ts";

const FAILURE = makeFailure("CONFIRMATION_REJECTED");

test("failParkedGroup() fails what is gated and skips what needs it, naming the gated one", () => {
  const outcomes = failParkedGroup(
    [
      { id: "a", gated: true, needs: [] },
      { id: "b", gated: true, needs: [0] },
      { id: "c", gated: false, needs: [0] },
      { id: "d", gated: false, needs: [2, 1] },
      { id: "e", gated: false, needs: [1, 0] },
    ],
    FAILURE,
  );
  expect(outcomes).toMatchObject([
    { status: "error", error: FAILURE },
    { status: "error", error: FAILURE },
    { status: "skipped", because: "a", error: { code: "DEPENDENCY_FAILED" } },
    { status: "skipped", because: "a" },
    { status: "skipped", because: "b" },
  ]);
});

test("failParkedGroup() says of a flow that had begun that it is not to be repeated as it is", () => {
  const begun: BegunFlow = {
    kind: "flow",
    actions: [],
    results: [],
    onError: "partial-success",
    declarations: [],
    over: [],
  };
  const passing = makeFailure("OVERLOADED", { hint: "Send this action again." });
  const [own, flow] = failParkedGroup(
    [
      { id: "own", gated: true, needs: [] },
      { id: "flow", gated: true, needs: [], begun },
    ],
    passing,
  );
  expect(own).toMatchObject({ error: { retryable: true, hint: "Send this action again." } });
  expect(flow).toMatchObject({
    error: { code: "OVERLOADED", retryable: false, hint: expect.stringContaining("had begun") },
  });
});

test("failParkedGroup() follows needs that come later in the batch", () => {
  const outcomes = failParkedGroup(
    [
      { id: "late", gated: false, needs: [1] },
      { id: "mid", gated: false, needs: [2] },
      { id: "yes", gated: true, needs: [] },
    ],
    FAILURE,
  );
  expect(outcomes).toMatchObject([{ because: "yes" }, { because: "yes" }, { status: "error" }]);
});
