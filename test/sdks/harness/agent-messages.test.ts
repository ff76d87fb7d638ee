import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import {
  type Block,
  echo,
  GO,
  ownTool,
  resultsIn,
  sentTo,
  setUpMessages,
  textOf,
  toolsOf,
  usesIn,
} from "../support/messages-world.ts";
import { message, SEARCH, text } from "../../support/messages-streams.ts";
import { postAndHold } from "../../support/raw-client.ts";
import { TestCaller } from "../../support/test-caller.ts";

/* POST /v1/messages end to end, answered all at once: a model as strict as Anthropic's on the other side. */

const { model, upstream, volley, anthropic, ask, send } = await setUpMessages();

const raw = (blocks: Parameters<typeof message>[0], end?: Parameters<typeof message>[1]) => ({
  raw: JSON.stringify(message(blocks, end)),
});
const GO_ON = { role: "user", content: "Go on" };
const decide = async (id: string, decision: "approve" | "reject"): Promise<void> => {
  const { status } = await new TestCaller(volley.url).send({
    path: `/v1/confirmations/${id}`,
    body: JSON.stringify({ decision }),
  });
  expect(status).toBe(200);
};
const deletions = (id: string): number =>
  upstream.requestsTo("/item").filter(({ method, query }) => method === "DELETE" && query.get("id") === id)
    .length;

describe("A request", () => {
  test("has the calls of a turn run as one batch, and the model's last answer for its answer", async () => {
    const batch = { name: "execute_actions", args: { actions: [{ tool: "probe-echo", args: { n: 1 } }] } };
    model.willSay({ text: "Looking.", calls: [batch, echo(2)] }, { text: "Done." });
    upstream.gather("/echo", 2);
    const answer = await anthropic.messages.create({
      model: "claude",
      max_tokens: 100,
      messages: [{ role: "user", content: "Go" }],
    });

    expect(model.problems).toEqual([]);
    expect(answer).toMatchObject({
      role: "assistant",
      content: [{ type: "text", text: "Done." }],
      stop_reason: "end_turn",
      volley: {
        rounds: [
          {
            results: [1, 2].map((n, index) => ({
              index,
              tool: "probe-echo",
              status: "success",
              data: { n },
            })),
            duration_ms: expect.any(Number),
            model_ms: expect.any(Number),
          },
        ],
        stopped: "answer",
      },
    });
    const [asked, calling, told, ...others] = sentTo(model, 1);
    expect([asked, others]).toEqual([GO, []]);
    expect(calling).toMatchObject({ role: "assistant", content: [{ text: "Looking." }, {}, {}] });
    const [first, second] = resultsIn(told);
    expect(JSON.parse(first!.content!)).toMatchObject({ summary: { total: 1, ok: 1 } });
    expect(JSON.parse(second!.content!)).toEqual({ path: "/echo", n: 2 });
    expect(resultsIn(told).map(({ tool_use_id }) => tool_use_id)).toEqual(
      (calling!.content as readonly Block[]).flatMap(({ id }) => id ?? []),
    );
  });

  test("is the caller's own but for the tools", async () => {
    const fields = {
      system: [{ type: "text", text: "Be brief." }],
      metadata: { user_id: "u" },
      stop_sequences: ["END"],
      temperature: 0.5,
      thinking: { type: "disabled" },
    };
    model.willSay({ text: "Hi." });
    const { volley: report } = await ask({ ...fields, volley: { max_rounds: 2, surface: "batch" } });
    const { tools, ...rest } = model.requests[0]!.body;
    expect(rest).toEqual({ model: "claude", max_tokens: 100, messages: [GO], ...fields });
    expect(tools).toMatchObject([{ name: "execute_actions" }]);
    expect(report).toEqual({ rounds: [], stopped: "answer" });
  });

  test.each([
    ["text", "Be brief."],
    ["blocks", [{ type: "text", text: "Be brief." }]],
    ["nothing", undefined],
  ])("has its system of %s in every round", async (_, system) => {
    model.willSay({ calls: [echo(1)] }, { text: "Done." });
    await ask({ system });
    expect(model.requests.map(({ body }) => body["system"])).toEqual([system, system]);
  });

  test.each([
    ["x-api-key", { "x-api-key": "sandbox-key" }],
    ["a bearer", { authorization: "Bearer sandbox-key", "x-api-key": undefined }],
  ])("is let in with %s, and the model is sent the deployment's key alone", async (_, headers) => {
    model.willSay({ text: "Hi." });
    expect((await send({}, headers)).status).toBe(200);
    const [request] = model.requests;
    expect(request!.headers["x-api-key"]).toBe("#anthropic-secret");
    expect(JSON.stringify(request!.headers)).not.toContain("sandbox-key");
  });

  test("passes the version and the betas on, in every round", async () => {
    model.willSay({ calls: [echo(1)] }, { text: "Done." });
    const version = "2026-10-21";
    await anthropic.beta.messages.create(
      {
        model: "claude",
        max_tokens: 100,
        messages: [{ role: "user", content: "Go" }],
        betas: ["one-2026-01-01", "two-2026-01-01"],
      },
      { headers: { "anthropic-version": version } },
    );
    for (const { path, headers } of model.requests) {
      expect(path).toBe("/v1/messages");
      expect(headers["anthropic-version"]).toBe(version);
      expect(headers["anthropic-beta"]).toBe("one-2026-01-01,two-2026-01-01");
    }
    expect(model.requests).toHaveLength(2);
  });

  test("says that it is of a beta, as older clients do", async () => {
    model.willSay({ text: "Hi." });
    expect((await send({}, {}, volley.url, "?beta=true&other=1")).status).toBe(200);
    expect(model.requests[0]!.path).toBe("/v1/messages?beta=true");
  });

  test("has a version where its client names none, and no beta", async () => {
    model.willSay({ text: "Hi." });
    await send();
    const { path, headers } = model.requests[0]!;
    expect(path).toBe("/v1/messages");
    expect(headers).toMatchObject({ "anthropic-version": "2023-06-01" });
    expect(headers).not.toHaveProperty("anthropic-beta");
  });
});

