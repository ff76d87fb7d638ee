import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import {
  type AdmissionAnswer,
  type AdmissionRequest,
  STALE,
} from "../../../src/core/contract/gate/admission.ts";
import type { Caller } from "../../../src/core/contract/gate/caller.ts";
import type { IdempotencyRequest, KeyState } from "../../../src/core/contract/gate/idempotency.ts";
import type { JobSpec } from "../../../src/core/contract/gate/job.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import {
  admitPlan,
  type Asked,
  countList,
  countRequest,
  toLimit,
  toRunLimit,
} from "../../../src/core/gate/admit-plan.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";
import { FakeGate } from "../../support/fake-gate.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const limitedBy = (scope: "tenant" | "global") =>
  contractOf("limited", {
    orchestration: { mode: "parallel-safe", rate_limit: { limit: 60, window_s: 30, scope } },
  });
const LIMITED = limitedBy("tenant");
const READ = contractOf("read");
const MAIL = contractOf("mail", { isWrite: true, execution: "fire-and-forget" });
const CALLER: Caller = {
  name: "agent",
  tenant: "acme",
  tools: ["*"],
  quota: { limit: 100, windowS: 60 },
  flags: [],
};
/** A key that `parent` made, which `root` made. */
const MADE: Caller = {
  ...CALLER,
  makers: [
    { name: "parent", quota: { limit: 20, windowS: 10 } },
    { name: "root", quota: { limit: 7, windowS: 5 } },
  ],
};
const SPEC = { id: "job-1" } as JobSpec;
const KEYS: IdempotencyRequest = {
  runId: "run",
  batch: { key: "batch:k", fingerprint: "f", seed: "s" },
  actions: [],
};

function askedWith(more: Partial<Asked> = {}): Asked {
  return { jobs: new Map(), idempotency: null, countAlone: () => true, ...more };
}

/** A gate that says this of what it admits. */
function gateThatSays(said: Partial<AdmissionAnswer>): FakeGate {
  const gate = new FakeGate();
  const admit = gate.admit.bind(gate);
  gate.admit = async (request) => ({ ...(await admit(request)), ...said });
  return gate;
}

function gateThatIsDown(): FakeGate {
  const gate = new FakeGate();
  gate.down = true;
  return gate;
}

const OVER = { allowed: false, remaining: 0, resetMs: 9_000, retryAfterMs: 1_500 };
const ONE = planOf([{ id: "a", tool: READ }]);

async function requestOf(
  plan: typeof ONE,
  asked: Partial<Asked> = {},
  caller = CALLER,
): Promise<AdmissionRequest | undefined> {
  const gate = new FakeGate();
  await admitPlan(plan, askedWith(asked), { caller, gate });
  return gate.requests[0];
}

