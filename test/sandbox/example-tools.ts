import * as z from "zod";

import { type Tool, type ToolContext, defineTool } from "../../src/catalog/define-tool.ts";
import type { FailureCode } from "../../src/contract/failure-codes.ts";
import { ToolFailure } from "../../src/catalog/tool-failure.ts";
import { EXAMPLES_HOST, signWebhook } from "./upstreams/examples.ts";

const AT = `https://${EXAMPLES_HOST}`;
const EXAMPLE = { category: "examples", execution: "sync", hosts: [EXAMPLES_HOST] } as const;

/** Deliveries to one URL: the first, and one more when it failed for the moment. */
const DELIVERY_ATTEMPTS = 2;

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

/** One tool for each worked example of an orchestration contract. Development and tests only. */
export const EXAMPLE_TOOLS: readonly Tool[] = [
  searchDocuments,
  fetchDocument,
  vectorSearch,
  rerank,
  createContacts,
  dispatchEvent,
];
