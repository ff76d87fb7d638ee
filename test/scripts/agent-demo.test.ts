import { stripVTControlCharacters as plain } from "node:util";

import { afterAll, describe, expect, test } from "vitest";

import { drawConversation, drawResult, WrappedText } from "../../scripts/demo/agent-drawing.ts";
import { type ModelAnswer, openModelWindow } from "../../scripts/demo/agent-model.ts";
import { trial } from "../support/trial.ts";

describe("The demo of the agent loop", () => {
  test("draws lines of at most 80 columns where a terminal does not say how wide it is", () => {
    const result = {
      index: 0,
      id: "a0",
      tool: "a_tool_with_a_very_long_name",
      status: "initiated",
      meta: { duration_ms: 99_999 },
    };
    const lines = [
      drawResult(result, 100_000, "job 5881fdc1…"),
      ...drawConversation([{ from: 0, to: 10 }], [{ from: 10, to: 90 }], 100),
    ];
    for (const line of lines) expect(plain(line).length).toBeLessThanOrEqual(80);
  });

  test("draws on one axis when the model was at work, and when tools were", () => {
    const [model, tools, axis] = drawConversation(
      [
        { from: 0, to: 50 },
        { from: 75, to: 100 },
      ],
      [{ from: 50, to: 75 }],
      100,
    ).map((line) => plain(line));
    expect(axis).toHaveLength(model!.length);
    // Where one is at work the other is not.
    const others: Readonly<Record<string, string>> = { "▒": "·", "·": "█" };
    expect(tools).toBe(model!.replace("model", "tools").replaceAll(/[▒·]/g, (cell) => others[cell]!));
  });

  test("wraps words that come in pieces, and keeps paragraphs", () => {
    const written: string[] = [];
    const text = new WrappedText((piece) => void written.push(piece));
    for (const piece of ["Shops ne", "ar Phoe", "nix: ", "word ".repeat(30), "\n", "Two"]) text.add(piece);
    text.end();
    const lines = written.join("").trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ {4}Shops near Phoenix: word/);
    expect(lines.at(-1)).toBe("    Two");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe("The demo's window on a model", async () => {
  const scripted = await openModelWindow(null);
  afterAll(() => scripted.close());
  const real = await openModelWindow({ baseUrl: `${scripted.baseUrl}/`, key: "demo" });
  afterAll(() => real.close());

  trial.each([
    ["the scripted one", scripted],
    ["a real one, which is another server", real],
  ])("passes on what it says, and sees its tokens: %s", async (_, window) => {
    const answers: ModelAnswer[] = [];
    let asked = 0;
    window.listener = {
      onAsked: () => void (asked += 1),
      onAnswered: (answer) => void answers.push(answer),
    };
    const response = await fetch(`${window.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: "user", content: "Hello" }],
      }),
    });
    expect(await response.text()).toContain("You said: H");
    expect(asked).toBe(1);
    expect(answers).toMatchObject([{ tokensIn: expect.any(Number), tokensOut: 4, tokensCached: 0 }]);
    expect(answers[0]!.tokensIn).toBeGreaterThan(0);
  });
});
