import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import type { RateLimit } from "../../src/core/contract/gate/admission.ts";
import type { KeyState } from "../../src/core/contract/gate/idempotency.ts";
import type { JobRecord } from "../../src/core/contract/gate/job.ts";
import type { TenantGateMethods } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import { migrate } from "../../src/cloudflare/durable/tables/schema.ts";
import landedTenantGate from "../fixtures/landed-tenant-gate.sql?raw";
import landedToolGate from "../fixtures/landed-tool-gate.sql?raw";
import { createAddedToolsPart } from "../../src/features/added-tools/objects/tool-table.ts";
import { createFlowsPart } from "../../src/features/flows/objects/flows-part.ts";
import { ask } from "./ask-confirmations.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { replaceStorage, TENANT_TIMES } from "./replace-storage.ts";
import { attemptsRun, deliveriesTried, SCRIPTED } from "./scripted-attempts.ts";
import { trial } from "../support/trial.ts";

// The rows of a released version go on working when this version opens them: the landed version's rows, read and changed through
// today's methods.

const PARTS = [createAddedToolsPart(), createFlowsPart(() => SCRIPTED)];

let opened = 0;
const gateOf = () => env.TENANT_GATE.getByName(`landed-${++opened}`);
type Stub = ReturnType<typeof gateOf>;

async function openTenantGate(): Promise<Stub> {
  const stub = gateOf();
  await runInDurableObject(stub, (_gate, { storage }) =>
    replaceStorage(storage, landedTenantGate, TENANT_TIMES),
  );
  await evictDurableObject(stub);
  return stub;
}

/** Look in the turn that opens the object: no alarm has run anything yet. */
const inFirstTurn = <T>(stub: Stub, look: (gate: TenantGateMethods) => T): Promise<T> =>
  runInDurableObject(stub, (gate: DurableObject & TenantGateMethods) => look(gate));

const jobBecomes = (stub: Stub, id: string, expected: object): Promise<void> =>
  vi.waitFor(async () => expect(await stub.job(id)).toMatchObject(expected), {
    timeout: 50_000,
    interval: 20,
  });

const everyJob = { status: null, limit: 100, after: null };
const told = (status: string, attempts: number, lastStatus: number | null) => ({
  callback: { status, attempts, lastStatus },
});

/** Every job of the fixture: its status, its attempts, and what else is to be seen of it. */
const LANDED: Readonly<Record<string, readonly [status: string, attempts: number, more?: object]>> = {
  cancelled: ["cancelled", 1, { note: expect.stringContaining("Attempt 1 was under way") }],
  dead: ["dead", 1, { errorJson: expect.stringContaining("UNKNOWN_TOOL") }],
  "dead-told": ["dead", 1, told("delivered", 1, 204)],
  deferred: ["retrying", 0, { errorJson: expect.stringContaining("UPSTREAM_ERROR") }],
  failed: ["failed", 1, { errorJson: expect.stringContaining("INVALID_ARGS") }],
  foreign: ["dead", 1, { errorJson: expect.stringContaining("cannot read the job's record") }],
  "given-back": ["retrying", 0, { errorJson: null }],
  large: ["succeeded", 1, { dataJson: null, note: expect.stringContaining("70002 bytes") }],
  leased: ["running", 1, { nextAttemptAt: null }],
  "leased-told": ["running", 1, told("pending", 0, null)],
  orphan: ["running", 1],
  "orphan-last": ["running", 1],
  "orphan-once": ["running", 1],
  "orphan-told": ["running", 1, told("pending", 0, null)],
  queued: ["running", 0],
  redriven: ["retrying", 0, { note: expect.stringContaining("Redriven after 1 attempt") }],
  "retry-due": ["retrying", 1, { errorJson: expect.stringContaining("TIMEOUT") }],
  "retry-later": ["retrying", 1, { nextAttemptAt: expect.any(Number) }],
  succeeded: ["succeeded", 1, { dataJson: '{"größe":1}', errorJson: null, note: null, callback: null }],
  "told-delivered": ["succeeded", 1, told("delivered", 1, 204)],
  "told-disabled": ["succeeded", 1, told("disabled", 1, 410)],
  "told-due": ["succeeded", 1, told("pending", 0, null)],
  "told-gone": ["succeeded", 1, told("pending", 0, null)],
  "told-undelivered": ["succeeded", 1, told("failed", 10, 500)],
  "told-waiting": ["succeeded", 1, told("pending", 1, 503)],
  unknown: ["unknown", 1, { errorJson: expect.stringContaining("TIMEOUT") }],
};

