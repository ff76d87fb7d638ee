import { parseList } from "../../feature/schema.ts";
import { ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { RUN_SOURCES, RUN_STATUSES, type RunHead } from "./run.ts";
import type { ListedRun, Look, RunPlace, RunQuery } from "./run-log-methods.ts";
import { sees } from "./see-run.ts";

const FIELDS = {
  source: RUN_SOURCES,
  status: RUN_STATUSES,
  tool: "text",
  flow: "text",
  key: "text",
  tag: "text",
  subject: "text",
  request_id: "text",
  since: "time",
  until: "time",
} as const;
const CURSOR = /^(\d{1,15})_([A-Za-z0-9_.:-]{0,200})$/;

/** Parse the query of `GET /v1/runs`. Anything it does not know is refused, so that no filter is ignored. */
export function parseRunQuery(query: URLSearchParams): Result<RunQuery, Refusal> {
  const parsed = parseList(query, parseRunCursor, FIELDS);
  if (!parsed.ok) return parsed;
  const { request_id: request, ...rest } = parsed.value;
  return ok({ request, ...rest });
}

/** Whether a run is one that is asked for, as who asks sees it: what is hidden of it fits no filter. */
export function fitsQuery(query: RunQuery, run: ListedRun, head: RunHead, look: Look): boolean {
  const { tool } = query;
  return (
    fitsListed(query, run) &&
    (tool === undefined || (sees(look, tool) && head.tools.some((one) => one.tool === tool)))
  );
}

/** The same by what the list shows of it: everything but its tools, of which the list has the first ones only. */
export function fitsListed(query: RunQuery, run: ListedRun): boolean {
  const { source, status, flow, key, tag, subject, request } = query;
  return (
    (source === undefined || run.source === source) &&
    (status === undefined || run.status === status) &&
    (flow === undefined || run.flow === flow) &&
    (key === undefined || run.key === key) &&
    (request === undefined || run.request_id === request) &&
    (subject === undefined || run.subject === subject) &&
    (tag === undefined || run.tags?.includes(tag) === true)
  );
}

/** Write a place in the list as text that a query can carry. */
export function toRunCursor({ at, id }: RunPlace): string {
  return `${at}_${id}`;
}

function parseRunCursor(text: string): RunPlace | null {
  const [, at, id] = CURSOR.exec(text) ?? [];
  return id === undefined ? null : { at: Number(at), id };
}
