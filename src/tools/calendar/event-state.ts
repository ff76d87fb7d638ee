import * as z from "zod/mini";

import type { ToolContext } from "../../core/catalog/define-tool.ts";
import { strictSchema } from "../../core/contract/lazy-schema.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import { parseInstant } from "../../core/kit/rfc3339.ts";
import type { CalendarEvent } from "./calendar-api.ts";
import { getOrMake } from "../../core/kit/get-or-make.ts";

const time = strictSchema(() => ({
  date: z.optional(z.string()),
  dateTime: z.optional(z.string()),
  timeZone: z.optional(z.string()),
}));

/** The fields of an event that a change of it was about, as they were at some time. */
export const eventStateSchema = strictSchema(() => ({
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  attendees: z.optional(z.array(z.string())),
  start: z.optional(time()),
  end: z.optional(time()),
}));

/** Such fields of an event. A text that an event does not have is empty. */
export type EventState = z.output<ReturnType<typeof eventStateSchema>>;

type Field = keyof EventState;

export function takeState(event: CalendarEvent, fields: readonly Field[]): EventState {
  const state: Required<EventState> = {
    title: event.summary ?? "",
    description: event.description ?? "",
    attendees: (event.attendees ?? []).flatMap(({ email }) => email ?? []),
    start: toTime(event.start),
    end: toTime(event.end),
  };
  return Object.fromEntries(fields.map((field) => [field, state[field]]));
}

function toTime(given: CalendarEvent["start"]): NonNullable<EventState["start"]> {
  const { date, dateTime, timeZone } = given;
  return {
    ...(typeof date === "string" && { date }),
    ...(typeof dateTime === "string" && { dateTime }),
    ...(typeof timeZone === "string" && { timeZone }),
  };
}

/** Write the fields of an event besides its times. */
export function toApiTexts({ title, description, attendees }: Omit<EventState, "start" | "end">) {
  return {
    ...(title !== undefined && { summary: title }),
    ...(description !== undefined && { description }),
    ...(attendees !== undefined && { attendees: attendees.map((email) => ({ email })) }),
  };
}

/** Write fields as Google takes them: what is null is removed. */
export function toApiState({ title, description, attendees, start, end }: EventState): object {
  const whole = { date: null, dateTime: null, timeZone: null };
  return {
    ...toApiTexts({ title, description, attendees }),
    ...(start !== undefined && { start: { ...whole, ...start } }),
    ...(end !== undefined && { end: { ...whole, ...end } }),
  };
}

/** The first field in which two states of an event differ; undefined where they are the same. */
export function findChange(one: EventState, other: EventState): Field | undefined {
  return (Object.keys(one) as Field[]).find((field) => sign(one, field) !== sign(other, field));
}

/** The same moment may be written in two ways, and the guests are in no order. */
function sign(state: EventState, field: Field): string {
  const value = state[field];
  if (Array.isArray(value)) return canonicalJson(value.map((email) => email.toLowerCase()).toSorted());
  if (typeof value !== "object") return canonicalJson(value ?? null);
  return canonicalJson(value.date ?? parseInstant(value.dateTime ?? "") ?? null);
}

const before = new WeakMap<object, Map<string, CalendarEvent>>();

/** The event as it was before a call's first attempt: a later one may find its own work. */
export function keepBefore({ request, idempotencyKey }: ToolContext, found: CalendarEvent): CalendarEvent {
  const kept = getOrMake(before, request, () => new Map<string, CalendarEvent>());
  return getOrMake(kept, idempotencyKey, () => found);
}
