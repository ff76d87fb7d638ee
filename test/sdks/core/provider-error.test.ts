import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";

import {
  providerErrorSchema,
  toChatError,
  toMessagesError,
} from "../../../src/features/agent/dialect/provider-error.ts";
import { REFUSAL_CODES, REFUSALS } from "../../../src/core/contract/failure-codes.ts";
import { makeRefusal } from "../../../src/core/contract/refusal.ts";

const HINT = "Do this next.";

describe.each(REFUSAL_CODES)("%s", (code) => {
  const refusal = makeRefusal(code, HINT);
  const { status } = REFUSALS[code];

  test("is an error of either provider's shape", () => {
    for (const said of [toChatError(refusal), toMessagesError(refusal)])
      expect(providerErrorSchema().safeParse({ ...said, request_id: "r" }).success).toBe(true);
    expect(toMessagesError(refusal).type).toBe("error");
    expect(toChatError(refusal)).not.toHaveProperty("type");
  });

  test("is understood by the clients of both", () => {
    const chat = OpenAI.APIError.generate(status, toChatError(refusal), undefined, new Headers());
    expect(chat).toMatchObject({ status, code });
    expect(chat.message).toContain(HINT);
    const messages = Anthropic.APIError.generate(status, toMessagesError(refusal), undefined, new Headers());
    expect(messages).toMatchObject({ status, error: { error: { code } } });
    expect(messages.message).toContain(HINT);
  });
});

test("An error names the field that is wrong", () => {
  const issue = { path: "/messages", expected: "an array", received: "text" };
  expect(toChatError(makeRefusal("INVALID_REQUEST", HINT, { issue })).error.param).toBe("/messages");
  expect(
    toChatError(makeRefusal("INVALID_REQUEST", HINT, { issue: { ...issue, path: "" } })).error.param,
  ).toBeNull();
  expect(toChatError(makeRefusal("INVALID_REQUEST", HINT)).error.param).toBeNull();
});
