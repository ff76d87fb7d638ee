import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { describe, expect, test } from "vitest";

import { batchOf, GO, messageOf, ownTool, sentTo, setUpChat, toolsOf } from "../../support/chat-world.ts";
import { eventually } from "../../support/eventually.ts";
import { createOpenAi } from "../support/open-ai.ts";

/* POST /v1/chat/completions end to end, answered all at once: a model as strict as OpenAI's on the other side. */

const { model, upstream, volley, ask, send } = await setUpChat({ LLM_MODEL: "configured-model" });
const openai = createOpenAi(volley);

const echo = (n: number) => ({ tool: "probe-echo", args: { n } });

describe("A request", () => {
  test("has the calls of a turn run as one batch, and the model's last answer for its answer", async () => {
    const calls = [batchOf(echo(1), echo(2)), { name: "probe-echo", args: { n: 3 } }];
    model.willSay({ text: "Looking.", calls }, { text: "Done." });
    upstream.gather("/echo", 3);
    const answer = await openai.chat.completions.create({
      model: "m",
      messages: [{ role: "user", content: "Go" }],
    });

    expect(model.problems).toEqual([]);
    expect(answer.choices).toMatchObject([
      { message: { role: "assistant", content: "Done." }, finish_reason: "stop" },
    ]);
    const { volley: report } = answer as unknown as { volley: unknown };
    expect(report).toEqual({
      rounds: [
        {
          results: [1, 2, 3].map((n, index) => ({
            index,
            id: expect.any(String),
            tool: "probe-echo",
            status: "success",
            data: { path: "/echo", n },
            meta: expect.any(Object),
          })),
          duration_ms: expect.any(Number),
          model_ms: expect.any(Number),
        },
      ],
      stopped: "answer",
    });
    const [asked, calling, first, second] = sentTo(model, 1);
    expect(asked).toEqual(GO);
    expect(calling).toMatchObject({ role: "assistant", content: "Looking." });
    expect(calling!.tool_calls!.map((call) => call.function.name)).toEqual(["execute_actions", "probe-echo"]);
    expect(JSON.parse(first!.content!)).toMatchObject({ summary: { total: 2, ok: 2 } });
    expect(JSON.parse(second!.content!)).toEqual({ path: "/echo", n: 3 });
  });

  test("that needs no tools is the model's own answer and a report", async () => {
    model.willSay({ text: "Hello." });
    const { volley: report, ...answer } = await ask();
    expect(report).toEqual({ rounds: [], stopped: "answer" });
    expect(Object.keys(answer).sort()).toEqual([
      "choices",
      "created",
      "id",
      "model",
      "object",
      "service_tier",
      "system_fingerprint",
      "usage",
    ]);
  });

  test("reaches the model untouched but for the tools, digit for digit", async () => {
    const fields = `"temperature":1.0,"seed":9007199254740993,"metadata":{"k":"v"},"user":"ü✓","top_p":0.10`;
    const unknown = `"x_vendor":{"id":12345678901234567890,"n":1e400,"list":[null,{"a":-0.0}]}`;
    model.willSay({ text: "Hi." });
    const sent = await send();
    expect(sent.status).toBe(200);
    model.reset();
    const { status } = await volleySend(
      `{"model":"m","messages":[{"role":"user","content":"Go"}],${fields},${unknown},"volley":{"max_rounds":2}}`,
    );
    // The strict model refuses what it does not know; what it was sent is the point here.
    expect(status).toBe(502);
    const [{ text, body }] = model.requests as [(typeof model.requests)[0]];
    for (const digits of ["9007199254740993", "12345678901234567890", "1e400", "-0.0"])
      expect(text).toContain(digits);
    expect(body).toMatchObject({ model: "m", user: "ü✓", temperature: 1, metadata: { k: "v" } });
    expect(body).not.toHaveProperty("volley");
    expect(Object.keys(body).sort()).toEqual(
      ["messages", "metadata", "model", "seed", "temperature", "tools", "top_p", "user", "x_vendor"].sort(),
    );
  });

  test("answers what the model says digit for digit, unknown fields and all", async () => {
    const raw =
      '{"id":12345678901234567890,"object":"chat.completion","created":1,"model":"m","x":{"big":9007199254740993,"f":1e400},' +
      '"choices":[{"index":0,"message":{"role":"assistant","content":"Hi ✓","reasoning_content":"hm"},"finish_reason":"stop","y":1}]}';
    model.willSay({ raw });
    const { text } = await send();
    expect(text).toBe(`${raw.slice(0, -1)},"volley":{"rounds":[],"stopped":"answer"}}`);
  });

  test("names no model, and the configured one is asked", async () => {
    model.willSay({ text: "Hi." }, { text: "Hi." });
    await ask({ model: undefined });
    expect(model.requests[0]!.body["model"]).toBe("configured-model");
    await ask({ model: "named" });
    expect(model.requests[1]!.body["model"]).toBe("named");
  });

  test("is let in with x-api-key alone, and the model is sent the deployment's key and never the caller's", async () => {
    model.willSay({ text: "Hi." });
    const { status } = await send({}, { authorization: undefined, "x-api-key": "sandbox-key" });
    expect(status).toBe(200);
    const { headers } = model.requests[0]!;
    expect(headers.authorization).toBe("Bearer #llm-secret-key-1");
    expect(JSON.stringify(headers)).not.toContain("sandbox-key");
  });

  test("has no system message added, and the conversation stays as it was", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Go" }] },
      { role: "assistant", content: "Where?" },
      { role: "user", content: "There" },
    ];
    model.willSay({ calls: [{ name: "probe-echo", args: { n: 1 } }] }, { text: "Done." });
    await ask({ messages });
    expect(model.problems).toEqual([]);
    for (const at of [0, 1]) expect(sentTo(model, at).slice(0, 4)).toEqual(messages);
    expect(sentTo(model, 0)).toHaveLength(4);
  });

  test("may have 4 MiB and no byte more, which a client that is still writing is told", async () => {
    model.willSay({ text: "Long." });
    const empty = JSON.stringify({ model: "m", messages: [{ role: "user", content: "" }] }).length;
    const room = 4 * 1024 * 1024 - empty;
    const sendLong = (length: number) =>
      send({ model: "m", messages: [{ role: "user", content: "x".repeat(length) }] });
    expect((await sendLong(room)).status).toBe(200);
    for (const more of [1, 1, 1, 1_000_000, 8_000_000]) {
      const over = await sendLong(room + more);
      expect(over.status).toBe(413);
      expect(JSON.parse(over.text)).toMatchObject({
        error: { code: "BODY_TOO_LARGE", type: "request_too_large" },
      });
    }
    expect(model.requests).toHaveLength(1);
  });
});

