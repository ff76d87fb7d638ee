import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import {
  type Answer,
  echo,
  type Event,
  GO,
  ownTool,
  resultsIn,
  sentTo,
  setUpMessages,
} from "../support/messages-world.ts";
import {
  CITED,
  FOUND,
  message,
  REDACTED,
  SEARCH,
  stream as toStream,
  text,
  THINKING,
} from "../../support/messages-streams.ts";
import { postAndHold } from "../../support/raw-client.ts";

/* POST /v1/messages as a stream, end to end: a model as strict as Anthropic's on the other side. */

const { model, upstream, volley, anthropic, stream, send } = await setUpMessages();

const PARAMS: Anthropic.MessageCreateParamsNonStreaming = {
  model: "claude",
  max_tokens: 100,
  messages: [{ role: "user", content: "Go" }],
};
/** The message that the official client makes of a stream. */
const helped = (body: object = {}): Promise<Anthropic.Message> =>
  anthropic.messages.stream({ ...PARAMS, ...body }).finalMessage();

const textOf = (events: readonly Event[]): string => events.map(({ delta }) => delta?.text ?? "").join("");
const resultsOf = (events: readonly Event[]) => events.flatMap(({ volley: own }) => own?.result ?? []);
const reportOf = (events: readonly Event[]): Answer["volley"] | undefined =>
  events.map(({ volley: own }) => own).find((own) => own?.stopped !== undefined) as
    | Answer["volley"]
    | undefined;

/** Hold events to the order that the API documents, and to what Volley adds. */
function checkOrder(events: readonly Event[]): void {
  for (const { name, type } of events) expect(name).toBe(type);
  const told = events.filter(({ type }) => type !== "ping");
  expect(told.filter(({ type }) => type.startsWith("message_")).map(({ type }) => type)).toEqual([
    "message_start",
    "message_delta",
    "message_stop",
  ]);
  expect(told[0]!.type).toBe("message_start");
  expect(events.at(-1)!.type).toBe("message_stop");
  expect(events.at(-2)!.volley).toMatchObject({ rounds: expect.any(Array), stopped: expect.any(String) });
  const indexes = told.filter(({ type }) => type === "content_block_start").map(({ index }) => index);
  expect(indexes).toEqual(indexes.map((_, at) => at));
}

