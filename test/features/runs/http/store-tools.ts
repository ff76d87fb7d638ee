import * as z from "zod";

import { defineTool, type ToolContext } from "../../../../src/core/catalog/define-tool.ts";

/** The declaration that the writes of a store share. */
export const DECLARATION = {
  summary: "Do it",
  description: "Do it.",
  category: "test",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  hosts: ["api.example.com"],
  orchestration: { mode: "sequential-only" },
  input: z.strictObject({ of: z.string() }),
} as const;

/** Store something upstream. */
export const sendIt = async ({ of }: { readonly of: string }, ctx: ToolContext): Promise<unknown> =>
  (await ctx.fetch(`https://api.example.com/${of}`, { method: "POST" })).json();

/** The tool that does it. */
export const store = defineTool({ ...DECLARATION, name: "store_it", run: sendIt });
