import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";

import { makeFailure, toWireFailure } from "../../src/core/contract/failure.ts";
import { callAddedTools } from "../../src/features/added-tools/stored-tools.ts";
import type { JobSpec } from "../../src/core/contract/gate/job.ts";
import type { ObjectPart } from "../../src/cloudflare/durable/object-part.ts";
import { migrate } from "../../src/cloudflare/durable/tables/schema.ts";
import { createAddedToolsPart } from "../../src/features/added-tools/objects/tool-table.ts";
import { callFlows, type RunRequest } from "../../src/features/flows/flow-run.ts";
import {
  BATCH,
  callBackground,
  type KeptResult,
  type OpenedBatch,
} from "../../src/features/background/batch-job.ts";
import { createBackgroundPart } from "../../src/features/background/objects/stored-batches.ts";
import { createConfirmationsPart } from "../../src/features/confirmations/objects/confirmations-part.ts";
import { createEndpointsPart } from "../../src/features/endpoints/objects/publish-from-gate.ts";
import { createOperatorPart } from "../../src/features/operator/objects/operator-part.ts";
import { createFlowsPart } from "../../src/features/flows/objects/flows-part.ts";
import landedTenantGate from "../fixtures/landed-tenant-gate.sql?raw";
import landedFeaturesGate from "../fixtures/landed-features-gate.sql?raw";
import { ask } from "./ask-confirmations.ts";
import { makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { FEATURE_TIMES, replaceStorage, TENANT_TIMES } from "./replace-storage.ts";
import { SCRIPTED } from "./scripted-attempts.ts";
import { listed } from "./worker.ts";
import { trial } from "../support/trial.ts";

// A Worker lists features, another deployment lists others: the object has the tables of all that it ever knew, and the methods of
// those that are listed now.

const ADDED_TOOLS = createAddedToolsPart();
const FLOWS = createFlowsPart(() => SCRIPTED);
const CONFIRMATIONS = createConfirmationsPart();
const BACKGROUND = createBackgroundPart(() => SCRIPTED.run);
const ENDPOINTS = createEndpointsPart(() => async () => {});
const ALL = [ADDED_TOOLS, FLOWS, BACKGROUND, CONFIRMATIONS, ENDPOINTS];
const TABLES = ["clocks", "confirmations", "run_causes", "run_steps", "tools", "tools_version"];
/** Those that no landed version had. */
const NEW_TABLES = ["approval_links", "batch_results", "batches", "notices"];

const WAIT = { timeout: 50_000, interval: 20 };

let opened = 0;
const gateOf = () => env.LISTED_GATE.getByName(`parts-${++opened}`);
type Stub = ReturnType<typeof gateOf>;

/** Deploy a Worker with these parts. */
async function deploy(stub: Stub, parts: readonly ObjectPart[]): Promise<void> {
  await runInDurableObject(stub, () => listed.splice(0, listed.length, ...parts));
  await evictDurableObject(stub);
}

const tablesOf = (stub: Stub): Promise<readonly string[]> =>
  runInDurableObject(stub, (_gate, { storage }) => namesOf(storage));

const namesOf = ({ sql }: DurableObjectStorage): readonly string[] =>
  sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .toArray()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("_cf"));

/** The tables with their columns, in their order. */
const shapeOf = (storage: DurableObjectStorage): unknown =>
  namesOf(storage).map((name) => [
    name,
    storage.sql.exec(`SELECT name, type, "notnull", pk FROM pragma_table_info('${name}')`).toArray(),
  ]);

const runOf = (id: string): RunRequest => ({
  cause: id,
  spec: makeSpec(id, ["succeed"], {
    kind: "run",
    tool: "nightly",
    toolJson: "{}",
    run: { trigger: "cron", deadlineMs: 1_000 },
  }),
  takes: false,
});

const batchOf = (id: string): JobSpec =>
  makeSpec(id, ["succeed"], { kind: BATCH, tool: "execute_actions:app", toolJson: "{}" });

const RESULT: KeptResult = { step: 0, element: -1, outcomeJson: '{"status":"success"}', inDoubt: false };

/**
 * Begin an attempt as soon as the alarm has claimed it; the alarm itself does nothing with it. Each deployment lets go of the
 * attempts that it ended, so how many the alarm has claimed before depends on when it ran.
 */
