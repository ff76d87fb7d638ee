import * as z from "zod";

import { type Tool, defineTool } from "../../src/catalog/define-tool.ts";
import { EXAMPLES_HOST } from "./upstreams/examples.ts";

const AT = `https://${EXAMPLES_HOST}`;
const EXAMPLE = { category: "examples", execution: "sync", hosts: [EXAMPLES_HOST] } as const;

const searchDocuments = defineTool({
  ...EXAMPLE,
  name: "search_documents",
  summary: "Find documents by a word",
  description: "Find documents by a word: their ids and titles, the best first. For tests.",
  domain: "documents",
  actions: ["search"],
  isWrite: false,
  input: z.strictObject({
    query: z.string().min(1).describe("A word of the document."),
    limit: z.int().min(1).max(25).default(3).describe("How many at most."),
  }),
  orchestration: { mode: "parallel-safe" },
  run: async ({ query, limit }, ctx) =>
    (await ctx.fetch(`${AT}/documents?${new URLSearchParams({ q: query, limit: String(limit) })}`)).json(),
});

const fetchDocument = defineTool({
  ...EXAMPLE,
  name: "fetch_document",
  summary: "Read a document that search_documents found",
  description: "Read the text of a document, by the id that search_documents gives. For tests.",
  domain: "documents",
  actions: ["read"],
  isWrite: false,
  input: z.strictObject({ document_id: z.string().min(1).describe("Id from search_documents.") }),
  orchestration: {
    mode: "dependent",
    max_concurrency: 4,
    depends_on: [
      {
        tool: "search_documents",
        required_fields: ["document_id"],
        from: { document_id: "/documents/0/document_id" },
      },
    ],
  },
  run: async ({ document_id }, ctx) =>
    (await ctx.fetch(`${AT}/documents/${encodeURIComponent(document_id)}`)).json(),
});

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

const rerank = defineTool({
  ...EXAMPLE,
  name: "rerank",
  summary: "Put found passages in a better order",
  description: "Put the ids of found passages in a better order. One at a time: it keeps a cache. For tests.",
  domain: "vectors",
  actions: ["read"],
  isWrite: false,
  input: z.strictObject({ ids: z.array(z.string()).min(1).describe("Ids from vector_search.") }),
  orchestration: { mode: "sequential-only" },
  run: async (body, ctx) => (await ctx.fetch(`${AT}/rerank`, { method: "POST", body })).json(),
});

const createContacts = defineTool({
  ...EXAMPLE,
  name: "create_contacts",
  summary: "Create contacts, all of them or none",
  description: "Create up to 100 contacts in one transaction: one bad row and none is created. For tests.",
  domain: "contacts",
  actions: ["create"],
  isWrite: true,
  input: z.strictObject({
    contacts: z
      .array(z.strictObject({ name: z.string().min(1), email: z.string().min(1) }))
      .min(1)
      .max(100)
      .describe("The rows, at most 100."),
  }),
  orchestration: { mode: "sequential-only", on_error: "fail-fast" },
  run: async (body, ctx) => (await ctx.fetch(`${AT}/contacts`, { method: "POST", body })).json(),
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

/** One tool for each worked example of an orchestration contract. Development and tests only. */
export const EXAMPLE_TOOLS: readonly Tool[] = [
  searchDocuments,
  fetchDocument,
  vectorSearch,
  rerank,
  createContacts,
  listCalendarEvents,
  deleteCalendarEvent,
];
