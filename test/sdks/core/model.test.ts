import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";

import { runToolCalls } from "../../../src/turns/run-tool-calls.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { describeSurface, type ToolSurface } from "../../../src/features/discovery/tool-surface.ts";
import { parseCallArguments } from "../../../src/turns/parse-call-arguments.ts";
import { toToolList } from "../../../src/features/discovery/tool-list.ts";
import { addCalendarEvent } from "../../../src/tools/calendar/add-calendar-event.ts";
import { SHIPPED_TOOLS } from "../../../src/tools/shipped-tools.ts";
import { findObjects } from "../../sandbox/upstreams/find-objects.ts";
import { routeUpstream } from "../../sandbox/upstreams/route-upstream.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { INSTANT_PORTS } from "../../support/instant-ports.ts";
import { runTool } from "../../support/run-tool.ts";
import { valueOf } from "../../support/unwrap.ts";
import { readWranglerConfig } from "../../support/wrangler-config.ts";
import { callStandIn } from "../../sandbox-upstreams/call-stand-in.ts";

const { vars = {} } = await readWranglerConfig("test/sandbox/wrangler.toml");
const send = async (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
  routeUpstream(new Request(url, init), INSTANT_PORTS)!;
const openai = new OpenAI({ apiKey: vars["LLM_API_KEY"]!, baseURL: vars["LLM_BASE_URL"]!, fetch: send });
const anthropic = new Anthropic({
  apiKey: vars["ANTHROPIC_API_KEY"]!,
  baseURL: vars["ANTHROPIC_BASE_URL"]!,
  fetch: send,
});
const model = vars["LLM_MODEL"]!;
const catalog = createCatalog(SHIPPED_TOOLS);

// Virtual time does not wait for the parser of dates, which is loaded with the first of them.
await runTool(addCalendarEvent, { title: "Loaded", start_time: "tomorrow at 9:00" }).output;

interface Made {
  readonly name: string;
  readonly args: unknown;
}

/** A conversation that was led to its end: each round's calls, and the answer. */
interface Led {
  readonly rounds: readonly (readonly Made[])[];
  readonly results: readonly string[];
  readonly answer: string;
}

/** The world of the sandbox, with its tools, in virtual time. */
function createWorld(): TestWorld {
  const world = new TestWorld();
  world.clock.jump(INSTANT_PORTS.now());
  for (const [name, value] of Object.entries(vars)) world.secrets.set(name, value);
  world.fetch = (url, init) => routeUpstream(new Request(url, init), INSTANT_PORTS)!;
  return world;
}

async function runTurn(world: TestWorld, calls: readonly Made[]): Promise<string[]> {
  const turn = calls.map(({ name, args }) => ({ name, args: parseCallArguments(args) }));
  const options = { bodyBytes: 1_000, copies: 1 };
  const ran = await world.clock.runUntil(runToolCalls(turn, world.execution(SHIPPED_TOOLS), options));
  return valueOf(ran).replies.map(({ json }) => json);
}

/** Leads a conversation with the tools of a surface. */
type Lead = (question: string, surface?: ToolSurface) => Promise<Led>;

const leadChat =
  (isStream: boolean): Lead =>
  async (question, surface = "batch") => {
    const world = createWorld();
    const tools = toToolList(describeSurface(surface, catalog), "openai") as OpenAI.ChatCompletionTool[];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: question }];
    const rounds: Made[][] = [];
    const results: string[] = [];
    for (;;) {
      const { choices } = isStream
        ? await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
        : await openai.chat.completions.create({ model, messages, tools });
      const { content, tool_calls: calls = [] } = choices[0]!.message;
      if (calls.length === 0) return { rounds, results, answer: content! };
      const made = calls.map((call) =>
        call.type === "function"
          ? { name: call.function.name, args: call.function.arguments }
          : { name: "", args: "" },
      );
      rounds.push(made);
      const replies = await runTurn(world, made);
      results.push(...replies);
      messages.push(
        {
          role: "assistant",
          content,
          tool_calls: calls.map(({ id, type, ...rest }) => ({ id, type, ...rest })) as never,
        },
        ...replies.map((json, at) => ({ role: "tool" as const, tool_call_id: calls[at]!.id, content: json })),
      );
    }
  };

