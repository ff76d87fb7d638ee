import { describe, expect, test } from "vitest";

import type { IdempotencyAnswer, KeyState } from "../../../src/core/contract/gate/idempotency.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { RequestKey, type RequestName } from "../../../src/features/agent/request-key.ts";
import type { Plan } from "../../../src/core/plan/step.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const WRITE = contractOf("write", { isWrite: true });
const READ = contractOf("read");
const NAME: RequestName = { key: "k", fingerprint: "f", hasKey: true, isFirst: false };

function create(name: Partial<RequestName> = {}) {
  const world = new TestWorld();
  const execution = world.execution([]);
  const requestKey = new RequestKey({ ...NAME, ...name }, execution);
  const ends = () => world.gate.closings.flatMap((closing) => closing.ends.map(({ end }) => end));
  const give = (plan: Plan) => requestKey.keyWrites(plan, execution.catalog);
  const take = (batch: KeyState) => requestKey.take({ batch, actions: [] });
  return { world, requestKey, ends, give, take };
}

const keysIn = ({ steps }: Plan) => steps.map(({ keyed }) => keyed?.key ?? null);
const claimed = (seed: string): KeyState => ({ kind: "claimed", seed, inDoubt: false });
const WRITES = planOf([
  { id: "r", tool: READ },
  { id: "w", tool: WRITE },
]);

describe("A request that may come again asks", () => {
  test("for as long as it may run, and to be kept as its name says", () => {
    const { requestKey, world } = create();
    requestKey.begin();
    requestKey.begin();
    expect(world.gate.requests).toEqual([
      { quota: null, draws: [], jobs: [], allOrNothing: false, idempotency: requestKey.asked },
    ]);
    const { seed } = requestKey.asked.batch;
    expect(requestKey.asked).toMatchObject({ actions: [] });
    expect(requestKey.asked.batch).toEqual({ key: "request:k", fingerprint: "f", seed, givesUpSoon: true });
    expect(create({ hasKey: false, isFirst: true }).requestKey.asked.batch).toMatchObject({
      fresh: true,
      retentionMs: LIMITS.repeatRetentionMs,
    });
  });

  test("once more for its claim before a write goes, and lets none go without", async () => {
    const { world, give } = create();
    let asked = 0;
    const admit = world.gate.admit.bind(world.gate);
    world.gate.admit = (request) => ((asked += 1) === 1 ? Promise.reject(new Error("late")) : admit(request));
    expect(keysIn(valueOf(await give(WRITES)))[1]).toEqual(expect.any(String));
    expect(asked).toBe(2);

    const other = create();
    for (const state of [{ kind: "running", retryAfterMs: 1 }, { kind: "conflict" }, null] as const) {
      other.world.gate.claim = () => ({ batch: state, actions: [] });
      expect(errorOf(await other.give(WRITES))).toMatchObject({
        refusal: { code: "UNAVAILABLE", retryAfterMs: 1_000 },
        mayHaveBegun: true,
      });
    }
    other.world.gate.claim = () => undefined as unknown as IdempotencyAnswer;
    expect((await other.give(WRITES)).ok).toBe(false);
  });

  test("nothing for a plan without a write", async () => {
    const { world, give } = create();
    const plan = planOf([{ id: "r", tool: READ }]);
    expect(valueOf(await give(plan))).toBe(plan);
    expect(world.gate.requests).toEqual([]);
  });
});

