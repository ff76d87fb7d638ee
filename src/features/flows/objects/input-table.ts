import type { JobSpec } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";

/** The inputs of runs that are too large for a row, in pieces: SQLite in an object refuses rows over two megabytes. */
export class InputTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Make of a run what its row can have; the same where its input fits. */
  toRow(spec: JobSpec): JobSpec {
    return spec.run === undefined || spec.argsJson.length <= LIMITS.runInputCharacters
      ? spec
      : { ...spec, argsJson: "null", run: { ...spec.run, isInputApart: true } };
  }

  /** Keep the input of a run whose row cannot have it. */
  keep({ id, argsJson }: JobSpec): void {
    if (argsJson.length <= LIMITS.runInputCharacters) return;
    for (let at = 0; at < argsJson.length;) {
      const end = at + LIMITS.runInputCharacters;
      // A character of two code units is not parted: each half would be none.
      const piece = argsJson.slice(at, HIGH.test(argsJson.charAt(end - 1)) ? end - 1 : end);
      this.#sql.exec("REPLACE INTO run_inputs (job_id, at, piece) VALUES (?, ?, ?)", id, at, piece);
      at += piece.length;
    }
  }

  /** The input of a run; null where it stands in its row, or is gone. */
  input(jobId: string): string | null {
    const rows = this.#sql.exec<{ piece: string }>(
      "SELECT piece FROM run_inputs WHERE job_id = ? ORDER BY at",
      jobId,
    );
    const pieces = Array.from(rows, ({ piece }) => piece);
    return pieces.length === 0 ? null : pieces.join("");
  }

  /** Forget the inputs of runs that are gone. */
  forget(jobIds: readonly string[]): void {
    const ids = JSON.stringify(jobIds);
    this.#sql.exec("DELETE FROM run_inputs WHERE job_id IN (SELECT value FROM json_each(?))", ids);
  }
}

const HIGH = /[\ud800-\udbff]/;