function volleySend(body: string) {
  return fetch(`${volley.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
    body,
  });
}

describe("The tools that a model sees", () => {
  const toolBlock = (text: string): string =>
    /"tools":(\[.*?\]),"[a-z_]+":|"tools":(\[.*\])\}$/s.exec(text)![0];

  test("come first and are the same bytes in all rounds and requests, the caller's after them in their order", async () => {
    const calls = [{ name: "probe-echo", args: { n: 1 } }];
    model.willSay({ calls }, { text: "Done." }, { calls }, { text: "Done." });
    const volley = { surface: "batch" };
    await ask({ tools: [ownTool("zebra"), ownTool("apple")], volley });
    await ask({ messages: [{ role: "user", content: "Something else" }], volley });

    expect(model.problems).toEqual([]);
    const ours = model.requests.map(({ body }) => JSON.stringify((body["tools"] as object[])[0]));
    expect(new Set(ours).size).toBe(1);
    for (const { text } of model.requests) expect(text).toContain(`"tools":[${ours[0]}`);
    expect(toolsOf(model, 0)).toEqual(["execute_actions", "zebra", "apple"]);
    expect(toolsOf(model, 1)).toEqual(["execute_actions", "zebra", "apple"]);
    expect(toolsOf(model, 2)).toEqual(["execute_actions"]);
    expect((model.requests[0]!.body["tools"] as object[]).slice(1)).toEqual([
      ownTool("zebra"),
      ownTool("apple"),
    ]);
    expect(toolBlock(model.requests[2]!.text)).toBe(toolBlock(model.requests[3]!.text));
  });

  test("are one batch tool, the meta-tools, or all of them, as the surface says", async () => {
    model.willSay({ text: "a" }, { text: "b" }, { text: "c" });
    await ask({ volley: { surface: "batch" } });
    await ask({ volley: { surface: "meta" } });
    await ask({ volley: { surface: "flat", tools: ["probe"] } });
    expect(model.problems).toEqual([]);
    expect(toolsOf(model, 0)).toEqual(["execute_actions"]);
    expect(toolsOf(model, 1)).toEqual(
      expect.arrayContaining(["discover_tools", "get_tool_schema", "invoke_tool", "execute_actions"]),
    );
    expect(toolsOf(model, 2)).toEqual(expect.arrayContaining(["probe-echo", "probe-write"]));
    expect(toolsOf(model, 2)).not.toContain("execute_actions");
  });

  test("are as many as fit, unless a surface is said: those that find others of the whole sandbox, one for a few", async () => {
    model.willSay({ text: "a" }, { text: "b" });
    await ask();
    await ask({ volley: { tools: ["probe-echo"], surface: "auto" } });
    expect(model.problems).toEqual([]);
    expect(toolsOf(model, 0)).toContain("discover_tools");
    expect(toolsOf(model, 1)).toEqual(["execute_actions"]);
  });

  test("are those of the wanted names and categories, and no other runs", async () => {
    const calls = [
      { name: "probe-echo", args: { n: 1 } },
      { name: "probe-read", args: { n: 1 } },
    ];
    model.willSay({ calls }, { text: "Done." });
    const answer = await ask({ volley: { surface: "flat", tools: ["probe-echo", "weather"] } });
    expect(toolsOf(model, 0)).toContain("probe-echo");
    expect(toolsOf(model, 0)).not.toContain("probe-read");
    expect(answer.volley.rounds[0]!.results).toMatchObject([
      { status: "success" },
      { tool: "probe-read", status: "error", error: { code: "UNKNOWN_TOOL" } },
    ]);
  });

  test("are only those that the key may call", async () => {
    model.willSay({ calls: [{ name: "calculator", args: { expression: "1+1" } }] }, { text: "Done." });
    const answer = await ask({ volley: { surface: "flat" } }, "sandbox-small-key");
    expect(toolsOf(model, 0).every((name) => !name.startsWith("google"))).toBe(true);
    expect(answer.volley.rounds[0]!.results).toMatchObject([
      { status: "error", error: { code: "UNKNOWN_TOOL" } },
    ]);
  });

  test("do not hide what the caller asked for: tool_choice and parallel_tool_calls reach the model", async () => {
    model.willSay({ calls: [{ name: "probe-echo", args: { n: 1 } }] }, { text: "Done." });
    await ask({
      tools: [ownTool("mine")],
      tool_choice: "required",
      parallel_tool_calls: false,
      volley: { max_rounds: 1 },
    });
    expect(model.problems).toEqual([]);
    expect(model.requests[0]!.body).toMatchObject({ tool_choice: "required", parallel_tool_calls: false });
    for (const field of ["tools", "tool_choice", "parallel_tool_calls"])
      expect(model.requests[1]!.body).not.toHaveProperty(field);
  });
});

describe("Usage", () => {
  test("is summed over all calls of the model, its details too", async () => {
    const calls = [{ name: "probe-echo", args: { n: 1 } }];
    model.willSay(
      { calls, usage: { input: 10, output: 5, cached: 2 } },
      { text: "Done.", usage: { input: 20, output: 7, cached: 8 } },
    );
    const { usage } = await ask();
    expect(usage).toMatchObject({
      prompt_tokens: 30,
      completion_tokens: 12,
      total_tokens: 42,
      prompt_tokens_details: { cached_tokens: 10 },
    });
  });

  test("is left out where the model's server tells none", async () => {
    model.willSay({ text: "Hi.", usage: null });
    expect(await ask()).not.toHaveProperty("usage");
  });
});

describe("Rounds", () => {
  test.each([1, 2, 5, 20])("end after %i, with one answer more, without tools and told why", async (most) => {
    for (let n = 0; n < most; n += 1) model.willSay({ calls: [{ name: "probe-echo", args: { n } }] });
    model.willSay({ text: "All I know." });
    const answer = await ask({ volley: { max_rounds: most, surface: "batch" } });
    expect(model.problems).toEqual([]);
    expect(model.requests).toHaveLength(most + 1);
    expect(answer.volley.rounds).toHaveLength(most);
    expect(answer.volley.stopped).toBe("max_rounds");
    expect(messageOf(answer).content).toBe("All I know.");
    for (let at = 0; at < most; at += 1) expect(toolsOf(model, at)).toEqual(["execute_actions"]);
    expect(model.requests[most]!.body).not.toHaveProperty("tools");
    expect(sentTo(model, most).at(-1)!.content).toMatch(/rounds.*tools are switched off/);
  });

  test("are five when nothing is said of them", async () => {
    for (let n = 0; n < 7; n += 1) model.willSay({ calls: [{ name: "probe-echo", args: { n } }] });
    const answer = await ask();
    expect(model.requests).toHaveLength(6);
    expect(answer.volley).toMatchObject({ stopped: "max_rounds" });
    expect(answer.volley.rounds).toHaveLength(5);
  });

  test("T39 end all the same when the model calls without tools: nothing runs, and there is an answer", async () => {
    const seen = upstream.requestsTo("/write").length;
    model.willSay(
      { calls: [{ name: "probe-echo", args: { n: 1 } }] },
      { calls: [{ name: "probe-write", args: { n: 77 } }] },
    );
    const answer = await ask({ volley: { max_rounds: 1 } });
    expect(upstream.requestsTo("/write")).toHaveLength(seen);
    const { content, tool_calls: calls } = messageOf(answer);
    expect(calls).toBeUndefined();
    expect(content).toMatch(/gave no answer/);
    expect(answer.choices[0]!.finish_reason).toBe("stop");
  });

  test("that make the same call three times running are the last ones", async () => {
    const calls = [{ name: "probe-echo", args: { n: 1 } }];
    model.willSay({ calls }, { calls }, { calls }, { text: "I give up." });
    const answer = await ask();
    expect(model.problems).toEqual([]);
    expect(answer.volley.stopped).toBe("repetition");
    expect(answer.volley.rounds).toHaveLength(3);
    expect(messageOf(answer).content).toBe("I give up.");
    expect(model.requests[3]!.body).not.toHaveProperty("tools");
    expect(sentTo(model, 3).at(-1)!.content).toMatch(/same call/);
  });

  test("are told apart by arguments, not by white space, order of keys or who else is called", async () => {
    const write = (text: string, n: number) => ({
      calls: [
        { name: "probe-read", args: text },
        { name: "probe-echo", args: { n } },
      ],
    });
    model.willSay(
      write('{"n":1,"d":0}', 1),
      write('{ "d": 0, "n": 1 }', 2),
      { calls: [batchOf({ tool: "probe-read", args: { d: 0, n: 1 } })] },
      { text: "Stop." },
    );
    expect((await ask()).volley.stopped).toBe("repetition");

    const between = (n: number) => ({ calls: [{ name: "probe-echo", args: { n } }] });
    model.willSay(between(1), between(1), between(2), between(1), between(1), { text: "End." });
    expect((await ask()).volley.stopped).toBe("max_rounds");
  });
});

describe("Calls of a turn", () => {
  test("T39 beyond fifty are told so, and the first fifty run", async () => {
    const calls = Array.from({ length: 53 }, (_, n) => ({ name: "probe-echo", args: { n } }));
    const seen = upstream.requestsTo("/echo").length;
    model.willSay({ calls }, { text: "Done." });
    const { volley: report } = await ask();
    expect(model.problems).toEqual([]);
    expect(upstream.requestsTo("/echo")).toHaveLength(seen + 50);
    const { results } = report.rounds[0]!;
    expect(results.map(({ index }) => index)).toEqual(calls.map((_, n) => n));
    expect(results.slice(0, 50).every(({ status }) => status === "success")).toBe(true);
    expect(results.slice(50).every(({ status }) => status === "error")).toBe(true);
    const replies = sentTo(model, 1).slice(2);
    expect(replies).toHaveLength(53);
    expect(replies[52]!.content).toMatch(/50/);
  });

  test("that are broken off are closed by brackets for a read, and never for a write", async () => {
    const seen = upstream.requestsTo("/write").length;
    const calls = [
      { name: "probe-search", args: '{"q":"lamp"' },
      { name: "probe-write", args: '{"n":5' },
      { name: "execute_actions", args: '{"actions":[{"tool":"probe-echo","args":{"n":6}}' },
      { name: "execute_actions", args: '{"actions":[{"tool":"probe-write","args":{"n":7}}' },
      { name: "probe-search", args: '{"q":"lam' },
    ];
    model.willSay({ calls }, { text: "Done." });
    const { volley: report } = await ask();
    expect(model.problems).toEqual([]);
    expect(upstream.requestsTo("/write")).toHaveLength(seen);
    const { results } = report.rounds[0]!;
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      "success",
      "INVALID_ARGS",
      "success",
      "INVALID_ARGS",
      expect.stringMatching(/INVALID/),
    ]);
    expect(results[1]!.error!.hint).toMatch(/cut off/);
    expect(sentTo(model, 1)).toHaveLength(7);
  });

  test("in a fence are read, and what is no JSON is told to the model as an error", async () => {
    const calls = [
      { name: "probe-echo", args: '```json\n{"n": 1}\n```' },
      { name: "probe-write", args: '```\n{"n": 2}\n```' },
      { name: "probe-echo", args: "n = 3" },
      { name: "probe-echo", args: "" },
      { name: "no-such-tool", args: {} },
    ];
    model.willSay({ calls }, { text: "Done." });
    const { volley: report } = await ask();
    expect(model.problems).toEqual([]);
    expect(report.rounds[0]!.results.map(({ status }) => status)).toEqual([
      "success",
      "success",
      "error",
      "error",
      "error",
    ]);
    const replies = sentTo(model, 1).slice(2);
    expect(JSON.parse(replies[2]!.content!)).toMatchObject({
      status: "error",
      error: { hint: expect.any(String) },
    });
    expect(JSON.parse(replies[4]!.content!)).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
  });

  test("are one batch: a write waits for an earlier read of its domain, across calls", async () => {
    const release = upstream.hold("/read", 41);
    model.willSay(
      {
        calls: [
          { name: "probe-read", args: { n: 41 } },
          batchOf({ tool: "probe-write", args: { n: 42 } }, echo(43)),
        ],
      },
      { text: "Done." },
    );
    const asked = ask();
    await eventuallySeen("/echo", "43");
    expect(upstream.requestsTo("/write").some(({ body }) => body.includes("42"))).toBe(false);
    release();
    await asked;
    expect(upstream.requestsTo("/write").some(({ body }) => body.includes("42"))).toBe(true);
  });

  test("T39 that failed are told as failed, with a hint", async () => {
    model.willSay({ calls: [{ name: "probe-any", args: { path: "/nothing-here" } }] }, { text: "Sorry." });
    await ask();
    expect(JSON.parse(sentTo(model, 1).at(-1)!.content!)).toMatchObject({
      status: "error",
      error: { code: "NOT_FOUND", hint: expect.any(String) },
    });
  });

  test("that only begin are told as under way, never as done", async () => {
    model.willSay(
      {
        calls: [
          { name: "probe-background", args: { n: 1 } },
          batchOf({ tool: "probe-background", args: { n: 2 } }),
        ],
      },
      { text: "Begun." },
    );
    const { volley: report } = await ask();
    expect(report.stopped).toBe("answer");
    expect(report.rounds[0]!.results.map(({ status }) => status)).toEqual(["initiated", "initiated"]);
    const [single, batch] = sentTo(model, 1).slice(-2);
    expect(JSON.parse(single!.content!)).toMatchObject({ status: "initiated", job_id: expect.any(String) });
    expect(single!.content).not.toMatch(/success/);
    expect(JSON.parse(batch!.content!)).toMatchObject({ results: [{ status: "initiated" }] });
  });

  test("take as much of a round as max_tokens says, and what was cut is referred to in a later round", async () => {
    const path = "/big?kb=64";
    model.willSay(
      { calls: [{ name: "probe-any", args: { path } }] },
      ({ body }) => {
        const { content } = (body["messages"] as { content: string }[]).at(-1)!;
        const { meta } = JSON.parse(content) as { meta: { handle: string; truncated: object } };
        expect(meta.truncated).toBeDefined();
        const args = { n: 1, input: { $ref: `${meta.handle}#` } };
        return { calls: [batchOf({ tool: "write", args })] };
      },
      { text: "Done." },
    );
    upstream.script("/big", (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ text: "word ".repeat(12_000), end: "the end" }));
    });
    const { volley: report } = await ask({ volley: { max_tokens: 200 } });
    expect(model.problems).toEqual([]);
    expect(report.rounds.map(({ results }) => results.map(({ status }) => status))).toEqual([
      ["success"],
      ["success"],
    ]);
    expect(sentTo(model, 1).at(-1)!.content!.length).toBeLessThan(3_000);
    expect(upstream.requestsTo("/tool/write").at(-1)!.body).toContain("the end");
  });
});

