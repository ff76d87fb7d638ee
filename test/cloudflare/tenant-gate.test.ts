import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { JobCursor } from "../../src/core/contract/gate/job.ts";
import { ask } from "./ask-confirmations.ts";
import { countReads, countRows } from "./count-rows.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { attemptsRun, TWO_AN_HOUR } from "./scripted-attempts.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = (namespace: typeof env.TENANT_GATE = env.TENANT_GATE) =>
  namespace.getByName(`tenant-${++tenants}`);
const smallGate = () => gateOf(env.SMALL_GATE);
const hastyGate = () => gateOf(env.HASTY_GATE);
type Stub = ReturnType<typeof gateOf>;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Ends what hangs; no measure of speed. */
const WAIT = { timeout: 50_000 };
const OVER = { kind: "succeeded", dataJson: "1" } as const;

const alarmOf = (stub: Stub): Promise<number | null> =>
  runInDurableObject(stub, (_gate, state) => state.storage.getAlarm());
const attemptsOf = (id: string): string[] => attemptsRun.filter((run) => run.startsWith(`${id}#`));
const statusOf = async (stub: Stub, id: string): Promise<string | undefined> => (await stub.job(id))?.status;
const becomes = (stub: Stub, id: string, status: string): Promise<void> =>
  vi.waitFor(async () => expect(await statusOf(stub, id)).toBe(status), { timeout: 50_000, interval: 20 });

/** Make the running lease of every live job end now, as if its time had passed. */
function endLeases(stub: Stub): Promise<void> {
  return runInDurableObject(stub, (_gate, state) => {
    state.storage.sql.exec("UPDATE jobs SET due_at = 1 WHERE due_at IS NOT NULL");
  }).then(() => evictDurableObject(stub));
}

describe("quota", () => {
  trial("P3: F19 3,000 parallel callers at limit 100: exactly 100", async () => {
    const stub = gateOf();
    const answers = await Promise.all(
      Array.from({ length: 3_000 }, () => stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }))),
    );
    expect(answers.filter(({ quota }) => quota?.allowed)).toHaveLength(100);
  });

  test("P3: evictions and crashes in the middle never add one, and cost what the marks are ahead", async () => {
    const stub = gateOf();
    // So slow that none comes back while the test runs.
    const quota = { bucket: "key:slow", limit: 100, windowS: 86_400 };
    let allowed = 0;
    for (let round = 0; round < 12; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => env.TENANT_GATE.get(stub.id).admit(makeRequest({ quota }))),
      );
      allowed += answers.filter(({ quota }) => quota?.allowed).length;
      if (round % 2 === 0) await evictDurableObject(env.TENANT_GATE.get(stub.id));
      else await abortAllDurableObjects();
    }
    // A mark is moved by the draw that passes it, to five beyond that draw. The last of twenty such draws is the 19th, so a cold
    // start resumes at 24: four rounds of twenty, and four of the last.
    expect(allowed).toBe(84);
  });

  trial("writes one row for about twenty draws, and none at all in between", async () => {
    const stub = gateOf();
    const rows = await countRows(stub);
    const quota = { bucket: "key:busy", limit: 2_000, windowS: 3_600 };
    await Promise.all(Array.from({ length: 2_000 }, () => stub.admit(makeRequest({ quota }))));
    expect(await rows()).toBeLessThanOrEqual(21);
  });

  test("a denied quota records nothing and draws nothing", async () => {
    const stub = gateOf();
    const quota = { bucket: "key:one", limit: 1, windowS: 3_600 };
    const tool = { bucket: "tool:probe", limit: 1, windowS: 3_600 };
    await stub.admit(makeRequest({ quota }));
    const jobs = [{ index: 0, spec: makeSpec("unquoted", []) }];
    const answer = await stub.admit(makeRequest({ quota, draws: [{ index: 0, limit: tool }], jobs }));
    expect(answer).toMatchObject({ quota: { allowed: false }, denied: [], recorded: [], refusedJobs: [] });
    expect(await stub.job("unquoted")).toBeNull();
    expect((await stub.admit(makeRequest({ draws: [{ index: 0, limit: tool }] }))).denied).toEqual([]);
  });

  test("allOrNothing records no job when one draw is denied; otherwise only the denied one is left out", async () => {
    const stub = gateOf();
    const limit = { bucket: "tool:probe", limit: 1, windowS: 3_600 };
    const draws = [0, 1].map((index) => ({ index, limit }));
    const jobs = [0, 1].map((index) => ({ index, spec: makeSpec(`some-${index}`, []) }));
    expect(await stub.admit(makeRequest({ draws, jobs }))).toMatchObject({
      denied: [{ index: 1 }],
      recorded: [{ index: 0, fence: 1 }],
    });
    const all = [0, 1].map((index) => ({ index, spec: makeSpec(`all-${index}`, []) }));
    expect(await stub.admit(makeRequest({ draws, jobs: all, allOrNothing: true }))).toMatchObject({
      recorded: [],
    });
    expect(await stub.job("all-0")).toBeNull();
  });

  trial("forgets buckets that owe nothing", async () => {
    const stub = gateOf();
    const draws = Array.from({ length: 999 }, (_, index) => ({
      index,
      limit: { bucket: `b${index}`, limit: 1_000, windowS: 1 },
    }));
    await stub.admit(makeRequest({ draws }));
    await sleep(100);
    await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }));
    await runInDurableObject(stub, (_gate, { storage }) => {
      const buckets = storage.sql.exec("SELECT bucket FROM quota").toArray();
      const kept = ["", HUNDRED_AN_HOUR.bucket, "used:ci"];
      expect(buckets).toEqual(kept.map((bucket) => ({ bucket })));
    });
  });
});

