import { createTool } from "@mastra/core/tools";
import { tool as langChainTool } from "@langchain/core/tools";
import { tool as agentsTool } from "@openai/agents";
import { jsonSchema, tool as aiTool } from "ai";
import * as z from "zod";
import { describe, expect, test } from "vitest";

import { fromAiSdk, fromLangChain, fromMastra, fromOpenAiAgents } from "../../../src/package/from.ts";
import { inputSchema } from "../../../src/core/catalog/tool-schema.ts";
import { TestWorld } from "../../support/execute-batch.ts";

const CITY = z.object({ city: z.string().describe("Where"), days: z.number().int().default(1) });
const READ = { isWrite: false } as const;

interface Run {
  (args: { city: string; days: number }): Promise<unknown>;
}

/** The same two tools by each library's own constructor: a forecast, and a booking that asks a person. */
const SETS = {
  "the AI SDK": (run: Run) =>
    fromAiSdk(
      {
        forecast: aiTool({ description: "The weather of days.", inputSchema: CITY, execute: run }),
        book: aiTool({
          description: "Book a room.",
          inputSchema: CITY,
          needsApproval: true,
          execute: run,
        }),
      },
      { forecast: READ },
    ),
  LangChain: (run: Run) =>
    fromLangChain(
      ["forecast", "book"].map((name) =>
        langChainTool(run, { name, description: "The weather of days.", schema: CITY }),
      ),
      { forecast: READ, book: { orchestration: { mode: "sequential-only", confirm: "always" } } },
    ),
  Mastra: (run: Run) =>
    fromMastra(
      {
        forecast: createTool({
          id: "forecast",
          description: "The weather of days.",
          inputSchema: CITY,
          execute: run,
        }),
        book: createTool({
          id: "book",
          description: "Book a room.",
          inputSchema: CITY,
          requireApproval: true,
          execute: run,
        }),
      },
      { forecast: READ },
    ),
  "OpenAI Agents": (run: Run) =>
    fromOpenAiAgents(
      ["forecast", "book"].map((name) =>
        agentsTool({
          name,
          description: "The weather of days.",
          parameters: z.object({ city: z.string().describe("Where"), days: z.number().int() }),
          execute: run,
        }),
      ),
      { forecast: READ, book: { orchestration: { mode: "sequential-only", confirm: "always" } } },
    ),
} as const;

describe.each(Object.entries(SETS))("A tool set of %s", (_, make) => {
  test("runs as it is, with its own schema, in one batch that one failure does not end", async () => {
    const seen: unknown[] = [];
    const tools = make(async (args) => {
      seen.push(args);
      return { sunny: true };
    });
    expect(inputSchema(tools[0]!)).toMatchObject({
      type: "object",
      properties: { city: { type: "string", description: "Where" } },
    });
    const { results } = await new TestWorld().run(tools, {
      actions: [
        { tool: "forecast", args: { city: "Bonn", days: 2 } },
        { tool: "forecast", args: { city: 5, days: 2 } },
        { tool: "book", args: { city: "Bonn", days: 2 } },
      ],
    });
    expect(results).toMatchObject([
      { status: "success", data: { sunny: true } },
      { status: "error", error: { code: "INVALID_ARGS", issues: [{ path: "/args/city" }] } },
      { status: "pending_confirmation" },
    ]);
    expect(seen).toEqual([{ city: "Bonn", days: 2 }]);
  });

  test("has reads that failed and writes that may have happened, whatever the library makes of an error", async () => {
    const [forecast, book] = make(() => Promise.reject(new Error("socket hang up")));
    const { results } = await new TestWorld().run([forecast!, { ...book!, confirm: false }], {
      actions: ["forecast", "book"].map((tool) => ({ tool, args: { city: "Bonn", days: 1 } })),
    });
    expect(results).toMatchObject([
      { status: "error", error: { code: "TOOL_FAILED" } },
      { status: "unknown", error: { code: "TOOL_FAILED" } },
    ]);
  });
});

describe("A tool that was written for another library", () => {
  const bare = (fields: object) => () => fromAiSdk({ it: { description: "It.", ...fields } });

  test("is a write that runs alone unless its facts say more", () => {
    const [it] = fromAiSdk({ it: aiTool({ inputSchema: CITY, execute: async () => 1 }) });
    expect(it).toMatchObject({
      isWrite: true,
      repeatable: false,
      concurrency: 1,
      description: "The tool it.",
    });
  });

  test("may take a JSON Schema, and say its last word in pieces", async () => {
    const tools = fromAiSdk(
      {
        it: aiTool({
          description: "It.",
          inputSchema: jsonSchema({ type: "object", properties: { n: { type: "integer" } } }),
          async *execute() {
            yield "begins";
            yield "done";
          },
        }),
      },
      { it: READ },
    );
    const { results } = await new TestWorld().run(tools, {
      actions: [
        { tool: "it", args: { n: 1 } },
        { tool: "it", args: { n: "x" } },
      ],
    });
    expect(results).toMatchObject([
      { status: "success", data: "done" },
      { status: "error", error: { code: "INVALID_ARGS" } },
    ]);
  });

  test("that wants a person for some calls says so, and is not run", async () => {
    const runs: unknown[] = [];
    const tools = fromOpenAiAgents([
      agentsTool({
        name: "pay",
        description: "Pay.",
        parameters: z.object({ amount: z.number() }),
        needsApproval: async (_, { amount }) => amount > 10,
        execute: async (args) => runs.push(args),
      }),
    ]);
    const { results } = await new TestWorld().run(tools, {
      actions: [5, 50].map((amount) => ({ tool: "pay", args: { amount } })),
    });
    expect(results).toMatchObject([
      { status: "success" },
      { status: "error", error: { code: "MISCONFIGURED" } },
    ]);
    expect(runs).toEqual([{ amount: 5 }]);
  });

  test.each([
    ["is run elsewhere", bare({ inputSchema: CITY }), "it has no execute()"],
    [
      "has a schema of no known kind",
      bare({ inputSchema: { _def: {} }, execute: () => 1 }),
      "a Zod 4 schema",
    ],
    ["has facts under another name", () => fromAiSdk({}, { it: READ }), "no tool has this name"],
  ])("is refused at start where it %s", (_, make, why) => {
    expect(make).toThrow(why);
  });
});
