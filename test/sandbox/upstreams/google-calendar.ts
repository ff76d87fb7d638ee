import { answerOrRefuse, checkQuery, readCount, readFields, refuse } from "./google-errors.ts";
import { keepFields } from "./google-fields.ts";
import { OWN_ACCOUNT, ownerOf } from "./google-oauth.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 140;
const HOUR_MS = 3_600_000;
const WRITABLE = ["id", "summary", "description", "location", "start", "end", "attendees"];
const FIELDS = [
  ...WRITABLE,
  "kind",
  "status",
  "items",
  "nextPageToken",
  "timeZone",
  "updated",
  "htmlLink",
  "email",
];
const LIST_QUERY =
  "timeMin timeMax q maxResults pageToken singleEvents orderBy showDeleted timeZone fields".split(" ");
const EMAIL = /^[^\s@<>,]+@[^\s@<>,]+\.[^\s@<>,]+$/;

interface EventTime {
  readonly date?: string;
  readonly dateTime?: string;
  readonly timeZone?: string;
}

interface StoredEvent {
  readonly id: string;
  readonly status: "confirmed" | "cancelled";
  readonly summary?: unknown;
  readonly description?: unknown;
  readonly attendees?: unknown;
  readonly start: EventTime;
  readonly end: EventTime;
}

/** The calendars, by whose they are. */
const calendars = new Map<string, Map<string, StoredEvent>>();
let made = 0;

/** A request, and the calendar that it is about. */
interface Asked {
  readonly query: URLSearchParams;
  readonly events: Map<string, StoredEvent>;
}

/** Events that are there in the deployment's own calendar, deleted ones not among them. */
export function countCalendarEvents(): number {
  return [...(calendars.get(OWN_ACCOUNT)?.values() ?? [])].filter(({ status }) => status === "confirmed")
    .length;
}

/** Forget every event but the two that are always there. */
export function resetGoogleCalendar(): void {
  calendars.clear();
  made = 0;
}

/** Answer as the Calendar API, v3, for events of the primary calendar: https://developers.google.com/workspace/calendar/api/v3/reference/events */
export async function answerGoogleCalendar(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  return answerOrRefuse(() => route(request, ports.now()));
}

function route(request: Request, now: number): Promise<Response> | Response {
  const scopes =
    request.method === "GET" ? ["calendar.events", "calendar.events.readonly"] : ["calendar.events"];
  const events = calendarOf(ownerOf(request, now, scopes), now);
  const { pathname, searchParams: query } = new URL(request.url);
  const asked = { query, events };
  const [, calendar, id] = /^\/calendar\/v3\/calendars\/([^/]+)\/events(?:\/([^/]+))?$/.exec(pathname) ?? [];
  if (calendar === undefined) throw refuse(404, "notFound", "Not Found");
  if (decodeURIComponent(calendar) !== "primary") throw refuse(404, "notFound", "Not Found");
  switch (`${request.method} ${id === undefined ? "all" : "one"}`) {
    case "GET all":
      return list(asked);
    case "POST all":
      return insert(request, asked);
    case "GET one":
      checkQuery(query, ["fields", "timeZone"]);
      return show(find(id!, asked), query);
    case "PATCH one":
      return patch(request, find(id!, asked), asked);
    case "DELETE one":
      return remove(find(id!, asked), asked);
    default:
      throw refuse(404, "notFound", "Not Found");
  }
}