describe("A stream", () => {
  test("with nothing of ours in it is the model's own, byte for byte, and the report before its end", async () => {
    const raw = toStream([THINKING, REDACTED, SEARCH, FOUND, CITED, text("Done, ünd ✓ 🚗.")]);
    for (const split of [undefined, 7]) {
      model.willSay({ raw, ...(split && { split }) });
      const { text: told, headers } = await send({ stream: true });
      const report = 'event: ping\ndata: {"type":"ping","volley":{"rounds":[],"stopped":"answer"}}\n\n';
      const inDelta = ',"volley":{"rounds":[],"stopped":"answer"}}\n\nevent: ping';
      expect(told).toContain(inDelta);
      expect(told.replace(inDelta, "}\n\nevent: ping").replace(report, "")).toBe(raw);
      expect(headers["content-type"]).toBe("text/event-stream");
    }
  });

  test("is one message, whatever the number of rounds", async () => {
    model.willSay(
      { thinking: "Hm.", text: "Looking. ", calls: [echo(1), echo(2)] },
      { text: "And again. ", calls: [echo(3)] },
      { text: "Done, ünd ✓." },
    );
    const events = await stream();
    expect(model.problems).toEqual([]);
    checkOrder(events);
    expect(textOf(events)).toBe("Looking. And again. Done, ünd ✓.");
    expect(JSON.stringify(events.filter(({ volley: own }) => own === undefined))).not.toContain("probe-echo");
    expect(resultsOf(events).map(({ index }) => index)).toHaveLength(3);
    expect(reportOf(events)).toMatchObject({
      stopped: "answer",
      rounds: [{ results: [{}, {}] }, { results: [{}] }],
    });
    expect(events.filter(({ delta }) => delta?.stop_reason).map(({ delta }) => delta!.stop_reason)).toEqual([
      "end_turn",
    ]);
  });

  test("is what the client's helper makes of it", async () => {
    model.willSay({ thinking: "Hm.", text: "Looking. ", calls: [echo(1)] }, { text: "Done." });
    expect(await helped()).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm.", signature: expect.any(String) },
        { type: "text", text: "Looking. " },
        { type: "text", text: "Done." },
      ],
      stop_reason: "end_turn",
    });
  });

  test("is read event by event by the client, of betas too", async () => {
    model.willSay({ calls: [echo(1)] }, { text: "Done." }, { text: "Done." });
    const types: string[] = [];
    for await (const { type } of await anthropic.messages.create({ ...PARAMS, stream: true }))
      types.push(type);
    expect(types.at(0)).toBe("message_start");
    expect(types.at(-1)).toBe("message_stop");
    const beta = anthropic.beta.messages.stream({
      model: "claude",
      max_tokens: 100,
      messages: [{ role: "user", content: "Go" }],
      betas: ["x-2026-01-01"],
    });
    expect((await beta.finalMessage()).content).toMatchObject([{ text: "Done." }]);
  });

  test("reports in its 'message_delta' too, because the client gives its callers no ping", async () => {
    model.willSay({ calls: [echo(1)] }, { text: "Done." });
    const reports: unknown[] = [];
    for await (const event of await anthropic.messages.create({ ...PARAMS, stream: true }))
      if ("volley" in event) reports.push([event.type, event.volley]);
    expect(reports).toEqual([
      [
        "message_delta",
        { rounds: [expect.objectContaining({ results: [expect.anything()] })], stopped: "answer" },
      ],
    ]);
  });

  test("tells each result in a ping the moment it is known, before the others are", async () => {
    const release = upstream.hold("/echo", 62);
    model.willSay({ calls: [echo(61), echo(62)] }, { text: "Done." });
    const response = await fetch(`${volley.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "sandbox-key", "content-type": "application/json" },
      body: JSON.stringify({ ...PARAMS, stream: true }),
    });
    let told = "";
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      told += part;
      if (!told.includes('"volley":{"result"')) continue;
      if (!told.includes('"n":62')) expect(told).toContain('"n":61');
      release();
    }
    expect(told.indexOf('"n":61')).toBeLessThan(told.indexOf('"n":62'));
    expect(told).toContain("Done.");
  });

  test.each(["resetAndDestroy", "destroy"] as const)(
    "passes text on as it comes, and has the model's call aborted when its caller goes away (%s)",
    async (leave) => {
      model.willSay({ text: "First words, and then nothing for ever.", hangAfter: 900 });
      const socket = await postAndHold(`${volley.url}/v1/messages`, { ...PARAMS, stream: true });
      let told = "";
      socket.setEncoding("utf8").on("data", (part: string) => void (told += part));
      await eventually("the first words", () => (told.includes("First") ? true : undefined));
      expect(model.aborted).toBe(0);
      socket[leave]();
      await eventually("the model's call to be aborted", () => (model.aborted === 1 ? true : undefined));
    },
  );

  test("sums the usage up, with that of the cache", async () => {
    model.willSay(
      { calls: [echo(1)], usage: { input: 100, output: 10, cached: 40 } },
      { text: "Done.", usage: { input: 200, output: 20, cached: 150 } },
    );
    const events = await stream();
    expect(events.find(({ type }) => type === "message_delta")!.usage).toEqual({
      input_tokens: 110,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 190,
      output_tokens: 30,
    });
    model.willSay(
      { calls: [echo(1)], usage: { input: 100, output: 10, cached: 40 } },
      { text: "Done.", usage: { input: 200, output: 20, cached: 150 } },
    );
    expect((await helped()).usage).toMatchObject({
      input_tokens: 110,
      cache_read_input_tokens: 190,
      output_tokens: 30,
    });
  });

  test("of a model whose lines end with CRLF, cut anywhere, is read", async () => {
    model.willSay({ calls: [echo(1)], crlf: true, split: 5 }, { text: "Done.", crlf: true, split: 3 });
    expect(await helped()).toMatchObject({ content: [{ text: "Done." }] });
  });

  test("goes on where the model paused", async () => {
    model.willSay({ raw: toStream([SEARCH], { stop: "pause_turn" }) }, { text: "Done." });
    expect(await helped()).toMatchObject({
      content: [{ type: "server_tool_use" }, { text: "Done." }],
      stop_reason: "end_turn",
    });
  });
});

describe("The caller's own tools", () => {
  const tools = [ownTool("lookup")];
  const lookup = { name: "lookup", args: { q: "ünd" } };

  test("alone are passed on as they come", async () => {
    model.willSay({ text: "Asking.", calls: [lookup, { ...lookup, args: {} }] });
    const events = await stream({ tools });
    checkOrder(events);
    expect(events.filter(({ delta }) => delta?.type === "input_json_delta").length).toBeGreaterThan(1);
    expect(reportOf(events)).toEqual({ rounds: [], stopped: "client_tools" });
    model.willSay({ text: "Asking.", calls: [lookup, { ...lookup, args: {} }] });
    expect(await helped({ tools })).toMatchObject({
      content: [{ text: "Asking." }, { name: "lookup", input: { q: "ünd" } }, { name: "lookup", input: {} }],
      stop_reason: "tool_use",
    });
  });

  test("between ours, after rounds, have all results put in their place when they come back", async () => {
    model.willSay(
      { calls: [echo(1)] },
      { thinking: "Both.", calls: [echo(2), lookup, echo(3)] },
      { text: "Done." },
    );
    const first = await helped({ tools });
    expect(first).toMatchObject({
      content: [{ type: "thinking" }, { name: "lookup" }],
      stop_reason: "tool_use",
    });
    const use = first.content.find(({ type }) => type === "tool_use") as Anthropic.ToolUseBlock;
    const result = { type: "tool_result", tool_use_id: use.id, content: "found" };
    const messages = [GO, { role: "assistant", content: first.content }, { role: "user", content: [result] }];
    const last = await stream({ tools, messages }, volley.twinUrl!);
    checkOrder(last);
    expect(textOf(last)).toBe("Done.");
    expect(model.problems).toEqual([]);
    const sent = sentTo(model, 2);
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(resultsIn(sent[4]).map(({ content }) => content)).toEqual([
      '{"path":"/echo","n":2}',
      "found",
      '{"path":"/echo","n":3}',
    ]);
  });
});

describe("A stream ends", () => {
  test("with the words that something waits for a person, in a block of their own", async () => {
    model.willSay({ text: "Deleting.", calls: [{ name: "probe-delete", args: { id: "s1" } }] });
    const events = await stream();
    checkOrder(events);
    const report = reportOf(events)!;
    expect(report.stopped).toBe("confirmation");
    expect(textOf(events)).toContain(report.confirmations![0]!.id);
    model.willSay({ text: "It waits." });
    const content = [{ type: "text", text: textOf(events) }];
    const back = await stream({
      messages: [GO, { role: "assistant", content }, { role: "user", content: "And?" }],
    });
    expect(textOf(back)).toBe("It waits.");
    expect(model.problems).toEqual([]);
    expect(JSON.stringify(resultsIn(sentTo(model, 1)[2]))).toContain("pending_confirmation");
  });

  test.each([
    ["max_rounds", [{ calls: [echo(1)] }], { max_rounds: 1 }],
    ["repetition", [1, 2, 3].map(() => ({ calls: [echo(4)] })), {}],
  ] as const)("with an answer after %s, and shows no call of it", async (stopped, turns, options) => {
    model.willSay(...turns, { text: "Enough.", calls: [echo(9)] });
    const events = await stream({ volley: options });
    checkOrder(events);
    expect(reportOf(events)!.stopped).toBe(stopped);
    expect(textOf(events)).toBe("Enough.");
    expect(events.some(({ content_block }) => content_block?.type === "tool_use")).toBe(false);
    expect(events.find(({ type }) => type === "message_delta")!.delta!.stop_reason).toBe("end_turn");
    expect(model.problems).toEqual([]);
  });

  test("with what there is when its time is over", async () => {
    model.willSay({ text: "Looking.", calls: [echo(1, { d: 30_000 })] });
    const events = await stream({ volley: { deadline_ms: 1_000 } });
    checkOrder(events);
    expect(reportOf(events)!.stopped).toBe("deadline");
  });
});

describe("A strategy", () => {
  test("think-act shows nothing of its plans", async () => {
    model.willSay(
      { text: "Secret plan." },
      { text: "Looking. ", calls: [echo(1)] },
      { text: "Secret too." },
      { text: "Done." },
    );
    const events = await stream({ volley: { strategy: "think-act" } });
    checkOrder(events);
    expect(textOf(events)).toBe("Looking. Done.");
    expect(model.problems).toEqual([]);
  });

  test("react shows results and the answer, and none of its machinery", async () => {
    model.willSay(
      { text: 'Thought: look.\nAction: probe-echo\nAction Input: {"n": 1}' },
      { text: "Thought: I know.\nFinal Answer: It is 1." },
    );
    const events = await stream({ volley: { strategy: "react" } });
    expect(textOf(events)).toBe("It is 1.");
    expect(resultsOf(events)).toHaveLength(1);
    checkOrder(events);
    model.willSay({ text: 'Action: probe-echo\nAction Input: {"n": 1}' }, { text: "Final Answer: It is 1." });
    expect(await helped({ volley: { strategy: "react" } })).toMatchObject({
      content: [{ type: "text", text: "It is 1." }],
      stop_reason: "end_turn",
    });
  });

  test("react gives the caller's own tools as calls", async () => {
    model.willSay({ text: 'Action: lookup\nAction Input: {"q": 1}' });
    expect(await helped({ tools: [ownTool("lookup")], volley: { strategy: "react" } })).toMatchObject({
      content: [{ type: "tool_use", name: "lookup", input: { q: 1 } }],
      stop_reason: "tool_use",
    });
  });
});

describe("An error", () => {
  test("before the stream has its own status, and no stream", async () => {
    model.willSay({ status: 400 });
    const { status, headers, text: said } = await send({ stream: true });
    expect(status).toBe(502);
    expect(headers["content-type"]).toContain("application/json");
    expect(JSON.parse(said)).toMatchObject({ type: "error", error: { code: "MODEL_UNAVAILABLE" } });
  });

  test("at once in the stream is passed over by asking again", async () => {
    model.willSay({ text: "No.", errorAfter: 0 }, { text: "Done." });
    const events = await stream();
    checkOrder(events);
    expect(textOf(events)).toBe("Done.");
  });

  test.each([0, 1, 3])(
    "that stays, after %d events, ends the stream as an error event",
    async (errorAfter) => {
      const turns = errorAfter === 0 ? 3 : 1;
      model.willSay(...Array.from({ length: turns }, () => ({ text: "Some words.", errorAfter })));
      const events = await stream();
      const last = events.at(-1)!;
      expect(last).toMatchObject({ name: "error", type: "error", error: { type: "api_error" } });
      expect(JSON.stringify(last)).not.toContain("while it answered");
      expect(events.filter(({ type }) => type === "message_stop")).toEqual([]);
      expect(model.requests).toHaveLength(turns);
      model.willSay(...Array.from({ length: turns }, () => ({ text: "Some words.", errorAfter })));
      await expect(helped()).rejects.toBeInstanceOf(Anthropic.APIError);
    },
  );

  test("in a later round ends what was told with an error event", async () => {
    model.willSay({ text: "Looking.", calls: [echo(1)] }, { status: 400 });
    const events = await stream();
    expect(textOf(events)).toBe("Looking.");
    expect(resultsOf(events)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "error" });
  });

  test("of a connection that breaks before anything was said is passed over", async () => {
    model.willSay({ text: "No.", cutAfter: 10 }, { text: "Done." });
    expect(textOf(await stream())).toBe("Done.");
  });

  test("of a model that answers a stream with JSON is a 502", async () => {
    const json = { raw: JSON.stringify(message([text("a")])), contentType: "application/json" };
    model.willSay(json, json, json);
    expect((await send({ stream: true })).status).toBe(502);
  });
});

test("A caller that goes away in the middle of a stream has reads aborted, and the model is not asked again", async () => {
  const release = upstream.hold("/echo", 78);
  model.willSay({ text: "Looking.", calls: [echo(78)] });
  const socket = await postAndHold(`${volley.url}/v1/messages`, { ...PARAMS, stream: true });
  const seen = await eventually("the read to begin", () =>
    upstream.requestsTo("/echo").find(({ query }) => query.get("n") === "78"),
  );
  socket.resetAndDestroy();
  expect(await seen.end).toBe("torn");
  release();
  expect(model.requests).toHaveLength(1);
});
