import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, describe, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { ModelServer, type ModelTurn } from "../../support/model-server.ts";

const model = await ModelServer.start();
const openai = new OpenAI({ apiKey: "none", baseURL: model.baseUrl, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: "none", baseURL: model.anthropicBaseUrl, maxRetries: 0 });
afterAll(() => model[Symbol.asyncDispose]());
afterEach(() => model.reset());

const SCHEMA = { type: "object" as const, properties: { city: { type: "string" } } };
const CHAT = {
  model: "scripted",
  messages: [{ role: "user" as const, content: "Go" }],
  tools: [{ type: "function" as const, function: { name: "get_weather", parameters: SCHEMA } }],
};
const MESSAGES = {
  model: "scripted",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Go" }],
  tools: [{ name: "get_weather", input_schema: SCHEMA }],
};
const CALLS = [
  { name: "get_weather", args: { city: "Phönix 🌵" } },
  { id: "mine", name: "get_weather", args: { city: "Tempe" } },
];
const TURN = {
  text: "Ich schaue nach. 🌤️",
  thinking: "Two places.",
  calls: CALLS,
  usage: { input: 20, output: 7 },
};
/** Ways for the same turn to arrive. */
const WAYS: readonly (readonly [string, ModelTurn])[] = [
  ["at once", {}],
  ["byte by byte", { split: 1 }],
  ["in sevens, with CRLF", { split: 7, crlf: true }],
  ["slowly", { delayMs: 5, chunkMs: 1 }],
];

describe.each(WAYS)("ModelServer, which answers %s,", (_, way) => {
  test("gives openai a completion", async () => {
    model.willSay({ ...TURN, ...way });
    const { choices, usage } = await openai.chat.completions.create(CHAT);
    expect(choices).toMatchObject([
      { finish_reason: "tool_calls", message: { role: "assistant", content: TURN.text } },
    ]);
    expect(choices[0]!.message.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_\w{8}_\d+_0$/),
        type: "function",
        function: { name: "get_weather", arguments: '{"city":"Phönix 🌵"}' },
      },
      { id: "mine", type: "function", function: { name: "get_weather", arguments: '{"city":"Tempe"}' } },
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 });
  });

  test("streams the same to openai", async () => {
    model.willSay({ ...TURN, ...way });
    const stream = openai.chat.completions.stream({ ...CHAT, stream_options: { include_usage: true } });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: TURN.text,
        tool_calls: [
          { function: { name: "get_weather", arguments: '{"city":"Phönix 🌵"}' } },
          { id: "mine", function: { name: "get_weather", arguments: '{"city":"Tempe"}' } },
        ],
      },
    });
    expect(final.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 7 });
  });

  test("gives anthropic a message", async () => {
    model.willSay({ ...TURN, ...way });
    const { content, usage, stop_reason } = await anthropic.messages.create(MESSAGES);
    expect(content).toEqual([
      { type: "thinking", thinking: "Two places.", signature: expect.any(String) },
      { type: "text", text: TURN.text },
      {
        type: "tool_use",
        id: expect.stringMatching(/^toolu_\w{8}_\d+_0$/),
        name: "get_weather",
        input: CALLS[0]!.args,
      },
      { type: "tool_use", id: "mine", name: "get_weather", input: CALLS[1]!.args },
    ]);
    expect(stop_reason).toBe("tool_use");
    expect(usage).toMatchObject({ input_tokens: 20, output_tokens: 7 });
  });

  test("streams the same to anthropic", async () => {
    model.willSay(TURN, { ...TURN, ...way });
    const whole = await anthropic.messages.create(MESSAGES);
    const streamed = await anthropic.messages.stream(MESSAGES).finalMessage();
    expect(streamed).toMatchObject({
      stop_reason: "tool_use",
      usage: { input_tokens: 20, output_tokens: 7 },
    });
    expect(streamed.content.map(withoutId)).toEqual(whole.content.map(withoutId));
  });
});

function withoutId(block: object): object {
  return { ...block, id: null };
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

test("ModelServer interleaves the arguments of several calls, and tells the usage only where it was asked for", async () => {
  model.willSay(TURN, TURN);
  const indexes: number[] = [];
  const usages: unknown[] = [];
  for await (const { choices, usage } of await openai.chat.completions.create({ ...CHAT, stream: true })) {
    usages.push(usage);
    indexes.push(...(choices[0]!.delta.tool_calls ?? []).map(({ index }) => index));
  }
  expect(indexes).toEqual([0, 1, 0, 1, 0, 1]);
  expect(new Set(usages)).toEqual(new Set([undefined]));

  const asked = { ...CHAT, stream: true, stream_options: { include_usage: true } } as const;
  const last = await collect(await openai.chat.completions.create(asked));
  expect(last.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 27 } });
  expect(last.at(-2)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }], usage: null });
});

