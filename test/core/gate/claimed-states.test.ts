import { describe, expect, test } from "vitest";

import { type Failure, makeFailure } from "../../../src/core/contract/failure.ts";
import type { IdempotencyRequest, KeyState } from "../../../src/core/contract/gate/idempotency.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { abandonKeys, ClaimedKeys } from "../../../src/core/gate/claimed-keys.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";

const WRITE = contractOf("write", { isWrite: true });
const MAIL = contractOf("mail", { isWrite: true, execution: "fire-and-forget" });
const READ = contractOf("read");
const KEY = { fingerprint: "f", seed: "mine" };

/** The keys of a batch of a write, a job and a read, of which these actions have keys of their own in these states. */
function keysOf(
  states: Readonly<Record<number, KeyState>>,
  { batch = null }: { batch?: KeyState | null } = {},
) {
  const plan = planOf([
    { id: "w", tool: WRITE },
    { id: "m", tool: MAIL },
    { id: "r", tool: READ },
  ]);
  const asked: IdempotencyRequest = {
    runId: "run",
    batch: batch === null ? null : { key: "batch:b", retentionMs: 7, ...KEY },
    actions: Object.keys(states).map((index) => ({ index: Number(index), key: `action:${index}`, ...KEY })),
  };
  const actions = Object.entries(states).map(([index, state]) => ({ index: Number(index), state }));
  const answer = { batch, actions };
  return { keys: new ClaimedKeys(plan, asked, { answer, fingerprintOf: async () => "now" }), plan, asked };
}

const claimed = (seed: string, inDoubt = false): KeyState => ({ kind: "claimed", seed, inDoubt });
const failed = (code: Failure["code"], meta: Outcome["meta"] = {}): Outcome => ({
  status: "error",
  error: makeFailure(code, { retryable: false }),
  meta,
});
const OK: Outcome = { status: "success", data: 1, json: "1", meta: { attempts: 1 } };
const BUDGET = { values: { left: 100 } } as never;

describe("An action whose key another batch holds", () => {
  test("is a conflict that passes, with the time that it takes", () => {
    const { keys } = keysOf({ 0: { kind: "running", retryAfterMs: 1_234.5 } });
    expect(keys.known(BUDGET).get(0)).toMatchObject({
      status: "error",
      error: {
        code: "IDEMPOTENCY_CONFLICT",
        retryable: true,
        retryAfterMs: 1_234.5,
        hint: expect.stringContaining("in 1235 ms"),
      },
    });
  });

  test("is a conflict for good where it was used for something else", () => {
    const { keys } = keysOf({ 0: { kind: "conflict" } });
    expect(keys.known(BUDGET).get(0)).toMatchObject({
      error: { code: "IDEMPOTENCY_CONFLICT", retryable: false },
    });
  });
});

describe("A step that an earlier run may have begun", () => {
  const amend = (index: number, outcome: Outcome) => {
    const { keys, plan } = keysOf({}, { batch: claimed("theirs", true) });
    return keys.amend(plan.steps[index]!, outcome).status;
  };

  test("is unknown where this run did not begin it", () => {
    expect(amend(0, failed("CIRCUIT_OPEN"))).toBe("unknown");
    expect(amend(0, { ...failed("DEPENDENCY_FAILED"), status: "skipped", because: "x" } as Outcome)).toBe(
      "unknown",
    );
    expect(amend(1, failed("OUTBOX_UNAVAILABLE"))).toBe("unknown");
    expect(amend(0, failed("RATE_LIMITED"))).toBe("unknown");
    expect(amend(1, { ...failed("DEPENDENCY_FAILED"), status: "skipped", because: "x" } as Outcome)).toBe(
      "unknown",
    );
  });

  test("is what this run made of it where it began it, and what was kept", () => {
    expect(amend(0, OK)).toBe("success");
    expect(amend(0, failed("NOT_FOUND", { attempts: 1 }))).toBe("error");
    expect(amend(0, failed("NOT_FOUND", { replayed: true }))).toBe("error");
  });

  test("is nothing for a read, nor for a job that was turned away: a recorded one never is", () => {
    expect(amend(2, failed("CIRCUIT_OPEN"))).toBe("error");
    for (const code of ["RATE_LIMITED", "BACKLOG_FULL"] as const)
      expect(amend(1, failed(code))).toBe("error");
  });
});

describe("The end of a run", () => {
  const outcomes: Outcome[] = [OK, failed("RATE_LIMITED", { sentNothing: true }), OK];

  test("counts as begun what did something under a key that is this run's own", () => {
    expect(keysOf({ 0: claimed("mine"), 1: claimed("mine") }).keys.begun(outcomes)).toEqual([0]);
    expect(keysOf({ 0: claimed("theirs") }).keys.begun(outcomes)).toEqual([]);
    expect(
      keysOf({ 0: { kind: "conflict" }, 2: { kind: "running", retryAfterMs: 1 } }).keys.begun(outcomes),
    ).toEqual([]);
  });

  test("leaves the keys that it claimed, and no other's", () => {
    const { keys } = keysOf({
      0: claimed("mine"),
      1: { kind: "conflict" },
      2: { kind: "running", retryAfterMs: 1 },
    });
    const { runId, ends } = keys.close(outcomes, { json: "{}" });
    expect(runId).toBe("run");
    expect(ends.map(({ key, end }) => `${key} ${end.kind}`)).toEqual(["action:0 done"]);
    expect(ends[0]).not.toHaveProperty("retentionMs");
  });

  test("keeps the answer under the batch's key, for as long as it was claimed for, as none that failed", () => {
    const { keys } = keysOf({}, { batch: claimed("mine") });
    expect(keys.close(outcomes, { json: '{"a":1}' }).ends).toEqual([
      { key: "batch:b", retentionMs: 7, end: { kind: "done", answer: { json: '{"a":1}', failed: false } } },
    ]);
  });

  test("of one that was never admitted lets go of what it has, and of no batch's key where it has none", () => {
    const { asked } = keysOf({ 0: claimed("mine") });
    expect(abandonKeys(asked)).toEqual({
      runId: "run",
      ends: [{ key: "action:0", end: { kind: "release" } }],
    });
  });

  test("leaves a key as it was that turned out to be for something else", async () => {
    const { keys, plan } = keysOf({ 0: { ...claimed("mine"), of: "before" } as KeyState });
    const outcome = await keys.decide(plan.steps[0]!, {} as never, BUDGET);
    expect(outcome).toMatchObject({ error: { code: "IDEMPOTENCY_CONFLICT" } });
    expect(keys.close([outcome!, OK, OK], { json: "{}" }).ends).toMatchObject([{ end: { kind: "release" } }]);
    expect(await keys.decide(plan.steps[2]!, {} as never, BUDGET)).toBeNull();
  });
});

describe("The decision by references", () => {
  test("is waited for where a claimed key is open, and nowhere else", () => {
    const { plan, asked } = keysOf({ 0: claimed("mine"), 1: claimed("mine"), 2: { kind: "conflict" } });
    const open = {
      ...asked,
      actions: asked.actions.map((one) => (one.index === 1 ? one : { ...one, open: true as const })),
    };
    const answer = {
      batch: null,
      actions: [
        { index: 0, state: claimed("mine") },
        { index: 1, state: claimed("mine") },
        { index: 2, state: { kind: "conflict" } as const },
      ],
    };
    const keys = new ClaimedKeys(plan, open, { answer, fingerprintOf: async () => "now" });
    expect([0, 1, 2].map((index) => keys.waits(index))).toEqual([true, false, false]);
  });
});
