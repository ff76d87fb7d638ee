import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { invalidArgument } from "../kit/invalid-argument.ts";
import { type Moment, parseWhen, type Reading, WHEN_EXPECTED } from "../kit/parse-when.ts";
import { DAY_MS, instantOf, placeOfOffset, writeInstant } from "../../core/kit/time-zone.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { placeOfArgument, timezone, when } from "../kit/zone-argument.ts";
import { CALENDAR, findEvents, showEvent } from "./calendar-api.ts";
import { countArgument } from "../kit/arguments.ts";

const UTC = placeOfOffset(0);

/**
 * List what is in the account's own calendar, in the order of its beginnings.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events/list
 */
export const listCalendarEvents = defineTool({
  ...CALENDAR,
  ...mayUseAccount("calendar.events.readonly"),
  name: "list_calendar_events",
  summary: "List calendar events between two times, the next ones first",
  description:
    "List events of the user's Google Calendar that go on between `from` and `to`, in order of their start; from now on " +
    "unless said. Times are ISO 8601 or English words; a day is meant whole. Events of whole days show their first and " +
    "last day. Size: about 60 tokens per event, never over 4000.",
  actions: ["list", "read"],
  isWrite: false,
  input: () =>
    z.strictObject({
      from: z
        .optional(when())
        .check(z.describe("Where to begin, e.g. 'tomorrow' or '2027-03-05T09:00'; now unless said.")),
      to: z.optional(when()).check(z.describe("Where to stop, e.g. 'friday'; a day is included.")),
      limit: countArgument(50, 10, "How many at most, 1 to 50."),
      timezone: z._default(timezone(), "UTC"),
    }),
  typicalTokens: 600,
  maxResponseBytes: 512 * 1024,
  orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 300 } },
  run: async ({ from, to, limit, timezone: zone }, ctx) => {
    const place = placeOfArgument(zone);
    const reading: Reading = { place, now: ctx.time.now() };
    const begin = from === undefined ? null : await parseWhen(from, reading);
    if (from !== undefined && begin === null) throw invalidArgument("from", WHEN_EXPECTED, from);
    const start: Moment = begin?.start ?? { kind: "time", at: reading.now, place };
    const until = to === undefined ? null : await parseWhen(to, { ...reading, after: start });
    if (to !== undefined && until === null) throw invalidArgument("to", WHEN_EXPECTED, to);
    const stop = until?.end ?? until?.start ?? begin?.end;

    const timeMin = start.kind === "day" ? instantOf(start.day, place) : start.at;
    const timeMax = stop?.kind === "day" ? instantOf(stop.day + DAY_MS, place) : stop?.at;
    if (timeMax !== undefined && timeMax <= timeMin)
      throw invalidArgument("to", "a time after 'from'", to ?? from);
    const { events, hasMore } = await findEvents(ctx, {
      timeMin: writeInstant(timeMin, UTC),
      ...(timeMax !== undefined && { timeMax: writeInstant(timeMax, UTC) }),
      maxResults: String(limit),
    });
    const shown = events.slice(0, limit).map((event) => showEvent(event, place));
    return { events: shown, ...(hasMore && { more: true }) };
  },
});
