import {
  abortAllDurableObjects,
  createExecutionContext,
  evictDurableObject,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import * as z from "zod";

import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../src/features/confirmations/index.ts";
import { discovery } from "../../src/features/discovery/index.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import type { IdempotencyRequest, KeyEnd, KeyState } from "../../src/core/contract/gate/idempotency.ts";
import { deriveId } from "../../src/core/kit/derive-id.ts";
import { callConfirmations } from "../../src/features/confirmations/confirmation.ts";
import { countRows } from "./count-rows.ts";
import { HUNDRED_AN_HOUR, makeRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = (namespace: typeof env.TENANT_GATE = env.TENANT_GATE) =>
  namespace.getByName(`idempotency-${++tenants}`);
type Stub = ReturnType<typeof gateOf>;

const DONE: KeyEnd = { kind: "done", answer: { json: '{"ok":true}', failed: false } };
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let runs = 0;
/** A run of a batch under a key, or of actions under theirs. */
function makeKeys(parts: {
  readonly batch?: string;
  readonly actions?: readonly string[];
  readonly fingerprint?: string;
  readonly parked?: readonly number[];
}): IdempotencyRequest {
  const { batch, actions = [], fingerprint = "f", parked } = parts;
  const runId = `run-${++runs}`;
  const content = (key: string) => ({
    key,
    fingerprint,
    seed: crypto.randomUUID(),
    ...(parked && { parked }),
  });
  return {
    runId,
    batch: batch === undefined ? null : content(batch),
    actions: actions.map((key, index) => ({ index, ...content(key) })),
  };
}

async function claimBatch(stub: Stub, parts: Parameters<typeof makeKeys>[0] = { batch: "k" }) {
  const keys = makeKeys(parts);
  const { idempotency } = await stub.admit(makeRequest({ idempotency: keys }));
  return { keys, state: idempotency!.batch as KeyState };
}

describe("P5: a batch's key", () => {
  trial("F18 claimed by 100 at once is claimed by one", async () => {
    const stub = gateOf();
    const claims = await Promise.all(Array.from({ length: 100 }, () => claimBatch(stub)));
    const kinds = claims.map(({ state }) => state.kind);
    expect(kinds.filter((kind) => kind === "claimed")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "running")).toHaveLength(99);
  });

  test("keeps its answer through eviction and crash, and costs no quota again", async () => {
    const stub = gateOf();
    const keys = makeKeys({ batch: "k" });
    await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR, idempotency: keys }));
    await stub.complete({ runId: keys.runId, ends: [{ key: "k", end: DONE }] });
    await evictDurableObject(stub);
    const ask = () =>
      env.TENANT_GATE.get(stub.id).admit(
        makeRequest({ quota: HUNDRED_AN_HOUR, idempotency: makeKeys({ batch: "k" }) }),
      );
    const answer = await ask();
    expect([answer.quota, answer.idempotency!.batch]).toEqual([null, { kind: "done", answer: DONE.answer }]);
    await abortAllDurableObjects();
    expect((await ask()).idempotency!.batch).toEqual({ kind: "done", answer: DONE.answer });
  });

  trial("T56 that was taken over asks no person by the run that had it, which hears so", async () => {
    const stub = gateOf(env.SMALL_GATE);
    const first = await claimBatch(stub);
    const held = ({ keys, state }: typeof first) => ({
      runId: keys.runId,
      keys: [{ key: "k", seed: (state as Extract<KeyState, { kind: "claimed" }>).seed }],
    });
    const park = (id: string, by: typeof first) =>
      callConfirmations(stub, "park", [{ id, groupJson: "{}" }], held(by));
    expect(await park("before", first)).toMatchObject([{ id: "before" }]);
    let second = await claimBatch(stub);
    while (second.state.kind !== "claimed") {
      await sleep(50);
      second = await claimBatch(stub);
    }
    expect(await park("late", first)).toBeNull();
    expect(await park("own", second)).toMatchObject([{ id: "own" }]);
    expect(await callConfirmations(stub, "confirmation", "late")).toBeNull();
  });

  trial(
    "is running through a crash, and taken over with its ids and what waited for a person after the lease",
    async () => {
      const stub = gateOf(env.SMALL_GATE);
      const startedAt = Date.now();
      const first = await claimBatch(stub, { batch: "k", parked: [1, 2] });
      await abortAllDurableObjects();
      const again = env.SMALL_GATE.get(stub.id);
      let claim = await claimBatch(again, { batch: "k", parked: [2, 3] });
      // A machine may be so slow that the lease is over by now.
      if (Date.now() - startedAt < 1_500) expect(claim.state.kind).toBe("running");
      while (claim.state.kind === "running") {
        await sleep(50);
        claim = await claimBatch(again, { batch: "k", parked: [2, 3] });
      }
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_500);
      const { keys, state } = claim;
      const doubt = { inDoubt: true, begunAt: expect.any(Number), parked: [2] };
      expect(state).toEqual({ kind: "claimed", seed: first.keys.batch!.seed, ...doubt });
      // The first run wakes up too late.
      await again.complete({ runId: first.keys.runId, ends: [{ key: "k", end: DONE }] });
      expect((await claimBatch(again, { batch: "k" })).state.kind).toBe("running");
      await again.complete({ runId: keys.runId, ends: [{ key: "k", end: DONE }] });
      expect((await claimBatch(again, { batch: "k" })).state.kind).toBe("done");
    },
  );

  trial(
    "is held for a run that says it is alive, through a crash, and not for one whose key was taken over",
    async () => {
      const stub = gateOf(env.SMALL_GATE);
      const { keys } = await claimBatch(stub);
      const renewal = { runId: keys.runId, keys: [{ key: "k", seed: keys.batch!.seed }] };
      for (let renewals = 0; renewals < 6; renewals += 1) {
        await sleep(500);
        expect(await env.SMALL_GATE.get(stub.id).renew(renewal)).toBe(true);
        if (renewals === 3) await abortAllDurableObjects();
        expect((await claimBatch(env.SMALL_GATE.get(stub.id))).state.kind).toBe("running");
      }
      const again = env.SMALL_GATE.get(stub.id);
      await sleep(1_600);
      // Late, but no other run has asked for it.
      expect(await again.renew(renewal)).toBe(true);
      await sleep(1_600);
      const taken = await claimBatch(again);
      expect(taken.state).toMatchObject({ kind: "claimed", inDoubt: true });
      expect(await again.renew(renewal)).toBe(false);
      await again.complete({ runId: taken.keys.runId, ends: [{ key: "k", end: DONE }] });
      expect(await again.renew(renewal)).toBe(false);
    },
  );

  test("tells how long it is held, and costs a row for each renewal", async () => {
    const stub = gateOf(env.SMALL_GATE);
    const keys = makeKeys({ batch: "k" });
    const { idempotency } = await stub.admit(makeRequest({ idempotency: keys }));
    expect(idempotency!.leaseMs).toBe(1_500);
    const rows = await countRows(stub);
    await stub.renew({ runId: keys.runId, keys: [{ key: "k", seed: keys.batch!.seed }] });
    expect(await rows()).toBe(1);
  });

  test("that the quota turned away is as new as before", async () => {
    const stub = gateOf();
    const none = { ...HUNDRED_AN_HOUR, limit: 1 };
    await stub.admit(makeRequest({ quota: none }));
    const denied = await stub.admit(makeRequest({ quota: none, idempotency: makeKeys({ batch: "k" }) }));
    expect([denied.quota?.allowed, denied.idempotency?.batch]).toMatchObject([false, { inDoubt: false }]);
    expect((await claimBatch(stub, { batch: "k", fingerprint: "other" })).state.kind).toBe("claimed");
  });

  test("sent twice by the same run, whose first answer was lost, is claimed and counted once", async () => {
    const stub = gateOf();
    const request = makeRequest({ quota: HUNDRED_AN_HOUR, idempotency: makeKeys({ batch: "k" }) });
    const first = await stub.admit(request);
    const second = await stub.admit(request);
    expect(second.idempotency).toEqual(first.idempotency);
    expect((await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }))).quota?.remaining).toBe(98);
  });

  test("costs two rows, and a batch without one none", async () => {
    const stub = gateOf();
    await stub.admit(makeRequest());
    const rows = await countRows(stub);
    await stub.admit(makeRequest());
    expect(await rows()).toBe(0);
    const { keys } = await claimBatch(stub);
    await stub.complete({ runId: keys.runId, ends: [{ key: "k", end: DONE }] });
    expect(await rows()).toBe(2);
  });
});

