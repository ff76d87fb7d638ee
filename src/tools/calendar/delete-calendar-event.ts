import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { attempt } from "../../core/kit/result.ts";
import { statusOf } from "../kit/google-access.ts";
import { eventId, ONE_EVENT, fetchEvents } from "./calendar-api.ts";

/**
 * Delete an event of the account's own calendar. One that has been deleted before is answered as deleted: an attempt whose
 * answer was lost is repeated, and finds its own work.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events/delete
 */
export const deleteCalendarEvent = defineTool({
  ...ONE_EVENT,
  name: "delete_calendar_event",
  summary: "Delete a calendar event by its ID",
  description:
    "Delete an event from the user's Google Calendar by its id, once a person has said yes. Attendees are told. " +
    "Size: about 40 tokens.",
  actions: ["delete", "write"],
  input: () => z.strictObject({ event_id: eventId() }),
  typicalTokens: 40,
  orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 500 } },
  run: async ({ event_id }, ctx) => {
    const deleted = await attempt(() =>
      fetchEvents(ctx, event_id, { sendUpdates: "all" }, { method: "DELETE" }),
    );
    if (!deleted.ok && statusOf(deleted.error) !== 410) throw deleted.error;
    return { success: true, event_id, ...(!deleted.ok && { already_deleted: true }) };
  },
});
