import { describe, expect, test } from "vitest";

import { parseExact } from "../../../../src/core/contract/json.ts";
import { CHAT } from "../../../../src/features/agent/dialect/chat-dialect.ts";
import type { Dialect, ModelCall } from "../../../../src/features/agent/dialect/dialect.ts";
import { MESSAGES } from "../../../../src/features/agent/dialect/messages-dialect.ts";
import { speakInText } from "../../../../src/features/agent/voice.ts";
import { CHAT_BRIDGE, RESPONSES } from "../../../../src/features/responses/dialect/responses-dialect.ts";
import { toItems } from "../../../../src/features/responses/dialect/responses-items.ts";
import { chunk, DONE } from "../../../support/chat-streams.ts";
import { AS_IT_IS, passStream } from "../../../support/relay-stream.ts";

/** JSON that a parser and a writer would make another text of: order of keys, digits, escapes and space. */
const TEXTS = [
  '{"b":1,"a":2,"10":3,"2":4}',
  '{"n": 1.0, "e": 1e2, "z": -0, "id": 820982911946154508}',
  '{ "s" : "\\u0041\\/ü" ,\n\t"l": [ ] }',
  '{"twice":1,"twice":2}',
] as const;

/** The same, as models write it around and before the end. */
const REPAIRED = TEXTS.flatMap((text) => [
  [text, text],
  [`\`\`\`json\n${text}\n\`\`\``, text],
  [text.slice(0, -1), text],
]);

const ids = { id: "call_1", name: "lookup" };
const chatCall = (args: string) => ({
  id: ids.id,
  type: "function",
  function: { name: ids.name, arguments: args },
});
const responseCall = (args: string) => ({
  type: "function_call",
  id: "fc_1",
  call_id: ids.id,
  name: ids.name,
  arguments: args,
});
const chatAnswer = (args: string) => ({
  id: "chatcmpl-1",
  choices: [
    {
      message: { role: "assistant", content: null, tool_calls: [chatCall(args)] },
      finish_reason: "tool_calls",
    },
  ],
});

describe("Arguments go back to the model's server as the model wrote them, out of a fence and closed where they were not:", () => {
  test.each(REPAIRED)("in Chat Completions, %j", (sent, kept) => {
    const { message } = CHAT.readTurn(chatAnswer(sent))!;
    expect(message["tool_calls"]).toEqual([chatCall(kept)]);
  });

  test.each(REPAIRED)("in Responses, %j", (sent, kept) => {
    const { message } = RESPONSES.readTurn({ output: [responseCall(sent)] })!;
    const { id: _, ...entry } = responseCall(kept);
    expect(toItems([message])).toEqual([entry]);
  });

  test.each(REPAIRED)("from Chat Completions into Responses and back, %j", (sent, kept) => {
    const answer = CHAT_BRIDGE.toAnswer(chatAnswer(sent))!;
    expect(answer["output"]).toMatchObject([{ call_id: ids.id, arguments: sent }]);
    const { message } = RESPONSES.readTurn(answer)!;
    const request = CHAT_BRIDGE.toRequest({ model: "m", input: toItems([message]) });
    expect(request).toMatchObject({ ok: true, value: { messages: [{ tool_calls: [chatCall(kept)] }] } });
  });

  test.each(REPAIRED)("from a stream of Chat Completions, %j", (sent, kept) => {
    const relay = CHAT.createRelay(() => true);
    const halves = [sent.slice(0, 5), sent.slice(5)];
    const pieces = halves.map((args) => ({ index: 0, function: { arguments: args } }));
    const { fault } = passStream(
      relay,
      [
        chunk({ tool_calls: [{ index: 0, ...chatCall("") }] }),
        ...pieces.map((piece) => chunk({ tool_calls: [piece] })),
        chunk({}, "tool_calls"),
        DONE,
      ].join(""),
    );
    expect(fault).toBeNull();
    expect(relay.turn()!.message["tool_calls"]).toEqual([chatCall(kept)]);
  });

  test("from a stream whose server sends them as an object, as the JSON of it", () => {
    const relay = CHAT.createRelay(() => true);
    const args = { n: JSON.rawJSON("820982911946154508") };
    const call = { index: 0, id: ids.id, type: "function", function: { name: ids.name, arguments: args } };
    passStream(relay, [chunk({ tool_calls: [call] }), chunk({}, "tool_calls"), DONE].join(""));
    expect(relay.turn()!.message["tool_calls"]).toEqual([chatCall('{"n":820982911946154508}')]);
  });

  test("in Messages with every digit that a number would lose, because an object has no other text", () => {
    const [, text] = TEXTS;
    const input = parseExact(text);
    const { message } = MESSAGES.readTurn({ content: [{ type: "tool_use", ...ids, input }] })!;
    expect(JSON.stringify(message)).toContain('"id":820982911946154508');
  });
});

describe("Arguments reach the caller as the model wrote them", () => {
  test.each(TEXTS)("in an answer that is no stream: %j", (text) => {
    for (const [dialect, answer] of [
      [CHAT, chatAnswer(text)],
      [RESPONSES, { output: [responseCall(text)] }],
    ] as const) {
      const turn = dialect.readTurn(answer)!;
      const said = dialect.writeAnswer(turn, { ...AS_IT_IS, calls: turn.calls });
      expect(said).toContain(JSON.stringify(text));
    }
  });

  /** A stream of a model that wrote its call as text: what the caller hears of it. */
  const hearWritten = (dialect: Dialect, calls: readonly ModelCall[]): string => {
    const relay = dialect.createRelay(() => true);
    relay.begin("silent");
    return relay.end({ ...AS_IT_IS, text: "", calls });
  };

  test.each(TEXTS)("where a model without calls wrote them as text: %j", (text) => {
    const written = `Action: lookup\nAction Input: ${text}`;
    const turn = CHAT.readTurn({ choices: [{ message: { role: "assistant", content: written } }] })!;
    const { calls } = speakInText(CHAT, []).understand(turn, () => "1");
    expect(CHAT.writeAnswer(turn, { ...AS_IT_IS, text: "", calls })).toContain(JSON.stringify(text));
    for (const dialect of [CHAT, MESSAGES, RESPONSES])
      expect(hearWritten(dialect, calls)).toContain(JSON.stringify(text));
  });
});
