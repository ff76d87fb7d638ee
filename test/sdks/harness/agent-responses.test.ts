import OpenAI from "openai";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";

import { batchOf, type ChatReport, setUpChat } from "../../support/chat-world.ts";

/* Responses with OpenAI's own client, at a server that has them and at one that has Chat Completions only. */

const native = await setUpChat();
const bridged = await setUpChat();
bridged.model.lacks.add("/v1/responses");

type Told = Response & { readonly volley: ChatReport };
const OWN = {
  type: "function",
  name: "lookup",
  description: "The caller's lookup",
  parameters: { type: "object", properties: { q: { type: "string" } } },
  strict: false,
} as const;
const ECHO = batchOf({ id: "a", tool: "probe-echo", args: { n: 7 } });

describe.each([
  ["a server of Responses", native],
  ["a server of Chat Completions", bridged],
])("OpenAI's client, with %s behind Volley,", (_, { model, volley }) => {
  const client = new OpenAI({ baseURL: `${volley.url}/v1`, apiKey: "sandbox-key", maxRetries: 0 });
  const create = async (body: object): Promise<Told> =>
    (await client.responses.create({ model: "scripted", input: "Go", ...body })) as Told;

  const refusalOf = async (body: object): Promise<InstanceType<typeof OpenAI.APIError>> => {
    const refused = await create(body).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(OpenAI.APIError);
    return refused as InstanceType<typeof OpenAI.APIError>;
  };

  test("gets the answer, the sum of what was used, and the report", async () => {
    model.willSay(
      { calls: [ECHO], usage: { input: 10, output: 5 } },
      { text: "It is 7.", usage: { input: 20, output: 6, cached: 3 } },
    );
    const answer = await create({ instructions: "Be brief." });
    expect(model.problems).toEqual([]);
    expect(answer.output_text).toBe("It is 7.");
    expect(answer.output.map(({ type }) => type)).toEqual(["message"]);
    expect(answer).toMatchObject({ status: "completed", object: "response", store: false });
    expect(answer.usage).toMatchObject({ input_tokens: 30, output_tokens: 11, total_tokens: 41 });
    expect(answer.usage!.input_tokens_details.cached_tokens).toBe(3);
    expect(answer.volley).toMatchObject({ stopped: "answer", rounds: [{ results: [{ data: { n: 7 } }] }] });
    const asked = JSON.stringify(model.requests.at(-1)!.body);
    expect(asked).toContain("Be brief.");
    expect(asked).toContain('\\"n\\":7');
  });

  test("reads a stream as one response, whatever was called between", async () => {
    model.willSay({ text: "Let me look. ", calls: [ECHO] }, { text: "It is seven, I am sure." });
    const stream = client.responses.stream({ model: "scripted", input: "Go" });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const final = (await stream.finalResponse()) as unknown as Told;
    expect(model.problems).toEqual([]);
    expect(final.output_text).toBe("Let me look. It is seven, I am sure.");
    expect(final.volley.stopped).toBe("answer");
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((__, at) => at));
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "response.created")).toHaveLength(1);
    expect(types.filter((type) => type === "response.completed")).toHaveLength(1);
    expect(types.at(-1)).toBe("response.completed");
    expect(JSON.stringify(events)).not.toContain("execute_actions");
    const results = events.flatMap((event) => ("result" in event ? [event.result] : []));
    expect(results).toMatchObject([{ id: "a", status: "success" }]);
  });

  test("P7: T48 is told no key that the model's server repeats, wherever its stream cuts it", async () => {
    for (const before of ["", "a", "ab", "Your key is "]) {
      model.willSay({ text: `${before}#llm-secret-key-1, and no more.`, calls: [] });
      const stream = client.responses.stream({ model: "scripted", input: `Go ${before}` });
      let told = "";
      for await (const event of stream) if (event.type === "response.output_text.delta") told += event.delta;
      const wanted = `${before}[redacted], and no more.`;
      expect([told, (await stream.finalResponse()).output_text]).toEqual([wanted, wanted]);
    }
  });

  test("runs its own tools, and Volley's results of the same turn stand in their place", async () => {
    for (const stream of [false, true]) {
      model.reset();
      const calls = [{ name: "lookup", args: { q: "x" } }, ECHO];
      model.willSay({ calls }, { text: "Both." });
      const input: object[] = [{ role: "user", content: `Go ${String(stream)}` }];
      const body = { model: "scripted", input, tools: [OWN] } as const;
      const first = stream
        ? await client.responses.stream(body as never).finalResponse()
        : await create({ ...body });
      const [call, ...others] = first.output;
      expect(others).toEqual([]);
      expect(call).toMatchObject({ type: "function_call", name: "lookup", arguments: '{"q":"x"}' });
      const { call_id } = call as { call_id: string };
      input.push(call!, { type: "function_call_output", call_id, output: "found" });
      const second = await create({ input: input.map(withoutId), tools: [OWN] });
      expect(model.problems).toEqual([]);
      expect(second.output_text).toBe("Both.");
      const { input: items, messages } = model.requests.at(-1)!.body as Record<string, readonly Sent[]>;
      const outputs = (items ?? messages)!.flatMap(({ type, role, output, content }) =>
        type === "function_call_output" ? output : role === "tool" ? content : [],
      );
      expect(outputs).toEqual(["found", expect.stringContaining('"n":7')]);
    }
  });

  test("is told that a person is waited for", async () => {
    model.willSay({ calls: [batchOf({ id: "gone", tool: "probe-delete", args: { id: "x" } })] });
    const answer = await create({});
    expect(answer.volley.stopped).toBe("confirmation");
    expect(answer.output_text).toContain("yes");
    expect(answer.status).toBe("completed");
  });

  test("sees nothing of a model that writes its calls as text", async () => {
    model.willSay(
      { text: 'Thought: Look.\nAction: probe-echo\nAction Input: {"n": 1}' },
      { text: "Thought: I know.\nFinal Answer: It is 1." },
    );
    const body = { model: "scripted", input: "Go", volley: { strategy: "react", tools: ["probe"] } };
    const final = await client.responses.stream(body as never).finalResponse();
    expect(final.output_text).toBe("It is 1.");
    expect(JSON.stringify(final.output)).not.toContain("Action");
  });

  test("gets an error that it understands when the model's stream breaks off", async () => {
    model.willSay({ text: "This will not end well, I fear.", errorAfter: 6 });
    const stream = await client.responses.create({ model: "scripted", input: "Go", stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) void event;
    };
    await expect(read()).rejects.toThrow("reported an error in its stream");
    expect(model.requests).toHaveLength(1);
  });

  test.each([
    { about: "a field", params: ["temperature"], body: { temperature: 9 }, path: "/temperature" },
    { about: "a text", params: ["input[0].content", "messages[0].content"], path: "/input" },
    { about: "the whole of a text", params: ["input", "messages"], path: null },
    {
      about: "an item",
      params: ["input[1].content", "messages[1].content"],
      body: {
        input: [
          { role: "user", content: "Hi" },
          { role: "user", content: "Go" },
        ],
      },
      path: "/input/1/content",
    },
    {
      about: "the instructions",
      params: ["instructions", "messages[0]"],
      body: { instructions: "Be brief." },
      path: "/instructions",
    },
    {
      about: "a tool of the body's, by its place there",
      params: ["tools[1].parameters", "tools[1].function.parameters"],
      body: { tools: [OWN], volley: { surface: "batch" } },
      path: "/tools/0/parameters",
    },
    {
      about: "a limit",
      params: ["max_output_tokens", "max_tokens"],
      body: { max_output_tokens: 16 },
      path: "/max_output_tokens",
    },
    {
      about: "a form",
      params: ["text.verbosity", "verbosity"],
      body: { text: { verbosity: "low" } },
      path: "/text/verbosity",
    },
  ])("is told that a refusal is about $about", async ({ params, body = {}, path }) => {
    const param = params.at(model.lacks.size > 0 ? -1 : 0);
    model.willSay({ status: 400, body: { error: { message: "No.", type: "invalid_request_error", param } } });
    const refused = await refusalOf(body);
    expect(refused.param).toBe(path);
    expect(refused.message).toContain(path === null ? "0 are Volley's and 1 those of the body" : "sent here");
  });

  test("is told that a refusal is about a tool of Volley's", async () => {
    const param = model.lacks.size > 0 ? "tools[0].function.parameters" : "tools[0].parameters";
    model.willSay({ status: 400, body: { error: { message: "No.", type: "invalid_request_error", param } } });
    const refused = await refusalOf({ tools: [OWN], volley: { surface: "batch" } });
    expect(refused.message).toContain("a part that Volley added (the tool 'execute_actions')");
    expect(refused.param).toBeNull();
  });

  test("is refused in its provider's shape what is not kept here", async () => {
    for (const [field, body] of [
      ["/store", { store: true }],
      ["/previous_response_id", { previous_response_id: "resp_1" }],
      ["/conversation", { conversation: "conv_1" }],
      ["/background", { background: true }],
      ["/input", { input: [] }],
      ["/input/0", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ] as const) {
      const refused = await create(body).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
      expect((refused as InstanceType<typeof OpenAI.APIError>).param).toBe(field);
    }
    expect(model.requests).toEqual([]);
  });
});

