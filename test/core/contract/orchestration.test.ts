import { expect, test } from "vitest";

import { orchestrationSchema } from "../../../src/core/contract/orchestration.ts";

test.each([
  { mode: "parallel-safe" },
  { mode: "sequential-only", confirm: "always" },
  {
    mode: "fan-out-bounded",
    max_concurrency: 50,
    global_concurrency: 1_000,
    backoff: { strategy: "exponential", initial_ms: 200 },
    on_error: "fail-fast",
    rate_limit: { limit: 60, window_s: 60, scope: "global" },
    cache_ttl_s: 86_400,
  },
  {
    mode: "dependent",
    depends_on: [{ tool: "search", required_fields: ["id"], from: { id: "/items/0/id" } }],
  },
])("orchestrationSchema accepts %j as it is", (contract) => {
  expect(orchestrationSchema().parse(contract)).toEqual(contract);
});

test.each([
  ["no mode", {}],
  ["an unknown mode", { mode: "parallel" }],
  ["a cap of none", { mode: "fan-out-bounded", max_concurrency: 0 }],
  ["a cap over a whole batch", { mode: "fan-out-bounded", max_concurrency: 51 }],
  ["a global cap of none", { mode: "parallel-safe", global_concurrency: 0 }],
  ["a global cap of half a call", { mode: "parallel-safe", global_concurrency: 1.5 }],
  ["another backoff", { mode: "parallel-safe", backoff: { strategy: "linear", initial_ms: 1 } }],
  ["a backoff of nothing", { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 0 } }],
  ["an empty depends_on", { mode: "dependent", depends_on: [] }],
  ["a dependency without fields", { mode: "dependent", depends_on: [{ tool: "a", required_fields: [] }] }],
  ["a rate limit without scope", { mode: "parallel-safe", rate_limit: { limit: 1, window_s: 1 } }],
  [
    "a window over a day",
    { mode: "parallel-safe", rate_limit: { limit: 1, window_s: 86_401, scope: "tenant" } },
  ],
  ["an answer that is never old", { mode: "parallel-safe", cache_ttl_s: 0 }],
  ["an answer that is over a day old", { mode: "parallel-safe", cache_ttl_s: 86_401 }],
  ["half a second", { mode: "parallel-safe", cache_ttl_s: 0.5 }],
  ["a misspelt field", { mode: "parallel-safe", max_concurency: 3 }],
])("orchestrationSchema refuses %s", (_, contract) => {
  expect(orchestrationSchema().safeParse(contract).success).toBe(false);
});
