import type { Redriven, WireJob } from "../kit/wire.ts";
import { count } from "../parts/count.ts";

/** The statuses of a job, in the order in which a person looks for them. No code of the Worker is in the pages, so they are said here too. */
export const JOB_STATUSES: readonly WireJob["status"][] = [
  "running",
  "retrying",
  "succeeded",
  "failed",
  "dead",
  "cancelled",
  "unknown",
];

/** The status of a job in a word: one that has not begun and waits for its time is not said to be tried again. */
export function sayStatus({ status, attempts }: Pick<WireJob, "status" | "attempts">): string {
  return status === "retrying" && attempts === 0 ? "scheduled" : status;
}

export const HOUR_MS = 3_600_000;

/** Times to choose from, by what an address says of each. */
export type Times = Readonly<Record<string, { readonly label: string; readonly ms: number }>>;

/** Since when jobs are listed. */
export const SINCE: Times = {
  "": { label: "Any time", ms: 0 },
  "1h": { label: "The last hour", ms: HOUR_MS },
  "24h": { label: "The last day", ms: 24 * HOUR_MS },
  "3d": { label: "The last 3 days", ms: 72 * HOUR_MS },
};

/** The words of times to choose from. */
export function wordsOf(times: Times): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(times).map(([value, { label }]) => [value, label]));
}

/** The fields that narrow a list of jobs; an empty text where one does not. */
export interface JobFilter extends Record<string, string> {
  readonly status: string;
  readonly tool: string;
  readonly since: string;
}

/** Read a filter from an address. Values that the API would refuse are left out. */
export function readFilter(query: URLSearchParams): JobFilter {
  const status = query.get("status") ?? "";
  const since = query.get("since") ?? "";
  return {
    status: JOB_STATUSES.some((known) => known === status) ? status : "",
    tool: query.get("tool") ?? "",
    since: Object.hasOwn(SINCE, since) ? since : "",
  };
}

/** Write a filter as the API reads it. */
export function toQuery({ status, tool, since }: JobFilter, nowMs: number): string {
  return new URLSearchParams({
    ...(status !== "" && { status }),
    ...(tool !== "" && { tool }),
    ...(since !== "" && { since: new Date(nowMs - SINCE[since]!.ms).toISOString() }),
    limit: "25",
  }).toString();
}

/** Say what became of a redrive of many. */
export function sayRedriven(said: Redriven): string {
  const { redriven, not_redriven: left, tools_gone: gone, backlog_full: isFull, more } = said;
  return [
    `${count(redriven, "job runs", "jobs run")} again.`,
    left > 0 && ` ${count(left, "stays", "stay")} as ${left === 1 ? "it is" : "they are"}.`,
    gone.length > 0 && ` Not deployed any more: ${gone.join(", ")}.`,
    isFull && " The backlog is full: retry the rest when others have ended.",
    more && " There are more.",
  ]
    .filter((part) => typeof part === "string")
    .join("");
}

/** Whether a job goes on by itself. */
export function isAlive({ status }: Pick<WireJob, "status">): boolean {
  return status === "running" || status === "retrying";
}

/** The jobs of one batch are recorded within a batch's longest deadline. */
const BATCH_MS = 60_000;

/** The path of the jobs that were recorded in a time, and about then. */
export function pathOfJobs(at: string, lengthMs = 0): string {
  const from = Date.parse(at);
  const [since, until] = [from - BATCH_MS, from + lengthMs + BATCH_MS].map((ms) =>
    new Date(ms).toISOString(),
  );
  return `/v1/jobs?limit=100&since=${since}&until=${until}`;
}
