import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { document } from "../../../../src/features/document/index.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { formats } from "../../../../src/features/formats/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { orchestration } from "../../../../src/features/orchestration/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import {
  createTestVolley,
  type TestVolley,
  type TestVolleyOptions,
} from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const DECLARATION = {
  summary: "Echo a text",
  description: "Echo a text.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }: { text: string }) => ({ text }),
} as const;
const echo = defineTool({
  ...DECLARATION,
  name: "echo_text",
  run: async ({ text }, { runId }) => {
    seenRuns.push(runId);
    return { text };
  },
});
/** The runs that calls of it were told that they are of. */
const seenRuns: (string | undefined)[] = [];
const hidden = defineTool({ ...DECLARATION, name: "hidden_echo", private: true });
const leaky = defineTool({
  ...DECLARATION,
  name: "leaky_echo",
  secrets: ["LEAKY_KEY"],
  run: async ({ text }, ctx) => ({ text, said: `Bearer ${ctx.secret("LEAKY_KEY")}` }),
});
const drop = defineTool({
  ...DECLARATION,
  name: "drop_it",
  actions: ["delete"],
  isWrite: true,
  orchestration: { mode: "sequential-only" },
});
const late = defineTool({ ...DECLARATION, name: "send_later", execution: "fire-and-forget", isWrite: true });
const SECRET_OF_LOG = "leaky log ";
const talks = defineTool({
  ...DECLARATION,
  name: "talk_of_it",
  secrets: ["LEAKY_KEY"],
  run: async ({ text }, ctx) => {
    ctx.log(text, { n: 1 });
    ctx.log.warn(SECRET_OF_LOG + ctx.secret("LEAKY_KEY"));
    for (let line = 0; line < 30; line += 1) ctx.log(String(line));
    return { text };
  },
});
const TOOLS = [echo, hidden, leaky, drop, late, talks];
const SECRET = "a-secret-of-a-tool-9f1";

interface Run {
  readonly run_id: string;
  readonly [field: string]: unknown;
}
interface Page {
  readonly runs: readonly Run[];
  readonly next_cursor: string | null;
}

const start = (options: Partial<TestVolleyOptions> = {}): Promise<TestVolley> =>
  createTestVolley({
    tools: TOOLS,
    features: [
      discovery(),
      confirmations(),
      addedTools(),
      flows(),
      formats(),
      mcp(),
      orchestration(),
      document(),
      runs(),
    ],
    key: { flags: ["approve", "manage_tools"] },
    ...options,
    env: { LEAKY_KEY: SECRET, ...options.env },
  });
