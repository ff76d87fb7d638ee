import { expect, test } from "vitest";

import { EventSplitter } from "../../../../src/core/kit/event-splitter.ts";
import { MESSAGES } from "../../../../src/features/agent/dialect/messages-dialect.ts";
import { EventRedactor } from "../../../../src/features/agent/dialect/redact-events.ts";
import { createPieceRedactor, createRedactor } from "../../../../src/core/egress/redact.ts";
import { valueOf } from "../../../support/unwrap.ts";

const SECRET = "sk-ant-7/41+b";
const event = (data: Readonly<Record<string, unknown>>): string =>
  `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
const start = (index: number, content_block: object): string =>
  event({ type: "content_block_start", index, content_block });
const delta = (index: number, fields: object): string =>
  event({ type: "content_block_delta", index, delta: fields });
const stop = (index: number): string => event({ type: "content_block_stop", index });
const letters = (text: string, write: (letter: string) => string): string => Array.from(text, write).join("");

test("T48 each block of a stream of Messages is a text by itself, and what is held of it comes before its end", () => {
  const redactor = new EventRedactor({
    json: createRedactor([SECRET]),
    piece: createPieceRedactor([SECRET]),
  });
  const relay = MESSAGES.createRelay(({ name }) => name === "lookup");
  relay.begin("open");
  const stream = [
    event({ type: "message_start", message: { id: "m", content: [] } }),
    start(0, { type: "thinking", thinking: "" }),
    letters(`Use ${SECRET}.`, (thinking) => delta(0, { type: "thinking_delta", thinking })),
    stop(0),
    start(1, { type: "text", text: "" }),
    letters(`No ${SECRET.slice(0, 9)}`, (text) => delta(1, { type: "text_delta", text })),
    stop(1),
    start(2, { type: "tool_use", id: "u", name: "lookup", input: {} }),
    letters(JSON.stringify({ q: SECRET }), (partial_json) =>
      delta(2, { type: "input_json_delta", partial_json }),
    ),
    stop(2),
    event({ type: "message_delta", delta: { stop_reason: "tool_use" } }),
    event({ type: "message_stop" }),
  ].join("");
  const said = new EventSplitter()
    .read(stream)
    .flatMap((one) => redactor.take(one))
    .map((one) => valueOf(relay.take(one)))
    .join("");
  expect(relay.turn()?.message).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Use [redacted]." },
      { type: "text", text: `No ${SECRET.slice(0, 9)}` },
      { type: "tool_use", id: "u", name: "lookup", input: { q: "[redacted]" } },
    ],
  });
  const types = [...said.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
    "message_start",
    ...[0, 1, 2].flatMap(() => ["content_block_start", "content_block_delta", "content_block_stop"]),
  ]);
});