describe("P2: a job under a key", () => {
  trial(
    "F11 killed between record and answer: the same key gives the same job, and no other run's attempt",
    async () => {
      const stub = gateOf(env.SMALL_GATE);
      const keys = makeKeys({ batch: "k" });
      const jobs = [{ index: 0, spec: makeSpec(deriveId(keys.batch!.seed, 7), []) }];
      const first = await stub.admit(makeRequest({ jobs, idempotency: keys }));
      expect(first.recorded).toEqual([{ index: 0, fence: 1 }]);
      await abortAllDurableObjects();
      // Its lease is over.
      await sleep(1_600);

      const again = env.SMALL_GATE.get(stub.id);
      const others = makeKeys({ batch: "k" });
      const other = deriveId(others.batch!.seed, 7);
      const asked = makeRequest({ jobs: [{ index: 0, spec: makeSpec(other, []) }], idempotency: others });
      const taken = await again.admit(asked);
      expect(taken.idempotency!.batch).toMatchObject({ seed: keys.batch!.seed, inDoubt: true });
      expect([taken.recorded, await again.job(other)]).toEqual([[{ index: 0, fence: null }], null]);
      expect(await again.job(jobs[0]!.spec.id)).toMatchObject({ status: expect.any(String) });
      const retaken = await again.admit(makeRequest({ jobs: [{ ...jobs[0]!, retaken: true }] }));
      expect(retaken.recorded).toEqual([{ index: 0, fence: null }]);
    },
  );
});

