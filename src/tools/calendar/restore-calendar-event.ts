import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { eventId, ONE_EVENT, readEvent, writeEvent } from "./calendar-api.ts";
import { type EventState, eventStateSchema, findChange, takeState, toApiState } from "./event-state.ts";

/**
 * Put an event of the account's own calendar back to what it was before a change. It is looked up first: where somebody has
 * changed it since, nothing is overwritten.
 *
 * Source: https://developers.google.com/workspace/calendar/api/v3/reference/events/patch
 */
export const restoreCalendarEvent = defineTool({
  ...ONE_EVENT,
  name: "restore_calendar_event",
  summary: "Put a calendar event back to what it was before a change",
  description:
    "Put an event of the user's Google Calendar back to what it was, with `before` and `after` as update_calendar_event gave " +
    "them. It is refused where the event is not as `after` says any more. Attendees are told. Size: about 30 tokens.",
  actions: ["update", "write"],
  input: () =>
    z.strictObject({
      event_id: eventId(),
      before: eventStateSchema().check(z.describe("Fields as they were before the change.")),
      after: eventStateSchema().check(z.describe("The same fields as the change left them.")),
    }),
  typicalTokens: 30,
  orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 500 } },
  run: async ({ event_id, before, after }, ctx) => {
    const fields = Object.keys(before) as (keyof EventState)[];
    const event = await readEvent(ctx, event_id);
    if (event.status === "cancelled")
      throw new ToolFailure("NOT_FOUND", { hint: "The event has been deleted." });
    const now = takeState(event, fields);
    // An earlier attempt whose answer was lost may have put it back.
    if (findChange(before, now) === undefined) return { success: true, event_id };
    const changed = findChange(now, after);
    if (changed !== undefined) throw changedSince(changed);
    await writeEvent(ctx, event_id, toApiState(before));
    return { success: true, event_id };
  },
});

function changedSince(field: string): ToolFailure {
  return new ToolFailure("INVALID_ARGS", {
    issues: [
      { path: `/args/after/${field}`, expected: "what the event has now", received: "something else" },
    ],
    hint: `The event's ${field} was changed again since, so nothing was put back; look at the event, and change it by hand.`,
  });
}
