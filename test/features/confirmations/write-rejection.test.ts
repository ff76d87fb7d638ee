import { expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { BegunFlow } from "../../../src/features/confirmations/parked-group.ts";
import { failGroup } from "../../../src/features/confirmations/write-rejection.ts";

test("failGroup() says of a flow that had begun that it is not to be repeated as it is", () => {
  const begun: BegunFlow = {
    kind: "flow",
    actions: [],
    results: [],
    onError: "partial-success",
    declarations: [],
    over: [],
  };
  const passing = makeFailure("OVERLOADED", { hint: "Send this action again." });
  const [own, flow] = failGroup(
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
