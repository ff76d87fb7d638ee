import * as z from "zod";

import { defineTool, type Tool } from "../../../src/core/catalog/define-tool.ts";

/** The two tools that the published tasks are solved with, before an upstream that stands in for both. */
export function makeTaskTools(origin: string): readonly Tool[] {
  const shared = {
    category: "questions",
    actions: ["search"],
    isWrite: false,
    execution: "sync",
    hosts: [origin],
    orchestration: { mode: "parallel-safe" },
  } as const;
  return [
    defineTool({
      ...shared,
      name: "search",
      summary: "Find an entity in the encyclopedia",
      description:
        "Find an entity in the encyclopedia by its exact title. Gives the first paragraph of its article as text, or says which titles are similar.",
      input: z.strictObject({ entity: z.string().min(1) }),
      run: async ({ entity }, ctx) =>
        (await ctx.fetch(`${origin}/search?entity=${encodeURIComponent(entity)}`)).json(),
    }),
    defineTool({
      ...shared,
      name: "math",
      summary: "Solve a problem of arithmetic",
      description:
        "Solve a problem of arithmetic, as an expression or in words. What it needs to know besides the problem is given as context, a list of texts. Gives the value.",
      input: z.strictObject({ problem: z.string().min(1), context: z.array(z.string()).optional() }),
      run: async (args, ctx) => (await ctx.fetch(`${origin}/math`, { method: "POST", body: args })).json(),
    }),
  ];
}
