import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { afterSearch } from "../kit/arguments.ts";
import * as LIMITS from "../kit/limits.ts";
import { queryRows } from "../kit/query-rows.ts";

interface Document {
  readonly document_id: string;
  readonly title: string;
  readonly text: string;
  readonly length: number;
}

/** Read one document of the caller's tenant, or the next part of a long one. Characters are Unicode code points. */
export const fetchDocument = defineTool({
  name: "fetch_document",
  summary: "Read the text of a document by its id",
  description:
    "Read the text of a document that search_documents found. A long one comes in parts of 20000 characters: next_offset says " +
    "where the next part begins. Size: about 1000 tokens, at most 5000.",
  category: "documents",
  isWrite: false,
  input: () =>
    z.strictObject({
      document_id: z
        .string()
        .check(z.minLength(1), z.maxLength(200), z.describe("Id of a document, from search_documents.")),
      offset: z
        ._default(z.int().check(z.minimum(0)), 0)
        .check(z.describe("Character of the text to begin at: the next_offset of the part before.")),
    }),
  hosts: [],
  bindings: ["DATA"],
  typicalTokens: 1_000,
  orchestration: afterSearch("search_documents", "document_id", "/documents/0/document_id", 200),
  run: async ({ document_id, offset }, ctx) => {
    const part = LIMITS.documentCharacters;
    const [found] = await queryRows<Document>(ctx, FETCH, document_id, offset + 1, part);
    if (found === undefined)
      throw new ToolFailure("NOT_FOUND", {
        hint: "There is no document of that id; take one that a search of the documents gives.",
      });
    const { length, ...document } = found;
    return { ...document, ...(offset + part < length && { next_offset: offset + part }) };
  },
});

const FETCH = `
  SELECT document_id, title, substr(text, ?3, ?4) AS text, length(text) AS length
  FROM documents WHERE tenant = ?1 AND document_id = ?2`;
