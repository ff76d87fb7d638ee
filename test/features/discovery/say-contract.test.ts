import { expect, test } from "vitest";

import type { Orchestration } from "../../../src/core/contract/orchestration.ts";
import { sayContract } from "../../../src/features/discovery/plain-schema.ts";

test.each<[Orchestration, string]>([
  [{ mode: "parallel-safe" }, "Contract: parallel-safe."],
  [{ mode: "parallel-safe", cache_ttl_s: 60 }, "Contract: parallel-safe, answers may be 60 s old."],
  [
    {
      mode: "fan-out-bounded",
      max_concurrency: 3,
      on_error: "fail-fast",
      rate_limit: { limit: 5, window_s: 10, scope: "tenant" },
      confirm: "always",
    },
    "Contract: fan-out-bounded, at most 3 at once, 5 calls every 10 s, fail-fast, a person confirms each call.",
  ],
])("sayContract(%j) is one line", (contract, line) => {
  expect(sayContract(contract)).toBe(line);
});