const json = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T;
const send = (volley: TestVolley, method: string, path: string, body?: unknown): Promise<Response> =>
  volley.fetch(path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const list = async (volley: TestVolley, query = ""): Promise<Page> => {
  await volley.advance(2_000);
  return json<Page>(volley.fetch(`/v1/runs${query}`));
};
const show = (volley: TestVolley, id: string): Promise<Run> => json<Run>(volley.fetch(`/v1/runs/${id}`));

describe("A run", () => {
  test("is left by a batch, with its plan, arguments, results and failures", async () => {
    const volley = await start();
    const envelope = await volley.run({
      actions: [
        { id: "first", tool: "echo_text", args: { text: "one" } },
        { id: "second", tool: "echo_text", args: { text: { $ref: "first#/text" } } },
        { id: "wrong", tool: "echo_text", args: {} },
      ],
    });
    const { runs: listed } = await list(volley);
    expect(listed).toMatchObject([
      {
        run_id: envelope.batch_id,
        source: "http",
        key: "test",
        status: "partial",
        actions: 3,
        summary: { total: 3, ok: 2, error: 1 },
        tools: ["echo_text"],
        error: { action: "wrong", code: "INVALID_ARGS" },
      },
    ]);
    const run = await show(volley, envelope.batch_id);
    expect(run).toMatchObject({
      run_id: envelope.batch_id,
      plan: { edges: [{ from: "first", to: "second", reason: "reference" }] },
      actions: [
        { id: "first", status: "success", args: { text: "one" }, data: { text: "one" } },
        { id: "second", status: "success", args: { text: "one" }, data: { text: "one" } },
        { id: "wrong", status: "error", error: { code: "INVALID_ARGS", hint: expect.any(String) } },
      ],
      children: [],
    });
  });
});

describe("An action of a tool that there is not", () => {
  const asked = { actions: [{ id: "a", tool: "echo_txet", args: {} }] };
  const named = [{ id: "a", tool: "echo_txet", status: "error", error: { code: "UNKNOWN_TOOL" } }];

  trial("shows the name that was asked for, in its run and in a rerun of it", async () => {
    const volley = await start();
    const { batch_id: id } = await volley.run({
      actions: [...asked.actions, { id: "b", tool: "echo_text", args: { text: "b" } }],
    });
    const unknown = { tools: ["(unknown)", "echo_text"], unknown_tools: ["echo_txet"] };
    expect((await list(volley)).runs).toMatchObject([unknown]);
    expect(await show(volley, id)).toMatchObject(unknown);
    expect((await show(volley, id))["actions"]).toMatchObject([...named, { id: "b" }]);
    const again = await json<{ results: object[]; batch_id: string }>(
      send(volley, "POST", `/v1/runs/${id}/rerun`, {}),
    );
    expect(again.results).toMatchObject([...named, { id: "b", status: "success" }]);
    await volley.advance(2_000);
    expect((await show(volley, again.batch_id))["actions"]).toMatchObject([...named, { id: "b" }]);
  });

  test("is told in lists by ten names at most, each once and cut as in its run", async () => {
    const volley = await start();
    const names = [...Array.from({ length: 12 }, (_, n) => `no_${n}`), "no_0"];
    const actions = ["x\u202e".repeat(40), ...names].map((tool) => ({ tool, args: {} }));
    const { batch_id: id } = await volley.run({ actions });
    const [run] = (await list(volley)).runs;
    const [first] = (await show(volley, id))["actions"] as { readonly tool: string }[];
    expect(run?.["unknown_tools"]).toEqual([first?.tool, ...names.slice(0, 9)]);
    expect(first?.tool).toMatch(/^(x\\u\{202e\}){7}x…$/);
  });

  trial("shows none where no content is kept, and none that a secret of a tool is in", async () => {
    const outline = await start({ env: { VOLLEY_RUNS: "outline" } });
    const { batch_id: id } = await outline.run(asked);
    await outline.advance(2_000);
    expect((await show(outline, id))["actions"]).toMatchObject([{ tool: "(unknown)" }]);
    expect(JSON.stringify(await list(outline))).not.toContain("echo_txet");
    const volley = await start();
    const leaky = { id: "l", tool: "leaky_echo", args: { text: "a" } };
    const { batch_id: other } = await volley.run({ actions: [leaky, { id: "a", tool: SECRET, args: {} }] });
    await volley.advance(2_000);
    expect(JSON.stringify([await show(volley, other), await list(volley)])).not.toContain(SECRET);
  });
});

describe("Whichever door a batch came by", () => {
  const ACTION = { id: "one", tool: "echo_text", args: { text: "hi" } };
  const CALL = { name: "echo_text", arguments: '{"text":"hi"}' };
  const MODEL = "POST https://model.example.com/v1/chat/completions";
  const INIT = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };

  trial.each<[string, string, unknown]>([
    ["http", "/v1/execute_actions", { actions: [ACTION] }],
    ["http", "/v1/invoke_tool", { tool_name: "echo_text", parameters: { text: "hi" } }],
    [
      "turn",
      "/v1/openai/tool_calls",
      { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: CALL }] },
    ],
    [
      "orchestration",
      "/api/orchestration/batch",
      { tools: [{ id: "one", toolName: "echo_text", input: { text: "hi" } }] },
    ],
  ])("%s: its run says so (%s)", async (source, path, body) => {
    const volley = await start();
    const sent = await send(volley, "POST", path, body);
    expect([sent.status, await sent.text()]).toEqual([200, expect.any(String)]);
    const { runs: listed } = await list(volley);
    expect(listed).toMatchObject([{ source, actions: 1, status: "success", tools: ["echo_text"] }]);
    expect(listed[0]!["request_id"]).toBe(sent.headers.get("x-request-id"));
    expect(await show(volley, listed[0]!.run_id)).toMatchObject({
      actions: [{ tool: "echo_text", args: { text: "hi" }, data: { text: "hi" } }],
    });
  });

  test("mcp: its run says so", async () => {
    const volley = await start();
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "echo_text", arguments: { text: "hi" } },
    };
    await send(volley, "POST", "/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params: INIT });
    const answer = await volley.fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(call),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("hi")]);
    expect((await list(volley)).runs).toMatchObject([{ source: "mcp", tools: ["echo_text"] }]);
  });

  trial(
    "flow: its run says so, and one that is an action of a batch is a run that the batch's has caused",
    async () => {
      const volley = await start();
      const kept = await send(volley, "PUT", "/v1/flows/say-twice", {
        summary: "Say it twice",
        input_schema: { type: "object", properties: {} },
        actions: [ACTION, { ...ACTION, id: "two" }],
        answer: { $ref: "two#/text" },
      });
      expect([kept.status, await kept.text()]).toEqual([201, expect.any(String)]);
      await volley.advance(6_000);
      const alone = await send(volley, "POST", "/v1/flows/say-twice/run", { input: {}, tags: ["nightly"] });
      expect([alone.status, await alone.text()]).toEqual([200, expect.any(String)]);
      await volley.advance(10);
      const { batch_id } = await volley.run({ actions: [{ id: "both", tool: "say-twice", args: {} }] });
      const { runs: both } = await list(volley);
      // Runs that began at once have no order but that of their ids.
      const listed = both.toSorted((a, b) => Number("parent" in b) - Number("parent" in a));
      expect(listed).toMatchObject([
        { source: "flow", flow: "say-twice", parent: batch_id, actions: 2 },
        { source: "http", run_id: batch_id, actions: 1, tools: ["say-twice"] },
        { source: "flow", flow: "say-twice", tags: ["nightly"], actions: 2 },
      ]);
      expect(await show(volley, batch_id)).toMatchObject({
        children: [{ run_id: listed[0]!.run_id, source: "flow" }],
      });
      const filtered = async (query: string) => (await list(volley, query)).runs.length;
      expect(await filtered("?flow=say-twice")).toBe(2);
      expect(await filtered("?tag=nightly")).toBe(1);
      expect(await filtered("?tag=daily")).toBe(0);
      expect(await filtered("?tool=say-twice")).toBe(1);
      expect(await filtered("?source=http")).toBe(1);
      expect(await filtered(`?request_id=${String(listed[2]!["request_id"])}`)).toBe(1);
    },
  );

  trial("agent: a request is one run, whose rounds are the answers of the model", async () => {
    const { agent } = await import("../../../../src/features/agent/index.ts");
    const say = (message: object) => ({
      id: "x",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    let asked = 0;
    const volley = await start({
      features: [discovery(), confirmations(), addedTools(), agent(), runs()],
      routes: {
        [MODEL]: () => {
          asked += 1;
          return asked < 3
            ? say({
                content: null,
                tool_calls: [
                  {
                    id: `c${asked}`,
                    type: "function",
                    function: { ...CALL, arguments: `{"text":"${asked}"}` },
                  },
                ],
              })
            : say({ content: "Done." });
        },
      },
      env: { LLM_BASE_URL: "https://model.example.com/v1", LLM_API_KEY: "k-for-the-model", LLM_MODEL: "m" },
    });
    const answer = await send(volley, "POST", "/v1/chat/completions", {
      messages: [{ role: "user", content: "Say it" }],
      volley: { tags: ["chat"], surface: "flat" },
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Done.")]);
    const { runs: listed } = await list(volley);
    expect(listed).toMatchObject([
      {
        run_id: answer.headers.get("x-request-id"),
        source: "agent",
        status: "success",
        actions: 2,
        tags: ["chat"],
      },
    ]);
    expect(seenRuns.slice(-2)).toEqual([listed[0]!.run_id, listed[0]!.run_id]);
    expect(await show(volley, listed[0]!.run_id)).toMatchObject({
      actions: [
        { round: 1, args: { text: "1" } },
        { round: 2, args: { text: "2" } },
      ],
      model: [
        { round: 1, started_ms: 0, model_ms: expect.any(Number), usage: { total_tokens: 15 } },
        { round: 2 },
        { round: 3 },
      ],
    });
  });
});

test("A call is told of which run it is: its batch's, and inside of a flow the flow's own", async () => {
  const volley = await start();
  const kept = await send(volley, "PUT", "/v1/flows/say-once", {
    summary: "Say it",
    input_schema: { type: "object" },
    actions: [{ tool: "echo_text", args: { text: "inside" } }],
  });
  expect(kept.status).toBe(201);
  const { batch_id: id } = await volley.run({
    actions: [
      { tool: "echo_text", args: { text: "here" } },
      { tool: "say-once", args: {} },
    ],
  });
  await volley.advance(2_000);
  const { children } = await show(volley, id);
  const [child] = children as readonly Run[];
  expect(new Set(seenRuns.slice(-2))).toEqual(new Set([id, child!.run_id]));
});

describe("A run with a question", () => {
  const DROP = { actions: [{ id: "gone", tool: "drop_it", args: { text: "it" } }] };
  const questionOf = (run: Run) => (run["actions"] as { confirmation: { id: string } }[])[0]!.confirmation.id;

  trial("waits until it is approved; the approval is a run that it has caused", async () => {
    const volley = await start();
    const { batch_id } = await volley.run(DROP);
    expect((await list(volley, "?status=waiting")).runs).toMatchObject([
      { run_id: batch_id, status: "waiting" },
    ]);
    const run = await show(volley, batch_id);
    expect(run).toMatchObject({
      status: "waiting",
      actions: [{ confirmation: { message: expect.any(String) } }],
    });
    const decided = await send(volley, "POST", `/v1/confirmations/${questionOf(run)}`, {
      decision: "approve",
    });
    expect(decided.status).toBe(200);
    const { runs: listed } = await list(volley);
    expect(listed).toMatchObject([
      { source: "approval", parent: batch_id, status: "success", tools: ["drop_it"] },
      { run_id: batch_id, source: "http", status: "success", summary: { pending_confirmation: 1 } },
    ]);
    expect((await list(volley, "?status=waiting")).runs).toEqual([]);
    expect(await show(volley, batch_id)).toMatchObject({
      status: "success",
      children: [{ source: "approval" }],
    });
  });

  trial("waits no more when it is rejected, or when its time is over", async () => {
    const volley = await start();
    const { batch_id: rejected } = await volley.run(DROP);
    const { batch_id: late } = await volley.run(DROP);
    await volley.advance(2_000);
    await send(volley, "POST", `/v1/confirmations/${questionOf(await show(volley, rejected))}`, {
      decision: "reject",
    });
    const statuses = async () =>
      new Map((await list(volley)).runs.map(({ run_id, status }) => [run_id, status]));
    expect(await statuses()).toEqual(
      new Map([
        [rejected, "error"],
        [late, "waiting"],
      ]),
    );
    await volley.advance(24 * 3_600_000);
    expect(await statuses()).toEqual(
      new Map([
        [rejected, "error"],
        [late, "error"],
      ]),
    );
  });
});

describe("The content of a run", () => {
  trial("has no secret, nothing of a private tool, and names what was too large", async () => {
    const volley = await start();
    const { batch_id } = await volley.run({
      actions: [
        { id: "leaky", tool: "leaky_echo", args: { text: `look: ${SECRET}` } },
        { id: "copied", tool: "echo_text", args: { text: `it was ${btoa(SECRET)}` } },
        { id: "private", tool: "hidden_echo", args: { text: "a private matter" } },
        { id: "borrowed", tool: "echo_text", args: { text: { $ref: "private#/text" } } },
        { id: "large", tool: "echo_text", args: { text: "x".repeat(9_000) } },
      ],
    });
    await volley.advance(2_000);
    const text = await (await volley.fetch(`/v1/runs/${batch_id}`)).text();
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(btoa(SECRET));
    const run = JSON.parse(text) as { actions: readonly Record<string, unknown>[] };
    expect(run.actions[0]).toMatchObject({ redacted: ["args"] });
    expect(run.actions[2]).toMatchObject({ private: true, status: "success" });
    expect(run.actions[2]).not.toHaveProperty("args");
    expect(run.actions[2]).not.toHaveProperty("data");
    expect(run.actions[3]).toMatchObject({ args: { text: { $ref: "private#/text" } } });
    expect(run.actions[4]).toMatchObject({ args: { text: expect.any(String) }, cut: ["data"] });
  });

  test("says how arguments were written that were refused, or whose references were resolved, and of no private tool", async () => {
    const volley = await start();
    const { batch_id } = await volley.run({
      actions: [
        { id: "first", tool: "echo_text", args: { text: "one" } },
        { id: "second", tool: "echo_text", args: { text: { $template: "not {{first#/text}}" } } },
        { id: "wrong", tool: "echo_text", args: { txt: "a word" } },
        { id: "private", tool: "hidden_echo", args: { txt: "a private matter" } },
      ],
    });
    await volley.advance(2_000);
    const { actions } = (await show(volley, batch_id)) as unknown as {
      readonly actions: readonly Record<string, unknown>[];
    };
    expect(actions[0]).not.toHaveProperty("written");
    expect(actions[1]).toMatchObject({
      args: { text: "not one" },
      written: { text: { $template: "not {{first#/text}}" } },
    });
    expect(actions[2]).toMatchObject({ written: { txt: "a word" } });
    expect(actions[2]).not.toHaveProperty("args");
    expect(actions[3]).not.toHaveProperty("written");
  });

  trial("is left out with VOLLEY_RUNS outline: codes stay, texts go", async () => {
    const volley = await start({ env: { VOLLEY_RUNS: "outline" } });
    const { batch_id } = await volley.run({
      actions: [
        { id: "good", tool: "echo_text", args: { text: "a word" } },
        { id: "wrong", tool: "echo_text", args: { text: 1, other: "a word" } },
        { id: "asks", tool: "drop_it", args: { text: "a word" } },
      ],
    });
    await volley.advance(2_000);
    const text = await (await volley.fetch(`/v1/runs/${batch_id}`)).text();
    expect(text).not.toContain("a word");
    expect(text).not.toContain("hint");
    expect(text).not.toContain("message");
    expect(JSON.parse(text)).toMatchObject({
      actions: [
        { status: "success" },
        { error: { code: "INVALID_ARGS" } },
        { confirmation: { id: expect.any(String) } },
      ],
    });
  });

  trial("keeps the digits of a number that is larger than a double", async () => {
    const volley = await start({
      tools: [
        defineTool({
          ...DECLARATION,
          name: "big_number",
          hosts: ["api.example.com"],
          run: async (_, ctx) => (await ctx.fetch("https://api.example.com/n")).json(),
        }),
      ],
      routes: { "GET https://api.example.com/n": () => new Response('{"n":12345678901234567890}') },
    });
    const { batch_id } = await volley.run({ actions: [{ tool: "big_number", args: { text: "" } }] });
    await volley.advance(2_000);
    expect(await (await volley.fetch(`/v1/runs/${batch_id}`)).text()).toContain('"n":12345678901234567890');
  });

  trial("is nothing at all with VOLLEY_RUNS off", async () => {
    const volley = await start({ env: { VOLLEY_RUNS: "off" } });
    await volley.run({ actions: [{ tool: "echo_text", args: { text: "hi" } }] });
    expect((await list(volley)).runs).toEqual([]);
  });

  test.each([
    ["VOLLEY_RUNS", "some"],
    ["VOLLEY_RUNS_DAYS", "91"],
    ["VOLLEY_RUNS_DAYS", "0"],
    ["VOLLEY_RUNS_DAYS", "a week"],
  ])("is not configured by %s = %s, and /healthz says so", async (name, value) => {
    const volley = await start({ env: { [name]: value } });
    const health = await volley.fetch("/healthz");
    expect([health.status, await health.text()]).toEqual([503, expect.stringContaining(name)]);
  });
});

describe("A secret", () => {
  /** The ways in which a caller, or an upstream that answers with what it was sent, may write it. */
  const FORMS: readonly ((secret: string) => string)[] = [
    (secret) => secret,
    (secret) => btoa(`user:${secret}`),
    (secret) => encodeURIComponent(secret).replaceAll("-", "%2D"),
    (secret) => Array.from(secret, (one) => one.charCodeAt(0).toString(16)).join(""),
  ];
  const args = (text: string) => ({ text });
  const doors: readonly ((text: string) => readonly [path: string, body: unknown])[] = [
    (text) => [
      "/v1/execute_actions",
      {
        actions: [
          { id: "a", tool: "leaky_echo", args: args(text) },
          { id: "b", tool: "echo_text", args: { text: { $ref: "a#/text" } } },
        ],
      },
    ],
    (text) => ["/v1/invoke_tool", { tool_name: "leaky_echo", parameters: args(text) }],
    (text) => [
      "/v1/openai/tool_calls",
      {
        role: "assistant",
        tool_calls: [
          {
            id: "c",
            type: "function",
            function: { name: "leaky_echo", arguments: JSON.stringify(args(text)) },
          },
        ],
      },
    ],
    (text) => [
      "/api/orchestration/batch",
      { tools: [{ id: "a", toolName: "leaky_echo", input: args(text) }] },
    ],
    (text) => [
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "leaky_echo", arguments: args(text) } },
    ],
    (text) => ["/v1/flows/leaks/run", { input: { text } }],
    (text) => ["/v1/execute_actions", { actions: [{ tool: "leaks", args: { text } }] }],
  ];

  trial("is in no run, whichever door brought it and however it was written", async () => {
    const volley = await start();
    await send(volley, "PUT", "/v1/flows/leaks", {
      summary: "Leak a text",
      input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      actions: [{ id: "one", tool: "leaky_echo", args: { text: { $ref: "input#/text" } } }],
    });
    await volley.advance(6_000);
    const texts: string[] = [];
    for (const form of FORMS)
      for (const door of doors) {
        const [path, body] = door(`see ${form(SECRET)} here`);
        await volley.fetch(path, {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify(body),
        });
      }
    const { runs: listed } = await list(volley, "?limit=100");
    // A flow that is an action leaves a run of its own.
    expect(listed).toHaveLength(FORMS.length * (doors.length + 1));
    expect(new Set(listed.map(({ source }) => source))).toEqual(
      new Set(["http", "turn", "orchestration", "mcp", "flow"]),
    );
    for (const { run_id } of listed) texts.push(await (await volley.fetch(`/v1/runs/${run_id}`)).text());
    for (const form of FORMS)
      for (const text of texts) expect(text).not.toContain(form(SECRET).replace(/^[^:]*:/, ""));
    expect(texts.filter((text) => text.includes("[redacted]"))).toHaveLength(texts.length);
  });
});

