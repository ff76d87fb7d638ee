import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { nameObject, placeJob, shardOf } from "../../src/core/contract/gate/job-shard.ts";
import { createGateClient } from "../../src/cloudflare/gate-client/gate-client.ts";
import { openObject } from "../../src/cloudflare/object-client.ts";
import { systemClock } from "../../src/cloudflare/platform/system-ports.ts";
import { deriveId } from "../../src/core/kit/derive-id.ts";
import type { BegunCalls, Remote } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import type { TenantGateNamespace } from "../../src/cloudflare/gate-client/gate-client.ts";
import { countRows } from "./count-rows.ts";
import { attemptsRun, tenantsServed } from "./scripted-attempts.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

const REQUEST = makeRequest({ quota: HUNDRED_AN_HOUR });
const gates: TenantGateNamespace = env.TENANT_GATE;

/** A namespace whose stubs answer from a list, the last answer repeating; an Error is thrown. */
class FakeNamespace implements TenantGateNamespace {
  stubs = 0;
  hashed = 0;
  readonly #answers: unknown[];

  constructor(...answers: unknown[]) {
    this.#answers = answers;
  }

  idFromName(name: string): DurableObjectId {
    this.hashed += 1;
    return { name } as DurableObjectId;
  }

  get(): Remote<BegunCalls> {
    this.stubs += 1;
    const answer = this.#answers[Math.min(this.stubs, this.#answers.length) - 1];
    const call = async () => {
      if (answer instanceof Error) throw answer;
      return { answer: await answer };
    };
    return { since: call };
  }
}

const brokenBy = (marks: object): Error => Object.assign(new Error("broken"), marks);

test("openObject() disposes of an answer, and an object that hands it on asks its own caller for nothing", async () => {
  let disposed = 0;
  const since = () => Promise.resolve({ answer: 1, [Symbol.dispose]: () => (disposed += 1) });
  const namespace = { idFromName: (name: string) => ({ name }), get: () => ({ since }) };
  const bounds = { clock: systemClock, timeoutMs: 50_000 };
  const answer = await openObject<{ since(): Promise<object> }>(namespace, "any", bounds).since();
  expect([Reflect.ownKeys(answer), disposed]).toEqual([["answer"], 1]);
});

