import * as z from "zod";

import { AnsweredFailure } from "../../src/core/catalog/tool-failure.ts";
import { defineTool, type ToolDeclaration } from "../../src/core/catalog/define-tool.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { ALL_FEATURES } from "../support/all-features.ts";

/** The tools that the official conformance suite calls, as far as a tool of ours can be one. */
const fixture = (name: string, run: ToolDeclaration["run"], more: Partial<ToolDeclaration> = {}) =>
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
    ...more,
  });

/** A tool that goes on after the answer to its call, as a task where the client has those. */
const task = (name: string, run: ToolDeclaration["run"], more: Partial<ToolDeclaration> = {}) =>
  fixture(name, run, { actions: ["create"], isWrite: true, execution: "fire-and-forget", ...more });

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
    fixture("greet", async (args) => `Hello, ${(args as { readonly name: string }).name}!`, {
      input: z.strictObject({ name: z.string() }),
    }),
    task(
      "slow_compute",
      async (args) => {
        const { seconds } = args as { readonly seconds: number };
        await scheduler.wait(1_000 * seconds);
        return `It took ${seconds} s.`;
      },
      { input: z.strictObject({ seconds: z.number(), label: z.optional(z.string()) }) },
    ),
    task("failing_job", async () => {
      throw new AnsweredFailure("UPSTREAM_ERROR", { retryable: false });
    }),
    // A tool of ours cannot break the protocol: a job that broke is a failed call.
    task("protocol_error_job", async () => {
      throw new Error("This tool intentionally breaks.");
    }),
    // A person decides on a page. The suite's client does not lead there, so these are answered with what waits.
    fixture("confirm_delete", async () => "It is deleted.", {
      actions: ["delete"],
      isWrite: true,
      input: z.strictObject({ filename: z.string() }),
    }),
    fixture("multi_input", async () => "It is deleted.", { actions: ["delete"], isWrite: true }),
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
