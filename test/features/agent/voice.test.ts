import { describe, expect, test } from "vitest";

import { CHAT } from "../../../src/features/agent/dialect/chat-dialect.ts";
import type { ModelTurn } from "../../../src/features/agent/dialect/dialect.ts";
import {
  describeTheirs,
  type KeptReply,
  speakInText,
  speakNatively,
} from "../../../src/features/agent/voice.ts";
import type { JsonObject } from "../../../src/core/contract/json.ts";
import { valueOf } from "../../support/unwrap.ts";

const conversationOf = (body: JsonObject) =>
  valueOf(CHAT.read({ model: "m", messages: [{ role: "user", content: "Go" }], ...body }));
const turnOf = (message: JsonObject): ModelTurn => CHAT.readTurn({ choices: [{ message }] })!;
const tool = (name: string, description = `Does ${name}.`) => ({
  name,
  description,
  inputSchema: { type: "object" as const },
  annotations: {} as never,
});

describe("describeTheirs()", () => {
  test("finds the caller's tools as either provider writes them, and nothing that has no name", () => {
    const body = {
      tools: [
        {
          type: "function",
          function: { name: "a", description: "Does a.", parameters: { type: "object", x: 1 } },
        },
        { name: "b", input_schema: { type: "object", y: 2 } },
        { type: "function", function: { description: "No name." } },
        { name: 7 },
        null,
        "c",
      ],
    };
    expect(describeTheirs({ ...conversationOf({}), body })).toMatchObject([
      { name: "a", description: "Does a.", inputSchema: { type: "object", x: 1 } },
      { name: "b", description: "", inputSchema: { type: "object", y: 2 } },
    ]);
    for (const tools of [undefined, null, { name: "a" }])
      expect(describeTheirs({ ...conversationOf({}), body: { tools } })).toEqual([]);
  });
});

describe("A model that is spoken to in text", () => {
  const theirs = [tool("lookup")];
  const voice = speakInText(CHAT, theirs);
  let ids = 0;
  const understand = (content: string) => voice.understand(turnOf({ content }), () => `${(ids += 1)}`);

  test("is shown nothing while it writes, and told of all tools, the caller's too", () => {
    expect([voice.isText, voice.relayMode]).toEqual([true, "silent"]);
    const request = voice.createRequests(conversationOf({}), [tool("ours")])(
      [{ role: "user", content: "Go" }],
      true,
    );
    const said = JSON.stringify(request);
    for (const name of ["ours", "lookup"]) expect(said).toContain(`Does ${name}.`);
    expect(request).not.toHaveProperty("tools");
  });

  test("calls with an id of its own for each call, and has said only what was read", () => {
    const { calls, message, text } = understand('Thought: Look.\nAction: ours\nAction Input: {"n":1}\n');
    const [call] = calls;
    expect(call).toMatchObject({ name: "ours", args: { ok: true, value: { n: 1 } } });
    expect(call!.id).toMatch(/^call_\d+$/);
    expect(understand('Action: ours\nAction Input: {"n":1}\n').calls[0]!.id).not.toBe(call!.id);
    expect([message["role"], text]).toEqual(["assistant", ""]);
    expect(message["content"]).toContain("Action: ours");
  });

  test("has answered where it calls nothing, and a message of nothing is one that a server takes", () => {
    expect(understand("Final Answer: Seven.")).toMatchObject({ calls: [], text: "Seven." });
    expect(understand("").message["content"]).toBe("…");
    expect(understand("Final Answer: Seven.").message["content"]).toContain("Seven.");
  });

  test("has its results in words, and a client that goes on with it finds what was said before as it was said", () => {
    const reply: KeptReply = { json: '{"twice":4}', failed: false, waits: [] } as unknown as KeptReply;
    const turn = { role: "assistant", content: "Action: ours" };
    const kept = { turn, isText: true } as unknown as Parameters<typeof voice.join>[0];
    const rest = [{ role: "tool", tool_call_id: "x", content: "theirs" }];
    const joined = voice.join(kept, new Map([["x", reply]]), rest);
    expect(joined[0]).toEqual(turn);
    expect(JSON.stringify(joined)).toContain("twice");
    expect(voice.join(kept, new Map(), [])).toEqual([turn]);
    const native = speakNatively(CHAT).join(kept, new Map([["x", reply]]), []);
    expect(JSON.stringify(native)).toContain("twice");
  });
});

test("A model that is spoken to in its provider's words is heard as it speaks, and loses its tools only at the end", () => {
  const voice = speakNatively(CHAT);
  expect([voice.isText, voice.relayMode]).toEqual([false, "open"]);
  const write = voice.createRequests(conversationOf({}), [tool("ours")]);
  const messages = [{ role: "user", content: "Go" }];
  expect(write(messages, true)).toMatchObject({ tools: [{ function: { name: "ours" } }] });
  expect(write(messages, true)).not.toHaveProperty("tool_choice");
  expect(write(messages, false)).toEqual({ model: "m", messages });
  const said = turnOf({ content: "Hi" });
  expect(voice.understand(said, () => "1")).toEqual({ calls: [], message: said.message, text: null });
});