describe("jobs", () => {
  trial("P2: a recorded job is running, survives a crash, and is settled once", async () => {
    const stub = gateOf();
    const { recorded } = await stub.admit(makeJobsRequest(makeSpec("survivor", [])));
    expect(recorded).toEqual([{ index: 0, fence: 1 }]);
    await abortAllDurableObjects();
    const again = env.TENANT_GATE.get(stub.id);
    expect(await statusOf(again, "survivor")).toBe("running");
    expect(await again.settle("survivor", 1, OVER)).toBe(true);
    expect(await again.settle("survivor", 1, OVER)).toBe(false);
    expect(await again.job("survivor")).toMatchObject({ status: "succeeded", attempts: 1, dataJson: "1" });
  });

  trial("costs 2 rows of its own, and shares the alarm's", async () => {
    const stub = gateOf();
    const rows = await countRows(stub);
    await stub.admit(makeJobsRequest(makeSpec("first", [])));
    await stub.settle("first", 1, OVER);
    expect(await rows()).toBe(3);
    for (let k = 0; k < 10; k += 1) {
      await stub.admit(makeJobsRequest(makeSpec(`next-${k}`, [])));
      await stub.settle(`next-${k}`, 1, OVER);
    }
    expect(await rows()).toBe(3 + 20);
  });

  test("F11 the same request twice records once, and is not refused for the quota it has used up itself", async () => {
    const stub = gateOf();
    const quota = { bucket: "key:one", limit: 1, windowS: 3_600 };
    const limit = { bucket: "tool:probe", limit: 1, windowS: 3_600 };
    const request = { ...makeJobsRequest(makeSpec("twice", [])), quota, draws: [{ index: 0, limit }] };
    const first = await stub.admit(request);
    const second = await stub.admit(request);
    expect(second).toMatchObject({ quota: { allowed: true }, denied: [], recorded: first.recorded });
    const other = { ...request, jobs: [{ index: 0, spec: makeSpec("other", []) }] };
    expect(await stub.admit(other)).toMatchObject({ quota: { allowed: false }, recorded: [] });
  });

  trial("F12 F13 the alarm takes over when the lease runs out, and the late report is refused", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("orphan", ["hang", "succeed"])));
    await endLeases(stub);
    await becomes(stub, "orphan", "succeeded");
    expect(await stub.settle("orphan", 1, { kind: "succeeded", dataJson: '"late"' })).toBe(false);
    expect(await stub.job("orphan")).toMatchObject({
      status: "succeeded",
      attempts: 2,
      dataJson: '{"attempt":2}',
    });
    expect(attemptsOf("orphan")).toEqual(["orphan#2"]);
  });

  trial("the platform's own alarm does it too", async () => {
    const stub = hastyGate();
    await stub.admit(makeJobsRequest(makeSpec("real-alarm", ["hang", "fail", "succeed"])));
    await becomes(stub, "real-alarm", "succeeded");
    expect(attemptsOf("real-alarm")).toEqual(["real-alarm#2", "real-alarm#3"]);
  });

  trial("P4: at-most-once: a lost first attempt is unknown, never run again", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("once", ["succeed"], { delivery: "at-most-once" })));
    await endLeases(stub);
    await becomes(stub, "once", "unknown");
    expect(attemptsOf("once")).toEqual([]);
  });

  test("a job given back unstarted runs at once, even at-most-once", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("given-back", ["succeed"], { delivery: "at-most-once" })));
    expect(await stub.settle("given-back", 1, { kind: "released" })).toBe(true);
    await becomes(stub, "given-back", "succeeded");
  });

  trial.each([
    ["poison", ["fail"], "dead", 3],
    ["bug", ["throw"], "dead", 3],
    ["refused", ["fail-for-good"], "failed", 2],
    ["toolless", ["unknown-tool"], "dead", 2],
  ] as const)("T22 a %s job ends, its sibling too", async (id, acts, status, attempts) => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec(id, acts), makeSpec(`${id}-sibling`, ["succeed"])));
    await endLeases(stub);
    await becomes(stub, id, status);
    expect(await stub.job(id)).toMatchObject({ attempts });
    await becomes(stub, `${id}-sibling`, "succeeded");
  });

  trial("P3: what the alarm repeats draws from its tool's limit, and what finds no room waits", async () => {
    const stub = gateOf();
    const ids = [0, 1, 2, 3].map((n) => `rare-${n}`);
    const rare = ids.map((id) => makeSpec(id, ["succeed"], { tool: "rare" }));
    await stub.admit(makeJobsRequest(...rare, makeSpec("free", ["succeed"])));
    await endLeases(stub);
    await runDurableObjectAlarm(stub);
    for (const id of [ids[0]!, ids[1]!, "free"]) await becomes(stub, id, "succeeded");
    const attempts = await Promise.all(ids.map(async (id) => (await stub.job(id))!.attempts));
    expect(attempts).toEqual([2, 2, 1, 1]);
    const draw = makeRequest({ draws: [{ index: 0, limit: TWO_AN_HOUR }] });
    expect((await stub.admit(draw)).denied).toHaveLength(1);
  });

  trial(
    "P3: what waited for its tool's limit runs when there is room, and its waiting is no attempt",
    async () => {
      const stub = gateOf();
      const ids = [0, 1, 2, 3].map((n) => `limited-${n}`);
      await stub.admit(makeJobsRequest(...ids.map((id) => makeSpec(id, ["succeed"], { tool: "limited" }))));
      await endLeases(stub);
      await runDurableObjectAlarm(stub);
      for (const id of ids) await becomes(stub, id, "succeeded");
      for (const id of ids) expect(await stub.job(id)).toMatchObject({ attempts: 2 });
    },
  );

  trial("P2: a job that waits for its tool's limit survives an eviction", async () => {
    const stub = gateOf();
    const ids = [0, 1, 2].map((n) => `evicted-${n}`);
    await stub.admit(makeJobsRequest(...ids.map((id) => makeSpec(id, ["succeed"], { tool: "limited" }))));
    await endLeases(stub);
    await runDurableObjectAlarm(stub);
    await evictDurableObject(stub);
    await becomes(stub, ids[2]!, "succeeded");
  });

  trial("F21 a row of another version ends dead and says so; so do arguments that are not JSON", async () => {
    const stub = gateOf();
    await stub.admit(
      makeJobsRequest(makeSpec("old", []), makeSpec("torn", []), makeSpec("odd", []), makeSpec("none", [])),
    );
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE jobs SET format = 99 WHERE id = 'old'");
      storage.sql.exec("UPDATE jobs SET args_json = '{' WHERE id = 'torn'");
      storage.sql.exec(
        "UPDATE jobs SET rest_json = json_set(rest_json, '$.delivery', 'twice') WHERE id = 'odd'",
      );
      storage.sql.exec("UPDATE jobs SET rest_json = 'null' WHERE id = 'none'");
    });
    await endLeases(stub);
    for (const id of ["old", "torn", "odd", "none"]) await becomes(stub, id, "dead");
    const hints = await Promise.all(["old", "torn", "odd", "none"].map(async (id) => (await stub.job(id))!));
    expect(hints.map(({ errorJson }) => JSON.parse(errorJson!).hint)).toEqual([
      expect.stringContaining("cannot read the job's record"),
      expect.stringContaining("arguments cannot be read"),
      expect.stringContaining("cannot read the job's record"),
      expect.stringContaining("cannot read the job's record"),
    ]);
    expect(await alarmOf(stub)).toBeNull();
  });
});

