import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { ReportedRun, RunHead } from "../../src/features/runs/run.ts";
import type { Look, RunQuery } from "../../src/features/runs/run-log-methods.ts";
import { countReads } from "./count-rows.ts";
import { trial } from "../support/trial.ts";

let logs = 0;
const open = (namespace = env.RUNS) => namespace.getByName(`log ${(logs += 1)}`);
const EVERYTHING: Look = { sight: { key: "operator" } };
const ALL: RunQuery = { limit: 100, after: null };

const runOf = (id: string, changes: Partial<RunHead> = {}, data = "data"): ReportedRun => {
  const head: RunHead = {
    id,
    source: "http",
    key: "k",
    request: `request-${id}`,
    startedAt: Date.now() - 10,
    durationMs: 10,
    tools: [{ tool: "echo_text", ends: [1, 0, 0, 0, 0, 0] }],
    ...changes,
  };
  return {
    head: JSON.stringify(head),
    body: JSON.stringify({
      plan: { edges: [] },
      actions: [{ id: "a0", tool: "echo_text", status: "success", data }],
    }),
  };
};
const reportOf = (...runs: readonly ReportedRun[]) => ({ id: crypto.randomUUID(), isRepeated: false, runs });
const idsOf = ({ runs }: { readonly runs: readonly { readonly run_id: string }[] }) =>
  runs.map(({ run_id }) => run_id);

/** The rows that some work read and wrote. */
async function costOf(log: ReturnType<typeof open>, work: () => Promise<unknown>) {
  const count = () =>
    runInDurableObject(log, (_, { storage }) => {
      const cursor = storage.sql.exec("SELECT COUNT(*) AS count FROM reports");
      return Number(cursor.one()["count"]);
    });
  const before = await count();
  await work();
  return (await count()) - before;
}

