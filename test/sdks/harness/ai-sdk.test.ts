import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";
import { afterAll, expect, test } from "vitest";

import { volleyTools } from "../../../src/package/ai-sdk.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";

/* `volley/ai-sdk` with the AI SDK itself, a model that follows a script, and the sandbox. */

const { volley } = await setUpSandbox();
const model = await ScriptedModel.start();
afterAll(() => model[Symbol.asyncDispose]());
const openai = createOpenAI({ baseURL: `${model.url}/v1`, apiKey: "none" });

const completion = (message: object, finish_reason: string): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "scripted",
  choices: [{ index: 0, finish_reason, message: { role: "assistant", content: null, ...message } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const calls = (...all: readonly (readonly [name: string, args: object])[]): object =>
  completion(
    {
      tool_calls: all.map(([name, args], index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
    "tool_calls",
  );
const done = completion({ content: "It is warm." }, "stop");

/** The answers to its calls that the model has in its last request. */
function told(): readonly string[] {
  const { messages } = model.requests.at(-1)!.body as {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

test("The AI SDK runs a model's batch through Volley's tool set, and tells it what came of every action", async () => {
  const tools = await volleyTools({ url: volley.url, key: "sandbox-key" });
  const actions = [{ tool: "get_weather", args: { city: "Phoenix" } }, { tool: "get_wether" }];
  model.willSay(calls(["execute_actions", { actions }]), done);
  const { text } = await generateText({
    model: openai.chat("scripted"),
    prompt: "How is the weather?",
    tools,
    stopWhen: stepCountIs(3),
  });
  expect(text).toBe("It is warm.");
  const asked = model.requests[0]!.body as { readonly tools: readonly { readonly function: object }[] };
  expect(asked.tools).toHaveLength(1);
  expect(JSON.stringify(asked.tools[0])).toContain("get_weather");
  expect(told()[0]).toContain('"status":"success"');
  expect(told()[0]).toContain("UNKNOWN_TOOL");
});

test("Calls of one step that are tools by themselves run as one batch of Volley's", async () => {
  const tools = await volleyTools({ url: volley.url, key: "sandbox-key", surface: "flat" });
  const cities = ["Phoenix", "Oslo", "Quito"];
  model.willSay(calls(...cities.map((city) => ["get_weather", { city }] as const)), done);
  await generateText({
    model: openai.chat("scripted"),
    prompt: "How is the weather?",
    tools,
    stopWhen: stepCountIs(3),
  });
  expect(told()).toHaveLength(3);
  cities.forEach((city, index) => expect(told()[index]).toContain(city));
  const indexes = told().map((result) => (JSON.parse(result) as { readonly index: number }).index);
  expect(indexes).toEqual([0, 1, 2]);
});
