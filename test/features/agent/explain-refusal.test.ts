import { describe, expect, test } from "vitest";

import { blamePart } from "../../../src/features/agent/explain-refusal.ts";

const theirTool = { type: "function", function: { name: "lookup" } };
const ourTool = { type: "function", function: { name: "execute_actions" } };
const said = { role: "user", content: "Go" };
const body = { model: "m", temperature: 9, messages: [said], tools: [theirTool] };
const note = { role: "user", content: "[Volley] Tools are switched off." };
const request = { ...body, stream_options: {}, messages: [said, note], tools: [ourTool, theirTool] };
const blame = (answer: unknown) => blamePart(answer, { request, body }, "with status 400");
const error = (fields: object): object => ({ error: { message: "Wrong.", ...fields } });

describe("A refusal of a model's server is about", () => {
  test.each([
    ["a field of the body", error({ param: "temperature" }), "/temperature", "the number 9"],
    [
      "a message of the caller's",
      error({ param: "messages[0].content" }),
      "/messages/0/content",
      'the string "Go"',
    ],
    [
      "it, in an older way",
      error({ param: "messages.[0].content" }),
      "/messages/0/content",
      'the string "Go"',
    ],
    [
      "the caller's tool, by its place there",
      error({ param: "tools[1].function.name" }),
      "/tools/0/function/name",
      'the string "lookup"',
    ],
    [
      "it, in a message as Anthropic writes it",
      error({ message: "tools.1.function: bad" }),
      "/tools/0/function",
      "an object",
    ],
    ["it, in a list of errors", [error({ message: "* tools[1]: bad" })], "/tools/0", "an object"],
    [
      "it, as a place in a body",
      { detail: [{ loc: ["body", "messages", 0, "content"], msg: "bad" }] },
      "/messages/0/content",
      'the string "Go"',
    ],
    [
      "a field that the body lacks, as Anthropic writes it",
      error({ message: "max_tokens: Field required" }),
      "/max_tokens",
      "nothing",
    ],
    [
      "it, as a place in a body that is not there",
      { detail: [{ loc: ["body", "max_tokens"] }] },
      "/max_tokens",
      "nothing",
    ],
    ["no deeper than the body is", error({ param: "messages[0].sk-secret" }), "/messages/0", "an object"],
  ])("%s", (_, answer, path, received) => {
    const refusal = blame(answer)!;
    expect(refusal).toMatchObject({ code: "MODEL_UNAVAILABLE", issue: { path, received } });
    expect(refusal.hint).toContain(`it is about ${path} of the body`);
    expect(JSON.stringify(refusal)).not.toContain("secret");
  });

  test.each([
    ["a tool of ours", error({ param: "tools[0].function.parameters" }), "the tool 'execute_actions'"],
    ["a message of ours", error({ message: "messages.1.content: bad" }), "in messages"],
    ["a field of ours", error({ param: "stream_options" }), "(stream_options)"],
  ])("%s, and about nothing of the caller's", (_, answer, part) => {
    const refusal = blame(answer)!;
    expect(refusal.hint).toMatch(/a part that Volley added .*about nothing in the body/);
    expect(refusal.hint).toContain(part);
    expect(refusal).not.toHaveProperty("issue");
  });

  test("all tools together, and then says how many are whose and how to have fewer", () => {
    const { hint } = blame(error({ message: "tools: array too long" }))!;
    expect(hint).toContain("about tools, of which 1 are Volley's and 1 those of the body");
    expect(hint).toContain("volley.tools");
  });

  test("a message that was made of a text of the body's", () => {
    const asked = { model: "m", input: "Go" };
    const sent = { ...asked, input: [{ role: "user", content: "Go" }, note] };
    const blameOf = (param: string) =>
      blamePart(error({ param }), { request: sent, body: asked }, "with status 400")!;
    expect(blameOf("input[0].content")).toMatchObject({ issue: { path: "/input" } });
    expect(blameOf("input[1].content").hint).toContain("a part that Volley added (in input)");
    expect(blameOf("input").hint).toContain("of which 1 are Volley's and 1 those of the body");
  });

  test.each([
    ["what is in no request", error({ param: "sk-secret" })],
    ["a sentence", error({ message: "messages must not be empty" })],
    ["what every object has", error({ param: "constructor" })],
    ["nothing", error({ param: null })],
    ["no error", "bad"],
    ["a list of nothing", { detail: [] }],
  ])("nothing that is known where it says %s", (_, answer) => {
    expect(blame(answer)).toBeNull();
  });
});