/** The fields of a job that a list shows. A row that cannot be read is buried when it is looked at, each time anew in a list. */
function headOf(job: JobRecord): object {
  const { id, tool, status, attempts, createdAt, nextAttemptAt, errorJson, note, callback } = job;
  return { id, tool, status, attempts, createdAt, nextAttemptAt, errorJson, note, callback, dataJson: null };
}

describe("F29 a tenant's object filled by the landed version", () => {
  test("shows and lists its jobs as they were", async () => {
    const stub = await openTenantGate();
    const [listed, shown] = await inFirstTurn(stub, (gate) => [
      gate.jobs(everyJob).rows,
      Object.keys(LANDED).map((id) => gate.job(id) as JobRecord),
    ]);
    for (const [id, [status, attempts, more = {}]] of Object.entries(LANDED)) {
      const job = shown.find((one) => one.id === id)!;
      expect(job, id).toMatchObject({ tool: "probe", status, attempts, ...more });
      expect(
        listed.find((one) => one.id === id),
        id,
      ).toMatchObject(headOf(job));
    }
    expect(listed).toHaveLength(Object.keys(LANDED).length);
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const dead = await inFirstTurn(stub, (gate) => gate.jobs({ ...everyJob, status: "dead" }).rows);
    expect(dead.map(({ id }) => id)).toEqual(expect.arrayContaining(["dead", "dead-told", "foreign"]));
  });

  trial("runs by its alarm what is due, under the next fence, and leaves what is not", async () => {
    const stub = await openTenantGate();
    await stub.job("leased");
    await jobBecomes(stub, "orphan", { status: "succeeded", attempts: 2, dataJson: '{"attempt":2}' });
    await jobBecomes(stub, "retry-due", { status: "succeeded", attempts: 2, errorJson: null });
    for (const id of ["deferred", "given-back", "queued", "redriven"])
      await jobBecomes(stub, id, { status: "succeeded", attempts: 1, dataJson: '{"attempt":1}' });
    await jobBecomes(stub, "orphan-once", { status: "unknown", attempts: 1 });
    await jobBecomes(stub, "orphan-last", { status: "dead", attempts: 1 });
    await jobBecomes(stub, "foreign", { status: "dead" });
    expect(await stub.settle("orphan", 1, { kind: "succeeded", dataJson: '"late"' })).toBe(false);
    expect(await stub.job("leased")).toMatchObject({ status: "running", attempts: 1 });
    expect(await stub.job("retry-later")).toMatchObject({ status: "retrying", attempts: 1 });
    // These are the attempts of all objects of this isolate, and the lease of an earlier one may be over: `leased` is not asked about.
    const ids = attemptsRun.map((run) => run.split("#")[0]);
    expect(ids.filter((id) => ["orphan-once", "orphan-last", "foreign"].includes(id!))).toEqual([]);
    const alarmAt = await runInDurableObject(stub, (_gate, { storage }) => storage.getAlarm());
    expect(alarmAt).toBeGreaterThan(Date.now());
  });

  trial(
    "delivers its callbacks, each under the event it had, and nothing to an endpoint that is gone",
    async () => {
      const stub = await openTenantGate();
      await stub.job("told-due");
      await jobBecomes(stub, "told-due", told("delivered", 1, 204));
      await jobBecomes(stub, "told-waiting", told("delivered", 2, 204));
      await jobBecomes(stub, "told-gone", told("disabled", 0, null));
      await jobBecomes(stub, "orphan-told", { status: "succeeded", ...told("delivered", 1, 204) });
      expect(await stub.settle("leased-told", 1, { kind: "succeeded", dataJson: "1" })).toBe(true);
      await jobBecomes(stub, "leased-told", { status: "succeeded", ...told("delivered", 1, 204) });
      const sent = deliveriesTried.map(({ eventId, attempt }) => `${eventId} ${attempt}`);
      const events = ["told-due-1 1", "told-waiting-1 2", "orphan-told-2 1", "leased-told-1 1"];
      expect(sent).toEqual(expect.arrayContaining(events));
      expect(deliveriesTried.filter(({ jobId }) => jobId === "told-gone")).toEqual([]);
      expect(deliveriesTried.find(({ jobId }) => jobId === "told-due")).toMatchObject({
        target: { url: "https://a.example.com/204", secretName: "S" },
        job: { status: "succeeded", dataJson: '{"größe":1}' },
      });
    },
  );

  trial("settles, cancels and redrives its jobs, and records no id twice", async () => {
    const stub = await openTenantGate();
    const again = makeJobsRequest(makeSpec("leased", ["succeed"]), makeSpec("succeeded", []));
    expect((await stub.admit(again)).recorded.map(({ index }) => index)).toEqual([0, 1]);
    expect(await stub.job("succeeded")).toMatchObject({ status: "succeeded", dataJson: '{"größe":1}' });
    expect(await stub.settle("leased", 1, { kind: "succeeded", dataJson: '"ok"' })).toBe(true);
    expect(await stub.cancel("retry-later")).toMatchObject({ change: "done", job: { status: "cancelled" } });
    expect(await stub.cancel("failed")).toMatchObject({ change: "wrong-status" });
    expect(await stub.redrive("foreign")).toMatchObject({ change: "wrong-status" });
    for (const id of ["dead", "dead-told"]) {
      expect(await stub.redrive(id)).toMatchObject({ change: "done" });
      await jobBecomes(stub, id, { status: "succeeded", attempts: 1, errorJson: null });
    }
    await jobBecomes(stub, "dead-told", told("delivered", 1, 204));
    expect(deliveriesTried).toContainEqual(expect.objectContaining({ eventId: "dead-told-2", attempt: 1 }));
  });

  trial("answers its idempotency keys", async () => {
    const stub = await openTenantGate();
    const stateOf = async (key: string, fingerprint = `f-${key}`): Promise<KeyState> => {
      const content = { key, fingerprint, seed: "another" };
      const isBatch = key.startsWith("b:");
      const { idempotency } = await stub.admit(
        makeRequest({
          idempotency: {
            runId: `again-${key}`,
            batch: isBatch ? content : null,
            actions: isBatch ? [] : [{ index: 0, ...content }],
          },
        }),
      );
      return (isBatch ? idempotency!.batch : idempotency!.actions[0]!.state)!;
    };
    expect(await stateOf("b:done")).toEqual({ kind: "done", answer: { json: '{"größe":1}', failed: false } });
    expect(await stateOf("a:failed")).toEqual({
      kind: "done",
      answer: { json: '{"ok":false}', failed: true },
    });
    expect(await stateOf("b:running")).toMatchObject({ kind: "running" });
    expect(await stateOf("b:running", "other")).toEqual({ kind: "conflict" });
    expect(await stateOf("b:released")).toEqual({ kind: "claimed", seed: "seed-b:released", inDoubt: false });
    expect(await stateOf("b:silent")).toEqual({ kind: "claimed", seed: "seed-b:silent", inDoubt: true });
    expect(await stateOf("a:doubt")).toEqual({ kind: "claimed", seed: "seed-a:doubt", inDoubt: true });
    const answer = { json: "1", failed: false };
    await stub.complete({ runId: "run-1", ends: [{ key: "b:running", end: { kind: "done", answer } }] });
    expect(await stateOf("b:running")).toEqual({ kind: "done", answer });
  });

  trial(
    "lists its confirmations, of which only those are known that another version would not guess at",
    async () => {
      const stub = gateOf();
      await runInDurableObject(stub, async (_gate, { storage }) => {
        await replaceStorage(storage, landedTenantGate, TENANT_TIMES);
        const actions = [
          { id: "gone", tool: "drop", gated: true, needs: [], args: { kind: "call", input: {} } },
          { id: "tell", tool: "mail", gated: false, needs: [0], args: { kind: "call", input: {} } },
        ];
        storage.sql.exec(
          "UPDATE confirmations SET island_json = ?, head_json = ? WHERE id = 'c-pending'",
          JSON.stringify({ format: 1, requestedBy: "ann", actions }),
          JSON.stringify({
            requestedBy: "ann",
            actions: actions.map(({ id, tool, gated }) => ({ id, tool, gated })),
          }),
        );
        storage.sql.exec("UPDATE confirmations SET island_json = 'no JSON' WHERE id = 'c-done'");
      });
      await evictDurableObject(stub);
      expect((await ask(stub).confirmations({ status: null, limit: 100, after: null })).rows).toMatchObject([
        {
          id: "c-pending",
          head: {
            requestedBy: "ann",
            actions: [
              { id: "gone", tool: "drop", gated: true },
              { id: "tell", tool: "mail", gated: false },
            ],
          },
        },
      ]);
    },
  );

  trial("decides its confirmations, and no decision falls twice", async () => {
    const stub = await openTenantGate();
    const statuses = ["pending", "running", "done", "rejected", "expired"] as const;
    for (const status of statuses) {
      const groupJson = `{"of":"${status}","größe":1}`;
      expect(await ask(stub).confirmation(`c-${status}`)).toMatchObject({ status, groupJson });
    }
    for (const status of ["done", "rejected", "expired"] as const)
      expect(await ask(stub).approve({ id: `c-${status}`, by: "eve" }, makeRequest())).toEqual({
        refused: status,
      });
    expect(await ask(stub).approve({ id: "c-running", by: "eve" }, makeRequest())).toEqual({
      refused: "running",
    });
    await ask(stub).conclude({ id: "c-running", by: "ann" });
    expect(await ask(stub).confirmation("c-running")).toMatchObject({ status: "done" });
    const jobs = makeJobsRequest(makeSpec("approved", []));
    expect(await ask(stub).approve({ id: "c-pending", by: "ann" }, jobs)).toMatchObject({
      refused: null,
      admission: { recorded: [{ index: 0, fence: 1 }] },
    });
  });

  test("recalls its kept results", async () => {
    const stub = await openTenantGate();
    expect(await stub.recall(["r-1", "r-2"])).toEqual([
      { handle: "r-1", json: '{"größe":"…🚗"}' },
      { handle: "r-2", json: "2" },
    ]);
  });

  test("goes on counting where its quota was", async () => {
    const stub = await openTenantGate();
    const allowed = async (quota: RateLimit) => (await stub.admit(makeRequest({ quota }))).quota;
    expect(await allowed(HUNDRED_AN_HOUR)).toMatchObject({ allowed: false });
    const other = await allowed({ ...HUNDRED_AN_HOUR, bucket: "key:app" });
    expect(other).toMatchObject({ allowed: true });
    expect(other!.remaining).toBeGreaterThan(90);
    expect(other!.remaining).toBeLessThan(99);
  });
});

