import { createOpenAI } from "@ai-sdk/openai";
import { isStepCount, jsonSchema, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";

import { CHAT_PATH, ownTool, readChat, sentTo, setUpChat } from "../../support/chat-world.ts";
import { createOpenAi } from "../support/open-ai.ts";

/* POST /v1/chat/completions as a stream: what reaches the caller, when, and in which bytes. */

const { model, upstream, volley, stream, send } = await setUpChat();
const openai = createOpenAi(volley);

const ECHO = { name: "probe-echo", args: { n: 1 } };
const WITH_USAGE = { stream_options: { include_usage: true } };

const chunk = (delta: object, more: object = {}, choice: object = {}) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: null, ...choice }],
    ...more,
  })}\n\n`;
const FINISH = chunk({}, {}, { finish_reason: "stop" });
const DONE = "data: [DONE]\n\n";

/** The body of a stream, byte for byte. */
async function bytesOf(body: object = {}): Promise<Buffer> {
  const response = await fetch(`${volley.url}${CHAT_PATH}`, {
    method: "POST",
    headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Go" }], ...body }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  return Buffer.from(await response.arrayBuffer());
}

/** The bytes without the one chunk that is ours, which stands right before the last event. */
function withoutReport(bytes: Buffer): string {
  const text = bytes.toString();
  const report = /data: [^\n]*"volley":\{"rounds":\[\],"stopped":"answer"\}\}\n\n/.exec(text);
  expect(report).not.toBeNull();
  return text.slice(0, report!.index) + text.slice(report!.index + report![0].length);
}

describe("A turn without calls of ours is passed on byte for byte", () => {
  const VENDOR =
    ': OPENROUTER PROCESSING\n\ndata: {"id":12345678901234567890,"object":"chat.completion.chunk","created":9007199254740993,"model":"m",' +
    '"x":{"n":1e400,"z":1.0},"choices":[{"index":0,"delta":{"role":"assistant","content":"Grüße ✓ 👩‍👩‍👧","reasoning_content":"hm"},"finish_reason":null,"y":[ ]}]}\n\n' +
    'event: message\nid: 7\ndata: {"id":12345678901234567890, "choices":[{"index":0,"delta":{"content":" \\u00fc\\/"},"finish_reason":null}]}\n\n' +
    'data:{"id":12345678901234567890,"choices":[],"prompt_filter_results":[{"a":1}]}\n\n' +
    'data: {"id":12345678901234567890,"choices":[{"index":0,"delta":{},"finish_reason":"stop","stop_reason":null}],"usage":null}\n\n' +
    'data: {"id":12345678901234567890,"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cost":0.10}}\n\n' +
    DONE;

  test.each([
    ["as it comes", {}],
    ["cut at every byte", { split: 1 }],
    ["cut after every three bytes", { split: 3 }],
    ["cut after every seven bytes", { split: 7 }],
    ["cut after every 64 bytes", { split: 64 }],
  ])("%s, with unknown fields, comments, 64-bit ids and any character", async (_, how) => {
    model.willSay({ raw: VENDOR, ...how });
    expect(withoutReport(await bytesOf())).toBe(VENDOR);
  });

  test.each([1, 2, 3, 5, 1_000_000])("with CRLF, in pieces of %i", async (split) => {
    const raw = VENDOR.replaceAll("\n", "\r\n");
    model.willSay({ raw, split });
    expect(withoutReport(await bytesOf())).toBe(raw);
  });

  test.each([{}, { split: 1 }, { crlf: true }, { crlf: true, split: 1 }])(
    "as OpenAI's own stream is written, with and without usage %j",
    async (how) => {
      for (const options of [{}, WITH_USAGE]) {
        const fetchDirect = async () => {
          const response = await fetch(`${model.baseUrl}/chat/completions`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({
              model: "m",
              stream: true,
              messages: [{ role: "user", content: "Go" }],
              ...options,
            }),
          });
          return response.text();
        };
        const said = { text: "Hello, wörld ✓.", id: "chatcmpl-same", usage: { input: 3, output: 4 }, ...how };
        model.willSay(said, said);
        const direct = await fetchDirect();
        expect(withoutReport(await bytesOf(options))).toBe(direct);
      }
    },
  );

  test("also where the model takes its time to begin", async () => {
    model.willSay({ raw: VENDOR, delayMs: 1_300 });
    expect(withoutReport(await bytesOf())).toBe(VENDOR);
  });

  test("the caller's calls too, where the turn has no other", async () => {
    const calls = [
      { name: "first", args: { city: "Zürich" } },
      { name: "second", args: { city: "Bern and some more to have several pieces" } },
    ];
    const said = { text: "One moment.", calls, id: "chatcmpl-own", usage: { input: 3, output: 4 } };
    model.willSay(said);
    const tools = [ownTool("first"), ownTool("second")];
    const through = (await bytesOf({ tools })).toString();
    model.willSay({ ...said, calls: calls.map((call, at) => ({ ...call, id: idsIn(through)[at]! })) });
    const direct = await fetch(`${model.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Go" }], tools }),
    });
    const report = /data: [^\n]*"volley":\{"rounds":\[\],"stopped":"client_tools"\}\}\n\n/.exec(through)!;
    expect(through.replace(report[0], "")).toBe(await direct.text());
  });
});