describe("Tools", () => {
  test("of ours come first and end with a breakpoint; the caller's and Anthropic's own follow in their order", async () => {
    const theirs = [{ type: "web_search_20260318", name: "web_search", max_uses: 1 }, ownTool("lookup")];
    model.willSay({ calls: [echo(1)] }, { text: "Done." });
    await ask({ tools: theirs, volley: { surface: "batch" } });
    const [ours, ...others] = toolsOf(model, 0);
    expect(ours).toMatchObject({ name: "execute_actions", cache_control: { type: "ephemeral" } });
    expect(others).toEqual(theirs);
    expect(JSON.stringify(toolsOf(model, 1))).toBe(JSON.stringify(toolsOf(model, 0)));
  });

  test("of ours have no breakpoint where the caller uses all four", async () => {
    const system = [1, 2, 3, 4].map((n) => ({
      type: "text",
      text: `${n}`,
      cache_control: { type: "ephemeral" },
    }));
    model.willSay({ text: "Hi." });
    await ask({ system });
    expect(model.problems).toEqual([]);
    expect(toolsOf(model, 0)[0]).not.toHaveProperty("cache_control");
  });

  test("stay in the last call, where none may be called, whatever the caller chose", async () => {
    model.willSay({ calls: [echo(1)] }, { text: "Enough." });
    const answer = await ask({ tool_choice: { type: "any" }, volley: { max_rounds: 1 } });
    expect(model.problems).toEqual([]);
    expect(model.requests.map(({ body }) => body["tool_choice"])).toEqual([
      { type: "any" },
      { type: "none" },
    ]);
    expect(toolsOf(model, 1)).toEqual(toolsOf(model, 0));
    expect(answer.volley.stopped).toBe("max_rounds");
    expect(JSON.stringify(sentTo(model, 1).at(-1))).toContain("tools are switched off");
  });

  test("are not run where the model calls them all the same", async () => {
    model.willSay({ calls: [echo(91)] }, { text: "So far:", calls: [echo(92)] });
    const answer = await ask({ volley: { max_rounds: 1 } });
    expect(answer).toMatchObject({ content: [{ text: "So far:" }], stop_reason: "end_turn" });
    expect(answer.volley.rounds).toHaveLength(1);
    expect(upstream.requestsTo("/echo").filter(({ query }) => query.get("n") === "92")).toEqual([]);
  });
});

