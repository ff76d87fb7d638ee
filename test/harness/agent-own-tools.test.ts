import { describe, expect, test } from "vitest";

import {
  batchOf,
  CHAT_PATH,
  type ChatMessage,
  type ChatStream,
  GO,
  messageOf,
  ownTool,
  sentTo,
  setUpChat,
} from "../support/chat-world.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";
import type { Workerd } from "../support/workerd.ts";

/* The caller's own tools in Chat Completions: what it sees of a turn, and what the model sees when it comes back. */

let twin = "";
const { model, upstream, ask, send, stream } = await setUpChat({}, async (options) => {
  const volley: Workerd = await startRawSandbox({ ...options, twin: true });
  twin = volley.twinUrl!;
  return volley;
});

const tools = [ownTool("weather_of"), ownTool("home_city")];
const mine = (city: string, id?: string) => ({
  name: "weather_of",
  args: { city },
  ...(id !== undefined && { id }),
});
const echo = (n: number, id?: string) => ({
  name: "probe-echo",
  args: { n },
  ...(id !== undefined && { id }),
});

/** The conversation as a client sends it back, with what its tools answered. */
function goOn(
  before: readonly ChatMessage[],
  message: ChatMessage,
  ...answers: readonly string[]
): ChatMessage[] {
  const replies = message.tool_calls!.map(({ id }, at) => ({
    role: "tool",
    tool_call_id: id,
    content: answers[at] ?? "sunny",
  }));
  return [...before, message, ...replies];
}

const toMessage = ({ content, calls }: ChatStream): ChatMessage => ({
  role: "assistant",
  content: content === "" ? null : content,
  tool_calls: calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  })),
});

const namesOf = (message: ChatMessage | undefined) => message?.tool_calls?.map((call) => call.function.name);

describe("A turn that calls the caller's tools alone", () => {
  test("is returned as the model wrote it, and nothing is kept of it", async () => {
    model.willSay({ text: "One moment.", calls: [mine("Bern"), mine("Rome")] }, { text: "Done." });
    const answer = await ask({ tools });
    expect(answer.volley).toEqual({ rounds: [], stopped: "client_tools" });
    expect(answer.choices[0]!.finish_reason).toBe("tool_calls");
    const message = messageOf(answer);
    expect(namesOf(message)).toEqual(["weather_of", "weather_of"]);
    const messages = goOn([GO], message);
    expect(messageOf(await ask({ tools, messages })).content).toBe("Done.");
    expect(sentTo(model, 1)).toEqual(messages);
  });
});