function idsIn(text: string): string[] {
  return [...text.matchAll(/"id":"(call_[^"]+)"/g)].map(([, id]) => id!);
}

describe("A stream with rounds", () => {
  test("is one answer: one id, one role, one finish, the report, one end", async () => {
    model.willSay(
      { text: "Looking. ", calls: [ECHO] },
      { text: "More. ", calls: [{ ...ECHO, args: { n: 2 } }] },
      { text: "Done ✓." },
    );
    const said = await stream();
    expect(model.problems).toEqual([]);
    expect(said.content).toBe("Looking. More. Done ✓.");
    expect(new Set(said.chunks.map(({ id }) => id)).size).toBe(1);
    expect(
      said.chunks.flatMap(({ choices }) => choices).filter(({ delta }) => delta.role !== undefined),
    ).toHaveLength(1);
    expect(said.finishes).toEqual(["stop"]);
    expect(said.calls).toEqual([]);
    expect(said.text).not.toMatch(/tool_calls|execute_actions/);
    expect(said.dones).toBe(1);
    expect(said.endsWithDone).toBe(true);
    expect(said.errors).toEqual([]);
    expect(said.reports).toHaveLength(1);
    expect(said.reports[0]).toMatchObject({ stopped: "answer", rounds: [{}, {}] });
    expect(said.chunks.at(-1)).toMatchObject({ choices: [], volley: said.reports[0] });
    for (const { choices } of said.chunks) expect(Array.isArray(choices)).toBe(true);
  });

  test("tells each result the moment it is known, before the others are", async () => {
    const release = upstream.hold("/echo", 502);
    model.willSay(
      {
        calls: [
          { ...ECHO, args: { n: 501 } },
          { ...ECHO, args: { n: 502 } },
        ],
      },
      { text: "Done." },
    );
    const response = await openStream();
    const seen = await response.until('"n":501');
    expect(seen).toMatch(/"choices":\[\],"volley":\{"result":\{"index":0,/);
    expect(seen).not.toContain('"n":502');
    release();
    const said = await readChat(await response.rest());
    expect(said.results.map(({ index, status }) => [index, status])).toEqual([
      [0, "success"],
      [1, "success"],
    ]);
    expect(said.reports[0]!.rounds[0]!.results.map(({ data }) => data)).toEqual(
      said.results.map(({ data }) => data),
    );
  });

  test("tells every result once, in its place, also of calls that no batch could be made of or that ran by themselves", async () => {
    const calls = [
      { name: "execute_actions", args: "{no json" },
      {
        name: "execute_actions",
        args: { actions: [{ tool: "probe-echo", args: { n: 511 } }], on_error: "fail-fast" },
      },
      {
        name: "execute_actions",
        args: { actions: [{ tool: "probe-echo", args: { n: 512 } }], dry_run: true },
      },
      { name: "probe-echo", args: { n: 513 } },
      { name: "execute_actions", args: { actions: [] } },
      { name: "probe-echo", args: { n: 514 } },
    ];
    model.willSay({ calls }, { text: "Done." });
    const { results, reports } = await stream();
    const shown = reports[0]!.rounds[0]!.results;
    expect(shown.map(({ index, status }) => [index, status])).toEqual([
      [0, "error"],
      [1, "success"],
      [2, "success"],
      [3, "error"],
      [4, "success"],
    ]);
    const inOrder = results.toSorted((one, other) => one.index - other.index);
    expect(inOrder.map(({ index, tool, status, data }) => ({ index, tool, status, data }))).toEqual(
      shown.map(({ index, tool, status, data }) => ({ index, tool, status, data })),
    );
    expect(model.problems).toEqual([]);
  });

  test("passes text on as it comes, before the model has ended", async () => {
    const first = chunk({ role: "assistant", content: "Begun" });
    model.willSay({ raw: first + FINISH + DONE, hangAfter: Buffer.byteLength(first) });
    const response = await openStream({ volley: { deadline_ms: 1_000 } });
    await response.until("Begun");
    const said = await readChat(await response.rest());
    expect(said.errors).toMatchObject([{ code: "MODEL_TIMEOUT" }]);
  });

  test("sums the usage where it was asked for, in one chunk, and tells none where it was not", async () => {
    const turns = [
      { text: "a", calls: [ECHO], usage: { input: 10, output: 1 } },
      { text: "b", usage: { input: 20, output: 2 } },
    ];
    model.willSay(...turns, ...turns);
    const asked = await stream(WITH_USAGE);
    expect(asked.usages).toMatchObject([{ prompt_tokens: 30, completion_tokens: 3, total_tokens: 33 }]);
    const bare = await stream();
    expect(bare.usages).toEqual([]);
  });

  test.each([{ split: 1 }, { crlf: true }, { crlf: true, split: 1 }])(
    "is understood however it is cut: %j",
    async (how) => {
      model.willSay({ text: "Ünd ", calls: [ECHO], ...how }, { text: "fertig ✓.", ...how });
      const said = await stream(WITH_USAGE);
      expect(said.content).toBe("Ünd fertig ✓.");
      expect(said.results).toHaveLength(1);
      expect(said.finishes).toEqual(["stop"]);
      expect(said.usages).toHaveLength(1);
      expect(said.endsWithDone).toBe(true);
      expect(model.problems).toEqual([]);
    },
  );

  test("shows nothing of our calls, also where the model ends its text and its calls in one chunk", async () => {
    const call = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "probe-echo", arguments: '{"n":7}' },
    };
    const raw =
      chunk({ role: "assistant", content: "", tool_calls: [call] }, {}, {}) +
      chunk({ content: "Wait. " }, {}, { finish_reason: "tool_calls" }) +
      DONE;
    model.willSay(
      { raw },
      { raw: chunk({ role: "assistant", content: "Done." }, {}, { finish_reason: "stop" }) + DONE },
    );
    const said = await stream();
    expect(model.problems).toEqual([]);
    expect(said.content).toBe("Wait. Done.");
    expect(said.text).not.toContain("tool_calls");
    expect(said.results).toMatchObject([{ data: { n: 7 } }]);
    expect(said.finishes).toEqual(["stop"]);
  });

  test("ends well without [DONE] and without a last empty line, as some servers end", async () => {
    const call = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "probe-echo", arguments: '{"n":7}' },
    };
    model.willSay(
      {
        raw:
          chunk({ role: "assistant", tool_calls: [call] }) + chunk({}, {}, { finish_reason: "tool_calls" }),
      },
      { raw: chunk({ role: "assistant", content: "Done." }) + FINISH.trimEnd() },
    );
    const said = await stream();
    expect(said.content).toBe("Done.");
    expect(said.finishes).toEqual(["stop"]);
    expect(said.dones).toBe(1);
    expect(said.endsWithDone).toBe(true);
  });

  test("keeps parallel calls apart that a server sends whole and without an index", async () => {
    const call = (id: string, n: number) => ({
      id,
      type: "function",
      function: { name: "probe-echo", arguments: `{"n":${n}}` },
    });
    model.willSay(
      {
        raw:
          chunk({ role: "assistant", tool_calls: [call("call_a", 1)] }) +
          chunk({ tool_calls: [call("call_b", 2)] }) +
          chunk({}, {}, { finish_reason: "tool_calls" }) +
          DONE,
      },
      { text: "Done." },
    );
    const said = await stream();
    expect(said.results.map(({ data }) => data)).toEqual([
      { path: "/echo", n: 1 },
      { path: "/echo", n: 2 },
    ]);
    expect(model.problems).toEqual([]);
  });

  test("keeps parallel calls apart that a server all sends under index 0", async () => {
    const call = (id: string, n: number) => ({
      index: 0,
      id,
      type: "function",
      function: { name: "probe-echo", arguments: `{"n":${n}}` },
    });
    model.willSay(
      {
        raw:
          chunk({ role: "assistant", tool_calls: [call("call_a", 1)] }) +
          chunk({ tool_calls: [call("call_b", 2)] }) +
          chunk({}, {}, { finish_reason: "tool_calls" }) +
          DONE,
      },
      { text: "Done." },
    );
    const said = await stream();
    expect(said.results.map(({ data }) => data)).toEqual([
      { path: "/echo", n: 1 },
      { path: "/echo", n: 2 },
    ]);
    expect(model.problems).toEqual([]);
  });

  test("gives the caller's calls the ids and indexes that their server forgot", async () => {
    const call = (id: string | undefined, city: string) => ({
      ...(id !== undefined && { id }),
      type: "function",
      function: { name: "mine", arguments: JSON.stringify({ city }) },
    });
    const ours = { id: "", type: "function", function: { name: "probe-echo", arguments: '{"n":3}' } };
    model.willSay(
      {
        raw:
          chunk({ role: "assistant", tool_calls: [call("", "a"), ours] }) +
          chunk({ tool_calls: [call(undefined, "b")] }) +
          chunk({}, {}, { finish_reason: "tool_calls" }) +
          DONE,
      },
      { text: "Done." },
    );
    const said = await stream({ tools: [ownTool("mine")] });
    expect(said.calls.map(({ args }) => args)).toEqual(['{"city":"a"}', '{"city":"b"}']);
    const ids = said.calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    const back = {
      messages: [
        { role: "user", content: "Go" },
        {
          role: "assistant",
          content: null,
          tool_calls: said.calls.map(({ id, name, args }) => ({
            id,
            type: "function",
            function: { name, arguments: args },
          })),
        },
        ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: "ok" })),
      ],
      tools: [ownTool("mine")],
    };
    expect((await stream(back)).content).toBe("Done.");
    expect(model.problems).toEqual([]);
    expect(sentTo(model, 1).filter(({ role }) => role === "tool")).toHaveLength(3);
  });

  test("says in every chunk which answer it is, digit for digit", async () => {
    const exact = (raw: string) => raw.replaceAll('"chatcmpl-1"', "9007199254740993");
    const call = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "probe-echo", arguments: '{"n":7}' },
    };
    model.willSay(
      {
        raw: exact(
          chunk({ role: "assistant", content: "Wait.", tool_calls: [call] }) +
            chunk({}, {}, { finish_reason: "tool_calls" }) +
            DONE,
        ),
      },
      { text: "Done." },
    );
    const { text, chunks } = await stream();
    expect(text.match(/"id":9007199254740993,/g)).toHaveLength(chunks.length);
  });

  test("that ends in the middle of a line ends well too", async () => {
    model.willSay(
      { raw: chunk({ role: "assistant", content: "Hi." }) + FINISH.trimEnd() },
      { raw: chunk({ role: "assistant", content: "Hi." }) + FINISH + DONE.trimEnd() },
    );
    for (let n = 0; n < 2; n += 1) {
      const said = await stream();
      expect(said).toMatchObject({ content: "Hi.", finishes: ["stop"], dones: 1, endsWithDone: true });
      expect(said.reports).toHaveLength(1);
    }
  });

  test("that runs out of rounds says so in its report, and shows no call of the last answer", async () => {
    model.willSay({ calls: [ECHO] }, { text: "So far.", calls: [{ ...ECHO, args: { n: 9 } }] });
    const said = await stream({ volley: { max_rounds: 1 } });
    expect(said.content).toBe("So far.");
    expect(said.calls).toEqual([]);
    expect(said.finishes).toEqual(["stop"]);
    expect(said.reports).toMatchObject([{ stopped: "max_rounds" }]);
  });
});