const beginBatch = (stub: Stub, id: string): Promise<OpenedBatch & { readonly fence: number }> =>
  vi.waitFor(
    async () => {
      for (const fence of [1, 2, 3, 4]) {
        const opened = await callBackground(stub, "open", id, fence, { deadlineMs: 3_600_000 });
        if (opened !== null) return { ...opened, fence };
      }
      throw new Error(`No attempt of '${id}' is under way.`);
    },
    { timeout: 50_000, interval: 20 },
  );

const tool = { name: "mine", fingerprint: "f", headJson: "{}", json: '{"name":"mine"}', needs: [] };

/** Open what the version with features left, as a Worker with these parts. */
async function openLanded(parts: readonly ObjectPart[]): Promise<Stub> {
  const stub = gateOf();
  await runInDurableObject(stub, (_gate, { storage }) =>
    replaceStorage(storage, landedFeaturesGate, FEATURE_TIMES),
  );
  await deploy(stub, parts);
  return stub;
}

beforeEach(() => void listed.splice(0));

describe("A new object of a Worker without features", () => {
  test("has no table of theirs and none of their methods, and admits", async () => {
    const stub = gateOf();
    expect((await stub.admit(makeJobsRequest(makeSpec("job", ["succeed"])))).recorded).toHaveLength(1);
    const tables = await tablesOf(stub);
    expect([...TABLES, ...NEW_TABLES].filter((name) => tables.includes(name))).toEqual([]);
    expect(await stub.usage({ quotas: [] })).toMatchObject({
      added: {},
      waiting: { count: 0, oldestAt: null },
    });
    await runInDurableObject(stub, (gate) => {
      for (const [feature, method] of [
        ["flows", "recordRun"],
        ["added-tools", "constructor"],
        ["confirmations", "park"],
      ] as const)
        expect(() => gate.call(feature, method)).toThrow(`Cannot call '${method}' of '${feature}'`);
      const request = makeJobsRequest(makeSpec("unclaimed", ["succeed"]));
      expect(() => gate.admitClaimed({ part: "confirmations", value: {} }, request)).toThrow(
        "Cannot claim anything of 'confirmations'",
      );
      expect(gate.job("unclaimed")).toBeNull();
    });
    expect(await stub.erase()).toBe(0);
  });

  test("makes a feature's tables when that is listed later, and keeps what it has", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("job", ["hang"])));
    await deploy(stub, ALL);
    expect(await stub.job("job")).toMatchObject({ status: "running", attempts: 1 });
    expect(await callAddedTools(stub, "changeTools", { kind: "put", tool })).toMatchObject({ ok: true });
    expect(await callFlows(stub, "recordRun", runOf("run"))).toMatchObject({ kind: "recorded" });
    expect(await tablesOf(stub)).toEqual(expect.arrayContaining([...TABLES, ...NEW_TABLES]));
    expect((await stub.admit(makeRequest())).toolsVersion).toBe(1);
  });

  trial("has the columns that a database of every earlier step has", async () => {
    await runInDurableObject(gateOf(), async (_gate, { storage }) => {
      const fresh = async (begin: () => void): Promise<unknown> => {
        await storage.deleteAll();
        begin();
        migrate(storage, ALL);
        return shapeOf(storage);
      };
      const landed = await fresh(() => void storage.sql.exec(landedTenantGate));
      expect(await fresh(() => void storage.sql.exec(landedFeaturesGate))).toEqual(landed);
      expect(await fresh(() => {})).toEqual(landed);
    });
  });
});

