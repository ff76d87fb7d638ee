import {
  Agent,
  type Model,
  type ModelResponse,
  run,
  RunToolCallOutputItem,
  setTracingDisabled,
  tool,
  Usage,
} from "@openai/agents";
import * as z from "zod";

import { type Batch, fetchEcho } from "./echo.ts";

// OpenAI Agents SDK: `run` with a model that asks for all calls in its first turn and ends in its second. Traces are off.

setTracingDisabled(true);

/** It reads the calls from the input, and ends as soon as there are results. */
const model: Model = {
  async getResponse({ input }): Promise<ModelResponse> {
    const last = typeof input === "string" ? { role: "user", content: input } : input.at(-1);
    if (last === undefined || !("role" in last) || last.role !== "user" || typeof last.content !== "string")
      return {
        usage: new Usage(),
        output: [
          {
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "Done" }],
          },
        ],
      };
    const { actions } = JSON.parse(last.content) as Batch;
    return {
      usage: new Usage(),
      output: actions.map(({ args }, i) => ({
        type: "function_call",
        callId: `call_${i}`,
        name: echo.name,
        status: "completed",
        arguments: JSON.stringify(args),
      })),
    };
  },
  getStreamedResponse() {
    throw new Error("Nothing is streamed here");
  },
};

const echo = tool({
  name: "bench-echo",
  description: "Echo a number.",
  parameters: z.object({ n: z.int() }),
  execute: ({ n }) => fetchEcho(n),
});
const agent = new Agent({ name: "Bench", instructions: "Make the calls.", model, tools: [echo] });

export default {
  async fetch(request: Request): Promise<Response> {
    const { newItems } = await run(agent, await request.text());
    const results = newItems
      .filter((item) => item instanceof RunToolCallOutputItem)
      .map(({ output }) => output);
    return Response.json({ results });
  },
};