test("F21 the jobs of one batch are listed beside records that cannot be read", async () => {
  const stub = gateOf();
  const specOf = (id: string, batchId: string) =>
    makeSpec(id, ["hang"], { origin: { tenant: "acme", key: "agent", requestId: "r", batchId } });
  await stub.admit(
    makeJobsRequest(
      specOf("one", "b"),
      specOf("two", "b"),
      specOf("other", "c"),
      specOf("torn", "b"),
      makeSpec("old", ["hang"]),
    ),
  );
  await runInDurableObject(stub, (_gate, { storage }) =>
    storage.sql.exec("UPDATE jobs SET rest_json = '{' WHERE id = 'torn'").toArray(),
  );
  const listed = (await stub.jobs({ status: null, batchId: "b", limit: 9, after: null })).rows;
  expect(listed.map(({ id }) => id).sort()).toEqual(["one", "two"]);
});

trial("a finished job without a callback is never due, whatever its row says", async () => {
  const stub = gateOf();
  await stub.admit(makeJobsRequest(makeSpec("over", [])));
  await stub.settle("over", 1, OVER);
  await runInDurableObject(stub, (_gate, { storage }) =>
    storage.sql.exec("UPDATE jobs SET due_at = 1").toArray(),
  );
  await evictDurableObject(stub);
  await runDurableObjectAlarm(stub);
  expect(await stub.job("over")).toMatchObject({ status: "succeeded", dataJson: "1" });
  await vi.waitFor(async () => expect(await alarmOf(stub)).toBeNull(), WAIT);
});