const leadMessages =
  (isStream: boolean): Lead =>
  async (question, surface = "batch") => {
    const world = createWorld();
    const tools = toToolList(describeSurface(surface, catalog), "anthropic") as Anthropic.Tool[];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }];
    const rounds: Made[][] = [];
    const results: string[] = [];
    for (;;) {
      const body = { model, max_tokens: 1_000, messages, tools };
      const { content } = isStream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body);
      const uses = content.filter((block) => block.type === "tool_use");
      if (uses.length === 0)
        return {
          rounds,
          results,
          answer: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        };
      const made = uses.map(({ name, input }) => ({ name, args: JSON.stringify(input) }));
      rounds.push(made);
      const replies = await runTurn(world, made);
      results.push(...replies);
      messages.push(
        { role: "assistant", content },
        {
          role: "user",
          content: replies.map((json, at) => ({
            type: "tool_result",
            tool_use_id: uses[at]!.id,
            content: json,
          })),
        },
      );
    }
  };

/** As a loop for models without native calls writes it. */
const leadReact: Lead = async (question, surface = "batch") => {
  const world = createWorld();
  const listed = describeSurface(surface, catalog)
    .map((tool) => `${tool.name}: ${JSON.stringify(tool.inputSchema)}`)
    .join("\n");
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: `Action: the tool's name\nAction Input: {"argument": "value"}\n\n${listed}` },
    { role: "user", content: question },
  ];
  const rounds: Made[][] = [];
  const results: string[] = [];
  for (;;) {
    const { choices } = await openai.chat.completions.create({ model, messages });
    const content = choices[0]!.message.content!;
    const made = [...content.matchAll(/^Action: (.*)\nAction Input: (.*)$/gm)].map(([, name = "", args]) => ({
      name,
      args,
    }));
    if (made.length === 0) return { rounds, results, answer: /Final Answer: (.*)$/s.exec(content)![1]! };
    rounds.push(made);
    const replies = await runTurn(world, made);
    results.push(...replies);
    const observed =
      replies.length === 1
        ? `Observation: ${replies[0]}`
        : replies.map((json, at) => `Observation ${at + 1} (${made[at]!.name}): ${json}`).join("\n");
    messages.push({ role: "assistant", content }, { role: "user", content: observed });
  }
};

const LEADS: readonly (readonly [string, Lead])[] = [
  ["Chat Completions", leadChat(false)],
  ["Chat Completions, streamed", leadChat(true)],
  ["Messages", leadMessages(false)],
  ["Messages, streamed", leadMessages(true)],
  ["text", leadReact],
];

interface Envelope {
  readonly results: readonly { readonly tool: string; readonly status: string }[];
}

function statusesOf(result: string): string[] {
  return (JSON.parse(result) as Envelope).results.map(({ tool, status }) => `${tool} ${status}`);
}

function actionsOf({ args }: Made): { tool: string; args: Record<string, unknown> }[] {
  return (JSON.parse(String(args)) as { actions: { tool: string; args: Record<string, unknown> }[] }).actions;
}

const QUESTION =
  "My Camry needs an oil change in Phoenix. Find a shop, check for recalls and mail it to ada@example.com.";

