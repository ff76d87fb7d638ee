import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import type { ExportedRerun } from "../run-log-methods.ts";

/** A rerun that was written down before it ran. */
export type KeptRerun = Omit<ExportedRerun, "root">;

type Row = { rerun: string; root: string; at: number; writes: string };

/** The rows of reruns: which run each goes back to, and which writes it set out to send. */
export class RerunTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    query(sql)`
      CREATE TABLE IF NOT EXISTS reruns (
         rerun TEXT PRIMARY KEY, root TEXT NOT NULL, at INTEGER NOT NULL, writes TEXT NOT NULL
       ) STRICT`;
  }

  /** Add a rerun; one that is there stays as it is. */
  add({ rerun, root, at, writes }: ExportedRerun): void {
    query(this.#sql)`
      INSERT INTO reruns (rerun, root, at, writes)
      VALUES (${rerun}, ${root}, ${at}, ${JSON.stringify(writes)}) ON CONFLICT DO NOTHING`;
  }

  drop(rerun: string): void {
    query(this.#sql)`DELETE FROM reruns WHERE rerun = ${rerun}`;
  }

  /** The run that a run goes back to: itself where it is no rerun. */
  rootOf(id: string): string {
    const [own] = query<{ root: string }>(this.#sql)`SELECT root FROM reruns WHERE rerun = ${id}`.toArray();
    return own?.root ?? id;
  }

  /** The reruns of a run, in the order in which they were written down. */
  of(root: string): readonly KeptRerun[] {
    const rows = query<Omit<Row, "root">>(this.#sql)`
      SELECT rerun, at, writes FROM reruns WHERE root = ${root} ORDER BY rowid`;
    return Array.from(rows, read);
  }

  /** The last reruns, the newest first. */
  last(): readonly ExportedRerun[] {
    const rows = query<Row>(this.#sql)`
      SELECT rerun, root, at, writes FROM reruns ORDER BY rowid DESC LIMIT ${LIMITS.rerunsExported}+0`;
    return Array.from(rows, read);
  }

  /** Delete those that are older than any run that is kept: a rerun is younger than its run. */
  prune(oldest: number): void {
    query(this.#sql)`DELETE FROM reruns WHERE at < ${oldest}`;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM reruns");
  }
}

function read<T extends { readonly writes: string }>(row: T): Omit<T, "writes"> & { writes: string[] } {
  return { ...row, writes: JSON.parse(row.writes) as string[] };
}
