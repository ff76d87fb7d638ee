import { describe, expect, test } from "vitest";
import { AnswerBudget } from "../../../src/core/answer/envelope.ts";

import { STALE } from "../../../src/core/contract/gate/admission.ts";
import type {
  IdempotencyAnswer,
  IdempotencyRequest,
  KeyState,
} from "../../../src/core/contract/gate/idempotency.ts";
import { makeRefusal } from "../../../src/core/contract/refusal.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { admit } from "../../../src/core/gate/admission.ts";
import type { Plan } from "../../../src/core/plan/step.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const MAIL = contractOf("mail", { isWrite: true, execution: "fire-and-forget" });
const SYNC = contractOf("write", { isWrite: true });
const SEED = "00000001-0000-4000-8000-000000000000";
const KEYS: IdempotencyRequest = {
  runId: "run",
  batch: { key: "batch:k", fingerprint: "f", seed: SEED },
  actions: [],
};

function withTask(plan: Plan, fields: object): Plan {
  return {
    ...plan,
    steps: plan.steps.map((step) => ({
      ...step,
      task: { ok: true, value: { ...valueOf(step.task), ...fields } },
    })),
  };
}

describe("admit()", () => {
  test("makes jobs of background steps only, each of which says who asked and when", async () => {
    const world = new TestWorld();
    await world.clock.advance(1_000);
    const plan = planOf([
      { id: "a", tool: SYNC },
      { id: "b", tool: MAIL },
    ]);
    const admission = valueOf(await admit(plan, world.execution([])));
    expect([...admission.jobs.keys()]).toEqual([1]);
    expect(admission.jobs.get(1)!.origin).toEqual({
      tenant: "acme",
      key: "tester",
      requestId: "request-1",
      batchId: admission.batchId(),
      askedAt: world.clock.now(),
    });
    expect(admission.startedAt).toBe(world.clock.now());
    expect(admission.keys).toBeNull();
  });

  test("tells once that it was admitted, with the quota, and never of a batch that has its answer already", async () => {
    const world = new TestWorld();
    const told: unknown[] = [];
    const execution = world.execution([], { listener: { onAdmitted: (quota) => void told.push(quota) } });
    const plan = planOf([{ id: "a", tool: SYNC }]);
    await admit(plan, execution);
    expect(told).toEqual([expect.objectContaining({ allowed: true })]);
    world.gate.claim = () => ({
      batch: { kind: "done", answer: { json: "{}", failed: false } },
      actions: [],
    });
    const replayed = valueOf(await admit(plan, execution, async () => KEYS));
    expect(replayed.admitted.replay).toEqual({ json: "{}", failed: false });
    world.gate.quotaAllowed = false;
    expect((await admit(plan, execution)).ok).toBe(false);
    expect(told).toHaveLength(1);
  });

  test("lets its keys go where the gate did not answer, and leaves them where it refused", async () => {
    const world = new TestWorld();
    const plan = planOf([{ id: "a", tool: SYNC }]);
    world.gate.claim = () => ({ batch: { kind: "conflict" }, actions: [] });
    const refused = await admit(plan, world.execution([]), async () => KEYS);
    expect(errorOf(refused).refusal.code).toBe("IDEMPOTENCY_CONFLICT");
    expect([world.deferred, world.gate.closings]).toEqual([[], []]);

    world.gate.down = true;
    expect(errorOf(await admit(plan, world.execution([]))).refusal.code).toBe("UNAVAILABLE");
    expect(world.deferred).toEqual([]);
    expect(errorOf(await admit(plan, world.execution([]), async () => KEYS)).refusal.code).toBe(
      "UNAVAILABLE",
    );
    await world.drain();
    expect(world.gate.closings).toEqual([
      { runId: "run", ends: [{ key: "batch:k", end: { kind: "release" } }] },
    ]);
  });

  const EARLIER = "00000009-0000-4000-8000-000000000000";
  const OWN: IdempotencyRequest = {
    runId: "run",
    batch: null,
    actions: [{ index: 0, key: "action:k", fingerprint: "f", seed: SEED }],
  };
  const ofOwn = (state: KeyState): IdempotencyAnswer => ({ batch: null, actions: [{ index: 0, state }] });
  test.each([
    [
      "its key is in doubt",
      KEYS,
      { batch: { kind: "claimed", seed: EARLIER, inDoubt: true }, actions: [] },
      true,
    ],
    [
      "its key was let go, and may have jobs",
      KEYS,
      { batch: { kind: "claimed", seed: EARLIER, inDoubt: false }, actions: [] },
      true,
    ],
    ["its key is new", KEYS, { batch: { kind: "claimed", seed: SEED, inDoubt: false }, actions: [] }, false],
    ["the key of an action is in doubt", OWN, ofOwn({ kind: "claimed", seed: EARLIER, inDoubt: true }), true],
    ["the key of an action is held", OWN, ofOwn({ kind: "running", retryAfterMs: 1 }), true],
    [
      "the key of an action has its answer",
      OWN,
      ofOwn({ kind: "done", answer: { json: "{}", failed: false } }),
      true,
    ],
    ["the key of an action is another's", OWN, ofOwn({ kind: "conflict" }), false],
    ["the key of an action is new", OWN, ofOwn({ kind: "claimed", seed: SEED, inDoubt: false }), false],
  ] as const)(
    "says of what finds no quota, or has another plan than agreed, whether it may have begun: %s",
    async (_, asked, claimed, began) => {
      const world = new TestWorld();
      world.gate.claim = () => claimed;
      const plan = planOf([{ id: "a", tool: SYNC }]);
      const refusal = makeRefusal("PLAN_CHANGED", "Changed.");
      const changed = await admit({ ...plan, refused: refusal }, world.execution([]), async () => asked);
      expect(errorOf(changed)).toEqual({ refusal, quota: null, mayHaveBegun: began });
      const [left] = world.gate.closings.flatMap(({ ends }) => ends);
      expect(left!.end).toEqual({ kind: began ? "release" : "free" });
      world.gate.quotaAllowed = false;
      const over = errorOf(await admit(plan, world.execution([]), async () => asked));
      expect(over).toMatchObject({ refusal: { code: "QUOTA_EXCEEDED" }, mayHaveBegun: began });
    },
  );

  test.each([
    ["without a key", null, SYNC, false],
    ["with jobs", null, MAIL, true],
    ["under its key", KEYS, SYNC, true],
    ["under a key of an action", OWN, SYNC, true],
    [
      "under a key of a request that no run began before",
      { ...OWN, actions: [{ ...OWN.actions[0]!, inherited: false }] },
      SYNC,
      false,
    ],
  ] as const)(
    "says whether it may have begun where the gate does not answer: %s",
    async (_, asked, tool, began) => {
      const world = new TestWorld();
      world.gate.down = true;
      const plan = planOf([{ id: "a", tool }]);
      const refused = errorOf(await admit(plan, world.execution([]), async () => asked));
      expect([refused.refusal.code, refused.mayHaveBegun ?? false]).toEqual(["UNAVAILABLE", began]);
    },
  );

  test.each([
    [null, false],
    [KEYS, true],
  ])("says whether it may have begun where its tools have changed", async (asked, began) => {
    const world = new TestWorld();
    world.gate.admit = () => Promise.resolve(STALE);
    const refused = errorOf(
      await admit(planOf([{ id: "a", tool: SYNC }]), world.execution([]), async () => asked),
    );
    expect(refused).toMatchObject({ refusal: { code: "UNAVAILABLE" }, stale: true, mayHaveBegun: began });
  });

  test("gives the jobs of a key that an earlier run began that run's ids, and fresh ones their own", async () => {
    const world = new TestWorld();
    const plan = planOf([{ id: "a", tool: MAIL }]);
    const idOf = async () =>
      valueOf(await admit(plan, world.execution([]), async () => KEYS)).jobs.get(0)!.id;
    const own = await idOf();
    const earlier = "00000009-0000-4000-8000-000000000000";
    world.gate.claim = () => ({ batch: { kind: "claimed", seed: earlier, inDoubt: true }, actions: [] });
    const retaken = await idOf();
    world.gate.claim = () => ({ batch: { kind: "claimed", seed: SEED, inDoubt: false }, actions: [] });
    expect(await idOf()).toBe(own);
    expect(retaken).not.toBe(own);
  });

  test("is a span of the platform's trace that says who asked, how much, and what came of it", async () => {
    const world = new TestWorld();
    const spans: object[] = [];
    const ports = {
      ...world.ports,
      inSpan: async <T>(
        name: string,
        attributes: object,
        work: (add: (more: object) => void) => Promise<T>,
      ): Promise<T> => {
        const span = { name, ...attributes };
        spans.push(span);
        return work((more) => void Object.assign(span, more));
      },
    };
    const plan = planOf([{ id: "a", tool: SYNC }]);
    const execution = world.execution([], { ports });
    await admit(plan, execution);
    world.gate.quotaAllowed = false;
    await admit(plan, { ...execution, origin: { ...execution.origin, traceId: "trace-1" } });
    const span = {
      name: "volley.admission",
      "volley.request_id": "request-1",
      "volley.trace_id": "",
      "volley.tenant": "acme",
      "volley.key": "tester",
      "volley.actions": 1,
      "volley.admitted": "yes",
    };
    expect(spans).toEqual([
      span,
      { ...span, "volley.trace_id": "trace-1", "volley.admitted": "QUOTA_EXCEEDED" },
    ]);
  });
});

