import assert from "node:assert/strict";

import type { Answer } from "../../test/support/hostile-answers.ts";
import type { Attack, Target } from "./attack.ts";
import { times } from "./hostile-data.ts";
import {
  ask,
  CHAT,
  chunk,
  completion,
  MESSAGES,
  repeat,
  saying,
  streaming,
  toolCall,
} from "./model-answers.ts";

const MEBIBYTE = 1024 * 1024;
const END = `${chunk({}, "stop")}data: [DONE]\n\n`;

/** The first answer, and the ones after it. */
function inTurn(...answers: readonly Answer[]): Answer {
  let asked = 0;
  return (...request) => {
    const answer = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    return answer(...request);
  };
}

const DONE = saying(completion({ content: "Done." }));
const loop = JSON.stringify({
  actions: [{ id: "l", tool: "probe-echo", for_each: times(25, (n) => n), args: { n: { $ref: "item#" } } }],
});
const rows = JSON.stringify({
  rows: times(2_500, (n) => ({ n, text: `row ${n} ${"some words ".repeat(30)}` })),
});

/** One answer of the model to each of these, and what came of it: 200 or that it is unreadable. */
function attack(title: string, answer: Answer, more: object = {}, path: string = CHAT): Attack {
  return {
    title: `model: ${title}`,
    run: async (target) => {
      target.upstream.script(path, answer);
      const { status, text } = await ask(target, more, path);
      assert.ok([200, 502, 504].includes(status), `${status} ${text.slice(0, 300)}`);
    },
  };
}

const STREAM = { stream: true };
const text = (content: string): Answer => saying(completion({ content }));
const REACT = { volley: { strategy: "react" } };
const SHORT = { volley: { deadline_ms: 5_000 } };