describe("A turn", () => {
  test("goes back with its thoughts as they came, and results first in one message", async () => {
    model.willSay({ thinking: "Hm, ünd?", text: "Looking.", calls: [echo(1), echo(2)] }, { text: "Done." });
    await ask({ max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } });
    expect(model.problems).toEqual([]);
    const [, calling, told] = sentTo(model, 1);
    expect(calling!.content).toMatchObject([
      { type: "thinking", thinking: "Hm, ünd?", signature: expect.any(String) },
      { type: "text" },
      { type: "tool_use" },
      { type: "tool_use" },
    ]);
    expect((told!.content as { type: string }[]).map(({ type }) => type)).toEqual([
      "tool_result",
      "tool_result",
    ]);
  });

  test("of nothing but space and calls goes back without the space", async () => {
    model.willSay({ text: "\n\n", calls: [echo(1)] }, { text: "Done." });
    await ask();
    expect(model.problems).toEqual([]);
  });

  test("whose call failed is answered as failed, with a hint", async () => {
    model.willSay({ calls: [{ name: "probe-echo", args: { n: "one" } }, echo(2)] }, { text: "Done." });
    await ask();
    const [failed, ran] = resultsIn(sentTo(model, 1).at(-1));
    expect(failed).toMatchObject({ is_error: true });
    expect(JSON.parse(failed!.content!)).toMatchObject({
      error: { code: "INVALID_ARGS", hint: expect.any(String) },
    });
    expect(ran).not.toHaveProperty("is_error");
  });

  test("that only begins something is told so, never that it is done", async () => {
    model.willSay({ calls: [{ name: "probe-background", args: { n: 1 } }] }, { text: "Begun." });
    await ask();
    expect(JSON.parse(resultsIn(sentTo(model, 1).at(-1))[0]!.content!)).toMatchObject({
      status: "initiated",
    });
  });

  test("that Anthropic paused is sent back as it is and goes on, and the answer has both", async () => {
    model.willSay(raw([SEARCH], { stop: "pause_turn" }), { text: "Found." });
    const tools = [{ type: "web_search_20260318", name: "web_search" }];
    const { volley: report, content, stop_reason } = await ask({ tools });
    expect(model.problems).toEqual([]);
    expect(sentTo(model, 1).at(-1)).toMatchObject({
      role: "assistant",
      content: [{ type: "server_tool_use" }],
    });
    expect(content).toMatchObject([{ type: "server_tool_use" }, { type: "text", text: "Found." }]);
    expect(stop_reason).toBe("end_turn");
    expect(report).toMatchObject({ stopped: "answer", rounds: [{ results: [] }] });
  });
});

describe("Rounds", () => {
  test("end after as many as asked for", async () => {
    model.willSay(...[1, 2, 3].map((n) => ({ calls: [echo(n)] })), { text: "Enough." });
    const { volley: report, content } = await ask({ volley: { max_rounds: 3 } });
    expect(report).toMatchObject({ stopped: "max_rounds" });
    expect(report.rounds).toHaveLength(3);
    expect(textOf({ content })).toBe("Enough.");
    expect(model.requests).toHaveLength(4);
    expect(model.problems).toEqual([]);
  });

  test("that make the same call three times running are the last ones", async () => {
    model.willSay(...[1, 2, 3].map(() => ({ calls: [echo(5)] })), { text: "Again the same." });
    expect((await ask()).volley).toMatchObject({ stopped: "repetition" });
    expect(model.requests).toHaveLength(4);
  });

  test("sum up the usage, with that of the cache", async () => {
    model.willSay(
      { calls: [echo(1)], usage: { input: 100, output: 10, cached: 40 } },
      { text: "Done.", usage: { input: 200, output: 20, cached: 150 } },
    );
    expect((await ask()).usage).toMatchObject({
      input_tokens: 110,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 190,
      cache_creation: { ephemeral_5m_input_tokens: 0 },
      output_tokens: 30,
      service_tier: "standard",
    });
  });

  test("whose time is over end with what there is", async () => {
    model.willSay({ text: "Looking.", calls: [echo(1, { d: 30_000 }), echo(2)] });
    const answer = await ask({ volley: { deadline_ms: 1_000 } });
    expect(answer.volley.stopped).toBe("deadline");
    expect(answer.stop_reason).toBe("end_turn");
    expect(usesIn(answer)).toEqual([]);
    expect(textOf(answer)).toContain("Looking.");
    expect(answer.volley.rounds[0]!.results[1]).toMatchObject({ status: "success" });
  });
});

