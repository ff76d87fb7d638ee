import { expect, test } from "vitest";

import { makeUnique } from "../../../src/features/agent/dialect/conversation.ts";
import { parseAnthropicTurn } from "../../../src/features/formats/anthropic.ts";
import { parseGeminiTurn } from "../../../src/features/formats/gemini.ts";
import { parseChatTurn, parseResponsesTurn } from "../../../src/features/formats/openai.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const TURNS = [
  [
    "chat",
    parseChatTurn,
    (id: unknown) => [{ id, type: "function", function: { name: "t", arguments: "{}" } }],
  ],
  [
    "responses",
    parseResponsesTurn,
    (id: unknown) => [{ type: "function_call", call_id: id, name: "t", arguments: "{}" }],
  ],
  ["anthropic", parseAnthropicTurn, (id: unknown) => [{ type: "tool_use", id, name: "t", input: {} }]],
  ["gemini", parseGeminiTurn, (id: unknown) => ({ parts: [{ functionCall: { id, name: "t", args: {} } }] })],
] as const;

test.each(TURNS)(
  "a number as the id of a call of %s is read as text, and answered as that",
  (_, parse, turn) => {
    const { writeOne } = valueOf(parse(turn(7)));
    expect(
      Object.values(writeOne(0, { json: "{}", failed: false })).flatMap((field) => [field, field?.id]),
    ).toContain("7");
    for (const wrong of [1.5, true, {}]) expect(errorOf(parse(turn(wrong))).code).toBe("INVALID_BATCH");
  },
);

test("a model that counts its calls has their numbers kept, and none twice", () => {
  expect(makeUnique([0, 1, 1, "a", null], new Set())).toEqual(["0", "1", "1_2", "a", "call_4"]);
});
