import * as z from "zod";

import { type Tool, type ToolContext, defineTool } from "../../src/catalog/define-tool.ts";
import type { FailureCode } from "../../src/contract/failure-codes.ts";
import { ToolFailure } from "../../src/catalog/tool-failure.ts";
import { EXAMPLES_HOST, signWebhook } from "./upstreams/examples.ts";

const AT = `https://${EXAMPLES_HOST}`;
const EXAMPLE = { category: "examples", execution: "sync", hosts: [EXAMPLES_HOST] } as const;

/** Deliveries to one URL: the first, and one more when it failed for the moment. */
const DELIVERY_ATTEMPTS = 2;

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

const dispatchEvent = defineTool({
  ...EXAMPLE,
  name: "dispatch_event",
  summary: "Send an event to webhooks",
  description:
    "Send one signed event to up to 25 webhook URLs; says of each how it went. It repeats what failed for the moment by " +
    "itself. For tests.",
  domain: "webhooks",
  actions: ["send"],
  isWrite: true,
  input: z.strictObject({
    type: z.string().min(1).describe("What happened, e.g. 'order.paid'."),
    data: z.record(z.string(), z.unknown()).default({}).describe("The event's own fields."),
    urls: z.array(z.url()).min(1).max(25).describe("Where to, at most 25."),
  }),
  secrets: ["EXAMPLES_WEBHOOK_SECRET"],
  orchestration: { mode: "fan-out-bounded", max_concurrency: 25, on_error: "partial-success" },
  run: async ({ type, data, urls }, ctx) => {
    const body = JSON.stringify({ type, data });
    const results = await Promise.all(
      urls.map(async (url, index) => ({ index, url, ...(await deliver(url, index, body, ctx)) })),
    );
    const ok = results.filter(({ status }) => status === "ok").length;
    return { results, summary: { ok, error: results.length - ok } };
  },
});

interface Delivery {
  readonly status: "ok" | "error";
  readonly attempts: number;
  readonly code?: FailureCode;
}

/** The id is the same on every attempt, so a hook that took the first one can tell. */
async function deliver(url: string, index: number, body: string, ctx: ToolContext): Promise<Delivery> {
  const id = `${ctx.idempotencyKey}:${index}`;
  for (let attempts = 1; ; attempts += 1) {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const secret = ctx.secret("EXAMPLES_WEBHOOK_SECRET");
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": await signWebhook(secret, id, timestamp, body),
    };
    try {
      await ctx.fetch(url, { method: "POST", headers, body });
      return { status: "ok", attempts };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      const { code, retryable } = error.failure;
      if (!retryable || attempts === DELIVERY_ATTEMPTS) return { status: "error", attempts, code };
    }
  }
}

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
export const EXAMPLE_TOOLS: readonly Tool[] = [
  vectorSearch,
  dispatchEvent,
  listCalendarEvents,
  deleteCalendarEvent,
];
