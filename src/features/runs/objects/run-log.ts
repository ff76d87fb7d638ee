import { utf8Length } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Clock } from "../../../core/kit/clock.ts";
import { DurableObject } from "../../../core/edge/platform/durable-object.ts";
import type { ObjectClass } from "../../../core/edge/platform/object-class.ts";
import { systemClock } from "../../../core/edge/platform/system-ports.ts";
import { listRuns, placeOf, type ReportRow } from "../list-runs.ts";
import { readRunDays } from "../read-settings.ts";
import { sizeOf } from "../run-buffer.ts";
import type {
  ExportedRerun,
  ExportedRun,
  FoundRun,
  ListedRun,
  Look,
  ReportedRun,
  RunHead,
  RunLogMethods,
  RunPage,
  RunQuery,
  RunReport,
  RerunClaim,
  Reruns,
  Sight,
} from "../run.ts";
import { RunIndex, toMark } from "../run-index.ts";
import { fitsQuery } from "../run-query.ts";
import { seeRun, type SeenHead } from "../see-run.ts";

/** How much of a tenant is kept. */
export interface RunLogLimits {
  readonly runs: number;
  readonly bytes: number;
}

type HeadRow = { at: number; heads: string };
type Row = { at: number; heads: string; bodies: string };
type CountRow = { at: number; runs_before: number; runs: number; bytes_before: number; bytes: number };
/** The place of the last report, and what all reports so far come to. */
type Total = { readonly at: number; readonly runs: number; readonly bytes: number };

const LOG_LIMITS: RunLogLimits = { runs: LIMITS.runsKept, bytes: LIMITS.runsBytes };

