import type { Treatment } from "./store.ts";

export const MODEL_URL = "https://model.example.com/v1/chat/completions";

/** The variables that say where the model is. */
export const MODEL_SERVER = {
  LLM_BASE_URL: "https://model.example.com/v1",
  LLM_API_KEY: "k",
  LLM_MODEL: "m",
};

/** The beginning of the codes that say that the model failed. */
export const SAYS_ITSELF = '"MODEL_';

/** A call that a model is to make. */
interface Wanted {
  readonly id: string;
  readonly tool: string;
  readonly args: object;
}

/** Ask a model for calls. */
export function tellModel(calls: readonly object[]): object {
  return { messages: [{ role: "user", content: JSON.stringify(calls) }], volley: { surface: "flat" } };
}

/**
 * A model that makes the calls that its user tells it, and is done. It remembers nothing of a conversation, and makes one call or all
 * at once, as no two models agree: a request that comes again is told the same in other rounds.
 */
export class ChatModel {
  #asked = 0;

  answer(body: string, treatment: Treatment = "done"): Response {
    if (treatment === "lost before" || treatment === "done, then lost")
      throw new Error("the connection broke");
    if (treatment !== "done" && treatment !== "done, slowly")
      return Response.json(
        { error: { message: treatment } },
        { status: treatment === "refused" ? 400 : 503 },
      );
    const { messages } = JSON.parse(body) as {
      readonly messages: readonly { readonly role: string; readonly content: string }[];
    };
    const told = messages.find(({ role }) => role === "user")!;
    const left = (JSON.parse(told.content) as Wanted[]).slice(
      messages.filter(({ role }) => role === "tool").length,
    );
    this.#asked += 1;
    const calls = left.slice(0, this.#asked % 2 === 0 ? 1 : left.length).map(({ id, tool, args }) => ({
      id,
      type: "function",
      function: { name: tool, arguments: JSON.stringify(args) },
    }));
    const message = calls.length === 0 ? { content: "Done." } : { content: null, tool_calls: calls };
    const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", ...message } };
    return Response.json({ id: "x", object: "chat.completion", created: 1, model: "m", choices: [choice] });
  }
}
