import { describe, expect, test } from "vitest";
import * as z from "zod/mini";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { EventSplitter } from "../../../../src/core/kit/event-splitter.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { formats } from "../../../../src/features/formats/index.ts";
import { responses } from "../../../../src/features/responses/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

// An isolate remembers servers without this API, and the files of one process are in one.
const MODEL = "https://responses.test/v1";
const double = defineTool({
  name: "double",
  summary: "Double a number",
  description: "Double a number.",
  category: "numbers",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ n: z.number() }),
  hosts: ["llm.test"],
  orchestration: { mode: "parallel-safe" },
  run: async ({ n }) => ({ twice: 2 * n }),
});

interface Item {
  readonly type: string;
  readonly [field: string]: unknown;
}
interface Answer {
  readonly status: string;
  readonly incomplete_details: unknown;
  readonly output: readonly Item[];
  readonly usage: unknown;
}
/** A request to the model. */
interface Asked {
  readonly input: readonly Item[];
  readonly [field: string]: unknown;
}
type Turn = { readonly output: readonly Item[]; readonly status?: string; readonly [field: string]: unknown };

const call = (n: number): Item => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name: "double",
  arguments: `{"n":${n}}`,
  status: "completed",
});
const text = (said: string): Item => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: said, annotations: [] }],
});
const used = (input: number, cached: number, output: number, thought: number) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: thought },
  total_tokens: input + output,
});

/** The stream of an answer: each item whole, and the last event with all of it. */
function toStream(response: object, { output, status = "completed" }: Turn): Response {
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    ...output.flatMap((item, index) => [
      { type: "response.output_item.added", output_index: index, item },
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: `response.${status}`, response },
  ];
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** Ask a model that says these turns, one a round; the answer, and the conversations that the model was sent. */
async function ask(turns: readonly Turn[], { stream = false, body = {} } = {}) {
  const left = [...turns];
  const volley = await createTestVolley({
    tools: [double],
    features: [discovery(), formats(), agent(), responses()],
    env: { LLM_BASE_URL: MODEL, LLM_API_KEY: "k", LLM_MODEL: "m" },
    routes: {
      [`POST ${MODEL}/responses`]: () => {
        const turn = left.shift()!;
        const response = { id: `resp_${left.length}`, object: "response", status: "completed", ...turn };
        return stream ? toStream(response, turn) : response;
      },
    },
  });
  const answer = await volley.fetch("/v1/responses", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input: "Go", stream, volley: { surface: "flat" }, ...body }),
  });
  const said = await answer.text();
  const events = stream ? new EventSplitter().read(said).map(({ data }) => JSON.parse(data!)) : [];
  const last = stream ? events.at(-1) : { type: "", response: JSON.parse(said) };
  const asked = volley.requests.map((request) => request.json() as Asked);
  const inputs = asked.map(({ input }) => input);
  return { status: answer.status, last: last.type as string, answer: last.response as Answer, inputs, asked };
}