trial("F29 bringing the tables up to date is all or nothing, and once", async () => {
  await runInDurableObject(gateOf(), async (_gate, { storage }) => {
    const { sql } = storage;
    const everything = (): unknown => {
      const tables = sql.exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'",
      );
      return tables.toArray().map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()]);
    };
    await replaceStorage(storage, landedTenantGate, TENANT_TIMES);
    const before = everything();
    const exec = sql.exec.bind(sql);
    sql.exec = ((query: string, ...bindings: unknown[]) => {
      if (query.startsWith("INSERT INTO schema_steps")) throw new Error("the object was stopped here");
      return exec(query, ...bindings);
    }) as typeof exec;
    expect(() => migrate(storage, PARTS)).toThrow("stopped here");
    expect(everything()).toEqual(before);
    sql.exec = exec;
    migrate(storage, PARTS);
    const after = everything();
    expect(after).not.toEqual(before);
    migrate(storage, PARTS);
    expect(everything()).toEqual(after);
  });
});

test("F29 a database of a version before is refused with the step that it is at, and left as it is", async () => {
  await runInDurableObject(gateOf(), async (_gate, { storage }) => {
    await replaceStorage(storage, landedTenantGate, TENANT_TIMES);
    storage.sql.exec("DELETE FROM schema_steps WHERE step > 4");
    expect(() => migrate(storage, PARTS)).toThrow(
      /^UNAVAILABLE: the tables are at step 5, .* from step 13 on/,
    );
    const [{ done }] = storage.sql.exec("SELECT COUNT(*) AS done FROM schema_steps").toArray() as [
      object & { done: number },
    ];
    expect(done).toBe(5);
  });
});

trial(
  "F29 a tool's object filled by the landed version counts its permits until they are certainly over",
  async () => {
    const stub = env.TOOL_GATE.getByName("landed-tool");
    await runInDurableObject(stub, (_gate, { storage }) =>
      replaceStorage(storage, landedToolGate, { marks: ["at"] }),
    );
    await evictDurableObject(stub);
    const ask = (id: string, rate: { limit: number; windowS: number } | null) =>
      stub.acquire({ id, limits: { concurrency: 2, rate }, waitMs: 0, holdMs: 1_000 });
    expect(await ask("rate", { limit: 2, windowS: 3_600 })).toMatchObject({ granted: false });
    expect(await ask("place", null)).toMatchObject({ granted: false, reason: "busy" });
  },
);