describe("A turn that calls both", () => {
  test("has ours run, is returned with theirs alone, and comes back whole", async () => {
    model.willSay(
      {
        text: "Both.",
        calls: [echo(1), mine("Bern"), batchOf({ tool: "probe-echo", args: { n: 2 } }), mine("Rome")],
      },
      { text: "Done." },
    );
    const answer = await ask({ tools });
    expect(namesOf(messageOf(answer))).toEqual(["weather_of", "weather_of"]);
    expect(answer.choices[0]!.finish_reason).toBe("tool_calls");
    expect(messageOf(answer).content).toBe("Both.");
    expect(answer.volley).toMatchObject({
      stopped: "client_tools",
      rounds: [{ results: [{ data: { n: 1 } }, { data: { n: 2 } }] }],
    });

    const messages = goOn([GO], messageOf(answer), "snow", "sun");
    const later = await ask({ tools, messages });
    expect(messageOf(later).content).toBe("Done.");
    expect(model.problems).toEqual([]);
    const [asked, calling, ...replies] = sentTo(model, 1);
    expect(asked).toEqual(GO);
    expect(calling!.content).toBe("Both.");
    expect(namesOf(calling)).toEqual(["probe-echo", "weather_of", "execute_actions", "weather_of"]);
    expect(replies.map(({ tool_call_id: id }) => id)).toEqual(calling!.tool_calls!.map(({ id }) => id));
    expect(replies[0]!.content).toContain('"n":1');
    expect(replies[1]!.content).toBe("snow");
    expect(replies[2]!.content).toContain('"n":2');
    expect(replies[3]!.content).toBe("sun");
  });

  test("streams theirs under dense indexes from 0, however the pieces of all of them mix", async () => {
    const calls = [
      echo(1),
      mine("a city with a long name"),
      echo(2),
      { name: "home_city", args: { city: "and another long one" } },
    ];
    model.willSay({ text: "Both.", calls }, { text: "Done." });
    const said = await stream({ tools });
    expect(said.calls).toMatchObject([
      { name: "weather_of", args: '{"city":"a city with a long name"}' },
      { name: "home_city", args: '{"city":"and another long one"}' },
    ]);
    expect(said.finishes).toEqual(["tool_calls"]);
    expect(said.results.map(({ data }) => data)).toMatchObject([{ n: 1 }, { n: 2 }]);
    expect(said.reports).toMatchObject([{ stopped: "client_tools" }]);
    expect(said.text).not.toContain('probe-echo","arguments');
    const first = said.chunks.findIndex(({ choices }) => choices[0]?.delta.tool_calls !== undefined);
    expect(said.chunks.findIndex(({ volley }) => volley?.result !== undefined)).toBeGreaterThan(first);

    await ask({ tools, messages: goOn([GO], toMessage(said)) });
    expect(model.problems).toEqual([]);
    expect(namesOf(sentTo(model, 1)[1])).toEqual(calls.map(({ name }) => name));
    expect(sentTo(model, 1)).toHaveLength(6);
  });

  test("after several rounds comes back with all of them", async () => {
    model.willSay(
      { text: "First.", calls: [echo(1)] },
      { text: "Second.", calls: [echo(2)] },
      { text: "Third.", calls: [mine("Bern"), echo(3)] },
      { text: "Done." },
    );
    const answer = await ask({ tools });
    expect(answer.volley.rounds).toHaveLength(3);
    await ask({ tools, messages: goOn([GO], messageOf(answer)) });
    expect(model.problems).toEqual([]);
    expect(sentTo(model, 3).map(({ role, content }) => (role === "assistant" ? content : role))).toEqual([
      "user",
      "First.",
      "tool",
      "Second.",
      "tool",
      "Third.",
      "tool",
      "tool",
    ]);
  });

  test("that comes after rounds is streamed as one answer", async () => {
    model.willSay(
      { text: "First. ", calls: [echo(1)] },
      { text: "Second.", calls: [echo(2), mine("Bern")] },
      { text: "Done." },
    );
    const said = await stream({ tools });
    expect(said.content).toBe("First. Second.");
    expect(said.finishes).toEqual(["tool_calls"]);
    expect(said.calls).toHaveLength(1);
    expect(new Set(said.chunks.map(({ id }) => id)).size).toBe(1);
    const back = await stream({ tools, messages: goOn([GO], toMessage(said)) });
    expect(back.content).toBe("Done.");
    expect(model.problems).toEqual([]);
    expect(sentTo(model, 2).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "tool",
    ]);
  });

  test("that waits for a person too goes back for the caller's part first", async () => {
    model.willSay(
      { calls: [{ name: "probe-delete", args: { id: "1" } }, mine("Bern")] },
      { text: "It waits." },
    );
    const answer = await ask({ tools });
    expect(answer.volley).toMatchObject({
      stopped: "client_tools",
      confirmations: [{ id: expect.any(String) }],
    });
    await ask({ tools, messages: goOn([GO], messageOf(answer)) });
    expect(model.problems).toEqual([]);
    expect(sentTo(model, 1)[2]!.content).toContain("pending_confirmation");
  });
});

