import { sayDuration } from "../../../console/parts/say-duration.ts";
import { count } from "../../../console/parts/count.ts";
import type { WireJob, WireResult } from "../../../console/kit/wire.ts";
import { isAlive, sayStatus } from "../../../console/jobs/job-filter.ts";
import type { ListedRun, WireAction, WireRun } from "./wire-runs.ts";

/** The doors that a run comes by, in words. */
const DOORS: Readonly<Record<ListedRun["source"], string>> = {
  http: "API",
  turn: "model’s tool calls",
  agent: "agent",
  mcp: "MCP",
  flow: "flow",
  webhook: "webhook",
  cron: "schedule",
  approval: "approval",
  background: "batch in the background",
  orchestration: "orchestration API",
};

export const RUN_SOURCES = Object.keys(DOORS) as readonly ListedRun["source"][];

/** The statuses of a run, in the order in which a person looks for them. */
export const RUN_STATUSES: readonly ListedRun["status"][] = [
  "error",
  "partial",
  "unknown",
  "waiting",
  "running",
  "undone",
  "success",
];

/** So many tools of a run are named in a list: a row is a line. */
const MOST_NAMED = 3;

/** The name that stands in a key's place where a person decided by a link. */
const LINK = "link:";

/** Whether a key sent it: what a trigger or a person's link started is no key's, whatever stands in its place. */
export function isOfKey({ source, key }: Pick<ListedRun, "source" | "key">): boolean {
  return source !== "webhook" && source !== "cron" && key !== LINK;
}

/** Say which way a run came: its door, and the link where there was one. */
export function sayWay({ source, key }: Pick<ListedRun, "source" | "key">): string {
  return key === LINK ? `${sayDoor(source)} by link` : sayDoor(source);
}

/** Say by which door a run came. One that this console does not know is said as the API says it. */
export function sayDoor(source: string): string {
  return (DOORS as Readonly<Record<string, string>>)[source] ?? source;
}

/** Whether a run goes on as a job: its tools are known when it is over. Another goes on while jobs that it has made do. */
export function isGoing({ status, tools }: Pick<ListedRun, "status" | "tools">): boolean {
  return status === "running" && tools.length === 0;
}

/** Name a run by what ran: its flow, or its tools. */
export function nameRun(
  run: Pick<ListedRun, "flow" | "tools" | "unknown_tools" | "actions" | "status">,
): string {
  const { flow, actions, unknown_tools: unknown } = run;
  const tools = run.tools.flatMap((tool) =>
    tool === "(unknown)" ? (unknown?.map((name) => `${name} (no such tool)`) ?? "no such tool") : tool,
  );
  if (flow !== undefined) return flow;
  if (isGoing(run)) return "Batch in the background";
  if (tools.length === 0) return actions === 0 ? "no action" : count(actions, "action");
  const more = tools.length - MOST_NAMED;
  const named = tools.slice(0, MOST_NAMED).join(", ");
  return `${named}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The ends of actions and jobs, in the order of their weight. */
const ENDS =
  "error failed dead unknown rejected expired skipped pending_confirmation cancelled running retrying scheduled initiated success";
/** Ends that somebody has to look at. */
export const FAILED = ["error", "unknown", "skipped", "failed", "dead", "rejected", "expired"];

type OfJobs = readonly Pick<WireJob, "job_id" | "status" | "attempts">[];

/** Count how the actions of a run ended, those that became jobs as their jobs did, the gravest first. */
export function countEnds(
  { actions }: Pick<WireRun, "actions">,
  jobs: OfJobs,
): readonly (readonly [status: string, size: number])[] {
  const ends = (actions as readonly WireAction[]).map(({ job_id: id, status, since = status }) => {
    const job = jobs.find((one) => one.job_id === id);
    const own = job === undefined ? since : sayStatus(job);
    return own === "succeeded" ? "success" : own;
  });
  return [...Map.groupBy(ends, (end) => end)]
    .map(([end, all]) => [end, all.length] as const)
    .sort(([a], [b]) => ENDS.indexOf(a) - ENDS.indexOf(b));
}

/** Say how a run as a whole stands: one that only waits for the time of its jobs is not said to run. */
export function sayWhole(run: Pick<WireRun, "status">, jobs: OfJobs): string {
  const going = jobs.filter(isAlive).map(sayStatus);
  const isDue = run.status === "running" && going.length > 0 && going.every((one) => one === "scheduled");
  return isDue ? "scheduled" : run.status;
}

/** Say why a run did not end well of which no action failed; nothing where a job of it did. */
export function sayUnfailed({ status, summary }: Pick<ListedRun, "status" | "summary">): string {
  if ((status !== "error" && status !== "partial") || summary.initiated > 0) return "";
  return summary.pending_confirmation > 0 ? "not approved" : "not all undone";
}

/** Say what a rerun does about the writes that succeeded; nothing where none did. One that was undone counts as not run. */
export function sayWrites({ actions }: Pick<WireRun, "actions">): string {
  const done = (actions as readonly (WireAction & { readonly undone?: unknown })[]).filter(
    ({ status, since = status }) => since === "success" || since === "initiated",
  );
  const gone = done.filter(({ undone }) => undone === true).length;
  if (gone > 0 && gone === done.length) return "A write that was undone is sent again.";
  const kept = done.length === 0 ? "" : "A write that succeeded is not sent again";
  return gone === 0 ? kept && `${kept}.` : `${kept}, one that was undone is.`;
}

/** Find the results of a rerun that were kept from before: nothing was sent for them. */
export function keptOf(results: readonly WireResult[]): readonly WireResult[] {
  return results.filter(({ meta }) => meta.idempotency_replayed === true);
}

/** Say why nothing of a run was run again. */
export function sayNothing(kept: readonly WireResult[]): string {
  const said = [...Map.groupBy(kept, ({ status }) => KEPT[status] ?? `ended as ${status}`)].map(
    ([word, some]) => `${some.map(({ id }) => id).join(", ")} ${word}`,
  );
  return `Nothing was sent, and there is no new run: ${said.join("; ")}.`;
}

const KEPT: Readonly<Record<string, string>> = {
  success: "succeeded and is not sent again",
  initiated: "went to a job and is not sent again",
  pending_confirmation: "still waits for approval",
  error: "would be refused again",
};

/** When an action began, and how long it had waited. */
export function sayBegan(fromMs: number, queuedMs = 0): string {
  const queued = queuedMs < 1 ? "" : `, ${sayDuration(queuedMs)} of it in queues`;
  return `${sayDuration(fromMs)} after the run began${queued}`;
}
