import { query } from "../../../feature/object.ts";
import { isTrouble } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import type { Aftermath } from "../../../core/contract/gate/part-call.ts";
import type { LogLine } from "../../../core/contract/outcome.ts";
import { isCall, type ObjectPart, type OpenPart, type PartWorld } from "../../../feature/tenant.ts";
import { isJobInDoubt, isLive, type Job } from "../../../core/gate/state/outbox.ts";
import { attempt, attemptNow } from "../../../feature/refuse.ts";
import { keepLog } from "../action-content.ts";
import { readKept } from "../read-settings.ts";
import type { TurnedJob } from "../turned-job.ts";

/** Tell the tenant's log of jobs and of what became of runs; absent where the deployment keeps no runs. */
export type TellLog = (jobs: readonly TurnedJob[], aftermaths: readonly Aftermath[]) => Promise<void>;

type Row = { id: string; json: string };

const TABLES = `
  CREATE TABLE IF NOT EXISTS run_jobs (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID, STRICT;`;

/**
 * Make the part of a tenant's object that tells the log of runs what became of their jobs: each is written down in the turn in which it
 * ends, and forgotten once the log has it.
 */
export function createRunsPart(
  tellerOf: (env: Record<string, unknown>, tenant: string) => TellLog | undefined,
): ObjectPart {
  return {
    name: "runs",
    steps: [TABLES],
    open: (world) => openRuns(world, tellerOf(world.env, world.tenant)),
  };
}

function openRuns({ env, storage: { sql }, onDue }: PartWorld, tell: TellLog | undefined): OpenPart {
  if (tell === undefined) return { methods: {} };
  const read = (most: number): readonly Row[] =>
    query<Row>(sql)`SELECT id, json FROM run_jobs LIMIT ${most}+0`.toArray();
  let dueAt = read(1).length > 0 ? 0 : null;
  const wake = (at: number): void => {
    dueAt = at;
    onDue(at);
  };
  const send = async (rows: readonly Row[], nowMs: number): Promise<void> => {
    const all = rows.map(({ json }) => JSON.parse(json) as TurnedJob | Aftermath);
    const jobs = all.flatMap((one) => ("job" in one ? [one] : []));
    const aftermaths = all.flatMap((one) => ("job" in one ? [] : [one]));
    const told = await attempt(() => tell(jobs, aftermaths));
    // One that turned again in between is told again.
    if (told.ok)
      for (const { id, json } of rows) query(sql)`DELETE FROM run_jobs WHERE id = ${id} AND json = ${json}`;
    if (!told.ok) onDue(dueAt ?? 0);
    else if (read(1).length > 0) wake(nowMs + LIMITS.runReportMs);
    else dueAt = null;
  };
  const keep = (id: string, told: TurnedJob | Aftermath): void => {
    attemptNow(() => {
      query(sql)`INSERT OR REPLACE INTO run_jobs (id, json) VALUES (${id}, ${JSON.stringify(told)})`;
      if (dueAt === null) wake(told.at + LIMITS.runReportMs);
    });
  };
  return {
    methods: {
      async tell(nowMs) {
        const rows = read(LIMITS.runJobsTold);
        if (rows.length > 0) await send(rows, nowMs);
      },
    },
    get nextAt() {
      return dueAt;
    },
    turned(job) {
      const log = keepLog(readKept(env) === "content" ? job.log : []);
      const turned = toTurned(job, log);
      if (turned !== null) keep(log.length === 0 ? turned.job : `${turned.job} ${turned.at}`, turned);
    },
    hearAfter(aftermath) {
      // No id of a job has a space, and none is named so.
      keep(`after ${aftermath.id}`, aftermath);
    },
    take(nowMs) {
      if (dueAt === null || dueAt > nowMs) return;
      const rows = read(LIMITS.runJobsTold);
      dueAt = rows.length === 0 ? null : nowMs + LIMITS.runJobsToldAgainMs;
      // The alarm does not wait for it: jobs are due. Where it breaks off they are told again.
      if (rows.length > 0) void send(rows, nowMs);
    },
  };
}

/** Say what its run has to know of a job; null where that is nothing. A job that is a run has left that run itself. */
function toTurned(job: Job, log: readonly LogLine[]): TurnedJob | null {
  const { spec, updatedAt: at, errorJson } = job;
  const { id, tool, action, origin } = spec;
  const status = isCall(job) ? job.status : "succeeded";
  if (origin === undefined || !(isTrouble(status) || isLive(status) || log.length > 0)) return null;
  const { code } = JSON.parse(errorJson ?? "{}") as { readonly code?: string };
  const { batchId, requestId: request } = origin;
  return {
    job: id,
    run: batchId,
    request,
    tool,
    status,
    at,
    ...(code !== undefined && { code }),
    ...(action !== undefined && { action }),
    ...(isJobInDoubt(job) && { inDoubt: true }),
    ...(log.length > 0 && { log }),
  };
}
