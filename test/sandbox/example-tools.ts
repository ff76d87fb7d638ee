import * as z from "zod";

import { type Tool, defineTool } from "../../src/catalog/define-tool.ts";
import { EXAMPLES_HOST } from "./upstreams/examples.ts";

const AT = `https://${EXAMPLES_HOST}`;
const EXAMPLE = { category: "examples", execution: "sync", hosts: [EXAMPLES_HOST] } as const;

const vectorSearch = defineTool({
  ...EXAMPLE,
  name: "vector_search",
  summary: "Find passages that mean something like a text",
  description: "Find passages that mean something like a text: ids and scores. For tests.",
  domain: "vectors",
  actions: ["search"],
  isWrite: false,
  input: z.strictObject({ query: z.string().min(1).describe("What to look for.") }),
  orchestration: { mode: "parallel-safe" },
  run: async ({ query }, ctx) =>
    (await ctx.fetch(`${AT}/vectors?${new URLSearchParams({ q: query })}`)).json(),
});

const listCalendarEvents = defineTool({
  ...EXAMPLE,
  name: "list_calendar_events",
  summary: "List the events of a calendar",
  description: "List the events of a calendar: their ids and titles. For tests.",
  domain: "calendar",
  actions: ["list", "read"],
  isWrite: false,
  input: z.strictObject({
    time_min: z.string().optional().describe("When to begin."),
    time_max: z.string().optional().describe("When to stop."),
  }),
  orchestration: { mode: "parallel-safe" },
  run: async (_, ctx) => (await ctx.fetch(`${AT}/events`)).json(),
});

const deleteCalendarEvent = defineTool({
  ...EXAMPLE,
  name: "delete_calendar_event",
  summary: "Delete an event of a calendar",
  description: "Delete an event of a calendar by its id, once a person has said yes. For tests.",
  domain: "calendar",
  actions: ["delete", "write"],
  isWrite: true,
  input: z.strictObject({ event_id: z.string().min(1).describe("Calendar event ID") }),
  orchestration: { mode: "sequential-only" },
  run: async ({ event_id }, ctx) =>
    (await ctx.fetch(`${AT}/events/${encodeURIComponent(event_id)}`, { method: "DELETE" })).json(),
});

/** Tools of worked examples of an orchestration contract that none of the shipped ones is. Development and tests only. */
export const EXAMPLE_TOOLS: readonly Tool[] = [vectorSearch, listCalendarEvents, deleteCalendarEvent];