test("ModelServer takes back what it said, with the answers to it", async () => {
  model.willSay(TURN, { text: "Warm." }, { ...TURN, calls: CALLS.slice(0, 1) }, (request) => ({
    text: `Warm, ${(request.body["messages"] as unknown[]).length} messages`,
  }));
  const { message } = (await openai.chat.completions.create(CHAT)).choices[0]!;
  const answers = message.tool_calls!.map(({ id }) => ({
    role: "tool" as const,
    tool_call_id: id,
    content: "{}",
  }));
  const chat = { ...CHAT, messages: [...CHAT.messages, message, ...answers] };
  expect((await openai.chat.completions.create(chat)).choices[0]!.message.content).toBe("Warm.");

  const { content } = await anthropic.messages.create(MESSAGES);
  const id = content.find((block) => block.type === "tool_use")!.id;
  const messages: Anthropic.MessageParam[] = [
    ...MESSAGES.messages,
    { role: "assistant", content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "{}" }] },
  ];
  const last = await anthropic.messages.create({ ...MESSAGES, messages });
  expect(last.content).toEqual([{ type: "text", text: "Warm, 3 messages" }]);
  expect(model.problems).toEqual([]);
  expect(model.unsaid).toBe(0);
  expect(model.requests.map(({ path, body }) => [path, body["model"]])).toEqual([
    ["/v1/chat/completions", "scripted"],
    ["/v1/chat/completions", "scripted"],
    ["/v1/messages", "scripted"],
    ["/v1/messages", "scripted"],
  ]);
});

test("ModelServer writes a text's own stop, and arguments as the model broke them", async () => {
  const turn = { calls: [{ name: "get_weather", args: '{"city": "Pho' }], stop: "length" };
  model.willSay(turn, turn, turn, { text: "x", stop: "pause_turn" });
  const chat = await openai.chat.completions.create(CHAT);
  expect(chat.choices[0]).toMatchObject({
    finish_reason: "length",
    message: { content: null, tool_calls: [{ function: { arguments: '{"city": "Pho' } }] },
  });
  const pieces: string[] = [];
  for await (const event of await anthropic.messages.create({ ...MESSAGES, stream: true }))
    if (event.type === "content_block_delta" && event.delta.type === "input_json_delta")
      pieces.push(event.delta.partial_json);
  expect(pieces).toEqual(["", '{"city": "Ph', "o"]);
  expect(await anthropic.messages.create(MESSAGES)).toMatchObject({
    stop_reason: "max_tokens",
    content: [{ input: '{"city": "Pho' }],
  });
  expect(await anthropic.messages.create(MESSAGES)).toMatchObject({ stop_reason: "pause_turn" });
});

describe("ModelServer refuses", () => {
  test("what OpenAI would, and keeps it", async () => {
    model.willSay({ text: "unsaid" });
    const request = openai.chat.completions.create({ ...CHAT, volley: {} } as typeof CHAT);
    await expect(request).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
      code: "unknown_parameter",
      param: "volley",
    });
    expect(model.problems).toEqual(["/v1/chat/completions: Unknown parameter: 'volley'."]);
    expect(model.unsaid).toBe(1);
  });

  test("what Anthropic would, and keeps it", async () => {
    const request = anthropic.messages.create({ ...MESSAGES, volley: {} } as typeof MESSAGES);
    await expect(request).rejects.toMatchObject({
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error" } },
    });
    expect(model.problems).toEqual(["/v1/messages: volley: Extra inputs are not permitted"]);
  });

  test("a thought that is not the one it had", async () => {
    model.willSay({ thinking: "A", text: "B" });
    const { content } = await anthropic.messages.create(MESSAGES);
    const changed = content.map((block) => (block.type === "thinking" ? { ...block, thinking: "C" } : block));
    const messages: Anthropic.MessageParam[] = [
      ...MESSAGES.messages,
      { role: "assistant", content: changed },
      { role: "user", content: "And?" },
    ];
    await expect(anthropic.messages.create({ ...MESSAGES, messages })).rejects.toThrow("Invalid `signature`");
  });

  test("no JSON, no version, and other paths", async () => {
    const post = async (path: string, headers: Record<string, string>, body = "{}"): Promise<number> =>
      (await fetch(`${model.anthropicBaseUrl}${path}`, { method: "POST", headers, body })).status;
    const json = { "content-type": "application/json" };
    expect(await post("/v1/messages", json)).toBe(400);
    expect(await post("/v1/chat/completions", json, "{")).toBe(400);
    expect(await post("/v1/chat/completions", { "content-type": "text/plain" })).toBe(415);
    expect(await post("/v1/embeddings", json)).toBe(404);
    expect(model.problems).toHaveLength(4);
  });

  test("everything when its script is empty, which is no problem of the request", async () => {
    await expect(openai.chat.completions.create(CHAT)).rejects.toThrow("500 The script has no further turn");
    await expect(anthropic.messages.create(MESSAGES)).rejects.toThrow("The script has no further turn");
    expect(model.problems).toEqual([]);
  });
});

