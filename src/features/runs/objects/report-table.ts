import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import type { Clock } from "../../../feature/kit.ts";
import type { ReportRow } from "../list-runs.ts";
import type { ReportedRun, RunHead } from "../run.ts";
import { RunIndex } from "../run-index.ts";
import {
  parseHeads,
  type ReportTexts,
  type SplitRun,
  splitReport,
  type WrittenReport,
  writeReport,
} from "./report-text.ts";

/** How much of a tenant is kept. */
export interface RunLogLimits {
  readonly runs: number;
  readonly bytes: number;
}

type HeadRow = { at: number; heads: string };
type TextRow = HeadRow & { bodies: string };
type CountRow = { at: number; runs_before: number; runs: number; bytes_before: number; bytes: number };
/** The place of the last report, and what all reports so far come to. */
type Total = { readonly at: number; readonly runs: number; readonly bytes: number };

/** A run, the report that it came with, and all runs of that. */
export interface FoundReport extends SplitRun {
  readonly at: number;
  readonly rows: readonly SplitRun[];
}

/**
 * The rows of reports. A report is one row, under the time at which it arrived, which only goes up; so a time is a range of rows, and
 * whatever is too old is at their beginning. Each row counts the runs and bytes of all before it, so that how many there are is read from
 * the first and the last one.
 *
 * Runs are found by their id in an index that the object keeps in memory: it is read from the rows' marks when the first one is asked
 * for. Reports alone never read it.
 */
export class ReportTable {
  readonly #sql: SqlStorage;
  readonly #clock: Clock;
  #last: Total;
  #index: RunIndex | null = null;
  #erasedAt = Number.NEGATIVE_INFINITY;
  /** The rows that were taken apart last: a request for one run of a row is followed by one for the next. */
  readonly #split = new Map<number, readonly SplitRun[]>();

  constructor(sql: SqlStorage, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
    query(sql)`
      CREATE TABLE IF NOT EXISTS reports (
         at INTEGER PRIMARY KEY, report TEXT NOT NULL, runs_before INTEGER NOT NULL, runs INTEGER NOT NULL,
         bytes_before INTEGER NOT NULL, bytes INTEGER NOT NULL, marks TEXT NOT NULL, heads TEXT NOT NULL, bodies TEXT NOT NULL
       ) STRICT;
       CREATE TABLE IF NOT EXISTS erased (id INTEGER PRIMARY KEY CHECK (id = 0), at INTEGER NOT NULL) STRICT`;
    for (const { at } of sql.exec<{ at: number }>("SELECT at FROM erased")) this.#erasedAt = at;
    this.#last = { at: 0, runs: 0, bytes: 0 };
    for (const row of sql.exec<CountRow>(`${COUNTS} ORDER BY at DESC LIMIT 1`))
      this.#last = { at: row.at, runs: row.runs_before + row.runs, bytes: row.bytes_before + row.bytes };
  }

  get index(): RunIndex {
    if (this.#index === null) {
      this.#index = new RunIndex();
      const rows = this.#sql.exec<{ at: number; marks: string }>("SELECT at, marks FROM reports ORDER BY at");
      for (const { at, marks } of rows) this.#index.add(at, marks.split("\n"));
    }
    return this.#index;
  }

  /** When everything was deleted. Its row stays: work may be under way for long, and a row more is nothing of anybody's. */
  get erasedAt(): number {
    return this.#erasedAt;
  }

