import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { makeFailure, toWireFailure } from "../../src/core/contract/failure.ts";
import { JOB_STATUSES } from "../../src/core/contract/gate/job.ts";
import { callAddedTools } from "../../src/features/added-tools/stored-tools.ts";
import type { TenantGateMethods } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import type { UsageReport } from "../../src/core/contract/gate/usage.ts";
import { ask } from "./ask-confirmations.ts";
import { countRows as countRowsWritten } from "./count-rows.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = (namespace: typeof env.TENANT_GATE = env.TENANT_GATE) =>
  namespace.getByName(`usage-${++tenants}`);
type Stub = ReturnType<typeof gateOf>;

const EVERYTHING = { quotas: [] };
const NO_JOBS = Object.fromEntries(JOB_STATUSES.map((status) => [status, 0]));
const FAR = Date.now() + 86_400_000;
/** A job that nothing happens to by itself. */
const later = (id: string, tool = "probe") => makeSpec(id, ["succeed"], { tool, runAt: FAR });
const endOf = (code: "INVALID_ARGS" | "UNKNOWN_TOOL") =>
  ({ kind: "failed", error: toWireFailure(makeFailure(code)) }) as const;

/** The counts in the rows. */
const countRows = (stub: Stub): Promise<Record<string, number>> =>
  runInDurableObject(stub, (_gate, { storage }) =>
    Object.fromEntries(
      storage.sql
        .exec<{ status: string; count: number }>("SELECT status, COUNT(*) AS count FROM jobs GROUP BY status")
        .toArray()
        .map(({ status, count }) => [status, count]),
    ),
  );

async function expectCounts(stub: Stub, expected: Partial<UsageReport["jobs"]>): Promise<void> {
  expect((await stub.usage(EVERYTHING)).jobs).toEqual({ ...NO_JOBS, ...expected });
  expect(await countRows(stub)).toEqual(expected);
}

