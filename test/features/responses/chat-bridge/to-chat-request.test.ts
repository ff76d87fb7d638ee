import { expect, test } from "vitest";

import { toChatRequest } from "../../../../src/features/responses/chat-bridge/to-chat-request.ts";
import { valueOf } from "../../../support/unwrap.ts";

test("A conversation of items becomes messages: a model's items together are one, outputs follow, thoughts are left out", () => {
  const request = valueOf(
    toChatRequest({
      model: "m",
      instructions: "Be brief.",
      store: false,
      include: ["reasoning.encrypted_content"],
      max_output_tokens: 50,
      input: [
        { role: "developer", content: "In English." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is it?" },
            { type: "input_image", image_url: "https://pictures.example/1.png", detail: "low" },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "…" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me look." }] },
        { type: "function_call", call_id: "c1", name: "lookup", arguments: "{}" },
        { type: "function_call", call_id: "c2", name: "lookup", arguments: '{"q":1}' },
        { type: "function_call_output", call_id: "c1", output: "one" },
        { type: "function_call_output", call_id: "c2", output: [{ type: "input_text", text: "two" }] },
      ],
    }),
  );
  expect(request).toEqual({
    model: "m",
    max_tokens: 50,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "developer", content: "In English." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: "https://pictures.example/1.png", detail: "low" } },
        ],
      },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "lookup", arguments: "{}" } },
          { id: "c2", type: "function", function: { name: "lookup", arguments: '{"q":1}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "one" },
      { role: "tool", tool_call_id: "c2", content: "two" },
    ],
  });
});

test("Tools, their choice, the form of the text, effort and the stream keep their meaning", () => {
  const tool = { name: "lookup", description: "Look up", parameters: { type: "object" }, strict: true };
  const schema = { name: "answer", schema: { type: "object" }, strict: true };
  const request = valueOf(
    toChatRequest({
      model: "m",
      input: [{ role: "user", content: "Go" }],
      tools: [{ type: "function", ...tool }],
      tool_choice: { type: "function", name: "lookup" },
      text: { format: { type: "json_schema", ...schema }, verbosity: "low" },
      reasoning: { effort: "high", summary: "auto" },
      stream: true,
      temperature: 0,
    }),
  );
  expect(request).toMatchObject({
    tools: [{ type: "function", function: tool }],
    tool_choice: { type: "function", function: { name: "lookup" } },
    response_format: { type: "json_schema", json_schema: schema },
    verbosity: "low",
    reasoning_effort: "high",
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0,
  });
});

test("A tool that the server would run itself is refused, by its type and no more of it", () => {
  const asked = toChatRequest({
    model: "m",
    input: [{ role: "user", content: "Go" }],
    tools: [{ type: "mcp\u202e", server_url: "https://secret.example" }],
  });
  expect(asked).toMatchObject({ ok: false, error: { code: "INVALID_REQUEST", issue: { path: "/tools" } } });
  expect(JSON.stringify(asked)).not.toContain("secret.example");
  expect(JSON.stringify(asked)).toContain("u{202e}");
});
