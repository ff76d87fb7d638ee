import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { KeptFlow } from "../../src/features/flows/declaration/flow-schema.ts";
import { makeFailure, toWireFailure } from "../../src/core/contract/failure.ts";
import { callConfirmations } from "../../src/features/confirmations/confirmation.ts";
import { callFlows, type KeptStep, type RunRequest } from "../../src/features/flows/flow-run.ts";
import {
  callAddedTools,
  type FlowClock,
  type ToolToKeep,
} from "../../src/features/added-tools/stored-tools.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import * as FLOWS_LIMITS from "../../src/features/flows/limits.ts";
import type { JobSpec } from "../../src/core/contract/gate/job.ts";
import { RunTable } from "../../src/features/flows/objects/stored-runs.ts";
import { makeRun } from "../../src/features/flows/run/make-run.ts";

import { makeJobsRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

/** The time that a busy machine needs to load a module, and more. */
const PATIENT = { timeout: 50_000 };

const MINUTE_MS = 60_000;
const EVERY_MINUTE = { cron: "* * * * *", timezone: "UTC" };

/** A flow as an object keeps it. */
function flowOf(name: string, deadlineMs?: number): string {
  const flow = { summary: name, input_schema: {}, actions: [], deadline_ms: deadlineMs };
  return JSON.stringify({ name, flow, is_write: false, confirm: false, typical_tokens: 1 });
}

function runOf(cause: string, { flow = "orders", takes = true } = {}): RunRequest {
  const spec = makeRun({
    tenant: "acme",
    trigger: "webhook",
    kept: JSON.parse(flowOf(flow)) as KeptFlow,
    toolJson: flowOf(flow),
    inputJson: '["succeed"]',
    newId: () => crypto.randomUUID(),
  });
  return { cause, spec, takes };
}

const failure = toWireFailure(makeFailure("UPSTREAM_ERROR"));
const report = (...steps: KeptStep[]) => ({ envelopeJson: '{"results":[]}', steps });
const done = (id: string): KeptStep => ({ id, outcomeJson: '{"status":"success"}' });

describe("A run", () => {
  test("is recorded once for what caused it, and leased to who takes it", async () => {
    const gate = env.TENANT_GATE.getByName("run-once");
    const first = await callFlows(gate, "recordRun", runOf("id 1"));
    expect(first).toMatchObject({ kind: "recorded", fence: 1 });
    const { jobId } = first as { jobId: string };
    expect(await callFlows(gate, "recordRun", runOf("id 1"))).toEqual({
      kind: "recorded",
      jobId,
      fence: null,
    });
    await evictDurableObject(gate);
    expect(await callFlows(gate, "recordRun", runOf("id 1"))).toEqual({
      kind: "recorded",
      jobId,
      fence: null,
    });
    expect(await callFlows(gate, "recordRun", runOf("id 1", { flow: "others" }))).toMatchObject({ fence: 1 });
  });

  trial("asks a person by the attempt that has it, and by no other", async () => {
    const gate = env.TENANT_GATE.getByName("run-asks");
    const { jobId } = (await callFlows(gate, "recordRun", runOf("id 1"))) as { jobId: string };
    const park = (id: string, fence: number) =>
      callConfirmations(gate, "park", [{ id, groupJson: "{}" }], { jobId, fence });
    expect(await park("lapsed", 0)).toBeNull();
    expect(await park("own", 1)).toMatchObject([{ id: "own" }]);
    await gate.cancel(jobId);
    expect(await park("cancelled", 1)).toBeNull();
    for (const id of ["lapsed", "cancelled"])
      expect(await callConfirmations(gate, "confirmation", id)).toBeNull();
  });

  test("has no cause remembered beyond as many as may be, until the old ones are forgotten", async () => {
    const gate = env.TENANT_GATE.getByName("run-causes");
    await runInDurableObject(gate, (_, { storage }) => {
      const open = () => new RunTable(storage.sql, 2);
      const [now, flow] = [Date.now(), "orders"];
      const table = open();
      table.keepCause(now, { flow, cause: "id 1", jobId: "j1" });
      expect([table.isFull, open().isFull]).toEqual([false, false]);
      table.keepCause(now, { flow, cause: "id 2", jobId: "j2" });
      expect([table.isFull, open().isFull], "also where it is read anew").toEqual([true, true]);
      table.prune(now + LIMITS.causeMs);
      expect([table.isFull, open().isFull]).toEqual([false, false]);
      expect(table.causedBy(now, { flow, cause: "id 1" })).toBeNull();
    });
  });

  test("is another one when its cause is long forgotten", async () => {
    const gate = env.TENANT_GATE.getByName("run-forgotten");
    const { jobId } = (await callFlows(gate, "recordRun", runOf("id 1"))) as { jobId: string };
    await runInDurableObject(gate, (_, { storage }) =>
      storage.sql.exec("UPDATE run_causes SET expires_at = expires_at - ?", LIMITS.causeMs).toArray(),
    );
    const second = (await callFlows(gate, "recordRun", runOf("id 1"))) as { jobId: string };
    expect(second.jobId).not.toBe(jobId);
  });

  trial("waits for the alarm where many of its flow are under way, and another flow's does not", async () => {
    const gate = env.TENANT_GATE.getByName("run-many");
    const fences: (number | null)[] = [];
    for (let n = 0; n <= FLOWS_LIMITS.runsByRequests; n += 1)
      fences.push(((await callFlows(gate, "recordRun", runOf(`id ${n}`))) as { fence: number | null }).fence);
    expect(fences).toEqual([...Array.from({ length: FLOWS_LIMITS.runsByRequests }, () => 1), null]);
    expect(await callFlows(gate, "recordRun", runOf("id", { flow: "others" }))).toMatchObject({ fence: 1 });
  });

  test("that waits for the alarm is due at once, whatever time its flow has", async () => {
    const gate = env.TENANT_GATE.getByName("run-queued");
    const before = Date.now();
    const { jobId } = (await callFlows(gate, "recordRun", runOf("1", { takes: false }))) as { jobId: string };
    const dueAt = await runInDurableObject(
      gate,
      (_, { storage }) =>
        storage.sql.exec<{ due_at: number }>("SELECT due_at FROM jobs WHERE id = ?", jobId).one().due_at,
    );
    // Or claimed meanwhile, and then its lease is far away.
    const { attempts, createdAt } = (await gate.job(jobId))!;
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(attempts > 0 || dueAt === createdAt).toBe(true);
    await expect.poll(async () => (await gate.job(jobId))!.attempts, PATIENT).toBe(1);
  });

  trial(
    "T45 is recorded where the quota of runs is used up, and waits for it, also after an eviction; other jobs do not",
    async () => {
      const gate = env.TENANT_GATE.getByName("run-quota");
      const record = async (cause: string, takes = true) =>
        (await callFlows(gate, "recordRun", runOf(cause, { flow: "rare", takes }))) as {
          jobId: string;
          fence: number | null;
        };
      const first = [await record("1"), await record("2")];
      expect(first.map(({ fence }) => fence)).toEqual([1, 1]);
      const waiting = [await record("3"), await record("4", false), await record("5")];
      expect(waiting.map(({ fence }) => fence)).toEqual([null, null, null]);
      for (let round = 0; round < 2; round += 1) {
        await runDurableObjectAlarm(gate);
        for (const { jobId } of waiting)
          expect(await gate.job(jobId)).toMatchObject({ status: "running", attempts: 0 });
        await gate.admit(makeJobsRequest(makeSpec(`other-${round}`, ["fail", "succeed"])));
        await gate.settle(`other-${round}`, 1, { kind: "failed", error: failure });
        await expect.poll(async () => (await gate.job(`other-${round}`))!.status, PATIENT).toBe("succeeded");
        await evictDurableObject(gate);
      }
      // The alarm comes when there is room for one more; half an hour, less what the test took.
      await runDurableObjectAlarm(gate);
      const due = await runInDurableObject(gate, (_, { storage }) => storage.getAlarm());
      expect(due! - Date.now()).toBeGreaterThan(20 * MINUTE_MS);
      // A cause from before is told as always.
      expect(await record("3")).toEqual({ kind: "recorded", jobId: waiting[0]!.jobId, fence: null });
    },
  );

  trial("T45 that has waited for the quota of runs begins when there is room, and none is lost", async () => {
    const gate = env.TENANT_GATE.getByName("run-quota-later");
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1)
      ids.push(
        (
          (await callFlows(gate, "recordRun", runOf(`${n}`, { flow: "limited", takes: false }))) as {
            jobId: string;
          }
        ).jobId,
      );
    for (const id of ids) await expect.poll(async () => (await gate.job(id))!.attempts, PATIENT).toBe(1);
  });

  trial("is not recorded where too many of its flow, or of all flows, wait; other jobs are", async () => {
    const gate = env.SMALL_GATE.getByName("run-full");
    const record = (cause: string, flow: string) =>
      callFlows(gate, "recordRun", runOf(cause, { flow, takes: false }));
    for (const cause of ["1", "2", "3"]) expect(await record(cause, "a")).toMatchObject({ kind: "recorded" });
    expect(await record("4", "a")).toEqual({ kind: "backlog-full" });
    // The recorded run is found all the same.
    expect(await record("1", "a")).toMatchObject({ kind: "recorded" });
    for (const cause of ["1", "2"]) expect(await record(cause, "b")).toMatchObject({ kind: "recorded" });
    expect(await record("3", "b")).toEqual({ kind: "backlog-full" });
    await evictDurableObject(gate);
    expect(await record("5", "a")).toEqual({ kind: "backlog-full" });
  });

  trial("keeps what an attempt writes of its steps, as long as the attempt has it", async () => {
    const gate = env.TENANT_GATE.getByName("run-steps");
    const { jobId } = (await callFlows(gate, "recordRun", runOf("id 1"))) as { jobId: string };
    expect(await callFlows(gate, "beginStep", jobId, 1, "w")).toBe(true);
    expect(await callFlows(gate, "beginStep", jobId, 2, "x")).toBe(false);
    await callFlows(gate, "endStep", jobId, 2, done("w"));
    await evictDurableObject(gate);
    expect(await callFlows(gate, "runSteps", jobId)).toEqual([{ id: "w", outcomeJson: null }]);
    await callFlows(gate, "endStep", jobId, 1, done("w"));
    expect(await callFlows(gate, "runSteps", jobId)).toEqual([done("w")]);
    await gate.cancel(jobId);
    expect(await callFlows(gate, "beginStep", jobId, 1, "y")).toBe(false);
  });

  trial("keeps them for the next attempt, and forgets them when it has succeeded", async () => {
    const gate = env.TENANT_GATE.getByName("run-report");
    const { jobId } = (await callFlows(gate, "recordRun", runOf("id 1"))) as { jobId: string };
    await callFlows(gate, "beginStep", jobId, 1, "w");
    expect(
      await callFlows(gate, "settleRun", jobId, 1, { kind: "failed", error: failure }, report(done("r"))),
    ).toBe(true);
    expect(await callFlows(gate, "runSteps", jobId)).toEqual([done("r")]);
    expect(await gate.job(jobId)).toMatchObject({
      status: "retrying",
      envelopeJson: '{"results":[]}',
      trigger: "webhook",
    });
    const other = (await callFlows(gate, "recordRun", runOf("id 2"))) as { jobId: string };
    await callFlows(gate, "beginStep", other.jobId, 1, "w");
    await callFlows(
      gate,
      "settleRun",
      other.jobId,
      1,
      { kind: "succeeded", dataJson: "1" },
      report(done("w")),
    );
    expect(await callFlows(gate, "runSteps", other.jobId)).toEqual([]);
  });

  trial(
    "that cannot go on is dead and can be redriven, and one that may have happened is unknown and cannot",
    async () => {
      const gate = env.TENANT_GATE.getByName("run-dead");
      const [dead, lost] = [
        await callFlows(gate, "recordRun", runOf("1")),
        await callFlows(gate, "recordRun", runOf("2")),
      ] as {
        jobId: string;
      }[];
      const error = { ...failure, retryable: false };
      await callFlows(gate, "settleRun", dead!.jobId, 1, { kind: "failed", error }, report(done("w")));
      await callFlows(gate, "settleRun", lost!.jobId, 1, { kind: "unknown", error }, report());
      expect((await gate.job(dead!.jobId))!.status).toBe("dead");
      expect((await gate.job(lost!.jobId))!.status).toBe("unknown");
      expect(await gate.redrive(dead!.jobId)).toMatchObject({ change: "done", job: { status: "retrying" } });
      expect(await callFlows(gate, "runSteps", dead!.jobId)).toEqual([done("w")]);
      expect(await gate.redrive(lost!.jobId)).toMatchObject({ change: "wrong-status" });
    },
  );

  trial(
    "has an input that no row has room for in pieces, whose characters stay whole, and they go with it",
    async () => {
      const gate = env.TENANT_GATE.getByName("run-input");
      const { cause, spec } = runOf("1");
      // The first piece would end in the middle of the character.
      const text = `${"x".repeat(FLOWS_LIMITS.runInputCharacters - 2)}\u{1f600}${"ü".repeat(FLOWS_LIMITS.runInputCharacters)}`;
      const argsJson = JSON.stringify(text);
      await callFlows(gate, "recordRun", { cause, spec: { ...spec, argsJson }, takes: true });
      await evictDurableObject(gate);
      const kept = await callFlows(gate, "runInput", spec.id);
      expect(kept === argsJson, "whole").toBe(true);
      await callFlows(gate, "settleRun", spec.id, 1, { kind: "succeeded", dataJson: "null" }, report());
      await runInDurableObject(gate, (_, { storage }) =>
        storage.sql.exec("UPDATE jobs SET updated_at = 1").toArray(),
      );
      await evictDurableObject(gate);
      // Another request to the object: what is old is forgotten with it.
      await callFlows(gate, "recordRun", runOf("2"));
      expect(await gate.job(spec.id)).toBeNull();
      expect(await callFlows(gate, "runInput", spec.id)).toBeNull();
    },
  );

  test("has its flow's time besides the lease", async () => {
    const gate = env.SMALL_GATE.getByName("run-lease");
    const spec = { ...runOf("1").spec, run: { trigger: "webhook", deadlineMs: 50_000 } } as const;
    await callFlows(gate, "recordRun", { cause: "1", spec, takes: true });
    const due = await runInDurableObject(gate, (_, { storage }) => storage.getAlarm());
    expect(due! - Date.now()).toBeGreaterThan(40_000);
  });
});

