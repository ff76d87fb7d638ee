import * as z from "zod";

import { defineTool, type ToolDeclaration } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/core/edge/create-volley.ts";
import { ALL_FEATURES } from "../support/all-features.ts";

/** The tools that the official conformance suite calls, as far as a tool of ours can be one. */
const fixture = (name: string, run: ToolDeclaration["run"]) =>
  defineTool({
    name,
    summary: `Fixture ${name}`,
    description: `Fixture ${name} of the conformance suite. For tests.`,
    category: "fixture",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({}),
    hosts: [],
    orchestration: { mode: "parallel-safe" },
    run,
  });

const volley = createVolley({
  features: ALL_FEATURES,
  tools: [
    fixture("test_simple_text", async () => "This is a simple text response for testing."),
    fixture("test_error_handling", () =>
      Promise.reject(new Error("This tool intentionally returns an error for testing")),
    ),
    fixture("test_tool_with_progress", async (_, ctx) => {
      for (const progress of [0, 50, 100]) {
        ctx.report({ progress, total: 100, message: `${progress} of 100` });
        await scheduler.wait(50);
      }
      return "All of it is done.";
    }),
    // These two show what must not be on the stream of a call, which no tool can put there.
    fixture("test_logging_tool", async () => "Nothing is logged to the client."),
    fixture("test_streaming_elicitation", async () => "Nothing is asked of the client."),
  ],
});

/** The suite sends no key, so this entry adds one. Development and tests only. */
export default {
  fetch(request: Request, env: Record<string, unknown>, ctx: ExecutionContext) {
    const keyed = new Request(request);
    keyed.headers.set("authorization", "Bearer sandbox-key");
    return volley.app.fetch(keyed, env, ctx);
  },
};
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