describe("A feature that is no longer listed", () => {
  trial("leaves its rows, its runs wait, and all goes on when it is listed again", async () => {
    const stub = gateOf();
    await deploy(stub, ALL);
    await callAddedTools(stub, "changeTools", { kind: "put", tool });
    await runInDurableObject(stub, async (gate, { storage }) => {
      gate.call("flows", "recordRun", runOf("run"));
      await storage.deleteAlarm();
    });
    await deploy(stub, []);
    expect(await stub.job("run")).toMatchObject({ attempts: 0 });
    expect(await runDurableObjectAlarm(stub)).toBe(false);
    expect((await stub.admit(makeRequest())).toolsVersion).toBeUndefined();
    expect(await stub.job("run")).toMatchObject({ status: "running", attempts: 0 });
    expect((await stub.usage({ quotas: [] })).backlog).toMatchObject({ jobs: 0, runs: 0 });
    await deploy(stub, ALL);
    expect((await stub.admit(makeRequest())).toolsVersion).toBe(1);
    await vi.waitFor(async () => expect(await stub.job("run")).toMatchObject({ attempts: 1 }), {
      timeout: 50_000,
    });
  });

  trial(
    "leaves its batches in the background and what they have done, and they go on when it is listed again",
    async () => {
      const stub = gateOf();
      await deploy(stub, ALL);
      await stub.admit(makeJobsRequest(batchOf("begun"), batchOf("waiting")));
      const { endsAt, fence } = await beginBatch(stub, "begun");
      await callBackground(stub, "write", "begun", fence, { results: [RESULT], total: 2 });
      await callBackground(stub, "settle", "begun", fence, { end: { kind: "continued" }, results: [] });
      await deploy(stub, []);
      expect(await stub.job("waiting")).toMatchObject({ status: "running" });
      expect((await stub.job("begun"))?.progress).toBeUndefined();
      await runInDurableObject(stub, (gate) => {
        expect(() => gate.call("background", "results", "begun", {})).toThrow("Cannot call 'results'");
      });
      await deploy(stub, ALL);
      expect(await beginBatch(stub, "begun")).toMatchObject({ endsAt, kept: [RESULT] });
      expect(await stub.job("begun")).toMatchObject({ progress: { done: 1, failed: 0, total: 2 } });
      await beginBatch(stub, "waiting");
    },
  );

  trial("leaves its questions undecided, and each is decided once when it is listed again", async () => {
    const stub = gateOf();
    await deploy(stub, [CONFIRMATIONS]);
    await ask(stub).park([
      { id: "asked", groupJson: "{}" },
      { id: "approved", groupJson: "{}" },
    ]);
    expect(await ask(stub).approve({ id: "approved", by: "ann" }, makeRequest())).toMatchObject({
      refused: null,
    });
    await deploy(stub, []);
    await runInDurableObject(stub, (gate) => {
      const claim = { part: "confirmations", value: { id: "asked", by: "bob" } };
      expect(() => gate.admitClaimed(claim, makeRequest())).toThrow("Cannot claim anything");
    });
    expect((await stub.usage({ quotas: [] })).waiting).toEqual({ count: 0, oldestAt: null });
    await deploy(stub, ALL);
    expect((await stub.usage({ quotas: [] })).waiting).toMatchObject({ count: 1 });
    const decide = (id: string, by: string) => ask(stub).approve({ id, by }, makeRequest());
    expect(await decide("approved", "bob")).toEqual({ refused: "running" });
    expect(await decide("asked", "bob")).toMatchObject({ refused: null });
    expect(await decide("asked", "eve")).toEqual({ refused: "running" });
    await deploy(stub, []);
    await stub.erase();
    await deploy(stub, ALL);
    expect(await ask(stub).confirmation("asked")).toBeNull();
  });

  trial(
    "is forgotten with its tenant, and the version of its tools grows on where it is listed",
    async () => {
      const stub = gateOf();
      await deploy(stub, ALL);
      await callAddedTools(stub, "changeTools", { kind: "put", tool });
      expect(await stub.erase()).toBe(2);
      expect((await callAddedTools(stub, "changeTools", { kind: "put", tool })).ok).toBe(true);
      await deploy(stub, []);
      await stub.erase();
      await deploy(stub, ALL);
      expect(await callAddedTools(stub, "toolsSince", 0)).toMatchObject({ names: [], tools: [] });
    },
  );
});

