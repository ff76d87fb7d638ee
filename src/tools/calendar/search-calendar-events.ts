import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { DAY_MS, placeOfOffset, writeInstant } from "../../core/kit/time-zone.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { placeOfArgument, timezone } from "../kit/zone-argument.ts";
import { CALENDAR, findEvents, showEvent } from "./calendar-api.ts";
import { countArgument, textArgument } from "../kit/arguments.ts";

const UTC = placeOfOffset(0);
/** How far back is looked, and for how many: who looks for an event mostly means one to come. */
const PAST = { ms: 365 * DAY_MS, events: "250" };

/**
 * Find events of the account's own calendar by their words.
 *
 * Google gives the oldest first and cannot turn that round, so what is to come is asked for first and fills the answer; only
 * what room is left goes to the past.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events/list
 */
export const searchCalendarEvents = defineTool({
  ...CALENDAR,
  ...mayUseAccount("calendar.events.readonly"),
  name: "search_calendar_events",
  summary: "Find calendar events by words of their title, text or attendees",
  description:
    "Find events of the user's Google Calendar by words: first those to come, the next one first, then those of the past " +
    "year, the latest first. Events of whole days show their first and last day. Size: about 60 tokens per event, never " +
    "over 2500.",
  actions: ["search", "read"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: textArgument(200, "Words of the title, description, place or attendees."),
      limit: countArgument(25, 10, "How many at most, 1 to 25."),
      timezone: z._default(timezone(), "UTC"),
    }),
  typicalTokens: 300,
  maxResponseBytes: 512 * 1024,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 300 } },
  run: async ({ query, limit, timezone: zone }, ctx) => {
    const place = placeOfArgument(zone);
    const now = ctx.time.now();
    const at = (instant: number): string => writeInstant(instant, UTC);
    const toCome = await findEvents(ctx, { q: query, timeMin: at(now), maxResults: String(limit) });
    const found = toCome.events.slice(0, limit);
    if (found.length < limit) {
      const range = { timeMin: at(now - PAST.ms), timeMax: at(now), maxResults: PAST.events };
      const past = await findEvents(ctx, { q: query, ...range });
      // An event that goes on right now is on both lists.
      const known = new Set(found.map(({ id }) => id));
      found.push(...past.events.filter(({ id }) => !known.has(id)).toReversed());
    }
    return { events: found.slice(0, limit).map((event) => showEvent(event, place)) };
  },
});
