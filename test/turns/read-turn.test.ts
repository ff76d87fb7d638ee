import { describe, expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { parseChatTurn } from "../../src/features/formats/openai.ts";
import { parseCallArguments } from "../../src/turns/parse-call-arguments.ts";
import { errorOf, valueOf } from "../support/unwrap.ts";

const CALL = { id: "1", type: "function", function: { name: "x", arguments: "{}" } };

describe("A body that is no turn", () => {
  test("is told to send the message alone where it is a conversation, with the place of the call", () => {
    expect(errorOf(parseChatTurn({ messages: [{ role: "assistant", tool_calls: [CALL] }] }))).toMatchObject({
      code: "INVALID_BATCH",
      issue: {
        path: "/messages/0/tool_calls/0",
        expected: "in a message sent alone",
        received: "more than that message",
      },
    });
  });

  test("is told what may be sent where it is a call without its message", () => {
    expect(errorOf(parseChatTurn({ function_call: CALL.function }))).toMatchObject({
      issue: { path: "", received: "an object with function_call" },
      hint: expect.stringContaining("The body must be a chat completion"),
    });
  });

  test.each([
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, "an object with a, b, c, d, e"],
    [{}, "an object"],
    [7, "the number 7"],
  ])("%j is told as %s", (body, received) => {
    expect(errorOf(parseChatTurn(body)).issue).toEqual({ path: "", expected: expect.any(String), received });
  });
});

test("parseCallArguments() takes as many characters as a body may have bytes, and no more", () => {
  const most = `{}${" ".repeat(LIMITS.bodyBytes - 2)}`;
  expect(valueOf(parseCallArguments(most))).toEqual({});
  expect(errorOf(parseCallArguments(`${most} `))).toMatchObject({
    code: "INVALID_ARGS",
    hint: expect.stringContaining("in several calls"),
  });
});