/** Answers of a model, or of a server in its place. */
export const MODEL_ATTACKS: readonly Attack[] = [
  attack(
    "a stream of a megabyte in pieces of one byte",
    streaming(() => repeat("x", MEBIBYTE)),
    { ...STREAM, ...SHORT },
  ),
  attack(
    "100,000 words, each in a chunk of its own",
    streaming(() => repeat(chunk({ content: "a " }), 100_000, END)),
    STREAM,
  ),
  attack(
    "an endless stream of comments",
    streaming(() => repeat(`:${"x".repeat(60_000)}\n\n`, 1e9)),
    STREAM,
  ),
  attack(
    "an endless stream of a line",
    streaming(() => repeat("x".repeat(60_000), 1e9)),
    STREAM,
  ),
  attack(
    "a million empty events",
    streaming(() => repeat("\n".repeat(50_000), 20, END)),
    STREAM,
  ),
  attack(
    "three million events of an empty object",
    streaming(() => repeat("data: {}\n\n".repeat(6_000), 530, END)),
    STREAM,
  ),
  attack(
    "a million comments",
    streaming(() => repeat(":\n\n".repeat(20_000), 500, END)),
    STREAM,
  ),
  attack(
    "32 MiB of tokens of one character",
    streaming(() => repeat(chunk({ content: "x" }).repeat(500), 700, END)),
    STREAM,
  ),
  attack(
    "32 MiB of tokens of one character, held back",
    streaming(() => repeat(chunk({ content: "x" }).repeat(500), 700, END)),
    { ...STREAM, ...REACT },
  ),
  attack(
    "10,000 tokens, each written by itself",
    streaming(() => repeat(chunk({ content: "word " }), 10_000, END)),
    STREAM,
  ),
  attack(
    "an event of 4 MiB in pieces of 1,000 bytes",
    streaming(function* () {
      yield 'data: {"choices":[{"index":0,"delta":{"content":"';
      yield* repeat("x".repeat(1_000), 4_000);
      yield `"}}]}\n\n${END}`;
    }),
    STREAM,
  ),
  attack(
    "an event of 4 MiB of empty objects",
    streaming(() => [`data: {"choices":[${"{},".repeat(1_300_000)}{}]}\n\n`, END]),
    STREAM,
  ),
  attack(
    "eight events of 4 MiB of empty objects",
    streaming(() => repeat(`data: {"choices":[],"x":[${"{},".repeat(1_300_000)}{}]}\n\n`, 7, END)),
    STREAM,
  ),
  attack(
    "a stream of fields that grow",
    streaming(() => repeat(chunk({ reasoning: "x", more: { a: 1 }, list: [1, 2] }).repeat(200), 1_000, END)),
    STREAM,
  ),
  attack(
    "a stream of new fields",
    streaming(function* () {
      for (let n = 0; n < 250_000; n += 250)
        yield times(250, (k) => chunk({ [`field_${n + k}`]: "x" })).join("");
      yield END;
    }),
    STREAM,
  ),
  attack(
    "a stream of objects that grow by a key each",
    streaming(function* () {
      for (let n = 0; n < 20_000; n += 100)
        yield times(100, (k) => chunk({ more: { [`k${n + k}`]: 1 } })).join("");
      yield END;
    }),
    STREAM,
  ),
  attack(
    "a stream of 1,000 calls in pieces of one character",
    streaming(function* () {
      for (let n = 0; n < 200; n += 1)
        yield times(1_000, (index) =>
          chunk({
            tool_calls: [{ index, id: `c${index}`, function: { name: "probe-echo", arguments: " " } }],
          }),
        ).join("");
      yield END;
    }),
    STREAM,
  ),
  attack(
    "a stream that says nothing",
    (_, response) => response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
    { ...STREAM, ...SHORT },
  ),
  attack("headers that never come", () => {}, SHORT),
  attack(
    "headers that come a byte at a time",
    (_, response) => {
      const socket = response.socket!;
      const head = "HTTP/1.1 200 OK\r\nx-slow: yes\r\n";
      let at = 0;
      const timer = setInterval(() => socket.write(head[at++ % head.length]!), 20);
      socket.once("close", () => clearInterval(timer));
    },
    SHORT,
  ),
  attack("a body of 8 MiB of empty objects", saying(`[${"{},".repeat(2_790_000)}{}]`)),
  attack(
    "a body of 8 MiB of empty objects, said in answer to Anthropic's",
    saying(`{"content":[${"{},".repeat(2_790_000)}{}]}`),
    {},
    MESSAGES,
  ),
  attack("a body of 8 MiB of brackets", saying("[".repeat(8 * MEBIBYTE - 1))),
  attack(
    "a body of 8 MiB of long integers",
    saying(`{"choices":[{"message":{"x":[${"12345678901234567890,".repeat(390_000)}1]}}]}`),
  ),
  attack("a body of 8 MiB of text", text("x".repeat(8 * MEBIBYTE - 1_000))),
  attack(
    "a body without an end",
    streaming(() => repeat("x".repeat(60_000), 1e9)),
    {},
  ),
  attack("a text of 8 MiB of 'Action:'", text("Action:".repeat(1_190_000)), REACT),
  attack("a text of 8 MiB of lines 'Action: a_b'", text("Action: a_b\n".repeat(640_000)), REACT),
  attack(
    "a text of 8 MiB of actions with inputs",
    text('Action: probe-echo\nAction Input: {"n":1}\n'.repeat(190_000)),
    REACT,
  ),
  attack(
    "a text of 8 MiB of open brackets in an action",
    text(`Action: probe-echo\nAction Input: ${'{"a":'.repeat(1_300_000)}`),
    REACT,
  ),
  attack("a text of 8 MiB of fences", text("```json\n{\n".repeat(750_000)), REACT),
  attack("a text of 8 MiB of blank space", text(`Action:${" ".repeat(8_300_000)}x`), REACT),
  attack(
    "a text of 8 MiB of 'Thought:' and 'Observation:'",
    text("Thought: a\nObservation: b\n".repeat(310_000)),
    REACT,
  ),
  attack(
    "1,000 calls",
    inTurn(
      saying(completion({ tool_calls: times(1_000, (n) => toolCall(n, "probe-echo", '{"n":1}')) })),
      DONE,
    ),
  ),
  attack(
    "50,000 calls",
    inTurn(
      saying(completion({ tool_calls: times(50_000, (n) => toolCall(n, "probe-echo", '{"n":1}')) })),
      DONE,
    ),
  ),
  attack(
    "80,000 calls under one id",
    inTurn(saying(completion({ tool_calls: times(80_000, () => toolCall(1, "p", "")) })), DONE),
  ),
  attack(
    "40 calls, each with 200 KB of arguments",
    inTurn(
      saying(
        completion({
          tool_calls: times(40, (n) => toolCall(n, "probe-echo", `{"n":"${"x".repeat(200_000)}"}`)),
        }),
      ),
      DONE,
    ),
  ),
  attack(
    "1,000 calls, each with 30 KB of arguments, streamed",
    inTurn(
      streaming(function* () {
        for (let index = 0; index < 1_000; index += 1)
          yield chunk({
            tool_calls: [
              {
                index,
                id: `c${index}`,
                function: { name: "probe-echo", arguments: `{"n":"${"x".repeat(30_000)}"}` },
              },
            ],
          });
        yield `${chunk({}, "tool_calls")}data: [DONE]\n\n`;
      }),
      streaming(() => [END]),
    ),
    STREAM,
  ),
  attack(
    "50 calls of loops of 25",
    inTurn(saying(completion({ tool_calls: times(50, (n) => toolCall(n, "execute_actions", loop)) })), DONE),
  ),
  attack(
    "arguments that nest 100,000 levels",
    inTurn(
      saying(
        completion({
          tool_calls: times(40, (n) =>
            toolCall(n, "probe-echo", "[".repeat(100_000) + (n % 2 === 0 ? "" : "]".repeat(100_000))),
          ),
        }),
      ),
      DONE,
    ),
  ),
  attack(
    "arguments of objects that nest and are never closed",
    inTurn(
      saying(completion({ tool_calls: times(40, (n) => toolCall(n, "probe-echo", '{"a":'.repeat(30_000))) })),
      DONE,
    ),
  ),
  attack(
    "arguments of 7 MiB of empty objects",
    inTurn(
      saying(completion({ tool_calls: [toolCall(1, "probe-echo", `{"n":[${"{},".repeat(2_400_000)}{}]}`)] })),
      DONE,
    ),
  ),
  attack(
    "a batch of 7 MiB of empty actions",
    inTurn(
      saying(
        completion({
          tool_calls: [toolCall(1, "execute_actions", `{"actions":[${"{},".repeat(2_400_000)}{}]}`)],
        }),
      ),
      DONE,
    ),
  ),
  fiveRounds("five rounds of 20 results of 0.9 MiB each", {}),
  fiveRounds("the same with as many tokens as there may be", { max_tokens: 1_000_000 }),
  {
    title: "model: 20 requests at once, each of five rounds of 20 results of 0.9 MiB",
    run: async (target) => {
      scriptRounds(target);
      const answers = await Promise.all(times(20, () => ask(target)));
      assert.ok(
        answers.every(({ status }) => status === 200),
        answers.map(({ status }) => status).join(),
      );
    },
  },
  {
    title: "model: 20 answers at once of 8 MiB of text",
    run: async (target) => {
      target.upstream.script(CHAT, text("x".repeat(8 * MEBIBYTE - 1_000)));
      const answers = await Promise.all(times(20, () => ask(target)));
      assert.ok(answers.every(({ status }) => status === 200));
    },
  },
];

/** A model that always calls the same tool, which answers with what fills the budget of a batch. */
function scriptRounds({ upstream }: Target): void {
  let asked = 0;
  upstream.script(CHAT, (...request) => {
    asked += 1;
    const calls = times(20, (n) =>
      toolCall(n, "probe-any", JSON.stringify({ path: `/rows?n=${asked}-${n}` })),
    );
    const isLast = !request[3].body.includes('"tools":');
    return saying(completion(isLast ? { content: "Done." } : { tool_calls: calls }))(...request);
  });
  upstream.script("/rows", saying(rows));
}

function fiveRounds(title: string, volley: object): Attack {
  return {
    title: `model: ${title}`,
    run: async (target) => {
      scriptRounds(target);
      const answer = await ask(target, { volley });
      assert.equal(answer.status, 200, answer.text.slice(0, 300));
    },
  };
}