describe("admit() of a plan that has run in part before", () => {
  test("knows its steps by the keys of the earlier run, and that its jobs may be recorded", async () => {
    const world = new TestWorld();
    const plan = planOf([
      { id: "a", tool: SYNC },
      { id: "b", tool: MAIL },
    ]);
    const earlier = "00000007-0000-4000-8000-000000000000";
    const resumed = {
      asked: { ...KEYS, batch: { ...KEYS.batch!, seed: "" } },
      claimed: {
        batch: { kind: "claimed", seed: earlier, inDoubt: false },
        actions: [{ index: 0, state: { kind: "claimed", seed: earlier, inDoubt: true } }],
      },
      retaken: true,
      attempt: { jobId: "job", fence: 2 },
      journal: { begin: async () => true, end: () => {} },
    } as const;
    const first = valueOf(
      await admit(plan, world.execution([], { within: { answer: new AnswerBudget(1), resumed } })),
    );
    expect(world.gate.requests[0]!.jobs).toMatchObject([{ index: 1, retaken: true }]);
    const budget = { room: { values: 100, bytes: 100 } } as never;
    expect(first.keys!.known(budget).get(0)?.status).toBe("unknown");
    expect(first.ids().seedOf(1)).toMatchObject({ value: earlier, retaken: true });
    const second = valueOf(
      await admit(plan, world.execution([], { within: { answer: new AnswerBudget(1), resumed } })),
    );
    expect(second.jobs.get(1)!.id).toBe(first.jobs.get(1)!.id);
  });
});

