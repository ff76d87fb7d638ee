import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import type { JobClaim, JobRecord, JobSpec } from "../../../core/contract/gate/job.ts";
import { ELEMENT, type KeptStep, type RunReport } from "../flow-run.ts";
import type { RateLimit } from "../../../core/contract/gate/admission.ts";
import { attempt } from "../../../feature/refuse.ts";
import type { JobKind } from "../../../cloudflare/durable/job-kind.ts";

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
    const rows = query<{ job_id: string }>(this.#sql)`
      SELECT job_id FROM run_causes WHERE flow = ${flow} AND cause = ${cause}
      AND expires_at > ${nowMs}`;
    return rows.toArray()[0]?.job_id ?? null;
  }

  keepCause(nowMs: number, { flow, cause, jobId }: Cause & { readonly jobId: string }): void {
    const expiresAt = nowMs + LIMITS.causeMs;
    const insert = "REPLACE INTO run_causes (flow, cause, job_id, expires_at) VALUES (?, ?, ?, ?)";
    this.#sql.exec(insert, flow, cause, jobId, expiresAt);
    this.#causes += 1;
  }

  /** The steps that earlier attempts of a run have left. */
  steps(jobId: string): KeptStep[] {
    const rows = query<{ step_id: string; outcome_json: string | null }>(this.#sql)`
      SELECT step_id, outcome_json FROM run_steps WHERE job_id = ${jobId}`;
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
    query(this.#sql)`DELETE FROM run_steps WHERE job_id IN (SELECT value FROM json_each(${ids}))`;
  }

  /** Forget causes that are too old; throws when storage refuses. */
  prune(nowMs: number): void {
    if (this.#causes === 0 || nowMs < this.#prunedAt + LIMITS.pruneCausesEveryMs) return;
    this.#prunedAt = nowMs;
    const gone = query(this.#sql)`
      DELETE FROM run_causes WHERE (flow, cause) IN (SELECT flow, cause FROM run_causes
      WHERE expires_at <= ${nowMs} LIMIT ${PRUNE_ROWS}+0) RETURNING 1`;
    this.#causes -= gone.toArray().length;
  }
}

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
      query(this.#sql)`REPLACE INTO run_inputs (job_id, at, piece) VALUES (${id}, ${at}, ${piece})`;
      at += piece.length;
    }
  }

  /** The input of a run; null where it stands in its row, or is gone. */
  input(jobId: string): string | null {
    const rows = query<{ piece: string }>(this.#sql)`
      SELECT piece FROM run_inputs WHERE job_id = ${jobId} ORDER BY at`;
    const pieces = Array.from(rows, ({ piece }) => piece);
    return pieces.length === 0 ? null : pieces.join("");
  }

  /** Forget the inputs of runs that are gone. */
  forget(jobIds: readonly string[]): void {
    const ids = JSON.stringify(jobIds);
    query(this.#sql)`DELETE FROM run_inputs WHERE job_id IN (SELECT value FROM json_each(${ids}))`;
  }
}

const HIGH = /[\ud800-\udbff]/;

export interface RunBacklogs {
  /** Live runs of one flow, and of all. */
  readonly flowBacklog: number;
  readonly runBacklog: number;
  /** Live runs of a flow that redriving may add to a full backlog. */
  readonly redrives: number;
}

/** The backlogs of a deployment. */
export const RUN_BACKLOGS: RunBacklogs = {
  flowBacklog: LIMITS.flowBacklog,
  runBacklog: LIMITS.runBacklog,
  redrives: LIMITS.jobRedrives,
};

export interface RunAttempts {
  /** Make one attempt of a run, and say how it ended to the object itself. */
  readonly run: (claim: JobClaim) => Promise<void>;
  /** The tenant's limit of all runs, which each attempt draws from; null for none. */
  readonly runLimit: (spec: JobSpec) => RateLimit | null;
}

const RUNS = "runs";

/** Make the kind of job that a run of a flow is. */
export function createRunKind(
  { flowBacklog, runBacklog, redrives }: RunBacklogs,
  { run, runLimit }: RunAttempts,
): JobKind {
  return {
    name: "run",
    // All runs wait for the same limit: else each of thousands would be looked at whenever one may begin.
    lane: { name: RUNS, places: LIMITS.runsAtOnce, waitsTogether: true },
    placeOf: () => ({ lane: RUNS, backlog: RUNS }),
    takesTurns: true,
    hasRoom: (backlog, { tool }) =>
      backlog.sizeOfGroup(tool) < flowBacklog && backlog.sizeOf(RUNS) < runBacklog,
    hasRoomAgain: (backlog, tool) => backlog.sizeOfGroup(tool) < flowBacklog + redrives,
    // The time of its flow.
    attemptMs: (spec) => spec.run?.deadlineMs ?? 0,
    // The rest of it is done already.
    mayMend: "unless refused",
    limitOf: ({ spec }) => runLimit(spec),
    async attempt(claim) {
      // A run whose end is not reported is left to its lease.
      await attempt(() => run(claim));
      return null;
    },
  };
}