describe("The caller's own tools", () => {
  const tools = [ownTool("lookup"), ownTool("notify")];
  const lookup = { name: "lookup", args: { q: "ü" } };
  const answerTo = (uses: ReturnType<typeof usesIn>, more: readonly object[] = []): object => ({
    role: "user",
    content: [...uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "found" })), ...more],
  });

  test("alone in a turn are passed on, and the conversation goes on as the caller sends it", async () => {
    model.willSay({ text: "Asking.", calls: [lookup] }, { text: "Done." });
    const first = await ask({ tools });
    expect(first).toMatchObject({ stop_reason: "tool_use", volley: { rounds: [], stopped: "client_tools" } });
    expect(first.content).toMatchObject([{ text: "Asking." }, { name: "lookup", input: { q: "ü" } }]);
    const messages = [GO, { role: "assistant", content: first.content }, answerTo(usesIn(first))];
    expect(textOf(await ask({ tools, messages }))).toBe("Done.");
    expect(model.problems).toEqual([]);
    expect(sentTo(model, 1)).toEqual(messages);
  });

  test("with ours in one turn come alone, and all results are in their place when they come back to another isolate", async () => {
    model.willSay(
      { calls: [echo(1)] },
      { thinking: "Both.", text: "Asking.", calls: [echo(2), lookup, echo(3), { name: "notify", args: {} }] },
      { text: "Done." },
    );
    const thinking = { max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } };
    const first = await ask({ tools });
    expect(first.volley).toMatchObject({ stopped: "client_tools", rounds: [{}, { results: [{}, {}] }] });
    expect(usesIn(first).map(({ name }) => name)).toEqual(["lookup", "notify"]);
    expect(JSON.stringify(first.content)).not.toContain("probe-echo");

    const uses = usesIn(first).toReversed();
    const messages = [
      GO,
      { role: "assistant", content: first.content },
      answerTo(uses, [{ type: "text", text: "And then?" }]),
    ];
    const last = await ask({ tools, messages, ...thinking }, volley.twinUrl!);
    expect(textOf(last)).toBe("Done.");
    expect(model.problems).toEqual([]);
    const sent = sentTo(model, 2);
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(sent[3]!.content).toMatchObject([
      { type: "thinking" },
      { type: "text" },
      { name: "probe-echo" },
      { name: "lookup" },
      { name: "probe-echo" },
      { name: "notify" },
    ]);
    const ids = (sent[3]!.content as readonly Block[]).flatMap(({ id }) => id ?? []);
    expect(resultsIn(sent[4]).map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
    expect(resultsIn(sent[4]).map(({ content }) => content)).toEqual([
      '{"path":"/echo","n":2}',
      "found",
      '{"path":"/echo","n":3}',
      "found",
    ]);
    expect((sent[4]!.content as object[]).at(-1)).toEqual({ type: "text", text: "And then?" });
  });

  test("may have no name of ours", async () => {
    const { status, text: said } = await send({ tools: [ownTool("execute_actions")] });
    expect(status).toBe(422);
    expect(JSON.parse(said)).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", param: "/tools" },
    });
  });
});

describe("An action that needs a person's yes", () => {
  const remove = (id: string) => ({ name: "probe-delete", args: { id } });

  test.each([
    ["approve", "success", 1],
    ["reject", "error", 0],
  ] as const)("ends the request, and goes on after %s", async (decision, _, deleted) => {
    const id = `m-${decision}`;
    model.willSay(
      { thinking: "Sure.", text: "Deleting.", calls: [echo(1), remove(id)] },
      { text: "So it is." },
    );
    const first = await ask();
    expect(first).toMatchObject({ stop_reason: "end_turn", volley: { stopped: "confirmation" } });
    expect(usesIn(first)).toEqual([]);
    const [confirmation] = first.volley.confirmations!;
    expect(textOf(first)).toContain("Deleting.");
    expect(textOf(first)).toContain(confirmation!.id);
    expect(deletions(id)).toBe(0);

    await decide(confirmation!.id, decision);
    await eventually("the deletion", () => (deletions(id) === deleted ? true : undefined));
    const messages = [GO, { role: "assistant", content: first.content }, GO_ON];
    const last = await ask({ messages }, volley.twinUrl!);
    expect(textOf(last)).toBe("So it is.");
    expect(model.problems).toEqual([]);
    const [, calling, told] = sentTo(model, 1);
    expect(calling!.content).toMatchObject([
      { type: "thinking" },
      { text: "Deleting." },
      {},
      { name: "probe-delete" },
    ]);
    const [, result] = resultsIn(told);
    if (decision === "approve") expect(result).not.toHaveProperty("is_error");
    else
      expect(result).toMatchObject({
        is_error: true,
        content: expect.stringContaining("CONFIRMATION_REJECTED"),
      });
    expect((told!.content as object[]).at(-1)).toEqual({ type: "text", text: "Go on" });
  });
});