describe("cancel and redrive", () => {
  const NOBODY = "nobody";

  trial("a cancelled job's attempt reports in vain, and the alarm runs nothing of it", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("called-off", ["succeed"])));
    expect(await stub.cancel("called-off")).toMatchObject({ change: "done", job: { status: "cancelled" } });
    expect(await stub.settle("called-off", 1, OVER)).toBe(false);
    await endLeases(stub);
    await runDurableObjectAlarm(stub);
    expect(await stub.job("called-off")).toMatchObject({ status: "cancelled", dataJson: null });
    expect(attemptsOf("called-off")).toEqual([]);
  });

  trial("a cancelled attempt under way in the alarm is refused by its fence", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("mid-air", ["hang"])));
    await endLeases(stub);
    void runDurableObjectAlarm(stub);
    await vi.waitFor(async () => expect(await stub.job("mid-air")).toMatchObject({ attempts: 2 }), WAIT);
    const cancelled = await stub.cancel("mid-air");
    expect(cancelled?.job.note).toContain("Attempt 2 was under way");
    expect(await stub.settle("mid-air", 2, OVER)).toBe(false);
    expect(await stub.cancel("mid-air")).toMatchObject({
      change: "wrong-status",
      job: { status: "cancelled" },
    });
  });

  test("T22 a dead job is redriven by the alarm, and dies or succeeds again", async () => {
    const stub = gateOf();
    await stub.admit(
      makeJobsRequest(makeSpec("phoenix", ["unknown-tool", "unknown-tool"], { maxAttempts: 2 })),
    );
    await endLeases(stub);
    await becomes(stub, "phoenix", "dead");
    await runInDurableObject(stub, (_gate, { storage }) =>
      storage.sql.exec("UPDATE jobs SET args_json = '[\"succeed\"]' WHERE id = 'phoenix'").toArray(),
    );
    expect(await stub.redrive("phoenix")).toMatchObject({
      change: "done",
      job: { status: "retrying", attempts: 0 },
    });
    await becomes(stub, "phoenix", "succeeded");
    expect(await stub.job("phoenix")).toMatchObject({ attempts: 1, errorJson: null });
    expect(await stub.redrive("phoenix")).toMatchObject({ change: "wrong-status" });
  });

  test("an unknown job is null to both", async () => {
    const stub = gateOf();
    expect([await stub.cancel(NOBODY), await stub.redrive(NOBODY)]).toEqual([null, null]);
  });

  trial(
    "F17 a full backlog takes a few redrives more, then says so; reads and cancelling still work",
    async () => {
      const stub = smallGate();
      for (const id of ["first", "second"]) {
        await stub.admit(makeJobsRequest(makeSpec(id, ["hang"], { maxAttempts: 1 })));
        await stub.settle(id, 1, { kind: "released" });
        await runInDurableObject(stub, (_gate, { storage }) =>
          storage.sql.exec("UPDATE jobs SET attempts = 1, status = 'retrying' WHERE id = ?", id).toArray(),
        );
        await becomes(stub, id, "dead");
      }
      const full = Array.from({ length: 8 }, (_, k) =>
        makeSpec(`full-${k}`, ["hang"], { maxAttempts: 1_000 }),
      );
      await stub.admit(makeJobsRequest(...full));
      expect((await stub.admit(makeJobsRequest(makeSpec("over", [])))).refusedJobs).toMatchObject([
        { code: "BACKLOG_FULL" },
      ]);
      expect(await stub.redrive("first")).toMatchObject({ change: "done" });
      expect(await stub.redrive("second")).toMatchObject({ change: "backlog-full", job: { status: "dead" } });
      expect(await statusOf(stub, "second")).toBe("dead");
      expect((await stub.jobs({ status: "dead", limit: 5, after: null })).rows).toHaveLength(1);
      expect(await stub.cancel("full-0")).toMatchObject({ change: "done" });
      expect(await stub.redrive("second")).toMatchObject({ change: "done" });
    },
  );

  trial(
    "a page of jobs is at most as large as a list's page may be, and the next one goes on behind it",
    async () => {
      const stub = gateOf();
      const ids = Array.from({ length: 5 }, (_, n) => `wide-${n}`);
      for (const id of ids) {
        await stub.admit(makeJobsRequest(makeSpec(id, [])));
        const error = { code: "UPSTREAM_ERROR", message: "x".repeat(400_000), retryable: false } as const;
        await stub.settle(id, 1, { kind: "failed", error });
      }
      const seen: number[] = [];
      let after: JobCursor | null = null;
      for (let more = true; more;) {
        const { rows, hasMore } = await stub.jobs({ status: null, limit: 100, after });
        seen.push(rows.length);
        const { createdAt, id } = rows.at(-1)!;
        [after, more] = [{ createdAt, id }, hasMore];
      }
      expect(seen).toEqual([2, 2, 1]);
    },
  );

  trial("F21 a row of another version is dead and cannot be redriven, and is listed so", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("foreign", [], { delivery: "at-most-once" })));
    await runInDurableObject(stub, (_gate, { storage }) =>
      storage.sql.exec("UPDATE jobs SET format = 99").toArray(),
    );
    // Another version comes with a start.
    await evictDurableObject(stub);
    const listed = (await stub.jobs({ status: "dead", limit: 5, after: null })).rows;
    expect(listed).toMatchObject([{ id: "foreign", status: "dead" }]);
    expect(await stub.redrive("foreign")).toMatchObject({ change: "wrong-status", job: { status: "dead" } });
    await endLeases(stub);
    expect(await stub.redrive("foreign")).toMatchObject({ change: "wrong-status", job: { status: "dead" } });
    expect(attemptsOf("foreign")).toEqual([]);
  });

  trial("redriven jobs are live again, so pruning counts them no longer", async () => {
    const stub = smallGate();
    for (let k = 0; k < 11; k += 1) {
      await stub.admit(makeJobsRequest(makeSpec(`kept-${k}`, ["hang"])));
      const gone = {
        kind: "failed",
        error: { code: "UNKNOWN_TOOL", message: "", retryable: false },
      } as const;
      await stub.settle(`kept-${k}`, 1, gone);
    }
    for (let k = 0; k < 3; k += 1) await stub.redrive(`kept-${k}`);
    await stub.admit(makeJobsRequest(makeSpec("kept-11", [])));
    await stub.settle("kept-11", 1, OVER);
    expect(await stub.job("kept-3")).not.toBeNull();
  });
});