describe("admitPlan() asks", () => {
  test("one request of the key's quota and of every key above it", async () => {
    expect((await requestOf(ONE))!.quota).toEqual({ bucket: "key:agent", limit: 100, windowS: 60 });
    expect((await requestOf(ONE, {}, MADE))!.quota).toEqual({
      bucket: "key:agent",
      limit: 100,
      windowS: 60,
      makers: [
        { bucket: "key:parent", limit: 20, windowS: 10 },
        { bucket: "key:root", limit: 7, windowS: 5 },
      ],
    });
  });

  test("one draw for each call of a tool with a limit of its tenant's, but one for reads that are the same", async () => {
    const sketches = [
      { id: "a", tool: LIMITED },
      { id: "b", tool: READ },
      { id: "c", tool: LIMITED },
    ];
    const plan = planOf(sketches);
    const limit = { bucket: "tool:limited", limit: 60, windowS: 30 };
    expect((await requestOf(plan))!.draws).toEqual([{ index: 0, limit }]);
    expect((await requestOf({ ...plan, sharesReads: false }))!.draws).toEqual([
      { index: 0, limit },
      { index: 2, limit },
    ]);
  });

  test("no draw for what waits for a person, nor for a loop, whose elements draw when they are known", async () => {
    const gated = planOf([{ id: "a", tool: LIMITED, gated: true }]);
    expect((await requestOf(gated))!.draws).toEqual([]);
    const [step] = planOf([{ id: "a", tool: LIMITED }]).steps;
    const task = { ...valueOf(step!.task), forEach: [1, 2] };
    const loop = { ...ONE, steps: [{ ...step!, task: { ok: true as const, value: task } }] };
    expect((await requestOf(loop))!.draws).toEqual([]);
  });

  test("neither draws nor jobs of a batch that an action has failed already under fail-fast", async () => {
    const sketches = [
      { id: "a", tool: LIMITED },
      { id: "b", refused: makeFailure("INVALID_ARGS") },
    ];
    const jobs = new Map([[0, SPEC]]);
    const doomed = await requestOf(planOf(sketches, { onError: "fail-fast" }), { jobs });
    expect(doomed).toMatchObject({ draws: [], jobs: [], allOrNothing: true });
    const partial = await requestOf(planOf(sketches), { jobs });
    expect(partial).toMatchObject({ draws: [{ index: 0 }], jobs: [{ index: 0 }], allOrNothing: false });
    const right = await requestOf(planOf([sketches[0]!], { onError: "fail-fast" }), { jobs });
    expect(right).toMatchObject({ draws: [{ index: 0 }], jobs: [{ index: 0 }], allOrNothing: true });
  });

  test("for jobs that an earlier run may have recorded, and only then, that they are taken again", async () => {
    const jobs = new Map([[0, SPEC]]);
    expect((await requestOf(ONE, { jobs, retaken: true }))!.jobs).toEqual([
      { index: 0, spec: SPEC, retaken: true },
    ]);
    for (const retaken of [false, undefined])
      expect((await requestOf(ONE, { jobs, retaken }))!.jobs).toEqual([{ index: 0, spec: SPEC }]);
  });

  test("with the version of the tools that it was planned with, unless its request is counted already", async () => {
    const plan = { ...ONE, toolsVersion: 3 };
    expect(await requestOf(plan)).toHaveProperty("toolsVersion", 3);
    expect(await requestOf(ONE)).not.toHaveProperty("toolsVersion");
    const counted = await requestOf(plan, { isCounted: true, idempotency: KEYS });
    expect(counted).not.toHaveProperty("toolsVersion");
    expect(counted!.quota).toBeNull();
  });

  test("nothing at all where all of it is counted and nothing is limited, recorded or keyed", async () => {
    const gate = new FakeGate();
    expect(valueOf(await admitPlan(ONE, askedWith({ isCounted: true }), { caller: CALLER, gate }))).toEqual({
      plan: ONE,
      quota: null,
      degraded: false,
      fences: new Map(),
      claimed: null,
      replay: null,
    });
    expect(gate.requests).toEqual([]);
    const some = [
      [planOf([{ id: "a", tool: LIMITED }]), {}],
      [ONE, { jobs: new Map([[0, SPEC]]) }],
      [ONE, { idempotency: KEYS }],
    ] as const;
    for (const [plan, more] of some)
      expect(await requestOf(plan, { isCounted: true, ...more })).toMatchObject({ quota: null });
  });
});

describe("admitPlan() refuses", () => {
  test("a request over the key's quota with that limit and the wait", async () => {
    const gate = new FakeGate();
    gate.quotaAllowed = false;
    const refused = errorOf(await admitPlan(ONE, askedWith(), { caller: CALLER, gate }));
    expect(refused).toMatchObject({
      refusal: { code: "QUOTA_EXCEEDED", retryAfterMs: 1_500 },
      quota: { allowed: false },
    });
    expect(refused.refusal.hint).toContain("100 requests every 60 s");
  });

  test.each([
    ["key:agent", "The key may send 100 requests every 60 s;"],
    ["key:parent", "may send 20 requests every 10 s together"],
    ["key:root", "may send 7 requests every 5 s together"],
  ])("a request with the limit that has nothing left: %s", async (usedUp, said) => {
    const gate = gateThatSays({ quota: { ...OVER, usedUp } });
    expect(errorOf(await admitPlan(ONE, askedWith(), { caller: MADE, gate })).refusal.hint).toContain(said);
  });

  test("a plan that was made of other tools than there are, to be made anew", async () => {
    const gate = gateThatSays(STALE);
    const refused = errorOf(await admitPlan(ONE, askedWith(), { caller: CALLER, gate }));
    expect(refused).toMatchObject({ stale: true, refusal: { code: "UNAVAILABLE", retryAfterMs: 1_000 } });
  });

  test.each<[string, KeyState, object, string]>([
    ["of other content", { kind: "conflict" }, { code: "IDEMPOTENCY_CONFLICT" }, "another body"],
    [
      "of a batch that runs",
      { kind: "running", retryAfterMs: 1_001 },
      { code: "IDEMPOTENCY_IN_PROGRESS", retryAfterMs: 1_001 },
      "in 2 s",
    ],
  ])("a batch under a key %s", async (_, state, refusal, said) => {
    const gate = gateThatSays({ idempotency: { batch: state, actions: [] } });
    const asked = askedWith({ idempotency: KEYS });
    const refused = errorOf(await admitPlan(ONE, asked, { caller: CALLER, gate }));
    expect(refused).toMatchObject({ refusal, quota: null });
    expect(refused.refusal.hint).toContain(said);
  });

  test.each([
    ["which has a key, to be sent with it again", { idempotency: KEYS }, "with the same key again"],
    ["which has jobs, to be looked for", { jobs: new Map([[0, SPEC]]) }, "may have been recorded"],
    ["which has neither, to be sent again", {}, "nothing ran. Send the same request again."],
  ])("a batch that the gate did not answer for, %s", async (_, more, said) => {
    const plan = planOf([{ id: "a", tool: MAIL }]);
    const refused = errorOf(
      await admitPlan(plan, askedWith(more), { caller: CALLER, gate: gateThatIsDown() }),
    );
    expect(refused).toMatchObject({
      refusal: { code: "UNAVAILABLE", retryAfterMs: 1_000 },
      quota: null,
    });
    expect(refused.refusal.hint).toContain(said);
  });

  test("what the gate did not answer for when this isolate alone has seen as many, unless it is counted", async () => {
    const countAlone = (): boolean => false;
    const limited = planOf([
      { id: "a", tool: LIMITED },
      { id: "b", tool: READ },
    ]);
    const ask = (more: object) =>
      admitPlan(limited, askedWith({ countAlone, ...more }), { caller: CALLER, gate: gateThatIsDown() });
    expect(errorOf(await ask({})).refusal.code).toBe("UNAVAILABLE");
    expect(valueOf(await ask({ isCounted: true }))).toMatchObject({ degraded: true, quota: null });
  });

  test("reads too, when the batch has keys that only the gate knows", async () => {
    const refused = await admitPlan(ONE, askedWith({ idempotency: KEYS }), {
      caller: CALLER,
      gate: gateThatIsDown(),
    });
    expect(refused.ok).toBe(false);
  });
});

