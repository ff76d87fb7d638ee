import { count } from "../../../console/parts/count.ts";
import type { ListedRun } from "./wire-runs.ts";

/** The doors that a run comes by, in words. */
const DOORS: Readonly<Record<ListedRun["source"], string>> = {
  http: "API",
  turn: "turn",
  agent: "agent",
  mcp: "MCP",
  flow: "flow",
  webhook: "webhook",
  cron: "clock",
  approval: "approval",
  background: "background",
  orchestration: "orchestration",
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

/** Its tools are known when it is over. */
const GOING = "Batch in the background";

/** Name a run by what ran: its flow, or its tools. */
export function nameRun({
  flow,
  tools,
  actions,
  status,
}: Pick<ListedRun, "flow" | "tools" | "actions" | "status">): string {
  if (flow !== undefined) return flow;
  if (status === "running") return GOING;
  if (tools.length === 0) return actions === 0 ? "no action" : count(actions, "action");
  const more = tools.length - MOST_NAMED;
  return `${tools.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The title of a run's page: short, however many tools it has. */
export function titleOf(
  run: Pick<ListedRun, "flow" | "tools" | "status"> & { readonly actions: number },
): string {
  if (run.flow === undefined && run.status === "running") return GOING;
  return run.flow ?? (run.tools.length === 1 ? run.tools[0]! : count(run.actions, "action"));
}