describe("F26 A stream that fails", () => {
  test("before it began has its own status and no stream", async () => {
    model.willSay({ status: 400 });
    const { status, headers, text } = await send({ stream: true });
    expect(status).toBe(502);
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(text)).toMatchObject({ error: { code: "MODEL_UNAVAILABLE" } });
  });

  test("that is answered with JSON has not begun either", async () => {
    for (let n = 0; n < 3; n += 1)
      model.willSay({ raw: '{"error":{"message":"overloaded"}}', contentType: "application/json" });
    const { status, text } = await send({ stream: true });
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({ error: { code: "MODEL_UNAVAILABLE" } });
  });

  test("after text was passed on ends with an error event and its end, and is not begun anew", async () => {
    model.willSay({ text: "Once upon a time there was", errorAfter: 2 });
    const said = await stream();
    expect(model.requests).toHaveLength(1);
    expect(said.content).not.toBe("");
    expect(said.errors).toMatchObject([
      { code: "MODEL_UNAVAILABLE", type: expect.any(String), message: expect.any(String) },
    ]);
    expect(said.finishes).toEqual([]);
    expect(said.endsWithDone).toBe(true);
    expect(said.text).not.toContain("had an error while it answered");
  });

  test.each([
    ["breaks off", (bytes: number) => ({ cutAfter: bytes })],
    ["hangs", (bytes: number) => ({ hangAfter: bytes })],
  ])("and %s in the middle ends with an error event", async (_, how) => {
    const first = chunk({ role: "assistant", content: "Once" });
    model.willSay({ raw: first + FINISH + DONE, ...how(Buffer.byteLength(first)) });
    const said = await stream({ volley: { deadline_ms: 1_000 } });
    expect(said.content).toBe("Once");
    expect(said.errors).toHaveLength(1);
    expect(said.endsWithDone).toBe(true);
  });

  test("in a later round ends with an error event after what was told", async () => {
    model.willSay({ text: "Looking.", calls: [ECHO] }, { status: 401 });
    const said = await stream();
    expect(said.content).toBe("Looking.");
    expect(said.results).toHaveLength(1);
    expect(said.errors).toMatchObject([{ code: "MODEL_UNAVAILABLE" }]);
    expect(said.finishes).toEqual([]);
    expect(said.dones).toBe(1);
  });

  test("is thrown by OpenAI's own client", async () => {
    model.willSay({ text: "Once upon a time there was", errorAfter: 2 });
    const read = async () => {
      const events = await openai.chat.completions.create({
        model: "m",
        stream: true,
        messages: [{ role: "user", content: "Go" }],
      });
      for await (const event of events) expect(event.choices).toBeDefined();
    };
    await expect(read()).rejects.toThrow(/model/i);
  });
});