describe("createGateClient()", () => {
  trial("reaches objects that know whose they are, home and shards alike", async () => {
    const gate = createGateClient(gates, "client-tenant", { clock: systemClock, timeoutMs: 50_000 });
    await gate.jobs({ status: null, limit: 1, after: null });
    const served = tenantsServed.filter((tenant) => tenant.startsWith("client-tenant"));
    expect(served).toEqual(Array.from({ length: LIMITS.outboxShards }, () => "client-tenant"));
  });

  trial("lists the jobs of some tools only, page by page", async () => {
    const gate = createGateClient(gates, "client-tools", { clock: systemClock, timeoutMs: 50_000 });
    const specs = ["mail", "print", "mail", "other"].map((tool) =>
      makeSpec(crypto.randomUUID(), ["hang"], { tool }),
    );
    await gate.admit(makeJobsRequest(...specs));
    const query = { status: null, tools: ["mail", "print", "to'); --"], limit: 2 };
    const first = (await gate.jobs({ ...query, after: null })).rows;
    const { createdAt, id } = first[1]!;
    const second = (await gate.jobs({ ...query, after: { createdAt, id } })).rows;
    expect([...first, ...second].map(({ tool }) => tool).sort()).toEqual(["mail", "mail", "print"]);
    expect((await gate.jobs({ ...query, tools: [], after: null })).rows).toEqual([]);
    expect((await gate.jobs({ status: "dead", limit: 9, after: null })).rows).toEqual([]);
    expect((await gate.jobs({ status: null, limit: 9, after: null })).rows).toHaveLength(4);
  });

  trial("admits, settles and reads over the real binding", async () => {
    const gate = createGateClient(gates, "client-round-trip", { clock: systemClock, timeoutMs: 50_000 });
    const { quota, recorded } = await gate.admit({
      ...makeJobsRequest(makeSpec("client-job", [])),
      quota: HUNDRED_AN_HOUR,
    });
    expect([quota?.remaining, recorded]).toEqual([99, [{ index: 0, fence: 1 }]]);
    expect(await gate.settle("client-job", 1, { kind: "succeeded", dataJson: "2" })).toBe(true);
    expect(await gate.job("client-job")).toMatchObject({ status: "succeeded", dataJson: "2" });
    expect(await gate.job("nobody")).toBeNull();
  });

  trial("keeps tenants apart", async () => {
    await createGateClient(gates, "tenant-a", { clock: systemClock, timeoutMs: 50_000 }).admit(
      makeJobsRequest(makeSpec("private", [])),
    );
    expect(
      await createGateClient(gates, "tenant-b", { clock: systemClock, timeoutMs: 50_000 }).job("private"),
    ).toBeNull();
  });

  trial("keeps more results than one message may carry, and recalls them in the order asked", async () => {
    const gate = createGateClient(gates, "client-keeps", { clock: systemClock, timeoutMs: 50_000 });
    // Just under 1 MiB of UTF-8 each, and twice that as it travels.
    const json = JSON.stringify(`${"x".repeat(1_000_000)}…`);
    const results = Array.from({ length: 18 }, (_, k) => ({ handle: `r-${k}`, json }));
    const kept = await gate.keep([
      { handle: "r-huge", json: JSON.stringify("x".repeat(2_000_000)) },
      ...results,
    ]);
    expect(kept).toEqual(results.slice(0, 16).map(({ handle }) => handle));
    const recalled = await gate.recall(["r-17", ...kept.toReversed(), "r-huge"]);
    expect(recalled.map(({ handle }) => handle)).toEqual(kept.toReversed());
    expect(recalled.every((result) => result.json === json)).toBe(true);
    expect(
      await createGateClient(gates, "client-keeps-other", { clock: systemClock, timeoutMs: 50_000 }).recall(
        kept,
      ),
    ).toEqual([]);
  });

  test("asks nothing when there is nothing to keep or recall", async () => {
    const namespace = new FakeNamespace(null);
    const gate = createGateClient(namespace, "t", { clock: systemClock, timeoutMs: 50_000 });
    expect([await gate.keep([]), await gate.recall([]), namespace.stubs]).toEqual([[], [], 0]);
  });

  trial("F15 carries on after a crash of the object, with what was durable", async () => {
    const gate = createGateClient(gates, "client-crash", { clock: systemClock, timeoutMs: 50_000 });
    await gate.admit(makeJobsRequest(makeSpec("kept", [])));
    await abortAllDurableObjects();
    expect(await gate.job("kept")).toMatchObject({ status: "running" });
  });

  test("F15 retries once, through a fresh stub, what is retryable", async () => {
    const namespace = new FakeNamespace(brokenBy({ retryable: true }), null);
    expect(
      await createGateClient(namespace, "t", { clock: systemClock, timeoutMs: 50_000 }).job("x"),
    ).toBeNull();
    expect(namespace.stubs).toBe(2);
  });

  test.each([
    ["overloaded", { retryable: true, overloaded: true }, 1],
    ["not retryable", {}, 1],
    ["retryable twice over", { retryable: true }, 2],
  ])("F15 gives up on what is %s", async (_, marks, stubs) => {
    const namespace = new FakeNamespace(brokenBy(marks));
    await expect(
      createGateClient(namespace, "t", { clock: systemClock, timeoutMs: 50_000 }).admit(REQUEST),
    ).rejects.toThrow("broken");
    expect(namespace.stubs).toBe(stubs);
  });

  test("gives up on an object that does not answer in time", async () => {
    const namespace = new FakeNamespace(new Promise(() => {}));
    await expect(
      createGateClient(namespace, "t", { clock: systemClock, timeoutMs: 20 }).admit(REQUEST),
    ).rejects.toThrow("Cannot reach the gate: no answer within 20 ms");
  });

  test("carries wishes for leases, and brings what was granted", async () => {
    const gate = createGateClient(gates, "client-leases", { clock: systemClock, timeoutMs: 50_000 });
    const limit = { bucket: "key:busy", limit: 10_000, windowS: 60 };
    const { quota, leases } = await gate.admit(makeRequest({ quota: limit }), [{ limit, tokens: 100 }]);
    expect(quota).toMatchObject({ allowed: true, remaining: 9_999 });
    // 2 s of refill are held back, and 100 are handed out.
    expect(leases).toEqual([
      {
        bucket: "key:busy",
        tokens: 100,
        leaseMs: 2_000,
        remaining: expect.any(Number),
        resetMs: expect.any(Number),
      },
    ]);
    expect(leases![0]!.remaining).toBeGreaterThan(9_500);
    expect(leases![0]!.remaining).toBeLessThan(9_600);
  });

  test("gives an admission less time than anything else", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const namespace = new FakeNamespace(promise);
    const bounds = { clock: systemClock, timeoutMs: 50_000, admissionTimeoutMs: 20 };
    const gate = createGateClient(namespace, "t", bounds);
    await expect(gate.admit(REQUEST)).rejects.toThrow("no answer within 20 ms");
    resolve();
    await expect(gate.settle("x", 1, { kind: "released" })).resolves.toBeUndefined();
  });

  trial("computes a tenant's id once, and remembers a bounded number", async () => {
    const namespace = new FakeNamespace(null);
    const ask = (tenant: string) =>
      createGateClient(namespace, tenant, { clock: systemClock, timeoutMs: 50_000 }).job("x");
    await ask("first");
    await ask("first");
    expect(namespace.hashed).toBe(1);
    for (let k = 0; k < 1_000; k += 1) await ask(`tenant-${k}`);
    await ask("first");
    expect(namespace.hashed).toBe(1_002);
  });

  test("sent again after the first sending landed: counted twice, recorded once", async () => {
    const stub = env.TENANT_GATE.getByName("client-landed");
    const landed: TenantGateNamespace = {
      idFromName: (name) => env.TENANT_GATE.idFromName(name),
      get: (id) => {
        const real = gates.get(id);
        return {
          async since(...asked) {
            const answer = await real.since(...asked);
            if (broken || asked[1] !== "admit") return answer;
            broken = true;
            throw brokenBy({ retryable: true });
          },
        };
      },
    };
    let broken = false;
    const gate = createGateClient(landed, "client-landed", { clock: systemClock, timeoutMs: 50_000 });
    const { quota, recorded } = await gate.admit({
      ...makeJobsRequest(makeSpec("landed", [])),
      quota: HUNDRED_AN_HOUR,
    });
    expect([quota?.remaining, recorded]).toEqual([98, [{ index: 0, fence: 1 }]]);
    await runInDurableObject(stub, (_gate, { storage }) => {
      expect(storage.sql.exec("SELECT id FROM jobs").toArray()).toEqual([{ id: "landed" }]);
    });
  });

  trial(
    "keeps a wide batch's jobs in several objects, and finds, lists, cancels and redrives them there",
    async () => {
      const bounds = { clock: systemClock, timeoutMs: 50_000 };
      const gate = createGateClient(gates, "client-wide", bounds);
      const ids = Array.from({ length: 12 }, (_, rank) => placeJob(crypto.randomUUID(), { rank, atHome: 3 }));
      const specs = ids.map((id, k) => makeSpec(id, k === 11 ? ["unknown-tool"] : ["succeed"]));
      const { recorded } = await gate.admit({ ...makeJobsRequest(...specs), quota: HUNDRED_AN_HOUR });
      expect(recorded.filter(({ fence }) => fence === 1).map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(recorded.filter(({ fence }) => fence === null)).toHaveLength(9);

      const becomes = (id: string, status: string) =>
        vi.waitFor(async () => expect((await gate.job(id))?.status).toBe(status), { timeout: 50_000 });
      for (const id of ids.slice(3, 11)) await becomes(id, "succeeded");
      await becomes(ids[11]!, "dead");
      expect((await gate.job(ids[4]!))?.attempts).toBe(1);
      expect(await gate.cancel(ids[0]!)).toMatchObject({ change: "done" });
      expect(await gate.redrive(ids[11]!)).toMatchObject({ change: "done" });

      const seen: string[] = [];
      let page = (await gate.jobs({ status: null, limit: 5, after: null })).rows;
      while (page.length > 0) {
        seen.push(...page.map(({ id }) => id));
        page = (await gate.jobs({ status: null, limit: 5, after: page.at(-1)! })).rows;
      }
      expect(seen).toHaveLength(12);
      expect(seen.toSorted()).toEqual(ids.toSorted());
      expect(await createGateClient(gates, "client-other", bounds).job(ids[5]!)).toBeNull();
      await vi.waitFor(() => expect(attemptsRun.filter((run) => run === `${ids[11]}#1`)).toHaveLength(2), {
        timeout: 50_000,
      });
    },
  );

  trial("queued jobs cost three rows each, and share two of the alarm", async () => {
    const bounds = { clock: systemClock, timeoutMs: 50_000 };
    const gate = createGateClient(gates, "client-queued", bounds);
    const seed = crypto.randomUUID();
    const ids = Array.from({ length: 6 }, (_, rank) => placeJob(deriveId(seed, rank), { rank, atHome: 0 }));
    const shard = env.TENANT_GATE.getByName(nameObject("client-queued", shardOf(ids[0]!)));
    await shard.job("any");
    const rows = await countRows(shard);
    await gate.admit(makeJobsRequest(...ids.map((id) => makeSpec(id, ["succeed"]))));
    const succeeded = { status: "succeeded", limit: 10, after: null } as const;
    await vi.waitFor(async () => expect((await gate.jobs(succeeded)).rows).toHaveLength(6), {
      timeout: 50_000,
    });
    expect(await rows()).toBe(6 * 3 + 2);
  });
});
