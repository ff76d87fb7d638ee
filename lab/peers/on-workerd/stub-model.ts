import type { LanguageModel } from "ai";

import type { Batch } from "./echo.ts";

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>;
type Generated = Awaited<ReturnType<Model["doGenerate"]>>;

const usage: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/**
 * A model of AI SDK's own interface that answers at once: it reads the calls from the prompt and asks for all of them, and
 * ends as soon as there are results.
 */
export const stubModel: Model = {
  specificationVersion: "v4",
  provider: "stub",
  modelId: "stub",
  supportedUrls: {},
  doGenerate: async ({ prompt }): Promise<Generated> => {
    const last = prompt.at(-1);
    if (last?.role !== "user")
      return {
        content: [{ type: "text", text: "Done" }],
        finishReason: { unified: "stop", raw: undefined },
        usage,
        warnings: [],
      };
    const [part] = last.content;
    const { actions } = JSON.parse(part?.type === "text" ? part.text : "{}") as Batch;
    return {
      content: actions.map(({ tool, args }, i) => ({
        type: "tool-call",
        toolCallId: `call_${i}`,
        toolName: tool,
        input: JSON.stringify(args),
      })),
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
      warnings: [],
    };
  },
  doStream: () => Promise.reject(new Error("Nothing is streamed here")),
};