describe("list", () => {
  trial(
    "pages through the newest first, by status, without data, and steady while jobs come and go",
    async () => {
      const stub = gateOf();
      for (let k = 0; k < 7; k += 1) {
        await stub.admit(makeJobsRequest(makeSpec(`page-${k}`, [])));
        if (k % 2 === 0) await stub.settle(`page-${k}`, 1, OVER);
      }
      const everything = { status: null, limit: 3, after: null };
      const first = (await stub.jobs(everything)).rows;
      expect(first).toHaveLength(3);
      const seen = first.map(({ id }) => id);
      let after = first.at(-1)!;
      await stub.admit(makeJobsRequest(makeSpec("page-new", [])));
      for (let page = (await stub.jobs({ ...everything, after })).rows; page.length > 0;) {
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1)!;
        page = (await stub.jobs({ ...everything, after })).rows;
      }
      expect(seen.toSorted()).toEqual(Array.from({ length: 7 }, (_, k) => `page-${k}`));
      const succeeded = (await stub.jobs({ status: "succeeded", limit: 100, after: null })).rows;
      expect(succeeded.map(({ id }) => id).toSorted()).toEqual(["page-0", "page-2", "page-4", "page-6"]);
      const times = succeeded.map(({ createdAt }) => createdAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(succeeded.every(({ dataJson }) => dataJson === null)).toBe(true);
    },
  );
});

