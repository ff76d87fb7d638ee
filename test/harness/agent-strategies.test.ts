import { describe, expect, test } from "vitest";

import {
  type ChatMessage,
  GO,
  messageOf,
  ownTool,
  sentTo,
  setUpChat,
  toolsOf,
} from "../support/chat-world.ts";

/* The strategies `react` and `think-act` of Chat Completions, end to end. */

const { model, upstream, ask, stream } = await setUpChat();

const act = (tool: string, args: object | string, thought = "Look.") =>
  `Thought: ${thought}\nAction: ${tool}\nAction Input: ${typeof args === "string" ? args : JSON.stringify(args)}`;
const MACHINERY = /Thought:|Action|Observation|Final Answer/;
const react = { strategy: "react", tools: ["probe"] };

describe("react", () => {
  test("tells the tools in words and sends none, and shows the caller the answer alone", async () => {
    model.willSay(
      { text: act("probe-echo", { n: 1 }), usage: { input: 1, output: 2 } },
      { text: "Thought: I know.\nFinal Answer: It is 1.", usage: { input: 3, output: 4 } },
    );
    const messages = [{ role: "system", content: "Be brief." }, GO];
    const answer = await ask({ messages, tool_choice: "auto", tools: [ownTool("mine")], volley: react });
    expect(model.problems).toEqual([]);
    for (const { body } of model.requests) {
      for (const field of ["tools", "tool_choice", "volley"]) expect(body).not.toHaveProperty(field);
    }
    const [system, ...rest] = sentTo(model, 0);
    expect(system!.role).toBe("system");
    expect(system!.content).toContain("probe-echo");
    expect(system!.content).toContain("mine");
    expect(rest).toEqual(messages);
    expect(sentTo(model, 1)[0]).toEqual(system);
    expect(sentTo(model, 1).at(-1)).toMatchObject({
      role: "user",
      content: expect.stringMatching(/^Observation: .*"n":1/),
    });
    expect(messageOf(answer)).toMatchObject({ role: "assistant", content: "It is 1." });
    expect(answer.volley).toMatchObject({
      stopped: "answer",
      rounds: [{ results: [{ status: "success" }] }],
    });
    expect(answer.usage).toMatchObject({ total_tokens: 10 });
  });

  test("runs several actions of a turn as one batch, in fences and with trailing commas too", async () => {
    upstream.gather(
      ({ path, query }) => path === "/echo" && ["11", "12", "13"].includes(String(query.get("n"))),
      3,
    );
    model.willSay(
      {
        text: [
          act("probe-echo", '```json\n{"n": 11,}\n```'),
          'Action: probe-echo\nAction Input: {"n": 12}',
          'Action: probe-echo\nAction Input: `{"n": 13}`',
        ].join("\n"),
      },
      { text: "Final Answer: Three." },
    );
    const answer = await ask({ volley: react });
    expect(answer.volley.rounds[0]!.results.map(({ status }) => status)).toEqual([
      "success",
      "success",
      "success",
    ]);
    expect(messageOf(answer).content).toBe("Three.");
  });

  test("ignores what stands behind an invented observation", async () => {
    const seen = upstream.requestsTo("/write").length;
    model.willSay(
      {
        text: `${act("probe-echo", { n: 21 })}\nObservation: {"n": 987123}\n${act("probe-write", { n: 22 })}\nFinal Answer: 987123`,
      },
      { text: "Final Answer: 21" },
    );
    const answer = await ask({ volley: react });
    expect(upstream.requestsTo("/write")).toHaveLength(seen);
    expect(messageOf(answer).content).toBe("21");
    expect(JSON.stringify(sentTo(model, 1))).not.toContain("987123");
  });

  test("takes text without an action for the answer", async () => {
    model.willSay({ text: "It is simply 7." });
    expect(messageOf(await ask({ volley: react })).content).toBe("It is simply 7.");
  });

  test("runs no write whose arguments break off, and tells the model of wrong ones", async () => {
    const seen = upstream.requestsTo("/write").length;
    model.willSay(
      { text: act("probe-write", '{"n": 3') },
      { text: act("probe-eko", { n: 1 }) },
      { text: "Final Answer: No." },
    );
    const answer = await ask({ volley: react });
    expect(upstream.requestsTo("/write")).toHaveLength(seen);
    expect(answer.volley.rounds.map(({ results }) => results[0]!.error?.code)).toEqual([
      "INVALID_ARGS",
      "UNKNOWN_TOOL",
    ]);
    expect(sentTo(model, 2).at(-1)!.content).toContain("probe-echo");
  });

  test("streams the answer and the results, and none of the machinery", async () => {
    model.willSay(
      { text: act("probe-echo", { n: 1 }) },
      { text: "Thought: I know.\nFinal Answer: It is 1 ✓." },
    );
    const said = await stream({ volley: react, stream_options: { include_usage: true } });
    expect(model.problems).toEqual([]);
    expect(said.content).toBe("It is 1 ✓.");
    expect(said.text.replaceAll(/"volley":.*/g, "")).not.toMatch(MACHINERY);
    expect(said.results).toHaveLength(1);
    expect(said.finishes).toEqual(["stop"]);
    expect(said.usages).toHaveLength(1);
    expect(said.reports).toMatchObject([{ stopped: "answer" }]);
    expect(said.dones).toBe(1);
    expect(
      said.chunks.flatMap(({ choices }) => choices).filter(({ delta }) => delta.role === "assistant"),
    ).toHaveLength(1);
  });

  test.each([false, true])(
    "calls the caller's own tools, and goes on with their answers (streamed: %s)",
    async (isStream) => {
      const tools = [ownTool("home_city")];
      model.willSay(
        { text: `${act("probe-echo", { n: 31 })}\nAction: home_city\nAction Input: {"city":"Bern"}` },
        { text: "Final Answer: It is Bern." },
      );
      let message: ChatMessage;
      if (isStream) {
        const said = await stream({ tools, volley: react });
        expect(said.finishes).toEqual(["tool_calls"]);
        expect(said.content).not.toMatch(MACHINERY);
        message = {
          role: "assistant",
          content: null,
          tool_calls: said.calls.map(({ id, name, args }) => ({
            id,
            type: "function",
            function: { name, arguments: args },
          })),
        };
      } else {
        const answer = await ask({ tools, volley: react });
        expect(answer.choices[0]!.finish_reason).toBe("tool_calls");
        expect(answer.volley.stopped).toBe("client_tools");
        message = messageOf(answer);
        expect(message.content ?? "").not.toMatch(MACHINERY);
      }
      expect(message.tool_calls).toMatchObject([
        { type: "function", function: { name: "home_city", arguments: '{"city":"Bern"}' } },
      ]);
      const messages = [
        GO,
        message,
        { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "Bern it is" },
      ];
      const later = await ask({ tools, messages, volley: react });
      expect(messageOf(later).content).toBe("It is Bern.");
      expect(model.problems).toEqual([]);
      const seen = JSON.stringify(sentTo(model, 1));
      expect(seen).toContain('\\"n\\":31');
      expect(seen).toContain("Bern it is");
      expect(sentTo(model, 1).every(({ role }) => role !== "tool")).toBe(true);
    },
  );

  test("ends after its rounds like the others", async () => {
    model.willSay({ text: act("probe-echo", { n: 1 }) }, { text: act("probe-echo", { n: 2 }) });
    const answer = await ask({ volley: { ...react, max_rounds: 1 } });
    expect(answer.volley).toMatchObject({ stopped: "max_rounds", rounds: [{}] });
    expect(messageOf(answer).content).not.toMatch(MACHINERY);
    expect(messageOf(answer).content).not.toBe("");
    expect(model.requests).toHaveLength(2);
  });
});

