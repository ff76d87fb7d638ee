import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, describe, expect, test } from "vitest";

import type { WireEnvelope } from "../../support/execute-batch.ts";
import { ScriptedModel } from "../../support/scripted-model.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";
import { problemOf } from "../../support/test-caller.ts";

/*
 * The providers' own client libraries talk to a model that follows a script; what it returns goes to Volley as it came,
 * and what Volley answers goes back to the model as it is.
 */

const { upstream, caller } = await setUpSandbox();
const answers = { "/search": { items: [{ id: 7, name: "tea" }] }, "/item": { id: 7 } };
for (const [path, answer] of Object.entries(answers))
  upstream.script(
    path,
    (_, response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer)),
  );
const model = await ScriptedModel.start();
afterAll(() => model[Symbol.asyncDispose]());

/** Ids as the providers write them, and an unexpected one. */
const [SLOW, BROKEN, MISSING, BATCH] = ["call_slow", "toolu_01|fc_2:ß", "3", "chatcmpl-tool-4"];
const BATCH_ARGS = {
  actions: [
    { id: "found", tool: "probe-search", args: { q: "tea" } },
    { id: "first", tool: "probe-item", args: { id: { $ref: "found#/items/0/id" } } },
    { id: "bad", tool: "probe-any", args: { path: "/status/404" } },
  ],
};

/** Four calls of one turn: name, arguments as the model wrote them. */
const CALLS = [
  { id: SLOW, name: "probe-echo", args: '{"n":1,"d":150}' },
  { id: BROKEN, name: "probe-echo", args: '{"n":' },
  { id: MISSING, name: "probe-nothing", args: "{}" },
  { id: BATCH, name: "execute_actions", args: JSON.stringify(BATCH_ARGS) },
];

function expectEnvelope(said: unknown): void {
  const { results } = said as WireEnvelope;
  expect(results.map(({ id, status }) => [id, status])).toEqual([
    ["found", "success"],
    ["first", "success"],
    ["bad", "error"],
  ]);
}

describe("The openai package", () => {
  const client = new OpenAI({ apiKey: "none", baseURL: `${model.url}/v1` });

  test("gets one tool message a call back into the next completion", async () => {
    const completion = (message: object): object => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "scripted",
      choices: [{ index: 0, finish_reason: "tool_calls", message: { role: "assistant", ...message } }],
    });
    const tool_calls = CALLS.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: args },
    }));
    model.willSay(completion({ content: null, tool_calls }), completion({ content: "Done." }));

    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Go" }];
    const first = await client.chat.completions.create({ model: "scripted", messages });
    const { messages: replies } = await caller.answerTo<{
      messages: OpenAI.ChatCompletionToolMessageParam[];
    }>("/v1/openai/tool_calls", first);
    messages.push(first.choices[0]!.message, ...replies);
    const second = await client.chat.completions.create({ model: "scripted", messages });

    expect(second.choices[0]!.message.content).toBe("Done.");
    expect(replies.map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual(
      CALLS.map(({ id }) => ["tool", id]),
    );
    const said = replies.map(({ content }) => JSON.parse(content as string) as Record<string, unknown>);
    expect(said[0]).toEqual({ path: "/echo", n: 1 });
    expect(said[1]).toMatchObject({
      status: "error",
      error: { code: "INVALID_ARGS", message: expect.any(String) },
    });
    expect(said[2]).toMatchObject({ status: "error", error: { code: "UNKNOWN_TOOL" } });
    expectEnvelope(said[3]);
    // The model's next request holds the answers.
    expect((model.requests.at(-1)!.body["messages"] as unknown[]).slice(2)).toEqual(replies);
  });

  test("gets one output item a call back into the next response", async () => {
    const response = (output: readonly object[]): object => ({
      id: "resp_1",
      object: "response",
      created_at: 1,
      status: "completed",
      model: "scripted",
      output,
    });
    model.willSay(
      response([
        { type: "reasoning", id: "rs_1", summary: [] },
        ...CALLS.map(({ id, name, args }, n) => ({
          type: "function_call",
          id: `fc_${n}`,
          call_id: id,
          name,
          arguments: args,
          status: "completed",
        })),
      ]),
      response([
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Done.", annotations: [] }],
        },
      ]),
    );

    const first = await client.responses.create({ model: "scripted", input: "Go" });
    const { output } = await caller.answerTo<{
      output: OpenAI.Responses.ResponseInputItem.FunctionCallOutput[];
    }>("/v1/openai/function_calls", first);
    const second = await client.responses.create({
      model: "scripted",
      previous_response_id: first.id,
      input: output,
    });

    expect(second.output_text).toBe("Done.");
    expect(output.map(({ type, call_id }) => [type, call_id])).toEqual(
      CALLS.map(({ id }) => ["function_call_output", id]),
    );
    expectEnvelope(JSON.parse(output[3]!.output as string));
    expect(model.requests.at(-1)!.body["input"]).toEqual(output);
  });
});