describe("the alarm", () => {
  trial("is set with the first job and never moved later", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("a1", [])));
    const first = await alarmOf(stub);
    await sleep(20);
    await stub.admit(makeJobsRequest(makeSpec("a2", [])));
    expect(await alarmOf(stub)).toBe(first);
  });

  test("F23 twice is a no-op the second time", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("double", ["hang", "succeed"])));
    await endLeases(stub);
    await runInDurableObject(stub, async (gate: DurableObject) => {
      await Promise.all([gate.alarm!(), gate.alarm!()]);
      await gate.alarm!();
    });
    expect(attemptsOf("double")).toEqual(["double#2"]);
  });

  trial("with nothing due runs nothing and sets itself again", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("waiting", [])));
    const before = await alarmOf(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(attemptsOf("waiting")).toEqual([]);
    expect(await alarmOf(stub)).toBe(before);
  });

  trial.each([
    ["admit", (stub: Stub) => stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }))],
    ["settle", (stub: Stub) => stub.settle("somebody", 1, OVER)],
    ["job", (stub: Stub) => stub.job("somebody")],
  ] as const)("F14 that was lost while the object slept is repaired by %s()", async (name, enter) => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec(`asleep-${name}`, [])));
    await runInDurableObject(stub, (_gate, { storage }) => storage.deleteAlarm());
    await evictDurableObject(stub);
    await enter(stub);
    expect(await alarmOf(stub)).not.toBeNull();
  });

  trial("F14 that was lost under traffic is repaired once it is overdue", async () => {
    const stub = hastyGate();
    await stub.admit(makeJobsRequest(makeSpec("overdue", ["hang", "succeed"])));
    await runInDurableObject(stub, (_gate, { storage }) => storage.deleteAlarm());
    await becomes(stub, "overdue", "succeeded");
  });

  trial("one hung attempt does not hold back the others, nor a job that comes meanwhile", async () => {
    const stub = gateOf();
    const quick = Array.from({ length: 8 }, (_, k) => makeSpec(`quick-${k}`, ["hang", "succeed"]));
    await stub.admit(makeJobsRequest(makeSpec("hung", ["hang"]), ...quick));
    await endLeases(stub);
    for (const { id } of quick) await becomes(stub, id, "succeeded");
    await stub.admit(makeJobsRequest(makeSpec("newcomer", ["succeed"])));
    expect(await stub.settle("newcomer", 1, { kind: "released" })).toBe(true);
    await becomes(stub, "newcomer", "succeeded");
    expect(await stub.job("hung")).toMatchObject({ status: "running", attempts: 2 });
  });

  trial("waits for a hung attempt no longer than its lease", async () => {
    const stub = hastyGate();
    await stub.admit(makeJobsRequest(makeSpec("hung-for-good", ["hang"], { maxAttempts: 2 })));
    await becomes(stub, "hung-for-good", "dead");
    expect(attemptsOf("hung-for-good")).toEqual(["hung-for-good#2"]);
  });

  trial("F14 that was overwritten with a later one is moved back by a cold start", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("overwritten", [])));
    const before = await alarmOf(stub);
    await runInDurableObject(stub, (_gate, { storage }) => storage.setAlarm(Date.now() + 1e9));
    await evictDurableObject(stub);
    expect(await alarmOf(stub)).toBe(before);
  });

  trial("never throws, and comes back, when storage refuses", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("stuck", ["succeed"])));
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec(
        "CREATE TRIGGER full BEFORE INSERT ON jobs WHEN NEW.fence > 1 BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
    });
    await endLeases(stub);
    await runInDurableObject(stub, async (gate: DurableObject, { storage }) => {
      await gate.alarm!();
      expect(await storage.getAlarm()).not.toBeNull();
      storage.sql.exec("DROP TRIGGER full");
      await gate.alarm!();
    });
    await becomes(stub, "stuck", "succeeded");
  });
});

describe("a shard", () => {
  const counted = (denied: readonly { readonly index: number; readonly retryAfterMs: number }[] = []) => ({
    countedAtHome: { denied },
  });

  trial(
    "queues what home has counted, up to a backlog of its own, and its alarm runs it at once",
    async () => {
      const stub = smallGate();
      const specs = Array.from({ length: 6 }, (_, k) => makeSpec(`queued-${k}`, ["succeed"]));
      const answer = await stub.admit({ ...makeJobsRequest(...specs), ...counted() });
      expect(answer.recorded).toEqual([0, 1, 2, 3].map((index) => ({ index, fence: null })));
      expect(answer.refusedJobs).toEqual([4, 5].map((index) => ({ index, code: "BACKLOG_FULL" })));
      for (const { id } of specs.slice(0, 4)) await becomes(stub, id, "succeeded");
      expect(attemptsOf("queued-0")).toEqual(["queued-0#1"]);
      expect((await stub.admit({ ...makeJobsRequest(specs[4]!), ...counted() })).recorded).toHaveLength(1);
    },
  );

  trial("runs a queued at-most-once job, and once: nothing of it was sent before", async () => {
    const stub = gateOf();
    await stub.admit({
      ...makeJobsRequest(makeSpec("queued-once", ["succeed"], { delivery: "at-most-once" })),
      ...counted(),
    });
    await becomes(stub, "queued-once", "succeeded");
    expect(attemptsOf("queued-once")).toEqual(["queued-once#1"]);
  });

  trial("makes first attempts without drawing: home has counted them", async () => {
    const stub = gateOf();
    const ids = [0, 1, 2, 3].map((n) => `counted-${n}`);
    // Two an hour: with draws, the last two would wait for longer than this test does.
    const jobs = ids.map((id, index) => ({ index, spec: makeSpec(id, ["succeed"], { tool: "rare" }) }));
    await stub.admit(makeRequest({ jobs, countedAtHome: { denied: [] } }));
    for (const id of ids) await becomes(stub, id, "succeeded");
  });

  trial("records nothing that home denied, except what it has on record already", async () => {
    const stub = gateOf();
    const jobs = ["on-record", "denied", "free"].map((id) => makeSpec(`shard-${id}`, ["hang"]));
    await stub.admit({ ...makeJobsRequest(jobs[0]!), ...counted() });
    const denied = [0, 1].map((index) => ({ index, retryAfterMs: 9 }));
    const all = { ...makeJobsRequest(...jobs), ...counted(denied) };
    expect((await stub.admit({ ...all, allOrNothing: true })).recorded).toEqual([{ index: 0, fence: null }]);
    const some = await stub.admit(all);
    expect(some.recorded.map(({ index }) => index)).toEqual([0, 2]);
    expect(some.denied).toEqual([{ index: 1, retryAfterMs: 9 }]);
  });

  trial("F22 after an outage runs as many at once as an alarm may, not all that is due", async () => {
    const stub = smallGate();
    const hung = Array.from({ length: 4 }, (_, k) => makeSpec(`herd-${k}`, ["hang"]));
    await stub.admit({ ...makeJobsRequest(...hung), ...counted() });
    await vi.waitFor(() => expect(hung.flatMap(({ id }) => attemptsOf(id))).toHaveLength(2), WAIT);
    // An alarm begins all its work in one turn, which is over when the object answers again (drain-jobs.test, in virtual time).
    await stub.jobs({ status: null, limit: 1, after: null });
    expect(hung.flatMap(({ id }) => attemptsOf(id))).toHaveLength(2);
  });
});

