import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { ModelServer } from "../support/model-server.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

/* The agent loop end to end: the providers' own clients on one side, a model as strict as theirs on the other. */

const model = await ModelServer.start();
afterAll(() => model[Symbol.asyncDispose]());
const { upstream, volley } = await setUpSandbox({
  LLM_BASE_URL: model.baseUrl,
  LLM_API_KEY: "llm-secret",
  ANTHROPIC_BASE_URL: model.anthropicBaseUrl,
  ANTHROPIC_API_KEY: "anthropic-secret",
});
beforeEach(() => model.reset());

const openai = new OpenAI({ apiKey: "sandbox-key", baseURL: `${volley.url}/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: "sandbox-key", baseURL: volley.url, maxRetries: 0 });

interface Report {
  readonly rounds: readonly {
    readonly results: readonly Record<string, unknown>[];
    readonly model_ms: number;
  }[];
  readonly stopped: string;
}

const reportOf = (answer: unknown): Report => (answer as { volley: Report }).volley;
const ask = (body: object = {}) =>
  openai.chat.completions.create({
    model: "scripted",
    messages: [{ role: "user", content: "Go" }],
    ...body,
  } as OpenAI.ChatCompletionCreateParamsNonStreaming);

describe("A Chat Completions request", () => {
  test("runs the calls of a turn as one batch and answers with the model's last answer", async () => {
    model.willSay(
      {
        text: "Looking.",
        calls: [
          {
            name: "execute_actions",
            args: {
              actions: [
                { tool: "probe-echo", args: { n: 1 } },
                { tool: "probe-echo", args: { n: 2 } },
              ],
            },
          },
          { name: "probe-echo", args: { n: 3 } },
        ],
      },
      { text: "Done." },
    );
    const answer = await ask();

    expect(model.problems).toEqual([]);
    expect(answer.choices[0]!.message.content).toBe("Done.");
    expect(answer.choices[0]!.finish_reason).toBe("stop");
    const { rounds, stopped } = reportOf(answer);
    expect(stopped).toBe("answer");
    expect(rounds).toHaveLength(1);
    expect(rounds[0]!.results.map(({ status, tool }) => [status, tool])).toEqual([
      ["success", "probe-echo"],
      ["success", "probe-echo"],
      ["success", "probe-echo"],
    ]);
    expect(upstream).toBeDefined();
  });

  test("streams", async () => {
    model.willSay(
      { text: "Looking. ", calls: [{ name: "probe-echo", args: { n: 3 } }] },
      { text: "Done, ünd ✓." },
    );
    const response = await fetch(`${volley.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: "user", content: "Go" }],
      }),
    });
    expect(await response.text()).toContain("Done");
    expect(model.problems).toEqual([]);
  });
});

describe("A Messages request", () => {
  test("runs the calls of a turn as one batch", async () => {
    model.willSay(
      { text: "Looking.", thinking: "Hm.", calls: [{ name: "probe-echo", args: { n: 3 } }] },
      { text: "Done." },
    );
    const answer: unknown = await anthropic.messages.create({
      model: "m",
      max_tokens: 100,
      messages: [{ role: "user", content: "Go" }],
    });
    expect(model.problems).toEqual([]);
    expect(reportOf(answer).stopped).toBe("answer");
  });

  test("streams", async () => {
    model.willSay(
      { text: "Looking.", thinking: "Hm.", calls: [{ name: "probe-echo", args: { n: 3 } }] },
      { text: "Done." },
    );
    const response = await fetch(`${volley.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "sandbox-key", "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        max_tokens: 10,
        stream: true,
        messages: [{ role: "user", content: "Go" }],
      }),
    });
    expect(await response.text()).toContain("Done");
    expect(model.problems).toEqual([]);
  });
});