describe("The list of runs", () => {
  trial("goes on where a page ended while new runs come, and has each run once, newest first", async () => {
    const volley = await start();
    const sent: string[] = [];
    const runOne = async () => {
      const { batch_id } = await volley.run({ actions: [{ tool: "echo_text", args: { text: "hi" } }] });
      sent.push(batch_id);
      await volley.advance(700);
    };
    for (let count = 0; count < 7; count += 1) await runOne();
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Page = await list(volley, `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      expect(page.runs.length).toBeLessThanOrEqual(2);
      seen.push(...page.runs.map(({ run_id }) => run_id));
      cursor = page.next_cursor;
      await runOne();
    }
    expect(seen).toEqual(sent.slice(0, 7).toReversed());
  });

  trial("takes a range of time, and refuses what it does not know", async () => {
    const volley = await start();
    const [a, between, b] = [
      (await volley.run({ actions: [{ tool: "echo_text", args: { text: "a" } }] })).batch_id,
      new Date((await volley.advance(5_000), volley.now())).toISOString(),
      (await volley.run({ actions: [{ tool: "echo_text", args: { text: "b" } }] })).batch_id,
    ];
    const ids = async (query: string) => (await list(volley, query)).runs.map(({ run_id }) => run_id);
    expect(await ids(`?since=${between}`)).toEqual([b]);
    expect(await ids(`?until=${between}`)).toEqual([a]);
    for (const query of ["?colour=red", "?limit=0", "?status=fine", "?cursor=x", "?since=today"])
      expect((await volley.fetch(`/v1/runs${query}`)).status).toBe(400);
  });

  trial("forgets a run after seven days, or as many as VOLLEY_RUNS_DAYS says", async () => {
    for (const [env, days] of [
      [{}, 7],
      [{ VOLLEY_RUNS_DAYS: "1" }, 1],
    ] as const) {
      const volley = await start({ env });
      const { batch_id } = await volley.run({ actions: [{ tool: "echo_text", args: { text: "a" } }] });
      await volley.advance(days * 86_400_000 - 10_000);
      expect((await list(volley)).runs).toHaveLength(1);
      await volley.advance(20_000);
      expect((await list(volley)).runs).toHaveLength(0);
      expect((await volley.fetch(`/v1/runs/${batch_id}`)).status).toBe(404);
    }
  });
});

describe("ctx.log", () => {
  const run = async (env: Readonly<Record<string, string>> = {}, more: object = {}) => {
    const volley = await start({ env });
    const { batch_id: id } = await volley.run({
      actions: [{ id: "a", tool: "talk_of_it", args: { text: "Hi" }, ...more }],
    });
    await volley.advance(2_000);
    const found = await volley.fetch(`/v1/runs/${id}`);
    const { actions } = await found.json<{ actions: { log?: { at_ms: number; text: string }[] }[] }>();
    return actions[0]!.log;
  };

  trial("is kept with its action: its first twenty lines, without secrets", async () => {
    const log = await run();
    expect(log).toHaveLength(20);
    expect(log!.slice(0, 3)).toEqual([
      { at_ms: 0, text: 'Hi {"n":1}' },
      { at_ms: 0, text: `${SECRET_OF_LOG}[redacted]` },
      { at_ms: 0, text: "0" },
    ]);
  });

  trial("has eight KiB at most, and of a loop the lines of its elements", async () => {
    const log = await run({}, { for_each: [1, 2], args: { text: "x".repeat(8_190) } });
    expect(log).toHaveLength(19);
    expect(JSON.stringify(log).length).toBeLessThan(8_192);
    expect((await run({}, { for_each: [1, 2] }))!).toHaveLength(20);
  });

  test("is not kept where no content is", async () => {
    expect(await run({ VOLLEY_RUNS: "outline" })).toBeUndefined();
  });
});
