import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { toMisfit } from "../../core/contract/issues.ts";
import { cutText } from "../kit/cut-text.ts";
import { emailAddress } from "../kit/email-address.ts";
import { invalidArgument } from "../kit/invalid-argument.ts";
import { placeOfArgument, timezone, when } from "../kit/zone-argument.ts";
import { eventId, ONE_EVENT, readEvent, timesOf, toApiTimes, writeEvent } from "./calendar-api.ts";
import { keepBefore, takeState, toApiTexts } from "./event-state.ts";
import { type SaidTimes, showTimes, toEventTimes } from "./event-times.ts";

/**
 * Change an event of the account's own calendar.
 *
 * The event is looked up first: a new start keeps its length, a new end its start, and times are of its own zone unless
 * another is named.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events/patch
 */
export const updateCalendarEvent = defineTool({
  ...ONE_EVENT,
  name: "update_calendar_event",
  summary: "Change a calendar event's title, time, description or attendees",
  description:
    "Change an event of the user's Google Calendar by its id; what is left out stays. A new `start_time` moves the event, " +
    "with its length, unless `end_time` or `duration` says otherwise. Times are ISO 8601 or English words. Attendees are " +
    "told. `before` and `after` are what was changed. Size: about 150 tokens.",
  actions: ["update", "write"],
  input: () =>
    z.strictObject({
      event_id: eventId(),
      title: z
        .optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(1_000)))
        .check(z.describe("New title.")),
      start_time: z
        .optional(when())
        .check(z.describe("New start, in ISO 8601 or English words; a day alone makes it all day.")),
      end_time: z
        .optional(when())
        .check(z.describe("New end, in the same way; of an all-day event its last day.")),
      duration: z
        .optional(when())
        .check(z.describe("New length instead of an end, e.g. '2 hours' or 'PT45M'.")),
      description: z
        .optional(z.string().check(z.maxLength(8_000)))
        .check(z.describe("New description; empty removes it.")),
      attendees: z
        .optional(z.array(emailAddress()).check(z.maxLength(100)))
        .check(z.describe("All attendees' addresses from now on.")),
      timezone: z
        .optional(timezone())
        .check(z.describe("IANA time zone of times without an offset; the event's own unless said.")),
    }),
  typicalTokens: 100,
  orchestration: {
    mode: "sequential-only",
    backoff: { strategy: "exponential", initial_ms: 500 },
    compensate: {
      tool: "restore_calendar_event",
      args: {
        event_id: { $ref: "result#/event_id" },
        before: { $ref: "result#/before" },
        after: { $ref: "result#/after" },
      },
    },
  },
  run: async ({ event_id, title, description, attendees, timezone: zone, ...said }, ctx) => {
    if (zone !== undefined) placeOfArgument(zone);
    const movesIt = Object.values(said).some((part) => part !== undefined);
    if (!movesIt && title === undefined && description === undefined && attendees === undefined)
      throw nothingToChange();
    const before = keepBefore(ctx, await readEvent(ctx, event_id));
    if (before.status === "cancelled")
      throw new ToolFailure("NOT_FOUND", { hint: "The event has been deleted." });
    const place = placeOfArgument(zone ?? before.start.timeZone ?? "UTC");
    const times = movesIt
      ? await newTimes(said, { place, now: ctx.time.now() }, timesOf(before, place))
      : null;
    const event = await writeEvent(ctx, event_id, {
      ...toApiTexts({ title, description, attendees }),
      ...(times !== null && toApiTimes(times, place.zone)),
    });
    const changed = CHANGED.filter((field) =>
      field === "start" || field === "end" ? movesIt : { title, description, attendees }[field] !== undefined,
    );
    const shown = showTimes(times ?? timesOf(event, place));
    return {
      success: true,
      event_id: event.id,
      title: cutText(event.summary ?? "(no title)", 200),
      ...shown,
      before: takeState(before, changed),
      after: takeState(event, changed),
    };
  },
});

const CHANGED = ["title", "description", "attendees", "start", "end"] as const;

type TimesArguments = Parameters<typeof toEventTimes>;

async function newTimes(said: SaidTimes, reading: TimesArguments[1], current: TimesArguments[2]) {
  const times = await toEventTimes(said, reading, current);
  if (times.ok) return times.value;
  throw invalidArgument(times.error.argument, times.error.expected, said[times.error.argument]);
}

function nothingToChange(): ToolFailure {
  const issue = { path: "/args", expected: "the id and at least one thing to change", received: "none" };
  return new ToolFailure("INVALID_ARGS", toMisfit(issue));
}