describe("A conversation that comes back", () => {
  const begin = async (
    n: number,
    before: readonly ChatMessage[] = [GO],
    ids: readonly [string | undefined, string?] = [undefined],
  ) => {
    model.willSay({ calls: [echo(n, ids[0]), mine("Bern", ids[1])] });
    return messageOf(await ask({ tools, messages: before }));
  };
  const seenBy = (at: number) => sentTo(model, at).filter(({ role }) => role === "tool");

  test("finds what was kept in another isolate", async () => {
    const message = await begin(11);
    model.willSay({ text: "Done." });
    const { status } = await new TestCaller(twin).send({
      path: CHAT_PATH,
      body: JSON.stringify({ model: "m", tools, messages: goOn([GO], message) }),
    });
    expect(status).toBe(200);
    expect(model.problems).toEqual([]);
    expect(seenBy(1)[0]!.content).toContain('"n":11');
  });

  test("finds it as often as it comes, and further on in the conversation too", async () => {
    const seen = upstream.requestsTo("/echo").length;
    const message = await begin(12);
    const messages = goOn([GO], message);
    model.willSay({ text: "Once." }, { text: "Twice." }, { text: "Later." });
    await ask({ tools, messages });
    await ask({ tools, messages });
    await ask({
      tools,
      messages: [...messages, { role: "assistant", content: "Twice." }, { role: "user", content: "And?" }],
    });
    expect(model.problems).toEqual([]);
    for (const at of [1, 2, 3]) expect(seenBy(at)[0]!.content).toContain('"n":12');
    expect(upstream.requestsTo("/echo")).toHaveLength(seen + 1);
  });

  test("finds every one of its turns", async () => {
    const first = await begin(13);
    const sofar = goOn([GO], first);
    const second = await begin(14, sofar);
    model.willSay({ text: "Done." });
    await ask({ tools, messages: goOn(sofar, second) });
    expect(model.problems).toEqual([]);
    const replies = seenBy(2).map(({ content }) => content);
    expect(replies).toHaveLength(4);
    expect(replies[0]).toContain('"n":13');
    expect(replies[2]).toContain('"n":14');
  });

  test("is not taken for another one with the same ids of calls", async () => {
    const one: ChatMessage = { role: "user", content: "One" };
    const two: ChatMessage = { role: "user", content: "Two" };
    const first = await begin(15, [one], ["call_0", "call_1"]);
    const second = await begin(16, [two], ["call_0", "call_1"]);
    model.willSay({ text: "a" }, { text: "b" });
    await ask({ tools, messages: goOn([one], first) });
    await ask({ tools, messages: goOn([two], second) });
    expect(seenBy(2)[0]!.content).toContain('"n":15');
    expect(seenBy(3)[0]!.content).toContain('"n":16');
  });

  test("is not taken for one with the same messages and ids, and other arguments", async () => {
    model.willSay(
      { calls: [echo(17, "call_0"), mine("Bern", "call_1")] },
      { calls: [echo(18, "call_0"), mine("Rome", "call_1")] },
      { text: "a" },
      { text: "b" },
    );
    const [first, second] = [messageOf(await ask({ tools })), messageOf(await ask({ tools }))];
    await ask({ tools, messages: goOn([GO], first) });
    await ask({ tools, messages: goOn([GO], second) });
    expect(seenBy(2)[0]!.content).toContain('"n":17');
    expect(seenBy(3)[0]!.content).toContain('"n":18');
  });

  test("is one of many at once, and none is taken for another", async () => {
    const numbers = Array.from({ length: 16 }, (_, n) => 1_000 + n);
    const questionOf = (body: object): number =>
      Number((body as { messages: readonly { content: string }[] }).messages[0]!.content);
    const question = (n: number): ChatMessage => ({ role: "user", content: String(n) });
    for (const _ of numbers)
      model.willSay(({ body }) => ({
        calls: [echo(questionOf(body), "call_0"), mine("Bern", "call_1")],
      }));
    const messages = await Promise.all(
      numbers.map(async (n) => goOn([question(n)], messageOf(await ask({ tools, messages: [question(n)] })))),
    );
    for (const _ of numbers)
      model.willSay(({ body }) => ({
        text: (body["messages"] as readonly ChatMessage[]).find(({ role }) => role === "tool")!.content!,
      }));
    const answers = await Promise.all(
      messages.map(async (sent) => messageOf(await ask({ tools, messages: sent }))),
    );
    expect(model.problems).toEqual([]);
    expect(answers.map(({ content }) => JSON.parse(content!) as object)).toMatchObject(
      numbers.map((n) => ({ n })),
    );
  });

  test("of another tenant finds nothing", async () => {
    const message = await begin(19);
    model.willSay({ text: "Alone." });
    const messages = goOn([GO], message);
    await ask({ tools, messages }, "sandbox-other-key");
    expect(sentTo(model, 1)).toEqual(messages);
  });

  test.each<[string, (message: ChatMessage) => ChatMessage]>([
    [
      "the white space of arguments",
      (message) => ({
        ...message,
        tool_calls: message.tool_calls!.map((call) => ({
          ...call,
          function: {
            ...call.function,
            arguments: JSON.stringify(JSON.parse(call.function.arguments), null, 2),
          },
        })),
      }),
    ],
    ["no content for null", ({ role, tool_calls }) => ({ role, tool_calls: tool_calls! })],
    ["empty content for null", (message) => ({ ...message, content: "" })],
  ])("may be written otherwise by its client: %s", async (_, rewrite) => {
    const message = await begin(20);
    model.willSay({ text: "Done." });
    await ask({ tools, messages: goOn([GO], rewrite(message)) });
    expect(model.problems).toEqual([]);
    expect(seenBy(1)[0]!.content).toContain('"n":20');
  });

  test("may have another system message and its texts in parts", async () => {
    const before = [{ role: "system", content: "It is nine." }, GO];
    // An id that its server drew: of one that repeats, it would be another conversation's.
    const message = await begin(21, before, ["call_1", "call_9pQ2vX7bK1mZ4nR8sT3wY6aC"]);
    model.willSay({ text: "Done." });
    const parts = { role: "user", content: [{ type: "text", text: "Go" }] } as unknown as ChatMessage;
    await ask({ tools, messages: goOn([{ role: "system", content: "It is ten." }, parts], message) });
    expect(model.problems).toEqual([]);
    expect(seenBy(1)[0]!.content).toContain('"n":21');
  });

  test("goes on with its tools' answers in any order", async () => {
    model.willSay({ calls: [mine("Bern"), echo(22), mine("Rome")] }, { text: "Done." });
    const [go, message, ...replies] = goOn([GO], messageOf(await ask({ tools })), "snow", "sun");
    await ask({ tools, messages: [go, message, ...replies.reverse()] });
    expect(model.problems).toEqual([]);
    expect(seenBy(1).map(({ content }) => content)).toEqual([
      "snow",
      expect.stringContaining('"n":22'),
      "sun",
    ]);
  });

  test("may be asked in a stream where it was not before, and the other way round", async () => {
    const message = await begin(23);
    model.willSay({ text: "Done." });
    const said = await stream({ tools, messages: goOn([GO], message) });
    expect(said.content).toBe("Done.");
    expect(seenBy(1)[0]!.content).toContain('"n":23');
  });
});