describe("bounds", () => {
  trial(
    "T21 F17 over the backlog is BACKLOG_FULL, job by job; quota, reads and settling still work",
    async () => {
      const stub = gateOf(env.SMALL_GATE);
      const specs = Array.from({ length: 10 }, (_, k) =>
        makeSpec(`backlog-${k}`, ["hang"], { maxAttempts: 50 }),
      );
      const { recorded, refusedJobs } = await stub.admit(makeJobsRequest(...specs));
      expect(recorded.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(refusedJobs).toEqual([8, 9].map((index) => ({ index, code: "BACKLOG_FULL" })));
      expect((await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }))).quota?.allowed).toBe(true);
      // On a slow machine the lease is over by now, and a later attempt under way.
      const fences = Array.from({ length: 50 }, (_, k) => k + 1);
      const settled = await Promise.all(fences.map((fence) => stub.settle("backlog-0", fence, OVER)));
      expect(settled.filter(Boolean)).toHaveLength(1);
      expect((await stub.admit(makeJobsRequest(specs[9]!))).recorded).toHaveLength(1);
    },
  );

  test("F17 an admission that comes again finds its jobs recorded, though the backlog is full by now", async () => {
    const stub = gateOf(env.SMALL_GATE);
    const specs = Array.from({ length: 8 }, (_, k) => makeSpec(`again-${k}`, ["hang"]));
    await stub.admit(makeJobsRequest(...specs));
    const { recorded, refusedJobs } = await stub.admit(makeJobsRequest(...specs, makeSpec("more", [])));
    expect(recorded.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(refusedJobs).toEqual([{ index: 8, code: "BACKLOG_FULL" }]);
  });

  trial(
    "F17 a full disk is OUTBOX_UNAVAILABLE for the whole batch, nothing stays, the draws stand",
    async () => {
      const stub = gateOf();
      await runInDurableObject(stub, (_gate, { storage }) => {
        storage.sql.exec(
          "CREATE TRIGGER full BEFORE INSERT ON jobs WHEN NEW.id = 'full-1' BEGIN SELECT RAISE(ABORT, 'full'); END",
        );
      });
      const request = makeJobsRequest(makeSpec("full-0", []), makeSpec("full-1", []));
      const answer = await stub.admit({ ...request, quota: HUNDRED_AN_HOUR });
      expect(answer).toMatchObject({ quota: { allowed: true, remaining: 99 }, recorded: [] });
      expect(answer.refusedJobs).toEqual([0, 1].map((index) => ({ index, code: "OUTBOX_UNAVAILABLE" })));
      expect(await stub.job("full-0")).toBeNull();
      expect(await alarmOf(stub)).toBeNull();
      expect((await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }))).quota?.remaining).toBe(98);
    },
  );

  test("a missing table is OUTBOX_UNAVAILABLE too", async () => {
    const stub = gateOf();
    await runInDurableObject(stub, (_gate, { storage }) => storage.sql.exec("DROP TABLE jobs").toArray());
    const answer = await stub.admit(makeJobsRequest(makeSpec("tableless", [])));
    expect(answer.refusedJobs).toEqual([{ index: 0, code: "OUTBOX_UNAVAILABLE" }]);
  });

  trial("F25 finished jobs are pruned by count, the oldest first, and live ones never", async () => {
    const stub = smallGate();
    await stub.admit(makeJobsRequest(makeSpec("alive", ["hang"], { maxAttempts: 1_000 })));
    for (let k = 0; k < 30; k += 1) {
      await stub.admit(makeJobsRequest(makeSpec(`done-${k}`, [])));
      await stub.settle(`done-${k}`, 1, OVER);
    }
    const kept = await runInDurableObject(stub, (_gate, { storage }) =>
      storage.sql.exec<{ kept: number }>("SELECT COUNT(*) AS kept FROM jobs WHERE due_at IS NULL").one(),
    );
    expect(kept.kept).toBeLessThanOrEqual(12);
    expect(await stub.job("done-0")).toBeNull();
    expect(await statusOf(stub, "done-29")).toBe("succeeded");
    expect(await stub.job("alive")).not.toBeNull();
  });

  trial("an attempt's report reads no row, unless the object was evicted meanwhile", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("at-hand", []), makeSpec("evicted", [])));
    const reads = await countReads(stub);
    expect(await stub.settle("at-hand", 1, OVER)).toBe(true);
    expect(await reads()).toBe(0);
    await evictDurableObject(stub);
    expect(await stub.settle("evicted", 1, OVER)).toBe(true);
    for (const id of ["at-hand", "evicted"]) expect(await statusOf(stub, id)).toBe("succeeded");
  });

  test("F25 finished jobs are pruned by age", async () => {
    const stub = smallGate();
    await stub.admit(makeJobsRequest(makeSpec("aged", [])));
    await stub.settle("aged", 1, OVER);
    await runInDurableObject(stub, (_gate, { storage }) =>
      storage.sql.exec("UPDATE jobs SET updated_at = 1").toArray(),
    );
    await evictDurableObject(stub);
    await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }));
    expect(await stub.job("aged")).toBeNull();
  });

  trial("what storage refuses to forget fails no entry, and goes with a later one", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("stays", [])));
    await stub.settle("stays", 1, OVER);
    await stub.keep([{ handle: "r", json: "1" }]);
    await ask(stub).park([{ id: "c", groupJson: "{}" }]);
    const tables = ["jobs", "results", "confirmations"];
    const onEach = async (statement: (table: string) => string): Promise<void> => {
      await runInDurableObject(stub, (_gate, { storage }) => {
        for (const table of tables) storage.sql.exec(statement(table));
      });
    };
    const left = (): Promise<number[]> =>
      runInDurableObject(stub, (_gate, { storage }) =>
        tables.map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray().length),
      );
    await onEach(
      (table) =>
        `CREATE TRIGGER full_${table} BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    const columns: Record<string, string> = { jobs: "updated_at", results: "kept_at" };
    await onEach((table) => `UPDATE ${table} SET ${columns[table] ?? "expires_at"} = 1`);
    await evictDurableObject(stub);
    expect((await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }))).quota?.allowed).toBe(true);
    expect(await left()).toEqual([1, 1, 1]);
    await onEach((table) => `DROP TRIGGER full_${table}`);
    await evictDurableObject(stub);
    await stub.admit(makeRequest());
    expect(await left()).toEqual([0, 0, 0]);
  });

  test("a cold start runs no step of the schema twice", async () => {
    const stub = gateOf();
    const stepsOf = (): Promise<object[]> =>
      runInDurableObject(stub, (_gate, { storage }) =>
        storage.sql.exec("SELECT step FROM schema_steps ORDER BY step").toArray(),
      );
    const steps = await stepsOf();
    expect(steps).toEqual(steps.map((_, step) => ({ step })));
    await evictDurableObject(stub);
    expect(await stepsOf()).toEqual(steps);
  });
});

trial("An object that is erased keeps no row but of its quota and its versions", async () => {
  const stub = gateOf();
  await stub.keep([{ handle: "r-1", json: "1" }]);
  await stub.keep([{ handle: "t-1", json: "1" }], "turns");
  await stub.admit(makeJobsRequest(makeSpec("erased", ["hang"])));
  const countRowsOf = () =>
    runInDurableObject(stub, (_gate, { storage: { sql } }) =>
      Object.fromEntries(
        sql
          .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
          .toArray()
          .filter(({ name }) => !/^(?:_|sqlite_)/.test(name))
          .map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray().length] as const)
          .filter(([, rows]) => rows > 0),
      ),
    );
  expect(await countRowsOf()).toMatchObject({ results: 1, turns: 1, jobs: 1 });
  await stub.erase();
  expect(
    Object.keys(await countRowsOf()).filter(
      (name) => !["schema_steps", "part_steps", "tools_version", "quota", "erased"].includes(name),
    ),
  ).toEqual([]);
  expect([await stub.recall(["r-1"]), await stub.recall(["t-1"], "turns")]).toEqual([[], []]);
});
