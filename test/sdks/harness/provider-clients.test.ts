import Anthropic from "@anthropic-ai/sdk";
import { type Content, type FunctionCall, GoogleGenAI, type Tool } from "@google/genai";
import OpenAI from "openai";
import { afterAll, describe, expect, test } from "vitest";

import { ScriptedModel } from "../../support/scripted-model.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";

/*
 * A streamed turn goes to Volley as the providers' client libraries hold it, as does any turn of Google's, with all that they
 * add; Volley's answers go back through the library.
 */

const { caller } = await setUpSandbox();
const model = await ScriptedModel.start();
afterAll(() => model[Symbol.asyncDispose]());

/** The tools in a provider's format, of the kind that its library takes. */
async function toolsFor<T>(format: string, surface = "batch"): Promise<T[]> {
  const { text } = await caller.get(`/v1/tools?format=${format}&surface=${surface}`);
  return (JSON.parse(text) as { tools: T[] }).tools;
}

const ARGS = ['{"n":1}', '{"n":'] as const;
const [FIRST, CUT] = ["call_1", "call_2"];

describe("The openai package", () => {
  const client = new OpenAI({ apiKey: "none", baseURL: `${model.url}/v1` });

  test("streams a message, and takes its answers back", async () => {
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "scripted",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const calls = ARGS.map((args, index) => ({
      index,
      id: [FIRST, CUT][index],
      type: "function",
      function: { name: "probe-echo", arguments: args.slice(0, 3) },
    }));
    const rest = ARGS.map((args, index) => ({ index, function: { arguments: args.slice(3) } }));
    model.willSay(
      [
        chunk({ role: "assistant", content: "I will look.", tool_calls: calls }),
        chunk({ tool_calls: rest }),
        chunk({}, "length"),
      ],
      [chunk({ role: "assistant", content: "Done." }), chunk({}, "stop")],
    );
    const tools = await toolsFor<OpenAI.ChatCompletionTool>("openai");
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Go" }];
    const ask = async (): Promise<OpenAI.ChatCompletionMessage> =>
      client.chat.completions.stream({ model: "scripted", messages, tools }).finalMessage();

    const first = await ask();
    const { messages: replies } = await caller.answerTo<{
      messages: OpenAI.ChatCompletionToolMessageParam[];
    }>("/v1/openai/tool_calls", first);
    messages.push(first, ...replies);

    expect((await ask()).content).toBe("Done.");
    expect(replies.map(({ tool_call_id }) => tool_call_id)).toEqual([FIRST, CUT]);
    expect(replies[0]!.content).toContain('"n":1');
    expect(replies[1]!.content).toContain("INVALID_ARGS");
  });

  test("is answered what it still calls a function_call, and a custom tool", async () => {
    const completion = (message: object): object => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "scripted",
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: null, ...message } },
      ],
    });
    model.willSay(
      completion({ function_call: { name: "probe-echo", arguments: ARGS[0] } }),
      completion({ tool_calls: [{ id: FIRST, type: "custom", custom: { name: "probe-echo", input: "1" } }] }),
      completion({ content: "Done." }),
    );
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Go" }];
    for (const role of ["function", "tool"]) {
      const turn = await client.chat.completions.create({ model: "scripted", messages });
      const { messages: replies } = await caller.answerTo<{ messages: OpenAI.ChatCompletionMessageParam[] }>(
        "/v1/openai/tool_calls",
        turn,
      );
      expect(replies.map((reply) => reply.role)).toEqual([role]);
      messages.push(turn.choices[0]!.message, ...replies);
    }
    const last = await client.chat.completions.create({ model: "scripted", messages });
    expect(last.choices[0]!.message.content).toBe("Done.");
    expect(JSON.stringify(messages)).toContain("free-form input");
  });

  test("streams a response, and takes its answers back", async () => {
    const items = ARGS.map((args, index) => ({
      type: "function_call",
      id: `fc_${index}`,
      call_id: [FIRST, CUT][index],
      name: "probe-echo",
      arguments: args,
      status: index === 0 ? "completed" : "incomplete",
    }));
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const base = { id: "resp_1", object: "response", created_at: 1, model: "scripted" };
    const output = [reasoning, ...items];
    const events = [
      { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: { ...base, status: "incomplete", output } },
    ].map((event, sequence_number) => ({ ...event, sequence_number }));
    model.willSay(events, {
      ...base,
      status: "completed",
      output: [
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Done.", annotations: [] }],
        },
      ],
    });
    const tools = await toolsFor<OpenAI.Responses.FunctionTool>("openai-responses");

    const first = await client.responses.stream({ model: "scripted", input: "Go", tools }).finalResponse();
    const { output: replies } = await caller.answerTo<{
      output: OpenAI.Responses.ResponseInputItem.FunctionCallOutput[];
    }>("/v1/openai/function_calls", first);
    const second = await client.responses.create({ model: "scripted", input: replies, tools });

    expect(second.output_text).toBe("Done.");
    expect(replies.map(({ call_id }) => call_id)).toEqual([FIRST, CUT]);
    expect(replies[0]!.output).toContain('"n":1');
    expect(replies[1]!.output).toContain("INVALID_ARGS");
  });
});