test("ModelServer keeps what a turn's function throws, and answers all the same", async () => {
  model.willSay(() => {
    throw new Error("Not what I expected");
  });
  await expect(openai.chat.completions.create(CHAT)).rejects.toMatchObject({ status: 500 });
  expect(model.problems).toEqual(["Error: Not what I expected"]);
});

describe("ModelServer misbehaves:", () => {
  test("with a status, headers and the provider's error", async () => {
    model.willSay({ status: 429 }, { status: 529 }, { status: 503, body: "busy" });
    await expect(openai.chat.completions.create(CHAT)).rejects.toMatchObject({
      status: 429,
      type: "rate_limit_error",
    });
    await expect(anthropic.messages.create(MESSAGES)).rejects.toMatchObject({
      status: 529,
      error: { error: { type: "overloaded_error" } },
    });
    const response = await fetch(`${model.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(CHAT),
    });
    expect([response.status, await response.text()]).toEqual([503, "busy"]);
  });

  test("with headers of its own", async () => {
    model.willSay({ status: 429, headers: { "retry-after": "7" } });
    const error: unknown = await openai.chat.completions.create(CHAT).catch((reason: unknown) => reason);
    expect((error as InstanceType<typeof OpenAI.APIError>).headers!.get("retry-after")).toBe("7");
  });

  test("with an error in the middle of a stream, or in place of an answer", async () => {
    const turn = { text: "A long text of several chunks", errorAfter: 2 };
    model.willSay(turn, turn, turn, turn);
    await expect(openai.chat.completions.stream(CHAT).finalMessage()).rejects.toThrow(
      "The server had an error",
    );
    await expect(anthropic.messages.stream(MESSAGES).finalMessage()).rejects.toThrow("overloaded_error");
    await expect(openai.chat.completions.create(CHAT)).rejects.toMatchObject({ status: 500 });
    await expect(anthropic.messages.create(MESSAGES)).rejects.toMatchObject({ status: 529 });
  });

  test.each([0, 1, 200])("with a connection that breaks after %i bytes", async (cutAfter) => {
    const turn = { text: "A long text of several chunks", cutAfter };
    model.willSay(turn, turn, turn);
    await expect(openai.chat.completions.create(CHAT)).rejects.toThrow(Error);
    await expect(openai.chat.completions.stream(CHAT).finalMessage()).rejects.toThrow(Error);
    await expect(anthropic.messages.stream(MESSAGES).finalMessage()).rejects.toThrow(Error);
    expect(model.aborted).toBe(0);
  });

  test.each([
    { hang: true },
    { text: "A long text", hangAfter: 0 },
    { text: "A long text", hangAfter: 150 },
  ] as const)("with %j, until its client goes away", async (turn) => {
    model.willSay(turn);
    const abort = new AbortController();
    const request = openai.chat.completions.stream(CHAT, { signal: abort.signal }).finalMessage();
    await eventually("the request", () => model.requests[0]);
    abort.abort();
    await expect(request).rejects.toThrow(OpenAI.APIUserAbortError);
    await eventually("the abort", () => (model.aborted === 1 ? true : undefined));
  });

  test("with bytes of one's own", async () => {
    const bytes = new TextEncoder().encode(
      'data: {"choices":[{"delta":{"content":"ü"}}]}\n\ndata: [DONE]\n\n',
    );
    model.willSay(
      { raw: [bytes.slice(0, 42), bytes.slice(42)] },
      { raw: "<html>", contentType: "text/html" },
    );
    const chunks = await collect(await openai.chat.completions.create({ ...CHAT, stream: true }));
    expect(chunks).toMatchObject([{ choices: [{ delta: { content: "ü" } }] }]);
    expect(await openai.chat.completions.create(CHAT)).toBe("<html>");
  });
});

test("ModelServer leaves out the usage of a server that tells none", async () => {
  model.willSay({ text: "x", usage: null }, { text: "x", usage: { input: 9, output: 1, cached: 4 } });
  expect(await openai.chat.completions.create(CHAT)).not.toHaveProperty("usage");
  expect((await anthropic.messages.create(MESSAGES)).usage).toMatchObject({
    input_tokens: 5,
    cache_read_input_tokens: 4,
    output_tokens: 1,
  });
});