describe("A write of a request that may come again", () => {
  test("has a key of the request, the tool and its arguments; a read and what has a key keep what they have", async () => {
    const { give } = create();
    const plan = planOf([
      { id: "r", tool: READ },
      { id: "a", tool: WRITE },
      { id: "b", tool: WRITE },
      { id: "own", tool: WRITE },
    ]);
    const steps = plan.steps.map((step) =>
      step.id === "own" ? { ...step, keyed: { key: "its own", content: {} } } : step,
    );
    const [read, a, b, own] = keysIn(valueOf(await give({ ...plan, steps })));
    expect([read, own]).toEqual([null, "its own"]);
    const digest = a!.split(" ")[0]!;
    // Two equal ones are two, and are counted from none.
    expect([a, b]).toEqual([`${digest} 0`, `${digest} 1`]);
  });

  test("is another one when it is asked for again after it began, and the same before", async () => {
    const { requestKey, give } = create();
    const plan = planOf([{ id: "w", tool: WRITE }]);
    const first = valueOf(await give(plan));
    expect(keysIn(valueOf(await give(plan)))).toEqual(keysIn(first));
    requestKey.count(first, [0]);
    const [second] = keysIn(valueOf(await give(plan)));
    expect(second).toBe(keysIn(first)[0]!.replace(/0$/, "1"));
    requestKey.count(first, [0]);
    expect(keysIn(valueOf(await give(plan)))[0]).toMatch(/ 2$/);
  });

  test("is another one with other work behind its references, however far back", async () => {
    const keyOf = async (input: object, reason: "reference" | "depends_on" = "reference") => {
      const { give } = create();
      const plan = planOf([
        { id: "a", tool: READ },
        { id: "b", tool: READ },
        { id: "w", tool: WRITE },
      ]);
      const steps = plan.steps.map((step, index) => ({
        ...step,
        edges: index === 0 ? [] : [{ from: index - 1, reason }],
        task: { ok: true as const, value: { ...valueOf(step.task), ...(index === 0 && { input }) } },
      })) as unknown as Plan["steps"];
      return keysIn(valueOf(await give({ ...plan, steps })))[2];
    };
    expect(await keyOf({ n: 1 })).toBe(await keyOf({ n: 1 }));
    expect(await keyOf({ n: 1 })).not.toBe(await keyOf({ n: 2 }));
    // A step that only comes before it is none of it.
    expect(await keyOf({ n: 1 }, "depends_on")).toBe(await keyOf({ n: 2 }, "depends_on"));
  });
});

describe("A request that the gate knows", () => {
  test("has its answer, is another's, or runs elsewhere for a while", async () => {
    const { take } = create();
    expect(valueOf(await take({ kind: "done", answer: { json: "[1]", failed: false, tools: [] } }))).toBe(
      "[1]",
    );
    expect(errorOf(await take({ kind: "conflict" })).code).toBe("IDEMPOTENCY_CONFLICT");
    const running = errorOf(await take({ kind: "running", retryAfterMs: 3_600 }));
    expect(running).toMatchObject({ code: "IDEMPOTENCY_IN_PROGRESS", retryAfterMs: 3_600 });
    expect(running.hint).toContain("in 4 s");
  });

  test("goes on under the seed of the earlier run, whose writes may have been sent", async () => {
    const { requestKey, world, ends, take, give } = create({ hasKey: false });
    expect(valueOf(await take(claimed("theirs")))).toBeNull();
    await give(WRITES);
    expect(world.gate.requests).toEqual([]);
    await requestKey.end(null);
    expect(ends()).toEqual([{ kind: "release" }]);

    // Its key is not free again, even where this run writes nothing.
    const reader = create({ hasKey: false });
    await reader.take(claimed("theirs"));
    await reader.requestKey.end(null);
    expect(reader.ends()).toEqual([{ kind: "release" }]);

    const own = create({ hasKey: false });
    await own.take(claimed(own.requestKey.asked.batch.seed));
    await own.requestKey.end("{}");
    expect(own.ends()).toEqual([{ kind: "free" }]);
  });
});

describe("The end of a request", () => {
  const endOf = async (answer: string | null, { hasKey = true, writes = false } = {}) => {
    const { requestKey, ends, give } = create({ hasKey });
    requestKey.begin();
    if (writes) await give(WRITES);
    await requestKey.end(answer);
    return ends();
  };
  const done = (json: string, tools: readonly string[] = []) => [
    { kind: "done", answer: { json, failed: false, tools } },
  ];

  test("keeps the answer under a key, and under none where it wrote", async () => {
    expect(await endOf("{}")).toEqual(done("{}"));
    expect(await endOf("{}", { hasKey: false })).toEqual([{ kind: "free" }]);
    expect(await endOf("{}", { hasKey: false, writes: true })).toEqual(done("{}", ["read", "write"]));
  });

  test("without an answer frees it, or lets it go where it wrote", async () => {
    expect(await endOf(null)).toEqual([{ kind: "free" }]);
    expect(await endOf(null, { writes: true })).toEqual([{ kind: "release" }]);
  });

  test("keeps no answer that is too large", async () => {
    const most = "x".repeat(LIMITS.idempotencyAnswerBytes);
    expect(await endOf(most)).toEqual(done(most));
    expect(await endOf(`${most}x`)).toEqual([{ kind: "release" }]);
  });

  test("says nothing of a request that was never claimed, and never rejects", async () => {
    const { requestKey, world } = create();
    await requestKey.end("{}");
    world.gate.down = true;
    requestKey.begin();
    await requestKey.end("{}");
    expect(world.gate.closings).toEqual([]);
    const { requestKey: lost, world: theirs } = create();
    lost.begin();
    theirs.gate.complete = () => Promise.reject(new Error("The gate is down"));
    await expect(lost.end("{}")).resolves.toBeUndefined();
  });
});