describe("OpenAI's own client", () => {
  test("reads a stream with rounds with its helper", async () => {
    model.willSay(
      { text: "Looking. ", calls: [ECHO], usage: { input: 1, output: 1 } },
      { text: "Done.", usage: { input: 2, output: 2 } },
    );
    const events: string[] = [];
    const runner = openai.chat.completions
      .stream({ model: "m", messages: [{ role: "user", content: "Go" }], ...WITH_USAGE })
      .on("content", (delta) => events.push(delta));
    const completion = await runner.finalChatCompletion();
    expect(completion.choices[0]!.message.content).toBe("Looking. Done.");
    expect(completion.choices[0]!.finish_reason).toBe("stop");
    expect(completion.usage).toMatchObject({ total_tokens: 6 });
    expect(events.join("")).toBe("Looking. Done.");
  });

  test("reads a stream event by event, and its own calls", async () => {
    model.willSay({ calls: [ECHO, { name: "mine", args: { city: "Bern" } }] }, { text: "Done." });
    const runner = openai.chat.completions.stream({
      model: "m",
      messages: [{ role: "user", content: "Go" }],
      tools: [ownTool("mine") as never],
    });
    const message = await runner.finalMessage();
    expect(message.tool_calls).toMatchObject([{ function: { name: "mine", arguments: '{"city":"Bern"}' } }]);
  });
});