  add(report: string, runs: readonly ReportedRun[]): void {
    const at = Math.max(this.#clock.now(), this.#last.at + 1);
    const written = writeReport(runs);
    this.#append(written, at, report);
    this.#index?.add(at, written.marks.split("\n"));
  }

  /** Put a report before all that there are, whose counts stay what they are: it counts back from theirs. */
  prepend(wantedAt: number, runs: readonly ReportedRun[]): void {
    const first = this.#first();
    const written = writeReport(runs);
    this.#index = null;
    if (first === null) return this.#append(written, wantedAt, "");
    const before = { runs: first.runs_before - written.runs, bytes: first.bytes_before - written.bytes };
    this.#insert(written, { at: Math.min(wantedAt, first.at - 1), report: "", before });
  }

  /** Whether a report that was sent twice has arrived. */
  has(report: string): boolean {
    const from = this.#clock.now() - 60_000;
    const rows = query<{ report: string }>(this.#sql)`SELECT report FROM reports WHERE at > ${from}`;
    return rows.toArray().some((row) => row.report === report);
  }

  /** Find the last report of a run by its id, or by that of the job that it is an attempt of. */
  find(wanted: string): FoundReport | null {
    const { index } = this;
    const id = index.placeOf(wanted) === undefined ? (index.runOf(wanted) ?? wanted) : wanted;
    const at = index.placeOf(id);
    if (at === undefined) return null;
    const rows = this.#rowsAt(at);
    return { at, rows, ...rows.findLast((one) => one.head.id === id)! };
  }

  /** The head of a run that the index has. */
  headOf(id: string): RunHead {
    const at = this.index.placeOf(id)!;
    const held = this.#split.get(at)?.findLast(({ head }) => head.id === id);
    if (held !== undefined) return held.head;
    const row = query<HeadRow>(this.#sql)`SELECT at, heads FROM reports WHERE at = ${at}`.one();
    return parseHeads(row.heads).findLast((head) => head.id === id)!;
  }

  /** The heads of each report that arrived by then, the latest first. */
  *heads(highest: number, isOver: () => boolean): Iterable<ReportRow> {
    const rows = query<HeadRow>(this.#sql)`
      SELECT at, heads FROM reports WHERE at <= ${highest} ORDER BY at DESC`;
    for (const { at, heads } of rows) {
      const parsed = parseHeads(heads).map((head) => [head.id, head] as const);
      yield { at, heads: [...new Map(parsed).values()] };
      if (isOver()) return;
    }
  }

  /** The texts of each report that arrived before, the latest first. */
  texts(before: number): Iterable<ReportTexts & { readonly at: number }> {
    return query<TextRow>(this.#sql)`
      SELECT at, heads, bodies FROM reports WHERE at < ${before} ORDER BY at DESC`;
  }

  /** Delete a run of its report; the counts of all rows stay what they are. */
  remove({ at, head: { id }, rows }: FoundReport): void {
    const left = rows.filter(({ head }) => head.id !== id);
    if (left.length === 0) query(this.#sql)`DELETE FROM reports WHERE at = ${at}`;
    else {
      const { marks, heads, bodies } = writeReport(
        left.map(({ head, body }) => ({ head: JSON.stringify(head), body })),
      );
      query(this.#sql)`
        UPDATE reports SET marks = ${marks}, heads = ${heads}, bodies = ${bodies} WHERE at = ${at}`;
    }
    this.#split.delete(at);
    this.#index = null;
  }

  /** Delete the first reports that are too old or too much, a bounded number of them; whether there were any. */
  prune(oldest: number, limits: RunLogLimits): boolean {
    const rows = this.#sql.exec<CountRow & { marks: string }>(
      `SELECT at, runs_before, bytes_before, marks FROM reports ORDER BY at LIMIT ${LIMITS.runReportsPruned}`,
    );
    const { at: newest, runs, bytes } = this.#last;
    let end: number | null = null;
    for (const { at, runs_before: runsBefore, bytes_before: bytesBefore, marks } of rows) {
      const isTooMuch = runs - runsBefore > limits.runs || bytes - bytesBefore > limits.bytes;
      // The newest report stays, however large.
      if (at >= oldest && (at === newest || !isTooMuch)) break;
      this.#index?.drop(at, marks.split("\n"));
      this.#split.delete(at);
      end = at;
    }
    if (end !== null) query(this.#sql)`DELETE FROM reports WHERE at <= ${end}`;
    return end !== null;
  }

  /** Delete everything; how many runs there were. */
  erase(): number {
    const { size } = this.index;
    this.#sql.exec("DELETE FROM reports");
    this.#erasedAt = this.#clock.now();
    query(this.#sql)`REPLACE INTO erased (id, at) VALUES (0, ${this.#erasedAt})`;
    this.#split.clear();
    this.#index = null;
    return size;
  }

  /** Read a row and take it apart, unless it is held. */
  #rowsAt(at: number): readonly SplitRun[] {
    const rows =
      this.#split.get(at) ??
      splitReport(query<TextRow>(this.#sql)`SELECT at, heads, bodies FROM reports WHERE at = ${at}`.one());
    this.#split.delete(at);
    this.#split.set(at, rows);
    const [oldest] = this.#split.keys();
    if (this.#split.size > LIMITS.runReportsHeld) this.#split.delete(oldest!);
    return rows;
  }

  #first(): CountRow | null {
    return this.#sql.exec<CountRow>(`${COUNTS} ORDER BY at LIMIT 1`).toArray()[0] ?? null;
  }

  #append(written: WrittenReport, at: number, report: string): void {
    const before = this.#last;
    this.#insert(written, { at, report, before });
    const [runs, bytes] = [before.runs + written.runs, before.bytes + written.bytes];
    this.#last = { at: Math.max(before.at, at), runs, bytes };
  }

  #insert(
    { runs, bytes, marks, heads, bodies }: WrittenReport,
    { at, report, before }: Pick<Total, "at"> & { report: string; before: Omit<Total, "at"> },
  ): void {
    query(this.#sql)`
      INSERT INTO reports (at, report, runs_before, runs, bytes_before, bytes, marks, heads, bodies)
      VALUES (${at}, ${report}, ${before.runs}, ${runs}, ${before.bytes}, ${bytes}, ${marks},
      ${heads}, ${bodies})`;
  }
}

const COUNTS = "SELECT at, runs_before, runs, bytes_before, bytes FROM reports";