test("The @anthropic-ai/sdk package streams a message with thinking and searches, and takes its answers back", async () => {
  const client = new Anthropic({ apiKey: "none", baseURL: model.url });
  const use = (id: string, n: number): [object, object] => [
    { type: "tool_use", id, name: "probe-echo", input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify({ n }) },
  ];
  const blocks: [object, object | null][] = [
    [
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "Hm." },
    ],
    [
      { type: "text", text: "" },
      { type: "text_delta", text: "I will look." },
    ],
    [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      { type: "input_json_delta", partial_json: '{"query":"tea"}' },
    ],
    [{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }, null],
    use("toolu_1", 1),
    use("toolu_2", 2),
  ];
  const streamed = (content: typeof blocks, stop_reason: string): object[] => [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    ...content.flatMap(([content_block, delta], index) => [
      { type: "content_block_start", index, content_block },
      ...(delta === null ? [] : [{ type: "content_block_delta", index, delta }]),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  model.willSay(
    streamed(blocks, "tool_use"),
    streamed(
      [
        [
          { type: "text", text: "" },
          { type: "text_delta", text: "Done." },
        ],
      ],
      "end_turn",
    ),
  );
  const tools = await toolsFor<Anthropic.Tool>("anthropic");
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Go" }];
  const ask = async (): Promise<Anthropic.Message> =>
    client.messages.stream({ model: "scripted", max_tokens: 100, messages, tools }).finalMessage();

  const first = await ask();
  const { messages: replies } = await caller.answerTo<{ messages: Anthropic.MessageParam[] }>(
    "/v1/anthropic/tool_use",
    first,
  );
  messages.push({ role: "assistant", content: first.content }, ...replies);

  expect((await ask()).content).toMatchObject([{ type: "text", text: "Done." }]);
  expect(replies).toEqual([
    {
      role: "user",
      content: [1, 2].map((n) => ({
        type: "tool_result",
        tool_use_id: `toolu_${n}`,
        content: JSON.stringify({ path: "/echo", n }),
      })),
    },
  ]);
});

describe("The @google/genai package", () => {
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: model.url } });
  const response = (parts: readonly object[]): object => ({
    candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts } }],
    usageMetadata: { totalTokenCount: 1 },
  });
  const BATCH = {
    actions: [
      { id: "found", tool: "probe-search", args: { q: "tea" } },
      { tool: "probe-item", for_each: { $ref: "found#/items" }, args: { id: { $ref: "item#/id" } } },
    ],
  };
  const PARTS = [
    { text: "Hm.", thought: true },
    { functionCall: { id: "call_1", name: "probe-echo", args: { n: 1 } }, thoughtSignature: "c2ln" },
    { functionCall: { name: "probe-echo", args: { n: 2 } } },
    { functionCall: { name: "probe-nothing", args: {} } },
    { functionCall: { id: "call_4", name: "execute_actions", args: BATCH } },
  ];

  test.each(["batch", "meta", "flat"])(
    "sends the tools of the surface %s, and takes the answers of a turn back",
    async (surface) => {
      model.willSay(response(PARTS), response([{ text: "Done." }]));
      const tools = await toolsFor<Tool>("gemini", surface);
      const contents: Content[] = [{ role: "user", parts: [{ text: "Go" }] }];
      const first = await client.models.generateContent({ model: "scripted", contents, config: { tools } });
      expect(model.requests.at(-1)!.body["tools"]).toEqual(tools);

      const { messages } = await caller.answerTo<{ messages: Content[] }>("/v1/gemini/function_calls", first);
      contents.push(first.candidates![0]!.content!, ...messages);
      const second = await client.models.generateContent({ model: "scripted", contents, config: { tools } });

      expect(second.text).toBe("Done.");
      expect(model.requests.at(-1)!.body["contents"]).toEqual(contents);
      expect(messages.map(({ role }) => role)).toEqual(["user"]);
      expect(messages[0]!.parts!.map(({ functionResponse }) => functionResponse)).toEqual([
        { id: "call_1", name: "probe-echo", response: { output: { path: "/echo", n: 1 } } },
        { name: "probe-echo", response: { output: { path: "/echo", n: 2 } } },
        { name: "probe-nothing", response: { error: expect.objectContaining({ status: "error" }) } },
        { id: "call_4", name: "execute_actions", response: { output: expect.any(Object) } },
      ]);
    },
  );

  test("streams calls one by one, and takes the answers of all of them back", async () => {
    model.willSay(PARTS.slice(1, 3).map((part) => response([part])));
    const stream = await client.models.generateContentStream({ model: "scripted", contents: "Go" });
    const calls: FunctionCall[] = [];
    for await (const chunk of stream) calls.push(...(chunk.functionCalls ?? []));
    expect(calls).toHaveLength(2);

    const { messages } = await caller.answerTo<{ messages: [Content] }>("/v1/gemini/function_calls", calls);
    model.willSay(response([{ text: "Done." }]));
    const chat = client.chats.create({ model: "scripted" });
    const last = await chat.sendMessage({ message: messages[0].parts! });
    expect(last.text).toBe("Done.");
    expect(JSON.stringify(model.requests.at(-1)!.body["contents"])).toContain(
      '"functionResponse":{"id":"call_1"',
    );
  });
});