describe("admit() turns away what cannot run in this deployment", () => {
  const missing = (code: string, said: string) => ({ code, hint: expect.stringContaining(said) });
  const taskOf = async (plan: Plan, world = new TestWorld()) => {
    const [step] = valueOf(await admit(plan, world.execution([]))).admitted.plan.steps;
    return step!.task;
  };

  test("a tool whose secret or binding is not there, by its name", async () => {
    const secretive = contractOf("secretive", { secrets: ["A_SECRET"] });
    const bound = contractOf("bound", { bindings: ["A_BUCKET", "B_BUCKET"] });
    const both = contractOf("both", { secrets: ["A_SECRET"], bindings: ["B_BUCKET"] });
    for (const [tool, said] of [
      [secretive, "A_SECRET"],
      [bound, "A_BUCKET"],
      [both, "A_SECRET"],
    ] as const)
      expect(errorOf(await taskOf(planOf([{ id: "a", tool }])))).toMatchObject(
        missing("MISCONFIGURED", said),
      );
    const world = new TestWorld();
    world.secrets.set("A_SECRET", "geheim");
    world.bindings.set("A_BUCKET", {});
    expect((await taskOf(planOf([{ id: "a", tool: secretive }]), world)).ok).toBe(true);
    expect(errorOf(await taskOf(planOf([{ id: "a", tool: both }]), world)).hint).toContain("B_BUCKET");
    expect(errorOf(await taskOf(planOf([{ id: "a", tool: bound }]), world)).hint).toContain("B_BUCKET");
    world.bindings.set("B_BUCKET", {});
    expect((await taskOf(planOf([{ id: "a", tool: bound }]), world)).ok).toBe(true);
  });

  test("a time for what answers in the batch, and one that is too far away", async () => {
    const world = new TestWorld();
    const at = (runAt: number, tool = MAIL) => withTask(planOf([{ id: "a", tool }]), { runAt });
    const latest = world.clock.now() + LIMITS.jobDelayMs;
    expect(errorOf(await taskOf(at(latest, SYNC), world))).toMatchObject(
      missing("INVALID_ACTION", "'run_at'"),
    );
    expect(errorOf(await taskOf(at(latest + 1), world))).toMatchObject(
      missing("INVALID_ACTION", "days from now"),
    );
    const later = valueOf(await taskOf(at(latest), world));
    expect(later.call).toMatchObject({ runAt: latest, callback: undefined });
    expect(later.callback).toBeUndefined();
  });

  test("a callback for what answers in the batch, which is named", async () => {
    const plan = withTask(planOf([{ id: "a", tool: SYNC }]), { callbackUrl: "https://example.com/" });
    expect(errorOf(await taskOf(plan))).toMatchObject(missing("INVALID_ACTION", "'callback_url'"));
  });
});