describe.each(LEADS)("The sandbox's model, over %s,", (_, lead) => {
  test("plans the demo in three rounds, and every action succeeds", async () => {
    const { rounds, results, answer } = await lead(QUESTION);
    expect(rounds.map((round) => round.map(({ name }) => name))).toEqual([
      ["execute_actions"],
      ["execute_actions"],
      ["execute_actions"],
    ]);
    expect(results.map(statusesOf)).toEqual([
      ["google-maps-search success", "nhtsa-recall-search success", "get_weather success"],
      ["web-search success", "web-search success", "web-search success"],
      ["send_email initiated", "add_calendar_event success"],
    ]);
    const found = JSON.parse(results[0]!) as {
      results: [
        { data: { places: { name: string }[] } },
        { data: { count: number; recalls: { campaign: string }[] } },
      ];
    };
    const [{ data: shops }, { data: recalls }] = found.results;
    const searches = actionsOf(rounds[1]![0]!).map(({ args }) => args["query"]);
    expect(searches.slice(0, 2)).toEqual(shops.places.map(({ name }) => `${name} reviews`));
    expect(searches[2]).toContain(recalls.recalls[0]!.campaign);
    expect(actionsOf(rounds[2]![0]!)[0]!.args["to"]).toEqual(["ada@example.com"]);
    expect(answer).toContain(shops.places[0]!.name);
    expect(answer).toContain(`There are ${recalls.count} safety recalls`);
    expect(answer).toContain("The mail with this summary is under way.");
    expect(answer).not.toMatch(/\bsent\b/);
  });

  test("calls single tools where there is none for batches", async () => {
    const { rounds, answer } = await lead(QUESTION, "flat");
    expect(rounds.map((round) => round.map(({ name }) => name))).toEqual([
      ["google-maps-search", "nhtsa-recall-search", "get_weather"],
      ["web-search", "web-search", "web-search"],
      ["send_email", "add_calendar_event"],
    ]);
    expect(answer).toContain("is under way");
    expect(answer).toContain("is in your calendar");
  });

  test("runs exactly the batch that it is given", async () => {
    const batch =
      '{"actions": [{"id": "w", "tool": "get_weather", "args": {"city": "Berlin"}}, {"tool": "x"}], "on_error": "partial-success"}';
    const { rounds, answer } = await lead(`Run this, please:\n${batch}\nThank you {very} much`);
    expect(rounds.map((round) => round.map(({ name, args }) => [name, JSON.parse(String(args))]))).toEqual([
      [["execute_actions", JSON.parse(batch)]],
    ]);
    expect(answer).toMatch(
      /^Of 2 actions: get_weather succeeded \(\{"place":\{"name":"Berlin".*; x failed\.$/,
    );
  });

  test("calls exactly what it is told to", async () => {
    const { rounds, answer } = await lead(
      'Do this\ncall get_weather {"city":"Berlin"}\ncall no_tool {"a": 1}\ncall me maybe',
    );
    expect(rounds).toHaveLength(1);
    expect(rounds[0]!.map(({ name, args }) => [name, JSON.parse(String(args))])).toEqual([
      ["get_weather", { city: "Berlin" }],
      ["no_tool", { a: 1 }],
    ]);
    expect(answer).toMatch(/^Of 2 actions: get_weather succeeded .*; no_tool failed\.$/);
  });

  test("tells the weather", async () => {
    const { rounds, results, answer } = await lead("What is the weather like in Berlin today?");
    const call = { tool: "get_weather", args: { city: "Berlin" } };
    expect(rounds).toHaveLength(1);
    expect(actionsOf(rounds[0]![0]!)).toEqual([call]);
    const { results: found } = JSON.parse(results[0]!) as {
      results: [{ data: { current: { temperature_c: number } } }];
    };
    expect(answer).toContain(`The weather in Berlin: ${found[0].data.current.temperature_c} °C`);
  });

  test("repeats what it does not understand", async () => {
    expect(await lead("Hello there")).toEqual({ rounds: [], results: [], answer: "You said: Hello there" });
  });
});

describe("The sandbox's model", () => {
  const tools = toToolList(describeSurface("batch", catalog), "openai") as OpenAI.ChatCompletionTool[];
  const ask = async (
    messages: OpenAI.ChatCompletionMessageParam[],
    more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = { tools },
  ): Promise<OpenAI.ChatCompletion> => openai.chat.completions.create({ model, messages, ...more });
  const user = (content: string) => ({ role: "user" as const, content });

  test.each([
    ["Weather Berlin please", "Berlin"],
    ["How's the weather in São Paulo?", "São Paulo"],
    ["Tell me the weather for Paris, Texas.", "Paris, Texas"],
  ])("understands %j", async (question, city) => {
    const { choices } = await ask([user(question)]);
    const [call] = choices[0]!.message.tool_calls!;
    expect(call).toMatchObject({
      function: { arguments: JSON.stringify({ actions: [{ tool: "get_weather", args: { city } }] }) },
    });
  });

  test("answers from what it has where it may not call", async () => {
    const texts = [
      await ask([user(QUESTION)], {}),
      await ask([user(QUESTION)], { tools, tool_choice: "none" }),
      await ask([user("What is the weather in Berlin?")], {}),
      await ask([user("call get_weather {}")], {}),
    ].map(({ choices }) => choices[0]!.message.content);
    expect(texts).toEqual([
      "I have not looked anything up yet.",
      "I have not looked anything up yet.",
      "The weather in Berlin: not known.",
      "I have called nothing.",
    ]);
  });

  test("takes no other word for a person's: neither results nor a loop's own", async () => {
    const said = await ask([
      user("Hi"),
      { role: "assistant", content: "Yes?" },
      user("[Volley] weather in Rome"),
    ]);
    expect(said.choices[0]!.message.content).toBe("You said: Hi");
    const { content } = await anthropic.messages.create({
      model,
      max_tokens: 10,
      tools: [{ name: "f", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "weather in Rome" }] },
      ],
    });
    expect(content).toEqual([{ type: "text", text: "You said: Hi" }]);
  });

  test("begins anew with each question", async () => {
    const call = { id: "a", type: "function" as const, function: { name: "f", arguments: "{}" } };
    const { choices } = await ask([
      user(QUESTION),
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "{}" },
      { role: "assistant", content: "Done" },
      user("Weather in Berlin?"),
    ]);
    expect(choices[0]!.message.tool_calls).toHaveLength(1);
  });

  test("says what it would do when it is asked to think first", async () => {
    const { choices } = await ask([user(QUESTION), user("[Volley] Before you act, think: …")], {});
    expect(choices[0]!.message.content).toBe("Next I call execute_actions.");
  });

  test("says the same to the same, under ids of its own each time", async () => {
    const first = await ask([user("Weather in Berlin?")]);
    const second = await ask([user("Weather in Berlin?")]);
    expect(second.usage).toEqual(first.usage);
    expect(first.usage!.prompt_tokens).toBe(
      Math.ceil(JSON.stringify({ model, messages: [user("Weather in Berlin?")], tools }).length / 4),
    );
    expect(second.id).not.toBe(first.id);
    expect(second.choices[0]!.message.tool_calls![0]!.id).not.toBe(
      first.choices[0]!.message.tool_calls![0]!.id,
    );
  });

  test.each([
    ["POST", "/v1/chat/completions", { Authorization: "Bearer invalid-key" }, 401],
    ["POST", "/v1/chat/completions", {}, 401],
    ["POST", "/v1/messages", { "x-api-key": "invalid" }, 401],
    ["POST", "/v1/messages", { "x-api-key": "k" }, 400],
    ["POST", "/v1/chat/completions", { Authorization: "Bearer k" }, 400],
    ["POST", "/v1/embeddings", { Authorization: "Bearer k" }, 404],
    ["GET", "/v1/messages", { "x-api-key": "k" }, 404],
  ])("refuses %s %s with %j", async (method, path, headers, status) => {
    const body = method === "GET" ? null : JSON.stringify({ model: "m" });
    const init = { method, body, headers: { "content-type": "application/json", ...headers } };
    expect(await callStandIn(`https://model.sandbox.test${path}`, init)).toMatchObject({
      status,
      body: { error: { message: expect.any(String) } },
    });
  });

  test("refuses what the providers refuse", async () => {
    await expect(ask([user("Hi")], { volley: {} } as never)).rejects.toMatchObject({
      status: 400,
      param: "volley",
    });
  });
});

test("findObjects() finds the outermost objects of a text, and passes over what only looks like one", () => {
  expect(findObjects('a {b} {"c": {"d": "}"}} {"e": "\\"{"} { "f": ')).toEqual([
    '{"c": {"d": "}"}}',
    '{"e": "\\"{"}',
  ]);
});
