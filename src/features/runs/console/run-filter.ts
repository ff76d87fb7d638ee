import { HOUR_MS, type Times } from "../../../console/jobs/job-filter.ts";
import { RUN_SOURCES, RUN_STATUSES } from "./run-words.ts";

/** Since when runs are listed, as the address says it. */
export const SINCE: Times = {
  "": { label: "Any time", ms: 0 },
  "15m": { label: "The last 15 minutes", ms: HOUR_MS / 4 },
  "1h": { label: "The last hour", ms: HOUR_MS },
  "24h": { label: "The last day", ms: 24 * HOUR_MS },
  "7d": { label: "The last 7 days", ms: 168 * HOUR_MS },
};

/** The texts that narrow a list, in the order in which they stand in an address. */
export const TEXTS = ["tool", "flow", "key", "tag", "subject", "request_id"] as const;

/** The fields that narrow a list of runs; an empty text where one does not. */
export type RunFilter = Readonly<Record<"source" | "status" | "since" | (typeof TEXTS)[number], string>>;

/** Read a filter from an address. Values that the API would refuse are left out. */
export function readFilter(query: URLSearchParams): RunFilter {
  const source = query.get("source") ?? "";
  const status = query.get("status") ?? "";
  const since = query.get("since") ?? "";
  const texts = Object.fromEntries(TEXTS.map((name) => [name, query.get(name)?.trim() ?? ""]));
  return {
    ...(texts as Record<(typeof TEXTS)[number], string>),
    source: RUN_SOURCES.some((known) => known === source) ? source : "",
    status: RUN_STATUSES.some((known) => known === status) ? status : "",
    since: Object.hasOwn(SINCE, since) ? since : "",
  };
}

/** Write a filter as the API reads it. */
export function toQuery({ since, ...rest }: RunFilter, nowMs: number): string {
  return new URLSearchParams({
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "")),
    ...(since !== "" && { since: new Date(nowMs - SINCE[since]!.ms).toISOString() }),
    limit: "40",
  }).toString();
}

export function isNarrow(filter: RunFilter): boolean {
  return Object.values(filter).some((value) => value !== "");
}