describe("A webhook that waits to be sent again", () => {
  const failed = { kind: "failed", error: failure } as const;
  const webhook = (id: string) =>
    makeSpec(id, ["hang"], { tool: "deliver_event", retries: "standard-webhooks", maxAttempts: 10 });

  trial("takes no other job's place in the backlog, and has one of its own", async () => {
    const gate = env.SMALL_GATE.getByName("webhook-backlog");
    const record = (...specs: JobSpec[]) => gate.admit(makeJobsRequest(...specs));
    // The backlog has eight places, and four webhooks may wait.
    for (const id of ["w1", "w2", "w3", "w4"]) {
      expect((await record(webhook(id))).recorded).toHaveLength(1);
      await gate.settle(id, 1, failed);
    }
    expect((await record(webhook("w5"))).refusedJobs).toEqual([{ index: 0, code: "BACKLOG_FULL" }]);
    const others = Array.from({ length: 8 }, (_, n) => makeSpec(`j${n}`, ["hang"]));
    expect((await record(...others)).recorded).toHaveLength(8);
    expect((await record(makeSpec("j9", ["hang"]))).refusedJobs).toHaveLength(1);
    // A waiting run is found again by an object that has forgotten everything.
    await runInDurableObject(gate, (_, { storage }) => storage.deleteAlarm());
    await evictDurableObject(gate);
    expect((await record(webhook("w6"))).refusedJobs).toHaveLength(1);
  });
});

