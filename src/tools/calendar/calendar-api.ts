import * as z from "zod/mini";

import type { ToolContext, UpstreamRequest, UpstreamResponse } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { parseInstant } from "../../core/kit/rfc3339.ts";
import { providerId } from "../kit/arguments.ts";
import { cutText } from "../kit/cut-text.ts";
import { fetchGoogle, ofGoogle, mayUseAccount } from "../kit/google-access.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { DAY_MS, type Place, toDay, writeDay, writeInstant } from "../../core/kit/time-zone.ts";
import { type EventTimes, showTimes } from "./event-times.ts";

export const CALENDAR = ofGoogle("calendar", "www.googleapis.com", 12_000);

/** The declaration of tools that change one event, however often they are called. */
export const ONE_EVENT = {
  ...CALENDAR,
  ...mayUseAccount("calendar.events"),
  isWrite: true,
  maxResponseBytes: 64 * 1024,
  idempotent: true,
} as const;

export const eventId = () =>
  providerId(1_024).check(z.describe("Event id, as another calendar tool gave it."));

/** The fields of an event that are asked for; the others would only be read and thrown away. */
const FIELDS = "id,status,summary,start,end";
/** The same with those that only a change of one event looks at. */
const ALL_FIELDS = `${FIELDS},description,attendees(email)`;
const MAX_TITLE = 200;

const timeSchema = looseSchema(() => ({
  date: z.nullish(z.string()),
  dateTime: z.nullish(z.string()),
  timeZone: z.nullish(z.string()),
}));

const eventSchema = looseSchema(() => ({
  id: z.string(),
  status: z.nullish(z.string()),
  summary: z.nullish(z.string()),
  start: timeSchema(),
  end: timeSchema(),
  description: z.nullish(z.string()),
  attendees: z.nullish(z.array(z.looseObject({ email: z.nullish(z.string()) }))),
}));

const pageSchema = looseSchema(() => ({
  items: z._default(z.array(eventSchema()), []),
  nextPageToken: z.nullish(z.string()),
}));

/** An event as Google has it. */
export type CalendarEvent = z.output<ReturnType<typeof eventSchema>>;

/** An event as a model reads it. */
interface ShownEvent {
  readonly event_id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
}

/**
 * Send a request about events of the account's own calendar.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events
 *
 * @param eventId of one event; null for all of them
 */
export function fetchEvents(
  ctx: ToolContext,
  eventId: string | null,
  query: Readonly<Record<string, string>>,
  request: UpstreamRequest = {},
): Promise<UpstreamResponse> {
  const url = new URL("https://www.googleapis.com/calendar/v3/calendars/primary/events");
  if (eventId !== null) url.pathname += `/${encodeURIComponent(eventId)}`;
  url.search = new URLSearchParams(query).toString();
  return fetchGoogle(ctx, url, request);
}

/** Make or change an event; its guests are told. */
export async function writeEvent(
  ctx: ToolContext,
  eventId: string | null,
  body: object,
): Promise<CalendarEvent> {
  const method = eventId === null ? "POST" : "PATCH";
  const response = await fetchEvents(
    ctx,
    eventId,
    { sendUpdates: "all", fields: ALL_FIELDS },
    { method, body },
  );
  return parseUpstream(eventSchema(), response);
}

/** Look an event up before, or after, it is written. */
export async function readEvent(ctx: ToolContext, eventId: string): Promise<CalendarEvent> {
  const response = await fetchEvents(ctx, eventId, { fields: ALL_FIELDS }, { changesNothing: true });
  return parseUpstream(eventSchema(), response);
}

/** Events in the order of their beginnings; a series as its single events. */
export async function findEvents(
  ctx: ToolContext,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly events: readonly CalendarEvent[]; readonly hasMore: boolean }> {
  const all = { ...query, singleEvents: "true", orderBy: "startTime" };
  const fields = `items(${FIELDS}),nextPageToken`;
  const { items, nextPageToken } = parseUpstream(
    pageSchema(),
    await fetchEvents(ctx, null, { ...all, fields }),
  );
  return { events: items, hasMore: typeof nextPageToken === "string" && nextPageToken !== "" };
}

/** Read when an event is, for clocks of this place. Google counts the day after the last as the end of whole days. */
export function timesOf({ start, end }: CalendarEvent, place: Place): EventTimes {
  const first = readDate(start.date);
  const behind = readDate(end.date);
  if (first !== null && behind !== null)
    return { kind: "days", first, last: Math.max(first, behind - DAY_MS) };
  const [from, to] = [parseInstant(start.dateTime ?? ""), parseInstant(end.dateTime ?? "")];
  if (from !== null && to !== null) return { kind: "times", start: from, end: to, place };
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: "The calendar gave an event without its times; sending the same call again will not help.",
  });
}

/** Write when an event is as Google takes it: fields of the other kind are null, which removes them. */
export function toApiTimes(times: EventTimes, zone: string | null): { start: object; end: object } {
  if (times.kind === "days") {
    const date = (wall: number): object => ({ date: writeDay(wall), dateTime: null, timeZone: null });
    return { start: date(times.first), end: date(times.last + DAY_MS) };
  }
  const dateTime = (instant: number): object => ({
    date: null,
    dateTime: writeInstant(instant, times.place),
    ...(zone !== null && { timeZone: zone }),
  });
  return { start: dateTime(times.start), end: dateTime(times.end) };
}

/** Show an event as tools list it. */
export function showEvent(event: CalendarEvent, place: Place): ShownEvent {
  const { start, end } = showTimes(timesOf(event, place));
  return { event_id: event.id, title: cutText(event.summary ?? "(no title)", MAX_TITLE), start, end };
}

function readDate(text: string | null | undefined): number | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "") ?? [];
  return year === undefined ? null : toDay(Number(year), Number(month), Number(day));
}
