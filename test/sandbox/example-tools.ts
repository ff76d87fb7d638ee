import * as z from "zod";

import { type Tool, defineTool } from "../../src/core/catalog/define-tool.ts";
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

/** Tools of worked examples of an orchestration contract that none of the shipped ones is. Development and tests only. */
export const EXAMPLE_TOOLS: readonly Tool[] = [vectorSearch];