describe("An object that keeps runs", () => {
  test("has one row for a report, however many runs are in it, and keeps them through an eviction", async () => {
    const log = open();
    const runs = Array.from({ length: 500 }, (_, at) => runOf(`run-${String(at).padStart(3, "0")}`));
    expect(await costOf(log, () => log.report(reportOf(...runs)))).toBe(1);
    await evictDurableObject(log);
    const page = await log.list(ALL, EVERYTHING);
    expect(page.runs).toHaveLength(100);
    expect(page.next).not.toBeNull();
    expect(await log.find("run-499", EVERYTHING)).toMatchObject({
      run: { run_id: "run-499", status: "success" },
      body: runs[499]!.body,
    });
    expect(await log.find("run-500", EVERYTHING)).toBeNull();
  });

  test("writes one row a report and reads two or three, besides the alarm of the first", async () => {
    const log = open();
    await log.report(reportOf(runOf("first")));
    const cost = await runInDurableObject(log, async (object, { storage }) => {
      const total = { read: 0, written: 0 };
      const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
      const exec = storage.sql.exec.bind(storage.sql);
      Object.defineProperty(storage.sql, "exec", {
        configurable: true,
        value: (...args: Parameters<typeof exec>) => {
          const cursor = exec(...args);
          cursors.push(cursor);
          return cursor;
        },
      });
      void (object as unknown as typeof log).report(
        reportOf(...Array.from({ length: 50 }, (_, at) => runOf(`more-${at}`))),
      );
      for (const { rowsRead, rowsWritten } of cursors) {
        total.read += rowsRead;
        total.written += rowsWritten;
      }
      return total;
    });
    expect(cost.written).toBe(1);
    expect(cost.read).toBeLessThanOrEqual(3);
  });

  trial(
    "reads no further than to the first run that asks, until the gate has said what goes on; one that a filter leaves out asks nothing",
    async () => {
      const log = open();
      for (let at = 0; at < 40; at += 1) await log.report(reportOf(runOf(`run-${at}`)));
      const made = { tools: [{ tool: "echo_text", ends: [0, 0, 1, 0, 0, 0] }], tags: ["made"] };
      await log.report(reportOf(runOf("asks", made)));
      const listed = async (query: Partial<RunQuery>, look: Look) => {
        await evictDurableObject(log);
        // The object reads before what it holds in memory.
        await log.find("run-1", EVERYTHING);
        const read = await countReads(log);
        const { asks, runs } = await log.list({ ...ALL, ...query }, look);
        return { asks, runs: runs.length, rows: await read() };
      };
      const first = await listed({}, EVERYTHING);
      expect(first.asks).toBe(true);
      expect(first.rows).toBeLessThan(5);
      expect(await listed({}, { ...EVERYTHING, jobs: [] })).toMatchObject({ asks: false, runs: 41 });
      expect(await listed({ tag: "none" }, EVERYTHING)).toMatchObject({ asks: false, runs: 0 });
      expect(await listed({ tag: "made", status: "running" }, EVERYTHING)).toMatchObject({ asks: true });
    },
  );

  test("takes a report that was sent again once", async () => {
    const log = open();
    const report = reportOf(runOf("once"));
    await log.report(report);
    await log.report({ ...report, isRepeated: true });
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["once"]);
    const other = reportOf(runOf("lost"));
    await log.report({ ...other, isRepeated: true });
    expect(idsOf(await log.list(ALL, EVERYTHING)).toSorted()).toEqual(["lost", "once"]);
  });

  test("finds what a run has caused, and what its job has", async () => {
    const log = open();
    await log.report(reportOf(runOf("cause", { job: "job-1" }), runOf("child", { parent: "cause" })));
    await log.report(reportOf(runOf("late", { parent: "job-1", source: "approval", answers: "q" })));
    await evictDurableObject(log);
    const found = await log.find("cause", EVERYTHING);
    expect(found?.children.map(({ run_id }) => run_id)).toEqual(["child", "late"]);
  });

  trial("forgets one run and leaves those of the same report", async () => {
    const log = open();
    await log.report(
      reportOf(runOf("stays"), runOf("goes", { tools: [{ tool: "other", ends: [1, 0, 0, 0, 0, 0] }] })),
    );
    // For a key that may not call its tool there is no such run.
    expect(await log.forget("goes", { key: "x", tools: ["echo_text"] })).toBe(false);
    expect(await log.forget("goes", { key: "x" })).toBe(true);
    expect(await log.forget("goes", { key: "x" })).toBe(false);
    expect(await log.find("goes", EVERYTHING)).toBeNull();
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["stays"]);
    expect(await log.forget("stays", { key: "x" })).toBe(true);
    expect(await costOf(log, async () => {})).toBe(0);
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual([]);
  });

  trial("keeps as many runs as it may, and lets the oldest go first", async () => {
    const log = open(env.SMALL_RUNS);
    for (let at = 0; at < 8; at += 1) await log.report(reportOf(runOf(`run-${at}`)));
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["run-7", "run-6", "run-5"]);
    expect(await log.find("run-4", EVERYTHING)).toBeNull();
    await evictDurableObject(log);
    await log.report(reportOf(runOf("run-8")));
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["run-8", "run-7", "run-6"]);
  });

  test("keeps as many bytes as it may, and the newest report however large", async () => {
    const log = open(env.SMALL_RUNS);
    await log.report(reportOf(runOf("small")));
    await log.report(reportOf(runOf("large", {}, "x".repeat(200_000))));
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["large"]);
    await log.report(reportOf(runOf("next")));
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["next"]);
  });

  test("has an alarm for when the first report is too old", async () => {
    const log = open();
    await log.report(reportOf(runOf("one")));
    const alarm = await runInDurableObject(log, (_, { storage }) => storage.getAlarm());
    expect(alarm! - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(alarm! - Date.now()).toBeLessThan(7.1 * 86_400_000);
  });

  trial(
    "F37 erases everything, and takes no late report of what was under way or of what that caused, after a restart too",
    async () => {
      const log = open();
      await log.report(reportOf(runOf("one"), runOf("two")));
      const begunAt = Date.now() - 1;
      expect(await log.erase()).toBe(2);
      expect(await log.erase()).toBe(0);
      const ended = runOf("ended", { startedAt: Date.now() - 500 });
      const underWay = runOf("under-way", { startedAt: begunAt, durationMs: 600_000 });
      const caused = { ...runOf("caused", { startedAt: Date.now() + 60_000, parent: "under-way" }), begunAt };
      for (const restart of [false, true]) {
        if (restart) await evictDurableObject(log);
        await log.report(reportOf(ended, underWay, caused));
        expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual([]);
      }
      const later = Date.now() + 1_000;
      await log.report(reportOf({ ...runOf("later", { startedAt: later }), begunAt: later }));
      expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["later"]);
    },
  );

  trial("writes down what a rerun sets out to send, once, and keeps that through an eviction", async () => {
    const log = open();
    await log.report(reportOf(runOf("root")));
    const claim = { root: "root", rerun: "first", writes: ["a0"], after: 0 };
    expect(await log.claimRerun(claim)).toBe(true);
    expect(await log.claimRerun({ ...claim, rerun: "second" })).toBe(false);
    await evictDurableObject(log);
    expect(await log.reruns("root")).toMatchObject({
      root: "root",
      answers: [expect.any(String)],
      earlier: [{ rerun: "first", at: expect.any(Number), writes: ["a0"], body: null, answers: [] }],
    });
    const child = runOf("first", { parent: "root" });
    await log.report(reportOf(child));
    const [yes, later] = [
      runOf("yes", { parent: "root", answers: "q-1" }),
      runOf("later", { parent: "first", answers: "q-2" }),
    ];
    await log.report(reportOf(yes, runOf("other", { parent: "root" }), later));
    expect(await log.reruns("first")).toMatchObject({
      root: "root",
      answers: [expect.any(String), yes.body],
      earlier: [{ rerun: "first", writes: ["a0"], body: child.body, answers: [later.body] }],
    });
    // A yes, and what follows from it, goes back to the run that asked.
    for (const id of ["yes", "later"]) expect(await log.reruns(id)).toMatchObject({ root: "root" });
    expect(await log.claimRerun({ root: "root", rerun: "of-yes", writes: ["a0"], after: 0 })).toBe(false);
    await log.dropRerun("first");
    expect(await log.reruns("root")).toMatchObject({ root: "root", earlier: [] });
  });

  test("forgets reruns with everything else", async () => {
    const log = open();
    await log.claimRerun({ root: "root", rerun: "first", writes: ["a0"], after: 0 });
    await log.erase();
    expect(await log.reruns("root")).toEqual({
      root: "root",
      body: null,
      answers: [],
      ids: [],
      earlier: [],
      jobs: [],
    });
  });

  test("gives everything page by page, as it was reported", async () => {
    const log = open();
    const reports = [reportOf(runOf("a"), runOf("b")), reportOf(runOf("c"))];
    for (const report of reports) await log.report(report);
    const first = await log.read(null, 10);
    const second = await log.read(first.next, 10_000);
    const read = [...first.runs, ...second.runs].map(({ head, body }) => ({ head, body }));
    // The newest report first.
    expect(read).toEqual(reports.toReversed().flatMap(({ runs }) => runs));
    expect(second.next).toBeNull();
  });

  test("lists runs of a subject, and shows it", async () => {
    const log = open();
    await log.report(
      reportOf(runOf("hers", { subject: "ada" }), runOf("his", { subject: "bob" }), runOf("nobodys")),
    );
    const { runs } = await log.list({ ...ALL, subject: "ada" }, EVERYTHING);
    expect(runs).toMatchObject([{ run_id: "hers", subject: "ada" }]);
  });

  test("lists a run of several attempts once, as the last has left it, finds it by its job, and forgets all of it", async () => {
    const log = open();
    const attempt = (data: string) => runOf("whole", { job: "its-job" }, data);
    // Two of them in one report.
    await log.report(reportOf(attempt("one"), attempt("two")));
    await log.report(reportOf(runOf("other"), attempt("three")));
    expect(idsOf(await log.list(ALL, EVERYTHING)).toSorted()).toEqual(["other", "whole"]);
    for (const id of ["whole", "its-job"])
      expect(await log.find(id, EVERYTHING)).toMatchObject({
        run: { run_id: "whole", job_id: "its-job" },
        body: attempt("three").body,
      });
    expect(await log.forget("whole", EVERYTHING.sight)).toBe(true);
    await evictDurableObject(log);
    expect(idsOf(await log.list(ALL, EVERYTHING))).toEqual(["other"]);
    expect(await log.find("its-job", EVERYTHING)).toBeNull();
  });

  trial("takes back what another has given, before what it has, and prunes both as one log", async () => {
    const from = open();
    for (const report of [reportOf(runOf("a")), reportOf(runOf("b"), runOf("c"))]) await from.report(report);
    const { runs } = await from.read(null, 100_000);
    const to = open();
    await to.report(reportOf(runOf("own")));
    expect(await to.restore(runs, [])).toBe(3);
    expect(await to.restore(runs, [])).toBe(0);
    const ids = async () => (await to.list(ALL, EVERYTHING)).runs.map(({ run_id }) => run_id);
    expect(new Set(await ids())).toEqual(new Set(["own", "a", "b", "c"]));
    await evictDurableObject(to);
    expect(new Set(await ids())).toEqual(new Set(["own", "a", "b", "c"]));
    const counts = await runInDurableObject(to, (_, { storage }) =>
      storage.sql
        .exec<{ before: number; runs: number }>("SELECT runs_before AS before, runs FROM reports ORDER BY at")
        .toArray(),
    );
    // Each row counts on from the one before it, also where it was put in front.
    for (const [at, row] of counts.slice(1).entries())
      expect(row.before).toBe(counts[at]!.before + counts[at]!.runs);
    expect(await to.erase()).toBe(4);
  });

  trial("lists 100,000 runs of 25,000 reports by pages whose cost does not grow", async () => {
    const log = open();
    await runInDurableObject(log, (_, { storage }) => {
      const from = Date.now() - 100_000_000;
      storage.transactionSync(() => {
        for (let row = 0; row < 25_000; row += 1) {
          const at = from + row * 4_000;
          const runs = Array.from({ length: 4 }, (__, index) =>
            runOf(`${row}.${index}`, { startedAt: at - index * 100 }),
          );
          storage.sql.exec(
            "INSERT INTO reports (at, report, runs_before, runs, bytes_before, bytes, marks, heads, bodies) VALUES (?, ?, ?, 4, ?, 400, ?, ?, ?)",
            at,
            `r${row}`,
            row * 4,
            row * 400,
            runs.map((__, index) => `${row}.${index}    +`).join("\n"),
            runs.map(({ head }) => head).join("\n"),
            runs.map(({ body }) => body).join("\n"),
          );
        }
      });
    });
    await evictDurableObject(log);
    expect(await log.find("12.3", EVERYTHING)).toMatchObject({ run: { run_id: "12.3" } });
    const page = await log.list({ limit: 50, after: null }, EVERYTHING);
    expect(page.runs[0]!.run_id).toBe("24999.0");
    const deep = await log.list({ limit: 50, after: { at: page.next!.at - 50_000_000, id: "" } }, EVERYTHING);
    expect(deep.runs).toHaveLength(50);
    const nothing = await log.list({ limit: 50, after: null, tool: "none" }, EVERYTHING);
    expect([nothing.runs, nothing.next === null]).toEqual([[], false]);
  });
});