function calendarOf(owner: string, now: number): Map<string, StoredEvent> {
  const kept = calendars.get(owner);
  if (kept !== undefined) return kept;
  const events = new Map<string, StoredEvent>();
  calendars.set(owner, events);
  const today = Math.floor(now / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const at = (hours: number): EventTime => ({ dateTime: toUtc(today + hours * HOUR_MS), timeZone: "UTC" });
  const add = (id: string, summary: string, from: number, hours: number): void =>
    void events.set(id, { id, status: "confirmed", summary, start: at(from), end: at(from + hours) });
  add("abc123", owner === OWN_ACCOUNT ? "Meeting with John" : `Meeting of ${owner}`, 38, 1);
  add("def456", "Stand-up", 57, 0.25);
  return events;
}

function list({ query, events }: Asked): Response {
  checkQuery(query, LIST_QUERY);
  const [from, to] = [readInstant(query, "timeMin"), readInstant(query, "timeMax")];
  if (from !== null && to !== null && to <= from)
    throw refuse(400, "timeRangeEmpty", "The specified time range is empty.");
  const isSorted = query.get("orderBy") === "startTime";
  if (query.has("orderBy") && !["startTime", "updated"].includes(query.get("orderBy")!))
    throw refuse(400, "invalidParameter", "Invalid value for orderBy");
  if (isSorted && query.get("singleEvents") !== "true")
    throw refuse(400, "badRequest", "The requested ordering is not available for the particular query.");
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const found = [...events.values()].filter(
    (event) =>
      event.status === "confirmed" &&
      (from === null || instantOf(event.end) > from) &&
      (to === null || instantOf(event.start) < to) &&
      words.every((word) => textOf(event).includes(word)),
  );
  if (isSorted) found.sort((one, other) => instantOf(one.start) - instantOf(other.start));
  const size = readCount(query, "maxResults", 250, 2_500);
  const begin = query.has("pageToken") ? readCount(query, "pageToken", 1, 1_000_000) : 0;
  const nextPageToken = begin + size < found.length ? String(begin + size) : undefined;
  const items = found.slice(begin, begin + size).map(toResource);
  return show(
    { kind: "calendar#events", timeZone: "UTC", items, ...(nextPageToken && { nextPageToken }) },
    query,
  );
}

async function insert(request: Request, asked: Asked): Promise<Response> {
  const { query, events } = asked;
  checkQuery(query, ["sendUpdates", "fields"]);
  checkSendUpdates(query);
  const body = await readFields(request, WRITABLE);
  const id = body["id"] ?? new Seeded(`event ${(made += 1)}`).text(26, "0123456789abcdefghijklmnopqrstuv");
  if (typeof id !== "string" || !/^[a-v0-9]{5,1024}$/.test(id))
    throw refuse(400, "invalid", "Invalid resource id value.");
  if (events.has(id)) throw refuse(409, "duplicate", "The requested identifier already exists.");
  return store({ id, status: "confirmed", ...checkContent(body), ...checkTimes(body) }, asked);
}

async function patch(request: Request, event: StoredEvent, asked: Asked): Promise<Response> {
  const { query } = asked;
  checkQuery(query, ["sendUpdates", "fields"]);
  checkSendUpdates(query);
  if (event.status === "cancelled") throw refuse(404, "notFound", "Not Found");
  const body = await readFields(request, WRITABLE.slice(1));
  const merge = (name: "start" | "end"): object => ({
    ...event[name],
    ...(body[name] as object | undefined),
  });
  const times = checkTimes({ start: merge("start"), end: merge("end") });
  return store({ ...event, ...checkContent(body), ...times }, asked);
}

function remove(event: StoredEvent, { query, events }: Asked): Response {
  checkQuery(query, ["sendUpdates"]);
  checkSendUpdates(query);
  if (event.status === "cancelled") throw refuse(410, "deleted", "Resource has been deleted");
  events.set(event.id, { ...event, status: "cancelled" });
  return new Response(null, { status: 204 });
}

function store(event: StoredEvent, { query, events }: Asked): Response {
  events.set(event.id, event);
  return show(toResource(event), query);
}

function find(id: string, { events }: Asked): StoredEvent {
  const event = events.get(decodeURIComponent(id));
  if (event === undefined) throw refuse(404, "notFound", "Not Found");
  return event;
}

function show(value: object, query: URLSearchParams): Response {
  return Response.json(keepFields(value, query.get("fields"), FIELDS));
}

function toResource(event: StoredEvent): object {
  return { kind: "calendar#event", ...event };
}

function checkSendUpdates(query: URLSearchParams): void {
  if (!["all", "externalOnly", "none"].includes(query.get("sendUpdates") ?? "none"))
    throw refuse(400, "invalidParameter", "Invalid value for sendUpdates");
}

function checkContent(body: Readonly<Record<string, unknown>>): object {
  for (const name of ["summary", "description", "location"])
    if (body[name] !== undefined && typeof body[name] !== "string")
      throw refuse(400, "invalid", `Invalid value for: ${name}`);
  const attendees = body["attendees"] ?? [];
  const areGood =
    Array.isArray(attendees) &&
    attendees.every((one: { email?: unknown }) => typeof one?.email === "string" && EMAIL.test(one.email));
  if (!areGood) throw refuse(400, "invalid", "Invalid attendee email.");
  const { summary, description, location } = body;
  return {
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(location !== undefined && { location }),
    ...(body["attendees"] !== undefined && { attendees }),
  };
}

function checkTimes(body: Readonly<Record<string, unknown>>): { start: EventTime; end: EventTime } {
  const [start, end] = [checkTime(body["start"], "start"), checkTime(body["end"], "end")];
  if ((start.date === undefined) !== (end.date === undefined))
    throw refuse(400, "invalid", "Start and end times must either both be date or both be dateTime.");
  if (instantOf(end) < instantOf(start) || (start.date !== undefined && start.date === end.date))
    throw refuse(400, "timeRangeEmpty", "The specified time range is empty.");
  return { start, end };
}

/** One of `date` and `dateTime`, the latter with an offset or a zone; a field that is null is none. */
function checkTime(value: unknown, which: string): EventTime {
  if (typeof value !== "object" || value === null) throw refuse(400, "required", `Missing ${which} time.`);
  const fields = Object.entries(value).filter(([, part]) => part !== null);
  const unknown = fields.find(([name]) => !["date", "dateTime", "timeZone"].includes(name));
  if (unknown !== undefined) throw refuse(400, "badRequest", `Unknown name "${unknown[0]}"`);
  if (fields.some(([, part]) => typeof part !== "string"))
    throw refuse(400, "invalid", `Invalid ${which} time.`);
  const { date, dateTime, timeZone } = Object.fromEntries(fields) as EventTime;
  if (timeZone !== undefined && !isZone(timeZone))
    throw refuse(400, "invalid", `Invalid time zone definition for ${which} time.`);
  if ((date === undefined) === (dateTime === undefined))
    throw refuse(400, "invalid", `Invalid ${which} time.`);
  if (date !== undefined) {
    if (!isDay(date)) throw refuse(400, "invalid", `Invalid ${which} time.`);
    return { date };
  }
  const [, day, offset] =
    /^(\d{4}-\d{2}-\d{2})T[0-2]\d:[0-5]\d:[0-5]\d(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?$/.exec(dateTime!) ?? [];
  if (day === undefined || !isDay(day)) throw refuse(400, "invalid", `Invalid ${which} time.`);
  if (offset === undefined) throw refuse(400, "required", `Missing time zone definition for ${which} time.`);
  return { dateTime: toUtc(Date.parse(dateTime!)), timeZone: timeZone ?? "UTC" };
}

function readInstant(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text))
    throw refuse(400, "badRequest", "Bad Request");
  return Date.parse(text);
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && toUtc(time).startsWith(text);
}

function isZone(name: string): boolean {
  try {
    return /^[A-Z]/.test(new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone);
  } catch {
    return false;
  }
}

/** As the calendar shows it, whose own zone is UTC. */
function toUtc(instant: number): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}

function instantOf({ date, dateTime }: EventTime): number {
  return Date.parse(dateTime ?? `${date!}T00:00:00Z`);
}

function textOf({ summary, description, attendees }: StoredEvent): string {
  return JSON.stringify([summary, description, attendees]).toLowerCase();
}
