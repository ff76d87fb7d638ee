import { AIMessage, type ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import * as z from "zod";

import { type Batch, fetchEcho } from "./echo.ts";

// LangGraph's ToolNode, which runs the tool calls of a model's message at once. No graph and no model around it: that is
// the least of LangGraph that does the work.

const echo = tool(({ n }) => fetchEcho(n), {
  name: "bench-echo",
  description: "Echo a number.",
  schema: z.object({ n: z.int() }),
});
const toolNode = new ToolNode([echo]);

export default {
  async fetch(request: Request): Promise<Response> {
    const { actions } = await request.json<Batch>();
    const calls = actions.map(({ tool: name, args }, i) => ({
      name,
      args,
      id: `call_${i}`,
      type: "tool_call" as const,
    }));
    const messages = (await toolNode.invoke([
      new AIMessage({ content: "", tool_calls: calls }),
    ])) as ToolMessage[];
    return Response.json({ results: messages.map(({ tool_call_id: id, content }) => ({ id, content })) });
  },
};