describe("The @anthropic-ai/sdk package", () => {
  test("gets one user message with every result, errors marked, back into the next message", async () => {
    const client = new Anthropic({ apiKey: "none", baseURL: model.url });
    const message = (content: readonly object[], stop_reason: string): object => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "scripted",
      content,
      stop_reason,
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    // Its arguments are parsed already, so none of them can be broken JSON.
    const uses = CALLS.filter(({ id }) => id !== BROKEN).map(({ id, name, args }) => ({
      type: "tool_use",
      id,
      name,
      input: JSON.parse(args) as object,
    }));
    model.willSay(
      message([{ type: "text", text: "I will look." }, ...uses], "tool_use"),
      message([{ type: "text", text: "Done." }], "end_turn"),
    );

    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Go" }];
    const ask = { model: "scripted", max_tokens: 100 };
    const first = await client.messages.create({ ...ask, messages });
    const { messages: replies } = await caller.answerTo<{ messages: Anthropic.MessageParam[] }>(
      "/v1/anthropic/tool_use",
      first,
    );
    messages.push({ role: "assistant", content: first.content }, ...replies);
    const second = await client.messages.create({ ...ask, messages });

    expect(second.content).toEqual([{ type: "text", text: "Done." }]);
    expect(replies).toHaveLength(1);
    const results = replies[0]!.content as Anthropic.ToolResultBlockParam[];
    expect(results.map(({ type, tool_use_id, is_error }) => [type, tool_use_id, is_error])).toEqual([
      ["tool_result", SLOW, undefined],
      ["tool_result", MISSING, true],
      ["tool_result", BATCH, undefined],
    ]);
    expectEnvelope(JSON.parse(results[2]!.content as string));
    expect((model.requests.at(-1)!.body["messages"] as unknown[])[2]).toEqual(replies[0]);
  });
});

test("Gemini's calls are answered in one content, under their names and ids", async () => {
  const parts = CALLS.filter(({ id }) => id !== BROKEN).map(({ id, name, args }) => ({
    functionCall: { id, name, args: JSON.parse(args) as object },
  }));
  const { messages } = await caller.answerTo<{ messages: { role: string; parts: unknown[] }[] }>(
    "/v1/gemini/function_calls",
    { candidates: [{ content: { role: "model", parts: [{ text: "I will look." }, ...parts] } }] },
  );
  expect(messages).toEqual([
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: SLOW,
            name: "probe-echo",
            response: { output: { path: "/echo", n: 1 } },
          },
        },
        {
          functionResponse: {
            id: MISSING,
            name: "probe-nothing",
            response: {
              error: { status: "error", error: expect.objectContaining({ code: "UNKNOWN_TOOL" }) },
            },
          },
        },
        {
          functionResponse: {
            id: BATCH,
            name: "execute_actions",
            response: { output: expect.objectContaining({ results: expect.any(Array) }) },
          },
        },
      ],
    },
  ]);
});

describe("A turn", () => {
  test("runs its calls at once", async () => {
    const calls = Array.from({ length: 5 }, (_, n) => ({
      id: `call_${n}`,
      type: "function",
      function: { name: "probe-limited", arguments: JSON.stringify({ n, d: 100 }) },
    }));
    upstream.gather("/limited", 3);
    await caller.answerTo("/v1/openai/tool_calls", calls);
    expect(upstream.peakOf("/limited")).toBe(3);
  });

  test.each([
    ["/v1/openai/tool_calls", { hello: 1 }],
    ["/v1/openai/function_calls", "hello"],
    ["/v1/anthropic/tool_use", 1],
    ["/v1/gemini/function_calls", null],
  ])("that is none is refused by %s with what was expected", async (path, body) => {
    const answer = await caller.send({ path, body: JSON.stringify(body) });
    expect(answer.status).toBe(422);
    expect(problemOf(answer)).toMatchObject({
      code: "INVALID_BATCH",
      path: "",
      expected: expect.any(String),
      received: expect.any(String),
    });
  });
});