describe("A strategy", () => {
  test("think-act asks for a plan without tools before each round, which is no round but costs", async () => {
    const usage = { input: 10, output: 1 };
    model.willSay(
      { text: "Plan A.", usage },
      { calls: [echo(1)], usage },
      { text: "\n", usage },
      { text: "Done.", usage },
    );
    const answer = await ask({ system: "Be brief.", volley: { strategy: "think-act" } });
    expect(model.problems).toEqual([]);
    expect(
      model.requests.map(({ body }) => (body["tool_choice"] as { type?: string } | undefined)?.type),
    ).toEqual(["none", undefined, "none", undefined]);
    expect(answer.volley.rounds).toHaveLength(1);
    expect(answer.content).toMatchObject([{ text: "Done." }]);
    expect(answer.usage).toMatchObject({ input_tokens: 40, output_tokens: 4 });
    expect(JSON.stringify(sentTo(model, 1))).toContain("Plan A.");
  });

  test.each([
    ["text", "Be brief."],
    ["blocks", [{ type: "text", text: "Be brief." }]],
    ["nothing", undefined],
  ])("react sends no tools, and tells of them before the caller's system of %s", async (_, system) => {
    model.willSay(
      { text: 'Thought: look.\nAction: probe-echo\nAction Input: {"n": 1}\nObservation: 7' },
      { text: "Thought: I know.\nFinal Answer: It is 1." },
    );
    const answer = await ask({ system, volley: { strategy: "react" } });
    expect(model.problems).toEqual([]);
    expect(answer).toMatchObject({ content: [{ type: "text", text: "It is 1." }], stop_reason: "end_turn" });
    expect(answer.volley).toMatchObject({ stopped: "answer", rounds: [{ results: [{ data: { n: 1 } }] }] });
    for (const { body } of model.requests) {
      expect(body).not.toHaveProperty("tools");
      const [first, ...others] = body["system"] as { text: string }[];
      expect(first!.text).toContain("probe-echo");
      expect(others).toEqual(system === undefined ? [] : [{ type: "text", text: "Be brief." }]);
    }
    expect(JSON.stringify(sentTo(model, 1).at(-1))).toContain("Observation");
    expect(JSON.stringify(sentTo(model, 1))).not.toContain("Observation: 7");
  });

  test("react gives the caller's own tools as calls, and takes their results back", async () => {
    const tools = [ownTool("lookup")];
    const react = { tools, volley: { strategy: "react" } };
    model.willSay({ text: 'Action: lookup\nAction Input: {"q": 1}' }, { text: "Final Answer: Found." });
    const first = await ask(react);
    expect(first).toMatchObject({ stop_reason: "tool_use", volley: { stopped: "client_tools" } });
    const [use] = usesIn(first);
    expect(use).toMatchObject({ name: "lookup", input: { q: 1 } });
    const result = { type: "tool_result", tool_use_id: use!.id, content: "It was there." };
    const messages = [GO, { role: "assistant", content: first.content }, { role: "user", content: [result] }];
    expect(textOf(await ask({ ...react, messages }))).toBe("Found.");
    expect(model.problems).toEqual([]);
    expect(JSON.stringify(sentTo(model, 1).at(-1))).toContain("It was there.");
  });
});