describe("F29 a database of the landed version", () => {
  trial("opens without features and loses nothing, and has all of them when they are listed", async () => {
    const stub = gateOf();
    await runInDurableObject(stub, (_gate, { storage }) =>
      replaceStorage(storage, landedTenantGate, TENANT_TIMES),
    );
    await deploy(stub, []);
    expect(await stub.job("succeeded")).toMatchObject({ status: "succeeded", dataJson: '{"größe":1}' });
    expect(await tablesOf(stub)).toEqual(expect.arrayContaining(TABLES));
    await deploy(stub, ALL);
    expect(await ask(stub).confirmation("c-done")).toMatchObject({ status: "done" });
    expect(await ask(stub).approve({ id: "c-running", by: "eve" }, makeRequest())).toEqual({
      refused: "running",
    });
    expect((await ask(stub).confirmation("c-pending"))?.status).toBe("pending");
    expect(await tablesOf(stub)).toEqual(expect.arrayContaining(NEW_TABLES));
    expect((await ask(stub).confirmation("c-done"))?.decided).toBeNull();
    await stub.admit(makeJobsRequest(batchOf("batch")));
    expect(await beginBatch(stub, "batch")).toMatchObject({ kept: [] });
    expect(await callAddedTools(stub, "changeTools", { kind: "put", tool })).toMatchObject({ ok: true });
    expect(await callFlows(stub, "recordRun", runOf("run"))).toMatchObject({ kind: "recorded" });
  });

  trial("with features goes on with its runs, their steps and causes, its clocks and tools", async () => {
    const stub = await openLanded(ALL);
    expect(await callFlows(stub, "runSteps", "run-leased")).toEqual([{ id: "w", outcomeJson: null }]);
    expect(await callFlows(stub, "beginStep", "run-leased", 1, "x")).toBe(true);
    const again = { ...runOf("another"), cause: "id run-done" };
    expect(
      await callFlows(stub, "recordRun", { ...again, spec: { ...again.spec, tool: "orders" } }),
    ).toMatchObject({ jobId: "run-done", fence: null });
    for (const [id, attempts] of [
      ["run-queued", 1],
      ["run-retrying", 2],
    ] as const)
      await vi.waitFor(async () => expect(await stub.job(id)).toMatchObject({ attempts }), {
        timeout: 50_000,
      });
    expect(await stub.job("run-dead")).toMatchObject({ status: "dead", trigger: "webhook" });
    expect(await stub.redrive("run-dead")).toMatchObject({ change: "done" });
    expect(await callFlows(stub, "runSteps", "run-dead")).toEqual([
      { id: "w", outcomeJson: '{"status":"success"}' },
    ]);
    expect(await callFlows(stub, "settleRun", "run-leased", 1, { kind: "succeeded", dataJson: "1" })).toBe(
      true,
    );
    expect(await callAddedTools(stub, "toolsSince", 0)).toMatchObject({
      version: 5,
      names: expect.arrayContaining(["mine", "orders", "nightly"]),
    });
    expect((await stub.usage({ quotas: [] })).added).toMatchObject({ tools: 1, flows: 2 });
    expect(await stub.recall(["t-1"], "turns")).toMatchObject([{ json: '{"b":1}' }]);
    const alarmAt = await runInDurableObject(stub, (_gate, { storage }) => storage.getAlarm());
    expect(alarmAt).toBeLessThan(Date.now() + 3_700_000);
  });

  trial("with features opens without them, and loses nothing until they are listed again", async () => {
    const stub = await openLanded([]);
    expect(await stub.settle("job-leased", 1, { kind: "succeeded", dataJson: "1" })).toBe(true);
    for (const id of ["run-leased", "run-queued", "run-retrying"])
      expect(["running", "retrying"]).toContain((await stub.job(id))?.status);
    expect((await stub.usage({ quotas: [] })).backlog).toMatchObject({ runs: 0 });
    expect(await stub.cancel("run-retrying")).toMatchObject({ change: "done" });
    const count = (table: string): Promise<number> =>
      runInDurableObject(
        stub,
        (_gate, { storage }) =>
          storage.sql.exec<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`).one().count,
      );
    expect(await Promise.all(TABLES.map(count))).toEqual([1, 1, 5, 3, 3, 1]);
    await deploy(stub, ALL);
    expect(await ask(stub).confirmation("c-1")).toMatchObject({ status: "pending" });
    expect((await stub.admit(makeRequest())).toolsVersion).toBe(5);
    await vi.waitFor(async () => expect(await stub.job("run-queued")).toMatchObject({ attempts: 1 }), {
      timeout: 50_000,
    });
    expect(await stub.job("run-retrying")).toMatchObject({ status: "cancelled" });
  });
});

describe("An object that has something to tell the operator when it starts", () => {
  trial("F14 tells it at once, and runs what is due all the same", async () => {
    const stub = gateOf();
    const told: unknown[] = [];
    const operatorPart = createOperatorPart(() => ({
      tell: async ({ dead }) => void told.push(dead),
      report: async () => {},
    }));
    await deploy(stub, [operatorPart]);
    await stub.admit(makeJobsRequest(makeSpec("dead", ["fail"], { maxAttempts: 1 })));
    await stub.settle("dead", 1, { kind: "failed", error: toWireFailure(makeFailure("UPSTREAM_ERROR")) });
    await vi.waitFor(() => expect(told).toEqual([{ UPSTREAM_ERROR: 1 }]), WAIT);

    await evictDurableObject(stub);
    await stub.admit(makeJobsRequest(makeSpec("retried", ["succeed"])));
    await stub.settle("retried", 1, { kind: "released" });
    await vi.waitFor(
      async () => expect(await stub.job("retried")).toMatchObject({ status: "succeeded" }),
      WAIT,
    );
    expect(told).toHaveLength(2);
  });
});