describe("admitPlan() of what a person approved", () => {
  const APPROVED = {
    ...ONE,
    approved: {
      question: "question",
      claim: { part: "confirmations", value: { id: "question", by: "me" } },
      requestedBy: "agent",
    },
  };
  const admit = (gate: FakeGate) => admitPlan(APPROVED, askedWith(), { caller: CALLER, gate });

  test("claims the question and is admitted in one turn", async () => {
    const gate = new FakeGate();
    expect(valueOf(await admit(gate))).toMatchObject({ degraded: false, quota: { allowed: true } });
    expect(gate.requests).toHaveLength(1);
  });

  test("runs nothing where it cannot be claimed for certain, reads included, and says when to look again", async () => {
    expect(errorOf(await admit(gateThatIsDown()))).toMatchObject({
      refusal: { code: "UNAVAILABLE", retryAfterMs: 1_000 },
      quota: null,
    });
  });

  test("runs nothing a second time", async () => {
    const gate = new FakeGate();
    gate.claimRefusedWith = "done";
    expect(errorOf(await admit(gate)).refusal.code).toBe("CONFIRMATION_INVALID");
    expect(gate.requests).toEqual([]);
  });
});

describe("admitPlan() turns away", () => {
  test("an action that its tool's limit denied, and the reads that were to have its answer", async () => {
    const plan = planOf([
      { id: "a", tool: LIMITED },
      { id: "b", tool: READ },
      { id: "c", tool: LIMITED },
    ]);
    const gate = new FakeGate();
    gate.denied = [{ index: 0, retryAfterMs: 250.4 }];
    const admitted = valueOf(await admitPlan(plan, askedWith(), { caller: CALLER, gate }));
    const failure = { code: "RATE_LIMITED", retryAfterMs: 250.4, hint: expect.stringContaining("in 251 ms") };
    expect(admitted.plan.steps.map(({ task }) => (task.ok ? "runs" : task.error))).toMatchObject([
      failure,
      "runs",
      failure,
    ]);
  });

  test("a job that could not be recorded, and nothing beside it", async () => {
    const plan = planOf([
      { id: "a", tool: MAIL },
      { id: "b", tool: READ },
    ]);
    const gate = new FakeGate();
    gate.refuseJobsWith = "BACKLOG_FULL";
    const asked = askedWith({ jobs: new Map([[0, SPEC]]) });
    const { plan: left, fences } = valueOf(await admitPlan(plan, asked, { caller: CALLER, gate }));
    expect(left.steps.map(({ task }) => (task.ok ? "runs" : task.error.code))).toEqual([
      "BACKLOG_FULL",
      "runs",
    ]);
    expect(fences.size).toBe(0);
  });

  test("nothing where nothing was denied, and has the fences of what was recorded", async () => {
    const asked = askedWith({ jobs: new Map([[0, SPEC]]) });
    const admitted = valueOf(await admitPlan(ONE, asked, { caller: CALLER, gate: new FakeGate() }));
    expect(admitted.plan).toBe(ONE);
    expect(admitted.fences).toEqual(new Map([[0, 1]]));
    expect(admitted).toMatchObject({ degraded: false, claimed: null, replay: null });
  });
});

