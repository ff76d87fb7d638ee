import * as z from "zod/mini";
import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { attempt } from "../../core/kit/result.ts";
import { emailAddress } from "../kit/email-address.ts";
import { mayUseAccount, statusOf } from "../kit/google-access.ts";
import { invalidArgument } from "../kit/invalid-argument.ts";
import { placeOfArgument, timezone, when } from "../kit/zone-argument.ts";
import { CALENDAR, type CalendarEvent, readEvent, timesOf, toApiTimes, writeEvent } from "./calendar-api.ts";
import { showTimes, toEventTimes } from "./event-times.ts";
import { textArgument } from "../kit/arguments.ts";

/**
 * Put an event into the account's own calendar.
 *
 * The event's id is made of the idempotency key, so sending it again makes no second one: Google answers 409, and the event
 * that is there is the answer.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events/insert
 */
export const addCalendarEvent = defineTool({
  ...CALENDAR,
  ...mayUseAccount("calendar.events"),
  name: "add_calendar_event",
  summary: "Create a new calendar event with title, time, and optional attendees",
  description:
    "Add an event to the user's Google Calendar, such as a meeting or an appointment. Times are ISO 8601 or English words " +
    "('tomorrow at 3pm', 'next friday 14:00', 'on March 5' for the whole day); it takes an hour, or its day, unless " +
    "`end_time` or `duration` says otherwise. Attendees are invited. `end` of whole days is the last of them. " +
    "Size: about 70 tokens.",
  actions: ["create", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({
      title: textArgument(1_000, "Event title."),
      start_time: when().check(z.describe("Start, in ISO 8601 or English words; a day alone is all day.")),
      end_time: z
        .optional(when())
        .check(z.describe("End, in the same way; of an all-day event its last day.")),
      duration: z
        .optional(when())
        .check(z.describe("Instead of an end, e.g. '2 hours', '30 minutes' or 'PT45M'.")),
      description: z
        ._default(z.string().check(z.maxLength(8_000)), "")
        .check(z.describe("Event description.")),
      attendees: z
        .optional(z.array(emailAddress()).check(z.maxLength(100)))
        .check(z.describe("Attendees' email addresses, at most 100.")),
      timezone: z._default(timezone(), "UTC"),
    }),
  typicalTokens: 80,
  maxResponseBytes: 64 * 1024,
  idempotent: "with-key",
  orchestration: {
    mode: "sequential-only",
    backoff: { strategy: "exponential", initial_ms: 500 },
    compensate: { tool: "delete_calendar_event", args: { event_id: { $ref: "result#/event_id" } } },
  },
  run: async ({ title, description, attendees = [], timezone: zone, ...said }, ctx) => {
    const place = placeOfArgument(zone);
    const times = await toEventTimes(said, { place, now: ctx.time.now() });
    if (!times.ok)
      throw invalidArgument(times.error.argument, times.error.expected, said[times.error.argument]);
    const body = {
      id: toEventId(ctx.idempotencyKey),
      summary: title,
      ...(description !== "" && { description }),
      ...(attendees.length > 0 && { attendees: attendees.map((email) => ({ email })) }),
      ...toApiTimes(times.value, place.zone),
    };
    const made = await attempt(() => writeEvent(ctx, null, body));
    if (made.ok) return { success: true, event_id: made.value.id, ...showTimes(times.value) };
    if (statusOf(made.error) !== 409) throw made.error;
    const there = await findMade(ctx, body.id);
    const shownBy = times.value.kind === "times" ? times.value.place : place;
    return { success: true, event_id: there.id, ...showTimes(timesOf(there, shownBy)) };
  },
});

/** The event that an earlier attempt has made. */
async function findMade(ctx: ToolContext, eventId: string): Promise<CalendarEvent> {
  const event = await readEvent(ctx, eventId);
  if (event.status !== "cancelled") return event;
  throw new ToolFailure("IDEMPOTENCY_CONFLICT", {
    hint: "The event of this idempotency key was made and has been deleted since; use another key to make one anew.",
  });
}

const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})/;

/**
 * Make the id of the event that is created under an idempotency key: the same for the same key and different for different
 * keys, so Google refuses the second of two that are one. Ids are written in base32hex, 5 to 1,024 digits.
 *
 * A UUID in front keeps its own digits, which are some of those; a key without one begins with a digit that none has.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events#id
 */
export function toEventId(idempotencyKey: string): string {
  const uuid = UUID.exec(idempotencyKey);
  if (uuid === null) return `v${toBase32Hex(idempotencyKey)}v`.padEnd(5, "v");
  return uuid.slice(1).join("") + toBase32Hex(idempotencyKey.slice(uuid[0].length));
}

/** RFC 4648, 7, in lower case and without padding. */
function toBase32Hex(text: string): string {
  let digits = "";
  let bits = 0;
  let held = 0;
  for (const byte of new TextEncoder().encode(text)) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) digits += DIGITS[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? digits : digits + DIGITS[(held << (5 - bits)) & 31];
}