/** Make the Durable Object class that keeps what ran. */
export function createRunLog(
  limits: RunLogLimits = LOG_LIMITS,
  clock: Clock = systemClock,
): ObjectClass<RunLogMethods> {
  /**
   * The object that keeps the runs of one tenant. A report is one row, under the time at which it arrived, which only goes up; so a time
   * is a range of rows, and whatever is too old is at their beginning. Each row counts the runs and bytes of all before it, so that how
   * many there are is read from the first and the last one.
   *
   * Runs are found by their id in an index that the object keeps in memory: it is read from the rows' marks when the first one is asked
   * for. Reports alone never read it.
   */
  return class RunLog extends DurableObject<Record<string, unknown>> implements RunLogMethods {
    readonly #sql: SqlStorage;
    readonly #keptMs: number;
    #last: Total;
    #index: RunIndex | null = null;
    /** Runs that ended before were of a tenant that is deleted. */
    #erasedAt = Number.NEGATIVE_INFINITY;
    #hasAlarm = false;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      this.#keptMs = readRunDays(env) * 86_400_000;
      this.#sql = ctx.storage.sql;
      this.#sql.exec(
        `CREATE TABLE IF NOT EXISTS reports (
           at INTEGER PRIMARY KEY, report TEXT NOT NULL, runs_before INTEGER NOT NULL, runs INTEGER NOT NULL,
           bytes_before INTEGER NOT NULL, bytes INTEGER NOT NULL, marks TEXT NOT NULL, heads TEXT NOT NULL, bodies TEXT NOT NULL
         ) STRICT`,
      );
      this.#sql.exec(
        `CREATE TABLE IF NOT EXISTS reruns (
           rerun TEXT PRIMARY KEY, root TEXT NOT NULL, at INTEGER NOT NULL, writes TEXT NOT NULL
         ) STRICT`,
      );
      this.#last = { at: 0, runs: 0, bytes: 0 };
      for (const row of this.#sql.exec<CountRow>(`${COUNTS} ORDER BY at DESC LIMIT 1`))
        this.#last = { at: row.at, runs: row.runs_before + row.runs, bytes: row.bytes_before + row.bytes };
    }

    report(report: RunReport): void {
      const { id, isRepeated } = report;
      const runs = report.runs.filter(({ head }) => {
        const { startedAt, durationMs } = JSON.parse(head) as RunHead;
        return startedAt + durationMs > this.#erasedAt;
      });
      if (runs.length === 0 || (isRepeated && this.#has(id))) return;
      const at = Math.max(clock.now(), this.#last.at + 1);
      const row = toRow(runs);
      const { runs: runsBefore, bytes: bytesBefore } = this.#last;
      this.#insert({ ...row, at, report: id, runsBefore, bytesBefore });
      this.#last = { at, runs: runsBefore + row.runs, bytes: bytesBefore + row.bytes };
      this.#index?.add(at, row.marks);
      this.#prune();
    }

    list(query: RunQuery, look: Look): RunPage {
      const { limit, after, since = 0, until } = query;
      const begin =
        until === undefined || (after !== null && after.at < until) ? after : { at: until, id: LAST_ID };
      const highest = begin === null ? Number.MAX_SAFE_INTEGER : begin.at + LIMITS.runListedMs;
      const see = this.#seer(look);
      let asks = false;
      const index = this.#read();
      const pick = (head: RunHead, at: number): ListedRun | null => {
        // A run of several attempts is listed as the last one has left it.
        if (index.placeOf(head.id) !== at) return null;
        const seen = see(head);
        asks ||= seen?.asks === true;
        return seen !== null && fitsQuery(query, seen.run, head, look) ? seen.run : null;
      };
      const oldest = Math.max(since, clock.now() - this.#keptMs);
      const { runs, next } = listRuns(this.#heads(highest), { limit, after: begin, since: oldest, pick });
      return { runs: runs.map(({ run }) => run), next, asks };
    }

    find(id: string, look: Look): FoundRun | null {
      const found = this.#find(id);
      if (found === null) return null;
      const see = this.#seer(look);
      const seen = see(found.head);
      if (seen === null) return null;
      const causes = [found.head.id, ...(found.head.job === undefined ? [] : [found.head.job])];
      const children = causes
        .flatMap((cause) => this.#read().childrenOf(cause))
        .slice(0, LIMITS.runChildren)
        .flatMap((child) => see(this.#headOf(child)) ?? []);
      const asks = seen.asks || children.some((child) => child.asks);
      return { run: seen.run, body: found.body, children: children.map(({ run }) => run), asks };
    }

    forget(id: string, sight: Sight): boolean {
      let found = this.#find(id);
      if (found === null || this.#seer({ sight })(found.head) === null) return false;
      // One of several attempts was reported by each.
      const { id: own } = found.head;
      for (; found !== null; found = this.#find(own)) this.#remove(own, found);
      return true;
    }

    #remove(id: string, { at, rows }: { readonly at: number; readonly rows: readonly SplitRun[] }): void {
      const left = rows.filter(({ head }) => head.id !== id);
      if (left.length === 0) this.#sql.exec("DELETE FROM reports WHERE at = ?", at);
      else
        this.#sql.exec(
          "UPDATE reports SET marks = ?, heads = ?, bodies = ? WHERE at = ?",
          left.map(({ head }) => toMark(head)).join("\n"),
          left.map(({ head }) => JSON.stringify(head)).join("\n"),
          left.map(({ body }) => body).join("\n"),
          at,
        );
      this.#index = null;
    }

    reruns(id: string): Reruns {
      const [own] = this.#sql.exec<{ root: string }>("SELECT root FROM reruns WHERE rerun = ?", id).toArray();
      const root = own?.root ?? id;
      const earlier = this.#rerunsOf(root).map(({ rerun, at, writes }) => ({
        rerun,
        at,
        writes: JSON.parse(writes) as string[],
        body: this.#find(rerun)?.body ?? null,
        answers: this.#answersTo(rerun),
      }));
      return { root, body: this.#find(root)?.body ?? null, answers: this.#answersTo(root), earlier };
    }

    #answersTo(id: string): string[] {
      return this.#read()
        .childrenOf(id)
        .map((child) => this.#find(child))
        .flatMap((found) => (found?.head.answers === undefined ? [] : [found.body]));
    }

    claimRerun({ root, rerun, writes, after }: RerunClaim): boolean {
      if (this.#rerunsOf(root).length !== after) return false;
      const at = clock.now();
      this.#sql.exec(
        "INSERT INTO reruns (rerun, root, at, writes) VALUES (?, ?, ?, ?)",
        rerun,
        root,
        at,
        JSON.stringify(writes),
      );
      return true;
    }

    dropRerun(rerun: string): void {
      this.#sql.exec("DELETE FROM reruns WHERE rerun = ?", rerun);
    }

    /** In the order in which they were written down. */
    #rerunsOf(root: string): { rerun: string; at: number; writes: string }[] {
      return this.#sql
        .exec<{ rerun: string; at: number; writes: string }>(
          "SELECT rerun, at, writes FROM reruns WHERE root = ? ORDER BY rowid",
          root,
        )
        .toArray();
    }

    read(before: number | null, bytes: number): { runs: ExportedRun[]; next: number | null } {
      const runs: ExportedRun[] = [];
      let held = 0;
      for (const row of this.#sql.exec<Row>(
        "SELECT at, heads, bodies FROM reports WHERE at < ? ORDER BY at DESC",
        before ?? Number.MAX_SAFE_INTEGER,
      )) {
        const { at } = row;
        const read = splitRow(row).map(({ head, body }) => ({ at, head: JSON.stringify(head), body }));
        runs.push(...read);
        held += sizeOf({ runs: read });
        if (held >= bytes) return { runs, next: at };
      }
      return { runs, next: null };
    }

    readReruns(): ExportedRerun[] {
      const rows = this.#sql.exec<{ rerun: string; root: string; at: number; writes: string }>(
        "SELECT rerun, root, at, writes FROM reruns ORDER BY rowid DESC LIMIT ?",
        LIMITS.rerunsExported,
      );
      return Array.from(rows, ({ writes, ...row }) => ({ ...row, writes: JSON.parse(writes) as string[] }));
    }

    restore(runs: readonly ExportedRun[], reruns: readonly ExportedRerun[]): number {
      const oldest = clock.now() - this.#keptMs;
      const index = this.#read();
      const missing = runs.filter(({ at, head }) => {
        const facts = JSON.parse(head) as RunHead;
        return at >= oldest && at <= clock.now() && index.placeOf(facts.id) === undefined;
      });
      for (const [at, ofReport] of [...Map.groupBy(missing, (run) => run.at)].sort(([a], [b]) => b - a))
        this.#prepend(at, ofReport);
      // In the order in which they were written down.
      for (const { rerun, root, at, writes } of [...reruns].reverse())
        this.#sql.exec(
          "INSERT INTO reruns (rerun, root, at, writes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
          rerun,
          root,
          at,
          JSON.stringify(writes),
        );
      this.#index = null;
      return missing.length;
    }

    /** Put a report before all that there are, whose counts stay what they are: it counts back from theirs. */
    #prepend(wantedAt: number, runs: readonly ReportedRun[]): void {
      const [first] = this.#sql.exec<CountRow>(`${COUNTS} ORDER BY at LIMIT 1`).toArray();
      const row = toRow(runs);
      if (first === undefined) {
        const { at, runs: runsBefore, bytes: bytesBefore } = this.#last;
        this.#insert({ ...row, at: wantedAt, report: "", runsBefore, bytesBefore });
        this.#last = {
          at: Math.max(at, wantedAt),
          runs: runsBefore + row.runs,
          bytes: bytesBefore + row.bytes,
        };
        return;
      }
      const runsBefore = first.runs_before - row.runs;
      const bytesBefore = first.bytes_before - row.bytes;
      this.#insert({ ...row, at: Math.min(wantedAt, first.at - 1), report: "", runsBefore, bytesBefore });
    }

    #insert({ at, report, runsBefore, runs, bytesBefore, bytes, marks, heads, bodies }: NewRow): void {
      this.#sql.exec(
        `INSERT INTO reports (at, report, runs_before, runs, bytes_before, bytes, marks, heads, bodies)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        at,
        report,
        runsBefore,
        runs,
        bytesBefore,
        bytes,
        marks.join("\n"),
        heads,
        bodies,
      );
      if (!this.#hasAlarm) this.ctx.waitUntil(this.#wake());
    }

    erase(): number {
      const count = this.#read().size;
      this.#sql.exec("DELETE FROM reports");
      this.#sql.exec("DELETE FROM reruns");
      this.#index = null;
      this.#erasedAt = clock.now();
      return count;
    }

    override async alarm(): Promise<void> {
      this.#prune();
      await this.#wake();
    }

    #has(id: string): boolean {
      const from = clock.now() - 60_000;
      const rows = this.#sql.exec<{ report: string }>("SELECT report FROM reports WHERE at > ?", from);
      return rows.toArray().some(({ report }) => report === id);
    }

    /** See runs as a key does. */
    #seer(look: Look): (head: RunHead) => SeenHead | null {
      const index = this.#read();
      const answerOf = (question: string): boolean | undefined => index.answerOf(question);
      const nowMs = clock.now();
      return (head) => seeRun(head, { look, answerOf, nowMs });
    }

    *#heads(highest: number): Iterable<ReportRow> {
      const rows = this.#sql.exec<HeadRow>(
        "SELECT at, heads FROM reports WHERE at <= ? ORDER BY at DESC",
        highest,
      );
      for (const { at, heads } of rows) {
        const parsed = parseHeads(heads).map((head) => [head.id, head] as const);
        yield { at, heads: [...new Map(parsed).values()] };
      }
    }

    #headOf(id: string): RunHead {
      const at = this.#read().placeOf(id)!;
      const row = this.#sql.exec<HeadRow>("SELECT at, heads FROM reports WHERE at = ?", at).one();
      return parseHeads(row.heads).findLast((head) => head.id === id)!;
    }

    /** Find a run by its id, or by that of the job that it is an attempt of. */
    #find(wanted: string): { at: number; head: RunHead; body: string; rows: readonly SplitRun[] } | null {
      const index = this.#read();
      const id = index.placeOf(wanted) === undefined ? (index.runOf(wanted) ?? wanted) : wanted;
      const at = index.placeOf(id);
      if (at === undefined) return null;
      const rows = splitRow(
        this.#sql.exec<Row>("SELECT at, heads, bodies FROM reports WHERE at = ?", at).one(),
      );
      const { head, body } = rows.findLast((one) => one.head.id === id)!;
      const isOver = placeOf(head, at).at < clock.now() - this.#keptMs;
      return isOver ? null : { at, head, body, rows };
    }

    #read(): RunIndex {
      if (this.#index === null) {
        this.#index = new RunIndex();
        const rows = this.#sql.exec<{ at: number; marks: string }>(
          "SELECT at, marks FROM reports ORDER BY at",
        );
        for (const { at, marks } of rows) this.#index.add(at, marks.split("\n"));
      }
      return this.#index;
    }

    /** Delete the oldest reports that are too old or too much, a bounded number of them. */
    #prune(): void {
      const rows = this.#sql.exec<CountRow & { marks: string }>(
        `SELECT at, runs_before, bytes_before, marks FROM reports ORDER BY at LIMIT ${LIMITS.runReportsPruned}`,
      );
      const oldest = clock.now() - this.#keptMs;
      const { at: newest, runs, bytes } = this.#last;
      let end: number | null = null;
      for (const { at, runs_before: runsBefore, bytes_before: bytesBefore, marks } of rows) {
        const isTooMuch = runs - runsBefore > limits.runs || bytes - bytesBefore > limits.bytes;
        // The newest report stays, however large.
        if (at >= oldest && (at === newest || !isTooMuch)) break;
        this.#index?.drop(at, marks.split("\n"));
        end = at;
      }
      if (end === null) return;
      this.#sql.exec("DELETE FROM reports WHERE at <= ?", end);
      // A rerun is younger than its run, which is gone by then.
      this.#sql.exec("DELETE FROM reruns WHERE at < ?", oldest);
    }

    /** Have the alarm come when the oldest report is too old, so that a tenant that runs nothing keeps nothing either. */
    async #wake(): Promise<void> {
      const [first] = this.#sql.exec<CountRow>(`${COUNTS} ORDER BY at LIMIT 1`).toArray();
      this.#hasAlarm = first !== undefined;
      if (first === undefined || (await this.ctx.storage.getAlarm()) !== null) return;
      const overAt = first.at + this.#keptMs;
      const now = clock.now();
      await this.ctx.storage.setAlarm(
        overAt <= now ? now + 1_000 : Math.max(overAt, now + LIMITS.runPruneMs),
      );
    }
  };
}

/** The texts of a report and their counts. */
function toRow(reported: readonly ReportedRun[]) {
  const marks = reported.map(({ head }) => toMark(JSON.parse(head) as RunHead));
  const heads = reported.map(({ head }) => head).join("\n");
  const bodies = reported.map(({ body }) => body).join("\n");
  return { marks, heads, bodies, runs: reported.length, bytes: utf8Length(heads) + utf8Length(bodies) };
}

type NewRow = ReturnType<typeof toRow> & {
  readonly at: number;
  readonly report: string;
  readonly runsBefore: number;
  readonly bytesBefore: number;
};

const COUNTS = "SELECT at, runs_before, runs, bytes_before, bytes FROM reports";

/** Comes after every id. */
const LAST_ID = "~";

interface SplitRun {
  readonly head: RunHead;
  readonly body: string;
}

/** Take a row apart. A body is only moved, so it keeps its digits; neither it nor a head has a line break, because both are written JSON. */
function splitRow({ heads, bodies }: Row): SplitRun[] {
  const texts = bodies.split("\n");
  return parseHeads(heads).map((head, at) => ({ head, body: texts[at]! }));
}

function parseHeads(heads: string): RunHead[] {
  return heads.split("\n").map((head) => JSON.parse(head) as RunHead);
}