async function eventuallySeen(path: string, n: string): Promise<void> {
  await eventually(`${path} with n=${n}`, () =>
    upstream.requestsTo(path).find(({ query }) => query.get("n") === n),
  );
}

test("A client of the AI SDK gets text that needed tools, and its own tool called between", async () => {
  const calls = [
    { name: "probe-echo", args: { n: 1 } },
    { name: "home_city", args: { city: "Phoenix" } },
  ];
  model.willSay({ text: "Let me see. ", calls }, { text: "It is Phoenix." });
  const volleyProvider = createOpenAI({ apiKey: "sandbox-key", baseURL: `${volley.url}/v1` });
  const asked: unknown[] = [];
  const { text, steps } = await generateText({
    model: volleyProvider.chat("m"),
    prompt: "Where do I live?",
    stopWhen: isStepCount(4),
    tools: {
      home_city: tool({
        description: "Where the person lives",
        inputSchema: jsonSchema<{ city: string }>({
          type: "object",
          properties: { city: { type: "string" } },
        }),
        execute: (args) => {
          asked.push(args);
          return { known: true };
        },
      }),
    },
  });
  expect(model.problems).toEqual([]);
  expect(text).toBe("It is Phoenix.");
  expect(asked).toEqual([{ city: "Phoenix" }]);
  expect(steps).toHaveLength(2);
  expect(sentTo(model, 1).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  expect(sentTo(model, 1)[2]!.content).toContain('"n":1');
});
