import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { makeFailure, toWireFailure } from "../../src/core/contract/failure.ts";
import type { AdmissionAnswer } from "../../src/core/contract/gate/admission.ts";
import type { AttemptEnd, JobSpec } from "../../src/core/contract/gate/job.ts";
import {
  BATCH,
  callBackground,
  type KeptResult,
  type OpenedBatch,
} from "../../src/features/background/batch-job.ts";
import { makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

// The alarm claims an attempt and does nothing with it: the test is the attempt.

type Stub = ReturnType<typeof env.TENANT_GATE.getByName>;

const HOUR_MS = 3_600_000;
const ALL = { after: null, limit: 100, bytes: 1_000_000 };
const CONTINUED: AttemptEnd = { kind: "continued" };
const FAILED: AttemptEnd = { kind: "failed", error: toWireFailure(makeFailure("INVALID_ARGS")) };

const batchOf = (id: string, key = "app"): JobSpec =>
  makeSpec(id, ["succeed"], { kind: BATCH, tool: `execute_actions:${key}`, toolJson: "{}" });

const done = (element: number): KeptResult => ({
  step: 0,
  element,
  outcomeJson: '{"status":"success","data":1,"meta":{}}',
  inDoubt: false,
});
const sent = (element: number): KeptResult => ({ ...done(element), outcomeJson: null, inDoubt: true });
const unbegun = (element: number): KeptResult => ({
  ...done(element),
  outcomeJson: '{"status":"error","error":{"code":"CANCELLED"},"meta":{"attempts":0}}',
});

const record = (stub: Stub, ...specs: readonly JobSpec[]): Promise<AdmissionAnswer> =>
  stub.admit(makeJobsRequest(...specs));

/** Begin an attempt as soon as the alarm has claimed it. */
async function open(stub: Stub, id: string, fence: number, deadlineMs = HOUR_MS): Promise<OpenedBatch> {
  return vi.waitFor(
    async () => {
      const opened = await callBackground(stub, "open", id, fence, { deadlineMs });
      expect(opened).not.toBeNull();
      return opened!;
    },
    { timeout: 50_000, interval: 20 },
  );
}

const write = (stub: Stub, [id, fence]: readonly [string, number], ...results: readonly KeptResult[]) =>
  callBackground(stub, "write", id, fence, { results, total: 5 });

const settle = (stub: Stub, [id, fence]: readonly [string, number], end: AttemptEnd) =>
  callBackground(stub, "settle", id, fence, { end, results: [] });

describe("A batch in the background in its tenant's object", () => {
  test("goes on after an eviction between two attempts, with what the first one wrote and the time that is left", async () => {
    const stub = env.TENANT_GATE.getByName("background-evicted");
    await record(stub, batchOf("one"));
    const { endsAt, kept } = await open(stub, "one", 1);
    expect(kept).toEqual([]);
    expect(await write(stub, ["one", 1], done(0), sent(1))).toBe(true);
    expect(await settle(stub, ["one", 1], CONTINUED)).toBe(true);
    await evictDurableObject(stub);
    expect(await open(stub, "one", 2, 2 * HOUR_MS)).toEqual({ endsAt, kept: [done(0), sent(1)] });
    expect(await write(stub, ["one", 1], done(2)), "of the attempt before").toBe(false);
    expect(await settle(stub, ["one", 1], FAILED)).toBe(false);
    expect(await stub.job("one")).toMatchObject({
      status: "running",
      attempts: 1,
      progress: { done: 1, failed: 0, total: 5 },
    });
  });

  trial(
    "begins nothing any more once it is cancelled, and what it wrote stays, with how what it had begun ended",
    async () => {
      const stub = env.TENANT_GATE.getByName("background-cancelled");
      await record(stub, batchOf("one"));
      await open(stub, "one", 1);
      expect(await write(stub, ["one", 1], done(0), done(1))).toBe(true);
      expect(await stub.cancel("one")).toMatchObject({ change: "done" });
      expect(await write(stub, ["one", 1], done(2), sent(3))).toBe(false);
      expect(await settle(stub, ["one", 1], CONTINUED)).toBe(false);
      expect(await callBackground(stub, "open", "one", 1, { deadlineMs: 1 })).toBeNull();
      const theirs = [done(0), done(1), done(2)];
      expect(await callBackground(stub, "results", "one", ALL)).toMatchObject({ results: theirs });
      expect(await write(stub, ["one", 0], done(4)), "of the attempt before").toBe(false);
      expect(await stub.job("one")).toMatchObject({ status: "cancelled", progress: { done: 3, total: 5 } });

      expect(await callBackground(stub, "left", "one", 1)).toEqual(theirs);
      const whole = { step: 0, element: -1, outcomeJson: '{"status":"success","json":"[]"}', inDoubt: false };
      await callBackground(stub, "complete", "one", [unbegun(2), unbegun(3), unbegun(4), whole]);
      expect(await callBackground(stub, "left", "one", 1)).toBeNull();
      const { results } = await callBackground(stub, "results", "one", ALL);
      expect(results).toEqual([whole, ...theirs, unbegun(3), unbegun(4)]);
      expect(await stub.job("one")).toMatchObject({ progress: { done: 3, failed: 0, total: 5 } });
    },
  );

  trial("says in a list how far it has come, as alone, whenever something was written", async () => {
    const stub = env.TENANT_GATE.getByName("background-listed");
    await record(stub, batchOf("one"), batchOf("two"));
    await open(stub, "one", 1);
    await open(stub, "two", 1);
    const listed = async () => {
      const query = { status: null, liveOf: [BATCH], limit: 10, after: null };
      const { rows } = await stub.jobs(query);
      for (const { id, progress } of rows) expect(progress).toEqual((await stub.job(id))?.progress);
      return Object.fromEntries(rows.map(({ id, progress }) => [id, progress?.done]));
    };
    expect(await listed()).toEqual({ one: 0, two: 0 });
    await write(stub, ["one", 1], done(0), done(1), sent(2));
    expect(await listed()).toEqual({ one: 2, two: 0 });
    await write(stub, ["one", 1], done(2), unbegun(3));
    await write(stub, ["two", 1], done(0));
    expect(await listed()).toEqual({ one: 3, two: 1 });
    await settle(stub, ["two", 1], FAILED);
    expect(await listed()).toEqual({ one: 3 });
  });

  trial("has fresh time when it is redriven, and what it has done already", async () => {
    const stub = env.TENANT_GATE.getByName("background-redriven");
    await record(stub, batchOf("one"));
    const { endsAt } = await open(stub, "one", 1);
    await write(stub, ["one", 1], done(0));
    expect(await settle(stub, ["one", 1], FAILED)).toBe(true);
    expect(await stub.job("one")).toMatchObject({ status: "dead" });
    await evictDurableObject(stub);
    expect(await stub.redrive("one")).toMatchObject({ change: "done" });
    const again = await open(stub, "one", 2, 3 * HOUR_MS);
    expect(again.kept).toEqual([done(0)]);
    expect(again.endsAt).toBeGreaterThan(endsAt + HOUR_MS);
  });

  trial("is forgotten with its rows when its job is too old, and one that is alive is not", async () => {
    const stub = env.SMALL_GATE.getByName("background-pruned");
    await record(stub, batchOf("old"), batchOf("alive"));
    for (const id of ["old", "alive"]) {
      await open(stub, id, 1);
      await write(stub, [id, 1], done(0), done(1));
    }
    await settle(stub, ["old", 1], { kind: "succeeded", dataJson: "{}" });
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE jobs SET updated_at = updated_at - 60001");
    });
    await evictDurableObject(stub);
    await stub.admit(makeRequest());
    expect(await stub.job("old")).toBeNull();
    expect(await stub.job("alive")).toMatchObject({ progress: { done: 2 } });
    const left = await runInDurableObject(stub, (_gate, { storage }) =>
      ["batches", "batch_results"].map((table) =>
        storage.sql.exec<{ job_id: string }>(`SELECT DISTINCT job_id FROM ${table}`).toArray(),
      ),
    );
    expect(left).toEqual([[{ job_id: "alive" }], [{ job_id: "alive" }]]);
  });

  trial(
    "F40 of eight that have a turn each goes on at once when the object is started again, without waiting for a lease",
    async () => {
      const stub = env.TENANT_GATE.getByName("background-restarted");
      const ids = Array.from({ length: 8 }, (_, at) => `batch-${at}`);
      await record(stub, ...ids.map((id, at) => batchOf(id, at % 2 === 0 ? "app" : "other")));
      for (const id of ids) await open(stub, id, 1);
      await evictDurableObject(stub);
      for (const id of ids) await open(stub, id, 2);
      for (const id of ids) expect(await write(stub, [id, 1], done(0)), "of the attempt before").toBe(false);
    },
  );

  trial(
    "is refused where too many of its key wait, or of the tenant, and recorded when one has ended",
    async () => {
      const stub = env.SMALL_GATE.getByName("background-full");
      const refused = async (spec: JobSpec): Promise<string | undefined> =>
        (await record(stub, spec)).refusedJobs[0]?.code;
      expect(await refused(batchOf("a1", "a"))).toBeUndefined();
      expect(await refused(batchOf("a2", "a"))).toBeUndefined();
      expect(await refused(batchOf("a3", "a")), "a third of a key").toBe("BACKLOG_FULL");
      expect(await refused(batchOf("b1", "b"))).toBeUndefined();
      expect(await refused(batchOf("b2", "b")), "a fourth of all").toBe("BACKLOG_FULL");
      await open(stub, "a1", 1);
      await evictDurableObject(stub);
      expect(await refused(batchOf("b3", "b")), "also where it is read anew").toBe("BACKLOG_FULL");
      expect(await stub.job("a3")).toBeNull();
      await open(stub, "a1", 2);
      await settle(stub, ["a1", 2], { kind: "succeeded", dataJson: "{}" });
      expect(await refused(batchOf("a3", "a"))).toBeUndefined();
    },
  );
});