test("The AI SDK streams text, calls its own tool, and goes on", async () => {
  model.willSay(
    { text: "Looking. ", calls: [ECHO, { name: "home_city", args: { city: "Phoenix" } }] },
    { text: "It is Phoenix." },
  );
  const provider = createOpenAI({ apiKey: "sandbox-key", baseURL: `${volley.url}/v1` });
  const result = streamText({
    model: provider.chat("m"),
    prompt: "Where do I live?",
    stopWhen: isStepCount(4),
    onError: ({ error }) => {
      throw error;
    },
    tools: {
      home_city: tool({
        description: "Where the person lives",
        inputSchema: jsonSchema<{ city: string }>({
          type: "object",
          properties: { city: { type: "string" } },
        }),
        execute: () => ({ known: true }),
      }),
    },
  });
  const parts: string[] = [];
  for await (const part of result.textStream) parts.push(part);
  expect(parts.join("")).toBe("Looking. It is Phoenix.");
  expect(await result.steps).toHaveLength(2);
  expect(model.problems).toEqual([]);
  expect(sentTo(model, 1).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
});

test("A caller that reads slowly gets all of a long answer", async () => {
  const text = "word ".repeat(50_000);
  model.willSay({ raw: chunk({ role: "assistant", content: text }).repeat(8) + FINISH + DONE });
  const response = await fetch(`${volley.url}${CHAT_PATH}`, {
    method: "POST",
    headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Go" }] }),
  });
  const parts: Uint8Array[] = [];
  for await (const part of response.body!) {
    parts.push(part);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const said = await readChat(Buffer.concat(parts).toString());
  expect(said.content).toBe(text.repeat(8));
  expect(said).toMatchObject({ finishes: ["stop"], endsWithDone: true });
});

/** Open a stream and read it by and by. */
async function openStream(body: object = {}) {
  const response = await fetch(`${volley.url}${CHAT_PATH}`, {
    method: "POST",
    headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Go" }], ...body }),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const more = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    text += value ?? "";
    return !done;
  };
  return {
    until: async (what: string): Promise<string> => {
      while (!text.includes(what)) if (!(await more())) throw new Error(`It ended without ${what}: ${text}`);
      return text;
    },
    rest: async (): Promise<string> => {
      while (await more());
      return text;
    },
  };
}
