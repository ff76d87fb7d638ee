import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { times } from "./hostile-data.ts";
import { ask, CHAT, completion, MESSAGES, saying, toolCall } from "./model-answers.ts";

const MEBIBYTE = 1024 * 1024;
const DONE = saying(completion({ content: "Done." }));
const SAID = saying(JSON.stringify({ type: "message", content: [{ type: "text", text: "Done." }] }));

/** Bodies of 4 MiB, and less, that a caller may send to the agent loop. */
export const CONVERSATION_ATTACKS: readonly Attack[] = [
  ...(
    [
      ["tiny messages", { messages: times(80_000, () => ({ role: "user", content: "" })) }, 200],
      [
        "messages of one character, each a list of parts",
        { messages: times(35_000, () => ({ role: "user", content: [{ type: "text", text: "x" }] })) },
        200,
      ],
      [
        "messages that call tools, each a prefix to be hashed",
        {
          messages: times(12_000, (n) =>
            n % 2 === 0
              ? { role: "assistant", tool_calls: [toolCall(n, "probe-echo", "{}")] }
              : { role: "tool", tool_call_id: `call_${n - 1}`, content: "x".repeat(400) },
          ),
        },
        200,
      ],
      [
        "32 calls behind 3.8 MiB of text that each of them is hashed with",
        {
          messages: [
            { role: "user", content: "\u0001".repeat(600_000) },
            ...times(64, (n) =>
              n % 2 === 0
                ? { role: "assistant", tool_calls: [toolCall(n, "probe-echo", "{}")] }
                : { role: "tool", tool_call_id: `call_${n - 1}`, content: "ok" },
            ),
          ],
        },
        200,
      ],
      [
        "32 calls behind 3.8 MiB of plain text that each of them is hashed with",
        {
          messages: [
            { role: "user", content: "word ".repeat(780_000) },
            ...times(64, (n) =>
              n % 2 === 0
                ? { role: "assistant", tool_calls: [toolCall(n, "probe-echo", "{}")] }
                : { role: "tool", tool_call_id: `call_${n - 1}`, content: "ok" },
            ),
          ],
        },
        200,
      ],
      [
        "one message of 40,000 calls",
        { messages: [{ role: "assistant", tool_calls: times(40_000, (n) => toolCall(n, "p", "{}")) }] },
        null,
      ],
      [
        "messages that name questions of a person",
        {
          messages: times(30_000, (n) => ({
            role: "assistant",
            content: `confirmation ${"0".repeat(8)}-0000-4000-8000-${String(n).padStart(12, "0")}`,
          })),
        },
        200,
      ],
      [
        "45,000 tools",
        { tools: times(45_000, (n) => ({ type: "function", function: { name: `t${n}` } })) },
        null,
      ],
      [
        "a tool's schema of 200,000 properties",
        {
          tools: [
            {
              type: "function",
              function: {
                name: "wide",
                parameters: {
                  type: "object",
                  properties: Object.fromEntries(times(200_000, (n) => [`p${n}`, true])),
                },
              },
            },
          ],
        },
        200,
      ],
      [
        "a tool's schema that refers to itself, with a pattern that explodes",
        {
          tools: [
            {
              type: "function",
              function: {
                name: "loop",
                parameters: { $ref: "#", pattern: "(a+)+$", allOf: times(50_000, () => ({ $ref: "#" })) },
              },
            },
          ],
        },
        200,
      ],
      [
        "249,000 values",
        { messages: [{ role: "user", content: "x" }], metadata: times(249_000, () => 1) },
        200,
      ],
      ["300,000 values", { metadata: times(300_000, () => ({})) }, 413],
      ["long numbers", { metadata: times(150_000, () => 1.2345678901234567) }, 200],
    ] as const
  ).flatMap(([what, body, status]) =>
    [undefined, "react"].map((strategy): Attack => ({
      title: `agent: a conversation of ${what}${strategy === undefined ? "" : `, under ${strategy}`}`,
      run: async (target) => {
        target.upstream.script(CHAT, DONE);
        const answer = await ask(target, {
          ...body,
          ...(strategy !== undefined && { volley: { strategy } }),
        });
        if (status !== null) assert.equal(answer.status, status, answer.text.slice(0, 300));
      },
    })),
  ),
  {
    title: "agent: a conversation of Anthropic's with 32 calls behind 3.8 MiB of text",
    run: async (target) => {
      target.upstream.script(MESSAGES, SAID);
      const messages = [
        { role: "user", content: "word ".repeat(780_000) },
        ...times(64, (n) =>
          n % 2 === 0
            ? {
                role: "assistant",
                content: [{ type: "tool_use", id: `t${n}`, name: "probe-echo", input: {} }],
              }
            : { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n - 1}`, content: "ok" }] },
        ),
      ];
      assert.equal((await ask(target, { messages }, MESSAGES)).status, 200);
    },
  },
  {
    title: "agent: a body that nests 100,000 levels, and one of 63",
    run: async ({ send, upstream }) => {
      upstream.script(CHAT, DONE);
      const nested = (levels: number): string =>
        `{"messages":[{"role":"user","content":"x"}],"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
      assert.ok((await send(CHAT, nested(100_000))).status >= 400);
      assert.equal((await send(CHAT, nested(63))).status, 200);
    },
  },
  {
    title: "agent: 500 names of tools that do not exist, or are the same",
    run: async (target) => {
      target.upstream.script(CHAT, DONE);
      const wrong = await ask(target, {
        volley: { tools: times(500, (n) => `probe-${"x".repeat(5_000)}${n}`) },
      });
      assert.equal(wrong.status, 422);
      const right = await ask(target, { volley: { tools: times(500, () => "probe-echo") } });
      assert.equal(right.status, 200);
    },
  },
  {
    title: "agent: options of a megabyte of names that no option has",
    run: async (target) => {
      const volley = Object.fromEntries(times(80_000, (n) => [`option_${n}`, n]));
      assert.equal((await ask(target, { volley })).status, 422);
    },
  },
  {
    title: "agent: 20 conversations of 4 MiB at once",
    run: async (target) => {
      target.upstream.script(CHAT, DONE);
      const messages = [{ role: "user", content: "word ".repeat((3.9 * MEBIBYTE) / 5) }];
      const answers = await Promise.all(times(20, () => ask(target, { messages })));
      assert.ok(answers.every(({ status }) => status === 200));
    },
  },
];
