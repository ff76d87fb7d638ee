import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import * as LIMITS from "../kit/limits.ts";
import { cutText } from "../kit/cut-text.ts";
import { queryRows } from "../kit/query-rows.ts";
import { countArgument, textArgument, fanOut } from "../kit/arguments.ts";

/** A query keeps only letters and digits: nothing of the index's query language, and nothing that it takes for a mark. */
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

interface Found {
  readonly document_id: string;
  readonly title: string;
  readonly snippet: string;
}

/**
 * Find documents of the caller's tenant with the full-text index of the database, the best first (BM25, a title counts five
 * times its text).
 *
 * A document that has one of the words is found, in whichever form English gives it; one that has more of them comes first.
 *
 * Source: https://www.sqlite.org/fts5.html
 */
export const searchDocuments = defineTool({
  name: "search_documents",
  summary: "Search the team's own documents by words",
  description:
    "Find documents that this deployment keeps, by words of their title or text, the best first: ids, titles and a passage of " +
    "each. Read one with fetch_document. Size: about 60 tokens for each document, five unless more are asked for.",
  category: "documents",
  actions: ["search"],
  isWrite: false,
  input: () =>
    z.strictObject({
      query: textArgument(LIMITS.queryCharacters, "Words to look for; no operators, punctuation is ignored."),
      limit: countArgument(LIMITS.loopElements, 5, "How many documents at most, 1 to 25, 5 unless said."),
    }),
  hosts: [],
  bindings: ["DATA"],
  typicalTokens: 300,
  // A database answers one after the other; more would only wait there, in their own time.
  orchestration: fanOut(5, 200),
  run: async ({ query, limit }, ctx) => {
    const words = new Set(query.toLowerCase().match(WORDS) ?? []);
    if (words.size === 0) return { documents: [] };
    const wanted = [...words]
      .slice(0, LIMITS.searchedWords)
      .map((word) => `"${word}"`)
      .join(" OR ");
    const found = await queryRows<Found>(ctx, SEARCH, wanted, limit);
    return {
      documents: found.map(({ document_id, title, snippet }) => ({
        document_id,
        title: cutText(title, 200),
        snippet: cutText(snippet, 300),
      })),
    };
  },
});

// The owner narrows what is ranked, the tenant decides.
const SEARCH = `
  SELECT document_id, documents.title, snippet(documents_fts, 2, '', '', '…', 32) AS snippet
  FROM documents_fts CROSS JOIN documents ON documents.id = documents_fts.rowid
  WHERE documents_fts MATCH ('owner : "t' || hex(?1) || '" AND {title text} : (' || ?2 || ')')
    AND rank MATCH 'bm25(0.0, 5.0, 1.0)' AND tenant = ?1
  ORDER BY rank LIMIT ?3`;
