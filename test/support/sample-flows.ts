import type { TriggerRules } from "../../src/features/flows/declaration/check-triggers.ts";
import type { FlowDeclaration } from "../../src/features/flows/declaration/flow-schema.ts";
import { toFlowTool } from "../../src/features/flows/declaration/flow-tool.ts";
import { SAMPLE_CATALOG } from "./sample-tools.ts";

/** A flow that reads orders, changed where a test says so. */
export function declareFlow(changes: Partial<Record<string, unknown>> = {}): FlowDeclaration {
  return {
    summary: "Show the first order of something",
    input_schema: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" } },
      required: ["query"],
    },
    actions: [
      { id: "found", tool: "search_orders", args: { query: { $ref: "input#/query" } } },
      { id: "order", tool: "get_order", args: { order_id: { $ref: "found#/ids/0" } } },
    ],
    answer: { order: { $ref: "order#" }, text: { $template: "Asked for {{input#/query}}" } },
    ...changes,
  };
}

/** The sample tools, and a flow of the tenant's own. */
export const CATALOG_WITH_FLOW = SAMPLE_CATALOG.extend(
  [
    {
      ...toFlowTool({
        name: "known_flow",
        flow: declareFlow(),
        is_write: false,
        confirm: false,
        typical_tokens: 220,
      }),
      added: { json: "{}", fingerprint: "f" },
    },
  ],
  1,
);

/** A tenant of which one secret is bound, on a Thursday in September. */
export const TRIGGER_RULES = {
  flawOf: (secret: string) => (secret === "HOOK_SECRET" ? null : "unbound"),
  nowMs: Date.UTC(2026, 8, 3, 12),
  hasAccounts: false,
} satisfies TriggerRules;