describe("an action's key", () => {
  const admitActions = async (stub: Stub, ...actions: string[]) => {
    const keys = makeKeys({ actions });
    return { keys, answer: await stub.admit(makeRequest({ idempotency: keys })) };
  };

  test("that is taken draws from no limit and records no job", async () => {
    const stub = gateOf();
    await admitActions(stub, "a");
    const limit = { bucket: "tool:x", limit: 1, windowS: 3_600 };
    const answer = await stub.admit(
      makeRequest({
        draws: [{ index: 0, limit }],
        jobs: [{ index: 0, spec: makeSpec("not-recorded", []) }],
        idempotency: makeKeys({ actions: ["a"] }),
      }),
    );
    expect(answer.idempotency!.actions).toEqual([
      { index: 0, state: expect.objectContaining({ kind: "running" }) },
    ]);
    expect([answer.recorded, await stub.job("not-recorded")]).toEqual([[], null]);
    expect((await stub.admit(makeRequest({ draws: [{ index: 0, limit }] }))).denied).toEqual([]);
  });

  test("that its tool's limit turned away is as new as before", async () => {
    const stub = gateOf();
    const limit = { bucket: "tool:x", limit: 1, windowS: 3_600 };
    await stub.admit(makeRequest({ draws: [{ index: 0, limit }] }));
    const { denied, idempotency } = await stub.admit(
      makeRequest({ draws: [{ index: 0, limit }], idempotency: makeKeys({ actions: ["a", "b"] }) }),
    );
    expect([denied.length, idempotency!.actions.map(({ index }) => index)]).toEqual([1, [1]]);
    const { answer } = await admitActions(stub, "a", "b");
    expect(answer.idempotency!.actions.map(({ state }) => state.kind)).toEqual(["claimed", "running"]);
  });

  trial("that stands for a failure lets no job be recorded under fail-fast", async () => {
    const stub = gateOf();
    const { keys } = await admitActions(stub, "a");
    const failed: KeyEnd = { kind: "done", answer: { json: "{}", failed: true } };
    await stub.complete({ runId: keys.runId, ends: [{ key: "a", end: failed }] });
    const { recorded, idempotency } = await stub.admit(
      makeRequest({
        allOrNothing: true,
        jobs: [{ index: 1, spec: makeSpec("doomed", []) }],
        idempotency: makeKeys({ actions: ["a", "b"] }),
      }),
    );
    expect([recorded, await stub.job("doomed")]).toEqual([[], null]);
    expect(idempotency!.actions.map(({ index, state }) => [index, state.kind])).toEqual([[0, "done"]]);
    const { answer } = await admitActions(stub, "b");
    expect(answer.idempotency!.actions[0]!.state.kind).toBe("claimed");
  });
});

