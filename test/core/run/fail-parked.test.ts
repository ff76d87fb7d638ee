import { expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
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
