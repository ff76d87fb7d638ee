import type { JobRecord } from "../../../core/contract/gate/job.ts";
import * as LIMITS from "../limits.ts";
import { ELEMENT, type KeptStep, type RunReport } from "../flow-run.ts";

/** Rows removed at once. */
const PRUNE_ROWS = 10_000;

/** The cause of a run, as it is known among those of a flow. */
interface Cause {
  readonly flow: string;
  readonly cause: string;
}

/**
 * The facts of runs besides their jobs: the cause of each, so that it causes no other, and how steps of those ended that may have
 * another attempt.
 */
export class RunTable {
  readonly #sql: SqlStorage;
  readonly #causesKept: number;
  #causes: number;
  #prunedAt = 0;

  /** @param causesKept how many causes are remembered at once */
  constructor(sql: SqlStorage, causesKept: number = LIMITS.causesKept) {
    this.#sql = sql;
    this.#causesKept = causesKept;
    this.#causes = sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM run_causes").one().count;
  }

  /** Whether nothing more can be remembered of what causes runs. */
  get isFull(): boolean {
    return this.#causes >= this.#causesKept;
  }

  /** The run that something has caused already; null when there is none. */
  causedBy(nowMs: number, { flow, cause }: Cause): string | null {
    const rows = this.#sql.exec<{ job_id: string }>(
      "SELECT job_id FROM run_causes WHERE flow = ? AND cause = ? AND expires_at > ?",
      flow,
      cause,
      nowMs,
    );
    return rows.toArray()[0]?.job_id ?? null;
  }

  /** Remember what caused a run. */
  keepCause(nowMs: number, { flow, cause, jobId }: Cause & { readonly jobId: string }): void {
    const expiresAt = nowMs + LIMITS.causeMs;
    const insert = "REPLACE INTO run_causes (flow, cause, job_id, expires_at) VALUES (?, ?, ?, ?)";
    this.#sql.exec(insert, flow, cause, jobId, expiresAt);
    this.#causes += 1;
  }

  /** The steps that earlier attempts of a run have left. */
  steps(jobId: string): KeptStep[] {
    const rows = this.#sql.exec<{ step_id: string; outcome_json: string | null }>(
      "SELECT step_id, outcome_json FROM run_steps WHERE job_id = ?",
      jobId,
    );
    return Array.from(rows, ({ step_id: id, outcome_json: outcomeJson }) => ({ id, outcomeJson }));
  }

  keepStep(jobId: string, { id, outcomeJson }: KeptStep): void {
    const insert = "REPLACE INTO run_steps (job_id, step_id, outcome_json) VALUES (?, ?, ?)";
    this.#sql.exec(insert, jobId, id, outcomeJson);
  }

  /** Take the steps that an attempt leaves: none where the run gets no other attempt. */
  take({ id, status }: Pick<JobRecord, "id" | "status">, { steps }: RunReport): void {
    // A delivery that comes again begins a failed one again.
    const isOver = status !== "retrying" && status !== "dead" && status !== "failed";
    // The entries of a loop's elements are as the attempt left them, and may be a thousand.
    const those = isOver ? "" : ` AND instr(step_id, '${ELEMENT}') = 0`;
    this.#sql.exec(`DELETE FROM run_steps WHERE job_id = ?${those}`, id);
    if (!isOver) for (const step of steps) this.keepStep(id, step);
  }

  /** Forget the steps of runs that are gone. */
  forget(jobIds: readonly string[]): void {
    const ids = JSON.stringify(jobIds);
    this.#sql.exec("DELETE FROM run_steps WHERE job_id IN (SELECT value FROM json_each(?))", ids);
  }

  /** Forget causes that are too old; throws when storage refuses. */
  prune(nowMs: number): void {
    if (this.#causes === 0 || nowMs < this.#prunedAt + LIMITS.pruneCausesEveryMs) return;
    this.#prunedAt = nowMs;
    const gone = this.#sql.exec(
      `DELETE FROM run_causes WHERE (flow, cause) IN
         (SELECT flow, cause FROM run_causes WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
      nowMs,
      PRUNE_ROWS,
    );
    this.#causes -= gone.toArray().length;
  }
}
