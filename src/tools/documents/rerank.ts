import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { lazySchema, looseSchema } from "../../core/contract/lazy-schema.ts";
import * as LIMITS from "../kit/limits.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { textArgument } from "../kit/arguments.ts";

/** A text, or what search_documents and fetch_document give of a document. */
const document = lazySchema(() =>
  z.union([
    z.string().check(z.minLength(1)),
    z
      .strictObject({
        document_id: z.optional(z.string()),
        title: z.optional(z.string()),
        text: z.optional(z.string()),
        snippet: z.optional(z.string()),
      })
      .check(
        z.refine(
          ({ title, text, snippet }) => Boolean(title || text || snippet),
          "a document with a title or text",
        ),
      ),
  ]),
);

type Document = z.output<ReturnType<typeof document>>;

const answerSchema = looseSchema(() => ({
  results: z.array(z.looseObject({ index: z.int(), relevance_score: z.number() })),
}));

/**
 * Put documents in the order of their relevance to a question, with Cohere's Rerank API (v2).
 *
 * One at a time in a batch: the service bills by call, and a key on trial has a few calls a minute.
 *
 * Source: https://docs.cohere.com/reference/rerank
 */
export const rerank = defineTool({
  name: "rerank",
  summary: "Put documents in order of relevance to a question",
  description:
    "Put up to 100 documents in the order of their relevance to a question: of each its place in what was sent, counted from 0, its " +
    "document_id if it has one, and a score from 0 to 1. Takes what search_documents gives. Size: about 20 tokens for each document.",
  category: "documents",
  actions: ["rank"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: textArgument(2_000, "The question that the documents should answer."),
      documents: z
        .array(document())
        .check(
          z.maxLength(LIMITS.rerankDocuments),
          z.describe("Texts, or objects with document_id, title and text or snippet; at most 100."),
        ),
    }),
  hosts: ["api.cohere.com"],
  secrets: ["COHERE_API_KEY"],
  maxResponseBytes: 64 * 1024,
  orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 500 } },
  run: async ({ query, documents }, ctx) => {
    // The documents of a search that found nothing.
    if (documents.length === 0) return { results: [] };
    const response = await ctx.fetch("https://api.cohere.com/v2/rerank", {
      method: "POST",
      headers: { Authorization: `Bearer ${ctx.secret("COHERE_API_KEY")}` },
      body: { model: "rerank-v4.0-pro", query, documents: documents.map(toText) },
    });
    const { results } = parseUpstream(answerSchema(), response);
    const places = new Set(results.map(({ index }) => index));
    const isWhole = places.size === documents.length && results.length === documents.length;
    if (!isWhole || !documents.every((_, index) => places.has(index)))
      throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
        hint: "The service left some documents out; use them in the order that they are in.",
      });
    return {
      results: results
        .toSorted((a, b) => b.relevance_score - a.relevance_score)
        .map(({ index, relevance_score }) => ({
          index,
          ...idOf(documents[index]),
          score: Math.round(relevance_score * 10_000) / 10_000,
        })),
    };
  },
});

function toText(one: Document): string {
  if (typeof one === "string") return one;
  return [one.title, one.text ?? one.snippet].filter(Boolean).join("\n");
}

function idOf(one: Document | undefined): { readonly document_id?: string } {
  if (typeof one !== "object" || one.document_id === undefined) return {};
  return { document_id: one.document_id };
}