describe("think-act", () => {
  const thinking = { strategy: "think-act" };

  test("asks for a plan without tools before each round; plans are no rounds, and their usage counts", async () => {
    model.willSay(
      { text: "I would echo.", usage: { input: 1, output: 1 } },
      { calls: [{ name: "probe-echo", args: { n: 1 } }], usage: { input: 2, output: 2 } },
      { text: "I know enough.", usage: { input: 3, output: 3 } },
      { text: "Done.", usage: { input: 4, output: 4 } },
    );
    const answer = await ask({ volley: thinking, tools: [ownTool("mine")], tool_choice: "auto" });
    expect(model.problems).toEqual([]);
    expect([0, 1, 2, 3].map((at) => toolsOf(model, at).length > 0)).toEqual([false, true, false, true]);
    expect(answer.volley.rounds).toHaveLength(1);
    expect(answer.usage).toMatchObject({ total_tokens: 20 });
    expect(messageOf(answer).content).toBe("Done.");
    expect(sentTo(model, 1).map(({ content }) => content)).toContain("I would echo.");
  });

  test("streams no plan", async () => {
    model.willSay(
      { text: "SECRET PLAN" },
      { text: "Looking. ", calls: [{ name: "probe-echo", args: { n: 1 } }] },
      { text: "SECRET PLAN" },
      { text: "Done." },
    );
    const said = await stream({ volley: thinking, stream_options: { include_usage: true } });
    expect(said.content).toBe("Looking. Done.");
    expect(said.text).not.toContain("SECRET PLAN");
    expect(new Set(said.chunks.map(({ id }) => id)).size).toBe(1);
    expect(said.finishes).toEqual(["stop"]);
    expect(said.usages).toHaveLength(1);
    expect(said.results).toHaveLength(1);
  });

  test("ends after its rounds, with one more answer", async () => {
    const calls = (n: number) => ({ calls: [{ name: "probe-echo", args: { n } }] });
    model.willSay({ text: "Plan." }, calls(1), { text: "Plan." }, calls(2), { text: "So far." });
    const answer = await ask({ volley: { ...thinking, max_rounds: 2 } });
    expect(model.problems).toEqual([]);
    expect(answer.volley).toMatchObject({ stopped: "max_rounds", rounds: [{}, {}] });
    expect(messageOf(answer).content).toBe("So far.");
    expect(model.requests).toHaveLength(5);
  });

  test("keeps its plans for when the caller's tools have answered", async () => {
    const tools = [ownTool("mine")];
    model.willSay(
      { text: "Plan A." },
      { calls: [{ name: "mine", args: {} }] },
      { text: "Plan B." },
      { text: "Done." },
    );
    const message = messageOf(await ask({ tools, volley: thinking }));
    const messages = [GO, message, { role: "tool", tool_call_id: message.tool_calls![0]!.id, content: "ok" }];
    expect(messageOf(await ask({ tools, messages, volley: thinking })).content).toBe("Done.");
    expect(model.problems).toEqual([]);
    expect(JSON.stringify(sentTo(model, 3))).toContain("Plan A.");
  });
});
