import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";

import { echo, ownTool, resultsIn, sentTo, setUpMessages, toolsOf } from "../support/messages-world.ts";

/* Threads of Anthropic's client, which sends only what is new and expects the rest to be kept where it sends it. */

const { model, anthropic, send } = await setUpMessages();

const GOING = { role: "user", content: "Go" } as const;

/** A thread with a tool of the caller's own. */
function openThread() {
  return anthropic.beta.messages.thread({
    model: "claude",
    max_tokens: 100,
    tools: [ownTool("weather_of") as Anthropic.Beta.BetaTool],
    system: "Be brief.",
  });
}

/** The result of the caller's tool. */
function weather(reply: Anthropic.Beta.BetaMessage): Anthropic.Beta.BetaMessageParam {
  const content = reply.content
    .filter((block) => block.type === "tool_use")
    .map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "sunny" }));
  return { role: "user", content };
}

describe("A thread", () => {
  test("whose turn calls the caller's tool and ours goes on with the results of both", async () => {
    const thread = openThread();
    model.willSay(
      { text: "Looking.", calls: [echo(1), { name: "weather_of", args: { city: "Phoenix" } }] },
      { text: "Sunny." },
    );
    const asked = await thread.send(GOING);
    expect(asked.content.filter(({ type }) => type === "tool_use")).toHaveLength(1);

    const answered = await thread.send(weather(asked));

    expect(answered.content).toMatchObject([{ type: "text", text: "Sunny." }]);
    expect(model.problems).toEqual([]);
    expect(model.requests).toHaveLength(2);
    const [first, calling, told, ...others] = sentTo(model, 1);
    expect([first, others]).toEqual([GOING, []]);
    expect(calling!.content).toMatchObject([
      { text: "Looking." },
      { name: "probe-echo" },
      { name: "weather_of" },
    ]);
    expect(resultsIn(told).map(({ content }) => content)).toEqual([
      expect.stringContaining('"n":1'),
      "sunny",
    ]);
    expect(model.requests[1]!.body["system"]).toBe("Be brief.");
    expect(toolsOf(model, 1)).toEqual(toolsOf(model, 0));
  });

  test("goes on in a stream, turn after turn", async () => {
    const thread = openThread();
    model.willSay({ calls: [echo(1)] }, { text: "One." }, { text: "Two." }, { text: "Three." });
    for (const text of ["One.", "Two.", "Three."]) {
      const reply = await thread.stream({ role: "user", content: `Say ${text}` }).finalMessage();
      expect(reply.content).toMatchObject([{ type: "text", text }]);
    }
    expect(model.problems).toEqual([]);
    expect(sentTo(model, -1).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });

  test("is never begun at the model's server, which would keep another conversation than the caller's", async () => {
    const thread = openThread();
    model.willSay({ text: "One." }, { text: "Two." });
    await thread.send(GOING);
    await thread.send({ role: "user", content: "More" });
    expect(model.requests.map(({ body }) => body["thread"])).toEqual([undefined, undefined]);
  });
});

describe("A request that goes on with a thread", () => {
  const going = { thread: { type: "continue", previous_message_id: "msg_1" } };

  test("is told that it is not kept here, in the words in which a client sends all of it again", async () => {
    const { status, text } = await send({ ...going, messages: [] });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({
      type: "error",
      error: {
        type: "not_found_error",
        code: "NOT_FOUND",
        param: "/thread/previous_message_id",
        details: { error_code: "thread_not_found" },
      },
    });
    expect(text).not.toContain("msg_1");
    expect(model.requests).toEqual([]);
  });

  test("takes nothing of the quota", async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => send(going, { "x-api-key": "sandbox-small-key" })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  });
});