describe("A tool of the caller's", () => {
  test("with the name of one of ours is refused before the model is asked", async () => {
    const clash = await send({ tools: [ownTool("execute_actions")] });
    expect(clash.status).toBe(422);
    expect(JSON.parse(clash.text)).toMatchObject({
      error: {
        code: "INVALID_REQUEST",
        type: "invalid_request_error",
        param: "/tools",
        message: expect.stringContaining("execute_actions"),
      },
    });
    const flat = await send({ tools: [ownTool("probe-echo")], volley: { surface: "flat" } });
    expect(flat.status).toBe(422);
    expect(model.requests).toEqual([]);
  });

  test("with a name that the surface does not show is the caller's", async () => {
    const seen = upstream.requestsTo("/echo").length;
    model.willSay({ calls: [echo(31)] });
    const answer = await ask({ tools: [ownTool("probe-echo")] });
    expect(namesOf(messageOf(answer))).toEqual(["probe-echo"]);
    expect(upstream.requestsTo("/echo")).toHaveLength(seen);
  });

  test("of a kind that only the provider knows is passed on, and its calls are the caller's", async () => {
    const custom = { type: "custom", custom: { name: "write_code" } };
    const call = { id: "call_c", type: "custom", custom: { name: "write_code", input: "print(1)" } };
    const raw = JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: null, tool_calls: [call] },
          finish_reason: "tool_calls",
        },
      ],
    });
    model.willSay({ raw });
    const answer = await ask({ tools: [custom] });
    expect(messageOf(answer).tool_calls).toEqual([call]);
    expect(answer.volley.stopped).toBe("client_tools");
    expect((model.requests[0]!.body["tools"] as object[]).at(-1)).toEqual(custom);
  });

  test("that is called with broken arguments is the caller's to judge", async () => {
    model.willSay({ calls: [{ name: "weather_of", args: '{"city":"Be' }] });
    const answer = await ask({ tools });
    expect(messageOf(answer).tool_calls![0]!.function.arguments).toBe('{"city":"Be');
  });
});

test("A conversation after 15 minutes is passed on as its caller sent it", async () => {
  const message: ChatMessage = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_old", type: "function", function: { name: "weather_of", arguments: "{}" } }],
  };
  model.willSay({ text: "Done." });
  const messages = goOn([GO], message);
  await ask({ tools, messages });
  expect(sentTo(model, 0)).toEqual(messages);
});