/** A flow of the tenant's with a clock that comes then. */
function withClock(
  name: string,
  nextAt: number | null,
  clock = EVERY_MINUTE,
): ToolToKeep & { clock: FlowClock } {
  const heads = { summary: name, description: name, category: "flows", actions: ["run"], is_write: false };
  return {
    name,
    fingerprint: "f",
    headJson: JSON.stringify(heads),
    json: flowOf(name),
    needs: [],
    clock: { ...clock, nextAt },
  };
}

describe("A clock", () => {
  const list = { status: null, limit: 50, after: null };
  const nextOf = (gate: DurableObjectStub, flow: string) =>
    runInDurableObject(
      gate,
      (_, { storage }) =>
        storage.sql.exec<{ next_at: number }>("SELECT next_at FROM clocks WHERE flow = ?", flow).toArray()[0]
          ?.next_at,
    );

  trial("sets the object's alarm, and goes with its flow", async () => {
    const gate = env.TENANT_GATE.getByName("clock-alarm");
    const at = Date.now() + 5 * MINUTE_MS;
    await callAddedTools(gate, "changeTools", { kind: "put", tool: withClock("daily", at) });
    const alarm = () => runInDurableObject(gate, (_, { storage }) => storage.getAlarm());
    expect(await alarm()).toBe(at);
    await callAddedTools(gate, "changeTools", { kind: "delete", name: "daily" });
    expect(await nextOf(gate, "daily")).toBeUndefined();
    await runDurableObjectAlarm(gate);
    expect((await gate.jobs(list)).rows).toEqual([]);
    expect(await alarm()).toBeNull();
  });

  trial(
    "that has come runs its flow once, however many of its times have passed, also after an eviction",
    async () => {
      const gate = env.TENANT_GATE.getByName("clock-missed");
      await callAddedTools(gate, "changeTools", {
        kind: "put",
        tool: withClock("daily", Date.now() - 90 * MINUTE_MS),
      });
      await evictDurableObject(gate);
      // An alarm of the past comes by itself.
      await expect
        .poll(async () => (await gate.jobs(list)).rows, PATIENT)
        .toMatchObject([{ tool: "daily", trigger: "cron" }]);
      const next = (await nextOf(gate, "daily"))!;
      expect(next).toBeGreaterThan(Date.now() - 1_000);
      expect(next % MINUTE_MS).toBe(0);
      await runDurableObjectAlarm(gate);
      expect((await gate.jobs(list)).rows).toHaveLength(1);
    },
  );

  trial("never runs one time twice, also where its row was set back", async () => {
    const gate = env.TENANT_GATE.getByName("clock-back");
    const at = Date.UTC(2026, 0, 1, 7);
    // Its next time is a year later: a time of it that has passed is this one.
    const yearly = { cron: "0 7 1 1 *", timezone: "UTC" };
    for (let n = 0; n < 3; n += 1) {
      await callAddedTools(gate, "changeTools", { kind: "put", tool: withClock("yearly", at, yearly) });
      await runDurableObjectAlarm(gate);
      await expect.poll(async () => ((await nextOf(gate, "yearly")) ?? 0) > at, PATIENT).toBe(true);
    }
    expect((await gate.jobs(list)).rows).toHaveLength(1);
  });

  trial("that is put again without one is none any more", async () => {
    const gate = env.TENANT_GATE.getByName("clock-paused");
    await callAddedTools(gate, "changeTools", {
      kind: "put",
      tool: withClock("daily", Date.now() + 60 * MINUTE_MS),
    });
    const { clock: _, ...paused } = withClock("daily", null);
    await callAddedTools(gate, "changeTools", { kind: "put", tool: { ...paused, fingerprint: "g" } });
    expect(await nextOf(gate, "daily")).toBeUndefined();
    await runDurableObjectAlarm(gate);
    expect((await gate.jobs(list)).rows).toEqual([]);
  });

  trial("is taken while the alarm has other work", async () => {
    const gate = env.TENANT_GATE.getByName("clock-beside");
    await callFlows(gate, "recordRun", runOf("1", { takes: false }));
    await callAddedTools(gate, "changeTools", {
      kind: "put",
      tool: withClock("daily", Date.now() - MINUTE_MS),
    });
    void runDurableObjectAlarm(gate);
    await expect.poll(async () => (await gate.jobs(list)).rows.length, PATIENT).toBe(2);
  });
});