test("A server that does not know the model is not taken for one without Responses", async () => {
  const { model, volley } = native;
  const client = new OpenAI({ baseURL: `${volley.url}/v1`, apiKey: "sandbox-key", maxRetries: 0 });
  model.willSay({ status: 404, body: { error: { message: "no", code: "model_not_found" } } });
  const asked = client.responses.create({ model: "none", input: "Go" });
  await expect(asked).rejects.toThrow("model_not_found");
  expect(model.requests.map(({ path }) => path)).toEqual(["/v1/responses"]);
});

test("A server without Responses is asked for them once by an isolate", async () => {
  const { model, volley } = bridged;
  const client = new OpenAI({ baseURL: `${volley.url}/v1`, apiKey: "sandbox-key", maxRetries: 0 });
  model.willSay({ text: "One." }, { text: "Two." });
  for (const _ of [1, 2]) await client.responses.create({ model: "scripted", input: "Go" });
  expect(model.requests.filter(({ path }) => path === "/v1/responses").length).toBeLessThanOrEqual(1);
});

test("A tool that only the model's own server could run is refused where that server has no Responses", async () => {
  const { volley } = bridged;
  const client = new OpenAI({ baseURL: `${volley.url}/v1`, apiKey: "sandbox-key", maxRetries: 0 });
  const tools = [{ type: "web_search" }] as const;
  const asked = client.responses.create({ model: "scripted", input: "Go", tools: [...tools] });
  await expect(asked).rejects.toThrow('a tool of the type "web_search"');
});

interface Sent {
  readonly type?: string;
  readonly role?: string;
  readonly output?: string;
  readonly content?: string;
}

/** Items go back without their ids, as clients send them with `store: false`. */
function withoutId(item: object): object {
  const { id: _, status: __, ...rest } = item as { id?: string; status?: string };
  return rest;
}