describe("usage()", () => {
  test("says when a key was used, by either allowance, and writes that once an hour", async () => {
    const stub = gateOf();
    const maker = { bucket: "key:maker", limit: 2, windowS: 86_400 };
    const quota = { bucket: "key:made", limit: 9_000, windowS: 86_400, makers: [maker] };
    const used = async (...buckets: string[]) => {
      const quotas = buckets.map((bucket) => ({ bucket, limit: 2, windowS: 60 }));
      return (await stub.usage({ quotas })).quotas.map(({ usedAtMs }) => usedAtMs);
    };
    const before = Date.now();
    expect(await used("key:made", "key:maker")).toEqual([null, null]);
    await stub.admit(makeRequest({ quota }));
    const [made, lists, other] = await used("key:made", "lists:made", "key:maker");
    expect(made).toBeGreaterThanOrEqual(before);
    // A request counts on the maker's quota, and is no use of the maker.
    expect([lists, other]).toEqual([made, null]);
    const rows = await countRowsWritten(stub);
    await stub.admit(makeRequest({ quota: { ...quota, makers: [] } }));
    expect(await rows()).toBe(0);
    // The next lease tells what the last one covered. A refused request is no use.
    await stub.admit(makeRequest({ quota: null, usedBy: "key:busy" }));
    await stub.admit(makeRequest({ quota: { bucket: "key:none", limit: 2, windowS: 60, count: 3 } }));
    await evictDurableObject(stub);
    expect(await used("key:made", "key:busy", "key:none")).toEqual([made, expect.any(Number), null]);
  });

  trial("counts jobs by status through all that becomes of them, and after an eviction", async () => {
    const stub = gateOf();
    await stub.admit(
      makeJobsRequest(
        makeSpec("ends", []),
        makeSpec("refused", []),
        makeSpec("dies", []),
        later("waits"),
        later("called-off"),
      ),
    );
    await expectCounts(stub, { running: 3, retrying: 2 });
    await stub.settle("ends", 1, { kind: "succeeded", dataJson: "1" });
    await stub.settle("refused", 1, endOf("INVALID_ARGS"));
    await stub.settle("dies", 1, endOf("UNKNOWN_TOOL"));
    await stub.cancel("called-off");
    await stub.cancel("called-off");
    const counted = { succeeded: 1, failed: 1, dead: 1, cancelled: 1, retrying: 1 };
    await expectCounts(stub, counted);
    await stub.admit(makeJobsRequest(later("waits")));
    await expectCounts(stub, counted);
    await evictDurableObject(stub);
    await expectCounts(stub, counted);
  });

  test("counts nothing of an admission that storage did not take", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(later("kept")));
    await runInDurableObject(stub, (gate: DurableObject & TenantGateMethods, { storage }) => {
      storage.sql.exec(
        "CREATE TRIGGER full BEFORE INSERT ON jobs WHEN NEW.id = 'b' BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      gate.admit(makeJobsRequest(later("a"), later("b")));
    });
    await expectCounts(stub, { retrying: 1 });
  });

  trial("counts what is forgotten no more, and a row of another version as the list does", async () => {
    const stub = gateOf(env.SMALL_GATE);
    for (let n = 0; n < 12; n += 1) {
      await stub.admit(makeJobsRequest(makeSpec(`old-${n}`, [])));
      await stub.settle(`old-${n}`, 1, { kind: "succeeded", dataJson: "1" });
    }
    const { jobs } = await stub.usage(EVERYTHING);
    expect(jobs.succeeded).toBe((await countRows(stub))["succeeded"]);
    expect(jobs.succeeded).toBeLessThan(12);
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE jobs SET format = 99 WHERE id = 'old-11'");
    });
    await evictDurableObject(stub);
    const listed = (await stub.jobs({ status: "dead", limit: 100, after: null })).rows;
    expect([listed.length, (await stub.usage(EVERYTHING)).jobs.dead]).toEqual([1, 1]);
  });

  test("counts for a subject its own jobs alone, by status and tool", async () => {
    const stub = gateOf();
    const by = (id: string, subject: string, tool?: string) => {
      const spec = later(id, tool);
      return { ...spec, origin: { ...spec.origin!, account: { subject, digest: "d", site: "s" } } };
    };
    await stub.admit(makeJobsRequest(by("a", "ada"), by("b", "grace"), by("c", "ada", "other"), later("d")));
    await stub.cancel("a");
    const jobsOf = async (query: object) => (await stub.usage({ quotas: [], ...query })).jobs;
    expect(await jobsOf({ subject: "ada" })).toEqual({ ...NO_JOBS, cancelled: 1, retrying: 1 });
    expect(await jobsOf({ subject: "ada", jobsOf: ["other"] })).toEqual({ ...NO_JOBS, retrying: 1 });
    expect(await jobsOf({ subject: "nobody" })).toEqual(NO_JOBS);
    expect(await jobsOf({})).toEqual({ ...NO_JOBS, cancelled: 1, retrying: 3 });
  });

  trial("counts the jobs of some tools alone", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(later("a", "mail"), later("b", "mail"), later("c", "drop")));
    const { jobs, backlog } = await stub.usage({ ...EVERYTHING, jobsOf: ["mail", "mail", "unknown"] });
    expect(jobs.retrying).toBe(2);
    // A backlog is the tenant's: a key that meets it may know how full it is.
    expect(backlog).toEqual({ jobs: 3, webhooks: 0, runs: 0 });
    expect((await stub.usage({ ...EVERYTHING, jobsOf: [] })).jobs).toEqual(NO_JOBS);
  });

  test("says what is left of limits and counts nothing itself", async () => {
    const stub = gateOf();
    for (let n = 0; n < 3; n += 1) await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }));
    const fresh = { bucket: "key:new", limit: 5, windowS: 60 };
    for (let n = 0; n < 5; n += 1) {
      const { quotas } = await stub.usage({ quotas: [HUNDRED_AN_HOUR, fresh] });
      expect(quotas).toEqual([
        { remaining: 97, resetMs: expect.any(Number), usedAtMs: expect.any(Number) },
        { remaining: 5, resetMs: 0, usedAtMs: null },
      ]);
    }
  });

  trial("says how many questions wait, since when, of those that a key may decide", async () => {
    const stub = gateOf();
    const about = (id: string, tool: string) => ({
      id,
      groupJson: JSON.stringify({
        format: 1,
        requestedBy: "ann",
        actions: [{ id: "a", tool, gated: true, needs: [], args: { kind: "call", input: {} } }],
      }),
    });
    await ask(stub).park([about("q-1", "drop"), about("q-2", "purge"), about("q-3", "drop")]);
    await ask(stub).reject({ id: "q-3", by: "ann" });
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE confirmations SET created_at = 5 WHERE id = 'q-2'");
    });
    await evictDurableObject(stub);
    expect((await stub.usage(EVERYTHING)).waiting).toEqual({ count: 2, oldestAt: 5 });
    const { waiting } = await stub.usage({ ...EVERYTHING, decides: ["drop"] });
    expect(waiting.count).toBe(1);
    expect(waiting.oldestAt).toBeGreaterThan(5);
    expect((await stub.usage({ ...EVERYTHING, decides: [] })).waiting).toEqual({ count: 0, oldestAt: null });
  });

  test("tells flows from tools, and reads them once for each change", async () => {
    const stub = gateOf();
    const put = (name: string, json: string) =>
      callAddedTools(stub, "changeTools", {
        kind: "put",
        tool: { name, fingerprint: name, headJson: "{}", json, needs: [] },
      });
    await put("tool", '{"summary":"flow"}');
    await put("flow", '{"flow":{}}');
    expect((await stub.usage(EVERYTHING)).added).toEqual({ tools: 1, flows: 1, bytes: 29 });
    await callAddedTools(stub, "changeTools", { kind: "delete", name: "flow" });
    expect((await stub.usage(EVERYTHING)).added).toMatchObject({ tools: 1, flows: 0 });
  });

  test("reads no row of a job, however many there are, and writes none", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(later("a"), later("b")));
    await runInDurableObject(stub, (gate: DurableObject & TenantGateMethods, { storage }) => {
      const exec = storage.sql.exec.bind(storage.sql);
      const statements: string[] = [];
      storage.sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
        statements.push(query);
        return exec(query, ...bindings);
      }) as typeof exec;
      expect(gate.usage({ quotas: [HUNDRED_AN_HOUR] }).jobs.retrying).toBe(2);
      expect(statements).toEqual([]);
    });
  });
});