describe.each([
  ["whole", false],
  ["streamed", true],
])("An answer of Responses, %s,", (_, stream) => {
  test("sends a thought back with its encrypted text and id, and forgets one without, which its server does not keep", async () => {
    const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
    const bare = { type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "Hm." }] };
    const said = text("I double it.");
    const { answer, inputs } = await ask(
      [{ output: [sealed, bare, said, call(1)] }, { output: [text("Two.")] }],
      { stream },
    );
    const thoughts = inputs[1]!.filter(({ type }) => type === "reasoning");
    expect(thoughts).toEqual([sealed]);
    expect(inputs[1]!.at(-1)).toMatchObject({
      type: "function_call_output",
      call_id: "call_1",
      output: expect.stringContaining('"twice":2'),
    });
    // An item of the model's that is sent back names nothing that its server would have to keep.
    for (const kind of ["message", "function_call"])
      expect(inputs[1]!.filter(({ type }) => type === kind)).toEqual([
        expect.not.objectContaining({ id: expect.anything() }),
      ]);
    expect(answer.output.at(-1)).toMatchObject({ type: "message", content: [{ text: "Two." }] });
    // Our own calls are not the caller's.
    expect(answer.output.filter(({ type }) => type === "function_call")).toEqual([]);
  });

  trial("has the usage of all rounds, its details too", async () => {
    const { answer } = await ask(
      [
        { output: [call(1)], usage: used(100, 10, 20, 5) },
        { output: [call(2)], usage: used(150, 100, 30, 0) },
        { output: [text("Done.")], usage: used(200, 150, 7, 1) },
      ],
      { stream },
    );
    expect(answer.usage).toEqual(used(450, 260, 57, 6));
  });

  test.each(["content_filter", "max_output_tokens"])(
    "is incomplete where the model's is, by the same name: %s",
    async (reason) => {
      const { status, last, answer, inputs } = await ask(
        [{ output: [text("So f")], status: "incomplete", incomplete_details: { reason } }],
        { stream },
      );
      expect(status).toBe(200);
      expect(answer).toMatchObject({
        status: "incomplete",
        incomplete_details: { reason },
        output: [{ content: [{ text: "So f" }] }],
      });
      if (stream) expect(last).toBe("response.incomplete");
      expect(inputs).toHaveLength(1);
    },
  );

  test("is asked for without tools, and without a choice among them, where no round is left for a call", async () => {
    const body = { tool_choice: "required", parallel_tool_calls: false, temperature: 0 };
    const { asked } = await ask([{ output: [call(1)] }, { output: [text("Two.")] }], {
      stream,
      body: { ...body, volley: { surface: "flat", max_rounds: 1 } },
    });
    expect(asked).toMatchObject([
      { ...body, tools: expect.anything() },
      { temperature: 0, store: false },
    ]);
    for (const field of ["tools", "tool_choice", "parallel_tool_calls"])
      expect(asked[1]).not.toHaveProperty(field);
  });

  test("has an id of its own for each of the caller's calls, where the model gave one twice or none", async () => {
    const own = { type: "function", name: "lookup", parameters: { type: "object", properties: {} } };
    const twice = { ...call(7), name: "lookup" };
    const without: Item = { ...call(8), call_id: undefined, name: "lookup" };
    const { answer } = await ask([{ output: [twice, { ...twice, id: "fc_9" }, without] }], {
      stream,
      body: { tools: [own] },
    });
    const ids = answer.output.map((item) => item["call_id"]);
    expect(ids).toEqual(["call_7", expect.stringMatching(/./), expect.stringMatching(/./)]);
    expect(new Set(ids).size).toBe(3);
  });

  test("keeps nothing, whatever the model's server says of itself, and hands the caller's own calls over under their ids", async () => {
    const own = { type: "function", name: "lookup", parameters: { type: "object", properties: {} } };
    const theirs = { ...call(7), name: "lookup" };
    const { answer, inputs } = await ask([{ output: [theirs], store: true }], {
      stream,
      body: { tools: [own] },
    });
    expect(answer).toMatchObject({
      status: "completed",
      store: false,
      output: [{ type: "function_call", call_id: "call_7", name: "lookup" }],
    });
    expect(inputs).toHaveLength(1);
  });
});

/** The same door to a server that knows Chat Completions alone. */
async function askBridged(finish: string, stream: boolean) {
  const choice = { index: 0, message: { role: "assistant", content: "So f" }, finish_reason: finish };
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const volley = await createTestVolley({
    tools: [double],
    features: [discovery(), formats(), agent(), responses()],
    env: { LLM_BASE_URL: MODEL, LLM_API_KEY: "k", LLM_MODEL: "m" },
    routes: {
      [`POST ${MODEL}/responses`]: () => Response.json({ error: {} }, { status: 404 }),
      [`POST ${MODEL}/chat/completions`]: () =>
        stream
          ? new Response(
              `${chunk({ role: "assistant", content: "So f" }, null)}${chunk({}, finish)}data: [DONE]\n\n`,
              {
                headers: { "content-type": "text/event-stream" },
              },
            )
          : { id: "x", object: "chat.completion", created: 1, model: "m", choices: [choice] },
    },
  });
  const answer = await volley.fetch("/v1/responses", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input: "Go", stream }),
  });
  const said = await answer.text();
  const last = stream
    ? JSON.parse(new EventSplitter().read(said).at(-1)!.data!)
    : { type: "", response: JSON.parse(said) };
  return { last: last.type as string, answer: last.response as Answer };
}

trial.each([
  ["content_filter", false],
  ["content_filter", true],
  ["length", false],
  ["length", true],
] as const)(
  "An answer of Chat Completions that ended by '%s' is incomplete by the name that Responses has (streamed: %s)",
  async (finish, stream) => {
    const reason = finish === "length" ? "max_output_tokens" : finish;
    const { last, answer } = await askBridged(finish, stream);
    expect(answer).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason },
      output: [{ content: [{ text: "So f" }] }],
    });
    if (stream) expect(last).toBe("response.incomplete");
  },
);
