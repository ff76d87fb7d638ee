import { defineTool } from "volley";
import * as z from "zod";

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
const CLOSED = new Set<string>(["monday"]);

/** A read: whatever else is in the batch runs beside it. */
export const getOpeningHours = defineTool({
  name: "get_opening_hours",
  summary: "Say when the restaurant is open on a day",
  description: "Opening hours of a weekday; both times are null when it is closed. Size: about 20 tokens.",
  category: "restaurant",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ day: z.enum(DAYS) }),
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  run: ({ day }) =>
    Promise.resolve(
      CLOSED.has(day) ? { day, opens: null, closes: null } : { day, opens: "18:00", closes: "23:00" },
    ),
});
