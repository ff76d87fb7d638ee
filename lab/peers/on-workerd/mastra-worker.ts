import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import * as z from "zod";

import { fetchEcho } from "./echo.ts";
import { stubModel } from "./stub-model.ts";

// Mastra: an agent's `generate`, with a model that asks for all calls in its first step and ends in its second. No
// memory, no storage, no telemetry.

const echo = createTool({
  id: "bench-echo",
  description: "Echo a number.",
  inputSchema: z.object({ n: z.int() }),
  execute: ({ n }) => fetchEcho(n),
});
const agent = new Agent({
  id: "bench",
  name: "Bench",
  instructions: "Make the calls.",
  // It wraps models of this interface itself; its types want one that streams where it generates.
  model: stubModel as unknown as MastraModelConfig,
  tools: { "bench-echo": echo },
});

export default {
  async fetch(request: Request): Promise<Response> {
    const { toolResults } = await agent.generate(await request.text(), { maxSteps: 2 });
    return Response.json({ results: toolResults.map(({ payload }) => payload.result) });
  },
};
