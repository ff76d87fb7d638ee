import { generateText, stepCountIs, tool, zodSchema } from "ai";
import * as z from "zod";

import { fetchEcho } from "./echo.ts";
import { stubModel as model } from "./stub-model.ts";

// AI SDK: `generateText` with a model that asks for all calls in its first step and ends in its second.
// Telemetry, which is on unless said, is off, and the tool's schema is made into JSON Schema once.

const tools = {
  "bench-echo": tool({
    description: "Echo a number.",
    inputSchema: zodSchema(z.object({ n: z.int() })),
    execute: ({ n }) => fetchEcho(n),
  }),
};

export default {
  async fetch(request: Request): Promise<Response> {
    const prompt = await request.text();
    const { steps } = await generateText({
      model,
      tools,
      stopWhen: stepCountIs(2),
      telemetry: { isEnabled: false },
      prompt,
    });
    return Response.json({ results: steps[0]?.toolResults.map(({ output }) => output) });
  },
};
