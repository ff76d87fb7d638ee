import fc from "fast-check";
import { expect, test } from "vitest";

import { actionForm } from "../../../src/core/contract/action.ts";
import { batchForm } from "../../../src/core/contract/batch.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { keysForm } from "../../../src/cloudflare/http/key-ring.ts";
import { isOrchestration, orchestrationSchema } from "../../../src/core/contract/orchestration.ts";
import { SHIPPED_FLAGS } from "../../../src/shipped.ts";

const KEYS = keysForm(Object.keys(SHIPPED_FLAGS));

/** Values that some field takes, and values that are just beside what it takes. */
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "x",
    "a b",
    "x".repeat(64),
    "x".repeat(65),
    true,
    false,
    null,
    undefined,
    [],
    {},
  ),
  fc.constantFrom("exponential", "tenant", "global", "never", "always", "fail-fast", "partial-success"),
  fc.constantFrom("parallel-safe", "sequential-only", "fan-out-bounded", "dependent"),
  fc.constantFrom(0, 1, 1.5, -1, 50, 51, 1_000, 1_001, 60_000, 60_001, 86_400, 86_401, 2 ** 53, Number.NaN),
  fc.constantFrom(LIMITS.maxTokens, LIMITS.maxTokens + 1, LIMITS.maxDeadlineMs, LIMITS.maxDeadlineMs + 1),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.constantFrom(...[50, 51].map((length) => Array.from({ length }, () => "x"))),
);

/** An object of these fields, some of them missing, sometimes with one too many. */
function objectOf(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  const known = fc.record(fields, { requiredKeys: [] });
  return fc.oneof(
    { weight: 16, arbitrary: known },
    fc.tuple(known, leaf).map(([object, value]) => ({ ...object, unknown_field: value })),
    leaf,
  );
}

function either(fitting: readonly unknown[], other: fc.Arbitrary<unknown> = leaf): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 16, arbitrary: fc.constantFrom(...fitting) }, other);
}

const texts = either([{}, { a: "/b" }]);

const contract = objectOf({
  mode: either(["parallel-safe", "dependent"]),
  max_concurrency: either([1, 50]),
  global_concurrency: either([1, 1_000]),
  backoff: objectOf({ strategy: either(["exponential"]), initial_ms: either([1, 60_000]) }),
  depends_on: fc.array(
    objectOf({ tool: either(["x"]), required_fields: either([["x"], ["x", "y"]]), from: texts }),
    { maxLength: 2 },
  ),
  on_error: either(["fail-fast"]),
  rate_limit: objectOf({ limit: either([1, 2 ** 40]), window_s: either([1]), scope: either(["tenant"]) }),
  cache_ttl_s: either([1]),
  verify_with: objectOf({ tool: either(["x"]), args: texts, found: either([""]), equals: either(["/a"]) }),
  confirm: either(["never"]),
});

const action = objectOf({
  tool: either(["x"]),
  args: either([{}, { a: 1 }]),
  id: either(["x", "A-1_b"]),
  depends_on: either([[], ["x"]]),
  timeout_ms: either([1]),
  for_each: either([[], [1], { $ref: "a#" }]),
  select: either([["/a"]]),
  idempotency_key: either([""]),
  callback_url: either(["x"]),
});

const keys = fc.array(
  objectOf({
    name: either(["x", "A.b-c_1"]),
    hash: either(["0".repeat(64)], fc.constantFrom("0", "G".repeat(64), 1)),
    tenant: either(["x"]),
    tools: either([["*"], [""]]),
    quota: objectOf({ limit: either([1]), window_s: either([1, 86_400]) }),
    webhook_secret: either(["A", "A_1", "a"]),
    flags: either([[], ["skip_approval"]]),
    jurisdiction: either(["eu", "us", "EU", ""]),
  }),
  { maxLength: 2 },
);

const batch = objectOf({
  actions: either([[1], [{}, null]]),
  on_error: either(["fail-fast"]),
  deadline_ms: either([1]),
  dry_run: either([true]),
  max_tokens: either([1]),
  skip_approval: either([false]),
});

test.each([
  ["a contract", contract, isOrchestration, orchestrationSchema],
  ["an action", action, actionForm.fits, actionForm.schema],
  ["the keys", keys, KEYS.fits, KEYS.schema],
  ["a batch", batch, batchForm.fits, batchForm.schema],
] as const)("what is checked by hand is what the schema of %s says", (_, values, check, schemaOf) => {
  let fitting = 0;
  fc.assert(
    fc.property(values, (value) => {
      const { success } = schemaOf().safeParse(value);
      if (success) fitting += 1;
      expect(check(value)).toBe(success);
    }),
    { numRuns: 2_000 },
  );
  expect(fitting).toBeGreaterThan(20);
});