describe("An error", () => {
  test.each([
    ["no key", { "x-api-key": undefined }, {}, 401, "authentication_error"],
    ["a wrong key", { "x-api-key": "wrong" }, {}, 401, "authentication_error"],
    ["messages that are none", {}, { messages: "Go" }, 422, "invalid_request_error"],
    ["an unknown option", {}, { volley: { rounds: 1 } }, 422, "invalid_request_error"],
  ])("of %s has Anthropic's shape", async (_, headers, body, status, type) => {
    const answer = await send(body, headers);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      type: "error",
      error: { type, message: expect.any(String) },
      request_id: expect.any(String),
    });
    expect(model.requests).toEqual([]);
  });

  test.each([
    [500, 3],
    [529, 3],
    [400, 1],
    [401, 1],
    [404, 1],
  ])(
    "F26 of the model with status %d is a 502 after %d requests, and never repeats its words",
    async (status, times) => {
      const refused = {
        status,
        body: { type: "error", error: { type: "api_error", message: "secret words" } },
      };
      model.willSay(...Array.from({ length: times }, () => refused));
      const { status: answered, text: said, headers } = await send();
      expect(answered).toBe(502);
      expect(JSON.parse(said)).toMatchObject({ type: "error", error: { code: "MODEL_UNAVAILABLE" } });
      expect(said).not.toContain("secret");
      expect(headers["x-should-retry"]).toBe("false");
      expect(model.requests).toHaveLength(times);
    },
  );

  test("of the model that passes is passed over: 529, 429 and a broken connection", async () => {
    model.willSay({ status: 529 }, { status: 429, headers: { "retry-after": "0" } }, { text: "Here." });
    expect(textOf(await ask())).toBe("Here.");
    model.willSay({ text: "Cut off.", cutAfter: 20 }, { text: "Here." });
    expect(textOf(await ask())).toBe("Here.");
    expect(model.requests).toHaveLength(5);
  });

  test("is early where the model wants to be left alone for longer than there is time", async () => {
    model.willSay({ status: 429, headers: { "retry-after": "100" } });
    const { status, headers } = await send({ volley: { deadline_ms: 5_000 } });
    expect(status).toBe(502);
    expect(headers["retry-after"]).toBe("100");
    expect(model.requests).toHaveLength(1);
  });

  test("of a model that says nothing in time is a 504", async () => {
    model.willSay({ hang: true });
    const { status, text: said } = await send({ volley: { deadline_ms: 1_000 } });
    expect(status).toBe(504);
    expect(JSON.parse(said)).toMatchObject({
      type: "error",
      error: { code: "MODEL_TIMEOUT", type: "timeout_error" },
    });
  });

  test("is thrown by Anthropic's own client under its name", async () => {
    const client = new Anthropic({ apiKey: "wrong", baseURL: volley.url, maxRetries: 0 });
    const asked = client.messages.create({
      model: "m",
      max_tokens: 1,
      messages: [{ role: "user", content: "Go" }],
    });
    await expect(asked).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });
});

test("A caller that goes away has the model's call and the reads aborted", async () => {
  model.willSay({ hang: true });
  const socket = await postAndHold(`${volley.url}/v1/messages`, {
    model: "m",
    max_tokens: 1,
    messages: [GO],
  });
  await eventually("the model to be asked", () => (model.requests.length === 1 ? true : undefined));
  socket.resetAndDestroy();
  await eventually("the model's call to be aborted", () => (model.aborted === 1 ? true : undefined));

  const release = upstream.hold("/echo", 77);
  model.willSay({ calls: [echo(77)] });
  const second = await postAndHold(`${volley.url}/v1/messages`, {
    model: "m",
    max_tokens: 1,
    messages: [GO],
  });
  const seen = await eventually("the read to begin", () =>
    upstream.requestsTo("/echo").find(({ query }) => query.get("n") === "77"),
  );
  second.resetAndDestroy();
  expect(await seen.end).toBe("torn");
  release();
  expect(model.requests).toHaveLength(2);
});

test("Text of the model's own blocks is the answer digit for digit", async () => {
  const exact = JSON.stringify(message([text("Hi ✓")])).replace(
    '"input_tokens":10',
    '"x_id":9007199254740993,"input_tokens":10',
  );
  model.willSay({ raw: exact });
  const { text: said } = await send();
  expect(said).toBe(`${exact.slice(0, -1)},"volley":{"rounds":[],"stopped":"answer"}}`);
});