describe("what is kept", () => {
  trial(
    "is bounded: of more keys than are kept the oldest answers go, and never what is running",
    async () => {
      const stub = gateOf(env.SMALL_GATE);
      const running = await claimBatch(stub, { batch: "running" });
      // Longer than the answers take: it would be the first to go.
      await runInDurableObject(stub, (_gate, { storage }) => {
        storage.sql.exec("UPDATE idempotency SET expires_at = expires_at - 30000");
      });
      for (let k = 0; k < 14; k += 1) {
        const { keys } = await claimBatch(stub, { batch: `k-${k}` });
        await stub.complete({ runId: keys.runId, ends: [{ key: `k-${k}`, end: DONE }] });
      }
      await stub.admit(makeRequest());
      const left = await runInDurableObject(stub, (_gate, { storage }) =>
        storage.sql
          .exec<{ key: string }>("SELECT key FROM idempotency ORDER BY key")
          .toArray()
          .map(({ key }) => key),
      );
      expect(left.length).toBeLessThanOrEqual(10);
      expect(left).toContain("running");
      expect(left).toContain("k-13");
      expect(left).not.toContain("k-0");
      expect(running.state.kind).toBe("claimed");
    },
  );

  trial("goes when it has expired, by whatever request comes next", async () => {
    const stub = gateOf();
    const { keys } = await claimBatch(stub);
    await stub.complete({ runId: keys.runId, ends: [{ key: "k", end: DONE }] });
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE idempotency SET expires_at = 1");
    });
    await evictDurableObject(stub);
    await stub.admit(makeRequest());
    await runInDurableObject(stub, (_gate, { storage }) => {
      expect(storage.sql.exec("SELECT key FROM idempotency").toArray()).toEqual([]);
    });
  });
});

trial(
  "T56 where everything ends between a question and the end of its key, the next run points to that question, and a yes is carried out once",
  async () => {
    let dropped = 0;
    const drop = defineTool({
      name: "drop",
      summary: "Delete a mail",
      description: "Delete a mail. Size: about 10 tokens.",
      category: "mail",
      actions: ["delete"],
      isWrite: true,
      execution: "sync",
      hosts: [],
      input: z.strictObject({}),
      orchestration: { mode: "sequential-only" },
      run: async () => ({ dropped: (dropped += 1) }),
    });
    const features = [discovery(), confirmations()] as const;
    const { app } = createVolley({ tools: [drop], features });
    const stub = env.SMALL_GATE.getByName("crashed");
    /** The Worker, which asks its tenant's object so. */
    const open = async (since: typeof stub.since) => {
      const worker = {
        ...env,
        VOLLEY_LOG: "off",
        TENANT_GATE: { idFromName: (name: string) => name, get: () => ({ since }) },
        VOLLEY_KEYS: await configureKeys({ "the-key": { name: "a", tenant: "crashed", flags: ["approve"] } }),
      };
      return async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
        app.fetch(
          new Request(`https://volley.test${path}`, {
            method: "POST",
            headers: { authorization: "Bearer the-key", "content-type": "application/json", ...headers },
            body: JSON.stringify(body),
          }),
          worker,
          createExecutionContext(),
        );
    };
    const batch = { actions: [{ tool: "drop", args: {} }] };
    const key = { "idempotency-key": "crashed" };
    const reached = Promise.withResolvers<void>();
    const dying = await open((begunAt, method, ...args) => {
      if (method !== "complete") return stub.since(begunAt, method, ...args);
      reached.resolve();
      return new Promise<never>(() => {});
    });
    void dying("/v1/execute_actions", batch, key);
    await reached.promise;
    await evictDurableObject(stub);

    const send = await open((begunAt, method, ...args) => stub.since(begunAt, method, ...args));
    const answer = await eventually(
      "the takeover",
      async () => {
        const sent = await send("/v1/execute_actions", batch, key);
        return sent.status === 200 ? sent : undefined;
      },
      { everyMs: 50 },
    );
    const { results } = await answer.json<{ results: { status: string; confirmation: { id: string } }[] }>();
    expect(results).toMatchObject([{ status: "pending_confirmation" }]);
    const { id } = results[0]!.confirmation;
    const asked = await callConfirmations(stub, "confirmations", { status: null, limit: 10, after: null });
    expect(asked.rows.map((one) => one.id)).toEqual([id]);
    const decide = () => send(`/v1/confirmations/${id}`, { decision: "approve" });
    expect([(await decide()).status, (await decide()).status]).toEqual([200, 409]);
    expect(dropped).toBe(1);
  },
);