describe("a request that runs nothing", () => {
  const catalog = createCatalog([]).extend([], 4);
  const listOf = (gate: FakeGate, { caller = CALLER, alone = true } = {}) =>
    countList({ caller, catalog, gate, countAlone: () => alone });

  test("counts on an allowance of its own, several times the quota, on that of every key above it too", async () => {
    const gate = new FakeGate();
    expect(valueOf(await listOf(gate, { caller: MADE }))).toMatchObject({
      allowed: true,
      allowance: "lists",
    });
    const times = LIMITS.listsPerQuota;
    expect(gate.requests).toEqual([
      {
        quota: {
          bucket: "lists:agent",
          limit: 100 * times,
          windowS: 60,
          makers: [
            { bucket: "lists:parent", limit: 20 * times, windowS: 10 },
            { bucket: "lists:root", limit: 7 * times, windowS: 5 },
          ],
        },
        draws: [],
        jobs: [],
        allOrNothing: false,
        toolsVersion: 4,
      },
    ]);
  });

  test("is refused with what it may send when that is used up", async () => {
    const refused = errorOf(await listOf(gateThatSays({ quota: OVER })));
    expect(refused).toMatchObject({ refusal: { code: "QUOTA_EXCEEDED" }, quota: { allowance: "lists" } });
    const most = 100 * LIMITS.listsPerQuota;
    expect(refused.refusal.hint).toContain(`${most} requests that run nothing every 60 s`);
  });

  test("is planned anew where its tools are others by now", async () => {
    expect(errorOf(await listOf(gateThatSays(STALE)))).toMatchObject({ stale: true });
  });

  test("goes on without an answer of the gate for as long as this isolate alone has not seen too many", async () => {
    expect(valueOf(await listOf(gateThatIsDown()))).toBeNull();
    const refused = errorOf(await listOf(gateThatIsDown(), { alone: false }));
    expect(refused).toMatchObject({ refusal: { code: "UNAVAILABLE" }, quota: null });
  });

  test("has no state where the gate has none of it", async () => {
    expect(valueOf(await listOf(gateThatSays({ quota: null })))).toBeNull();
  });
});

describe("a request whose batches are counted by themselves", () => {
  const count = (gate: FakeGate, keys?: IdempotencyRequest, alone = true) =>
    countRequest({ caller: CALLER, gate, countAlone: () => alone }, keys && { idempotency: keys });

  test("counts as one, and has what its claim is to it", async () => {
    const gate = new FakeGate();
    expect(valueOf(await count(gate))).toMatchObject({ quota: { allowed: true }, claimed: null });
    expect(gate.requests).toEqual([
      {
        quota: { bucket: "key:agent", limit: 100, windowS: 60 },
        draws: [],
        jobs: [],
        allOrNothing: false,
      },
    ]);
    expect(valueOf(await count(gate, KEYS)).claimed).toMatchObject({ batch: { kind: "claimed", seed: "s" } });
    expect(gate.requests[1]!.idempotency).toEqual(KEYS);
  });

  test("is refused when the quota is used up", async () => {
    expect(errorOf(await count(gateThatSays({ quota: OVER }))).refusal.code).toBe("QUOTA_EXCEEDED");
  });

  test("goes on without an answer of the gate, but never with a claim: what came before is only known there", async () => {
    expect(valueOf(await count(gateThatIsDown()))).toEqual({ quota: null, claimed: null });
    const alone = errorOf(await count(gateThatIsDown(), undefined, false));
    expect(alone).toMatchObject({ refusal: { code: "UNAVAILABLE" }, quota: null });
    expect(errorOf(await count(gateThatIsDown(), KEYS))).toMatchObject({ refusal: { code: "UNAVAILABLE" } });
  });
});

test("toRunLimit() lets runs without a caller draw from a bucket of their own, as large as their runner's", () => {
  expect(toRunLimit(CALLER)).toEqual({ bucket: "runs", limit: 100, windowS: 60 });
});

test("toLimit() leaves out what a tool's own gate counts for all tenants", () => {
  expect(toLimit(limitedBy("global"))).toBeNull();
  expect(toLimit(READ)).toBeNull();
});
