import { describe, expect, test } from "vitest";

import { digestKey } from "../../../src/cloudflare/http/key-ring.ts";
import {
  batchOf,
  CHAT_PATH,
  type ChatAnswer,
  type ChatMessage,
  GO,
  messageOf,
  sentTo,
  setUpChat,
} from "../../support/chat-world.ts";
import { eventually } from "../../support/eventually.ts";
import { startSandbox } from "../../support/sandbox.ts";
import { TestCaller } from "../../support/test-caller.ts";
import { createOpenAi } from "../support/open-ai.ts";

/* An action that needs a person's yes, in Chat Completions: the request ends, the person decides, the conversation goes on. */

const keyEntry = async (key: string, entry: object): Promise<object> => ({
  name: key,
  hash: Buffer.from(await digestKey(key)).toString("hex"),
  tenant: "sandbox",
  tools: ["*"],
  quota: { limit: 1_000, window_s: 60 },
  ...entry,
});
const VOLLEY_KEYS = JSON.stringify(
  await Promise.all([
    keyEntry("sandbox-key", { flags: ["approve"] }),
    keyEntry("trusted-key", { flags: ["skip_approval"] }),
  ]),
);

const { model, upstream, caller, ask, stream, volley } = await setUpChat({ VOLLEY_KEYS });
const openai = createOpenAi(volley);

const remove = (id: string) => ({ name: "probe-delete", args: { id } });
const GO_ON: ChatMessage = { role: "user", content: "Go on." };

const deletionsOf = (id: string, by = upstream) =>
  by.requestsTo("/item").filter(({ method, query }) => method === "DELETE" && query.get("id") === id).length;

const questionOf = ({ volley }: Pick<ChatAnswer, "volley">): string => volley.confirmations![0]!.id;

async function decide(id: string, decision: string, by = caller): Promise<void> {
  const { status, text } = await by.send({
    path: `/v1/confirmations/${id}`,
    body: JSON.stringify({ decision }),
  });
  if (status !== 200) throw new Error(`Not decided: ${status} ${text}`);
}

/** The conversation as its client sends it back. */
const backWith = (message: ChatMessage, before: readonly ChatMessage[] = [GO]): ChatMessage[] => [
  ...before,
  { role: "assistant", content: message.content ?? "" },
  GO_ON,
];

describe("A call that needs a person's yes", () => {
  test("ends the request with what waits, and nothing has happened", async () => {
    model.willSay({ text: "I will.", calls: [remove("c1"), { name: "probe-echo", args: { n: 1 } }] });
    const answer = await ask();
    expect(model.requests).toHaveLength(1);
    expect(deletionsOf("c1")).toBe(0);
    const { stopped, rounds, confirmations } = answer.volley;
    expect(stopped).toBe("confirmation");
    expect(rounds[0]!.results.map(({ status }) => status)).toEqual(["pending_confirmation", "success"]);
    expect(confirmations).toMatchObject([
      { id: expect.any(String), message: expect.stringContaining("probe-delete") },
    ]);
    const { content, tool_calls: calls } = messageOf(answer);
    expect(content).toMatch(/^I will\.\n\nOf what was called, this alone waits/);
    expect(content).toContain(questionOf(answer));
    expect(calls).toBeUndefined();
    expect(answer.choices[0]!.finish_reason).toBe("stop");
  });

  test.each([
    ["approved", "approve", /"deleted":true/, 1],
    ["rejected", "reject", /CONFIRMATION_REJECTED|said no/, 0],
    ["not decided", null, /pending_confirmation/, 0],
  ] as const)("and is %s goes on with what became of it", async (name, decision, told, times) => {
    const id = `c2-${name.replace(" ", "-")}`;
    model.willSay(
      { text: "First.", calls: [{ name: "probe-echo", args: { n: 5 } }] },
      { text: "I will.", calls: [remove(id)] },
      { text: "So be it." },
    );
    const answer = await ask();
    if (decision !== null) await decide(questionOf(answer), decision);
    const later = await ask({ messages: backWith(messageOf(answer)) });
    expect(model.problems).toEqual([]);
    expect(deletionsOf(id)).toBe(times);
    expect(messageOf(later).content).toBe("So be it.");
    expect(later.volley).toEqual({ rounds: [], stopped: "answer" });
    const seen = sentTo(model, 2);
    expect(seen.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool", "user"]);
    expect(seen[3]).toMatchObject({
      content: "I will.",
      tool_calls: [{ function: { name: "probe-delete" } }],
    });
    expect(seen[4]!.content).toMatch(told);
    expect(JSON.stringify(seen)).not.toContain("Of what was called");
    expect(seen[5]).toEqual(GO_ON);
  });

  test("inside a batch is told in its envelope once it is decided, and the summary with it", async () => {
    model.willSay(
      {
        calls: [
          batchOf(
            { id: "gone", tool: "probe-delete", args: { id: "c3" } },
            { id: "e", tool: "probe-echo", args: { n: 1 } },
          ),
        ],
      },
      { text: "Done." },
    );
    const answer = await ask();
    await decide(questionOf(answer), "approve");
    await ask({ messages: backWith(messageOf(answer)) });
    expect(model.problems).toEqual([]);
    const envelope = JSON.parse(sentTo(model, 1)[2]!.content!) as { results: object[]; summary: object };
    expect(envelope.results).toMatchObject([
      { index: 0, id: "gone", status: "success", data: { deleted: true } },
      { index: 1, id: "e", status: "success" },
    ]);
    expect(envelope.summary).toMatchObject({ total: 2, ok: 2 });
  });

  test("may be sent back more than once, each time as it is by then", async () => {
    model.willSay({ calls: [remove("c4")] }, { text: "Waiting." }, { text: "Done." });
    const answer = await ask();
    const messages = backWith(messageOf(answer));
    await ask({ messages });
    await decide(questionOf(answer), "approve");
    const later = [
      ...messages,
      { role: "assistant", content: "Waiting." },
      { role: "user", content: "Now?" },
    ];
    await ask({ messages: later });
    expect(sentTo(model, 1)[2]!.content).toContain("pending_confirmation");
    expect(sentTo(model, 2)[2]!.content).toContain('"deleted":true');
    expect(model.problems).toEqual([]);
    expect(deletionsOf("c4")).toBe(1);
  });

  test("asks about each of several, and each is decided by itself", async () => {
    model.willSay({ calls: [remove("c5a"), remove("c5b")] }, { text: "Done." });
    const answer = await ask();
    const ids = answer.volley.confirmations!.map(({ id }) => id);
    await decide(ids[0]!, "approve");
    if (ids.length > 1) await decide(ids[1]!, "reject");
    await ask({ messages: backWith(messageOf(answer)) });
    expect(model.problems).toEqual([]);
    expect(sentTo(model, 1)[2]!.content).toContain('"deleted":true');
    expect(sentTo(model, 1)[3]!.content).toMatch(ids.length > 1 ? /no/ : /"deleted":true/);
  });

  test("in a stream ends it the same way, and goes on streamed", async () => {
    model.willSay({ text: "I will.", calls: [remove("c6")] }, { text: "Gone ✓." });
    const said = await stream();
    expect(said.content).toMatch(/^I will\.\n\nOf what was called, this alone waits/);
    expect(said.finishes).toEqual(["stop"]);
    expect(said.calls).toEqual([]);
    expect(said.reports).toMatchObject([{ stopped: "confirmation", confirmations: [{}] }]);
    expect(said.endsWithDone).toBe(true);
    expect(said.results).toMatchObject([{ status: "pending_confirmation" }]);
    const question = said.reports[0]!.confirmations![0]!.id;
    await decide(question, "approve");
    const later = await stream({ messages: backWith({ role: "assistant", content: said.content }) });
    expect(later.content).toBe("Gone ✓.");
    expect(sentTo(model, 1)[2]!.content).toContain('"deleted":true');
    expect(sentTo(model, 1)[1]).toMatchObject({ content: "I will." });
    expect(model.problems).toEqual([]);
  });

  test("is understood by OpenAI's client, which sends the message back as it got it", async () => {
    model.willSay({ calls: [remove("c7")] }, { text: "Gone." });
    const params = { model: "m", messages: [{ role: "user" as const, content: "Go" }] };
    const first = await openai.chat.completions.create(params);
    await decide(questionOf(first as unknown as ChatAnswer), "approve");
    const { message } = first.choices[0]!;
    const later = await openai.chat.completions.create({
      ...params,
      messages: [...params.messages, message, { role: "user", content: "Go on." }],
    });
    expect(later.choices[0]!.message.content).toBe("Gone.");
    expect(model.problems).toEqual([]);
  });

  test("with react, is asked and goes on as text", async () => {
    const volley = { strategy: "react", tools: ["probe"] };
    model.willSay(
      { text: 'Thought: Delete it.\nAction: probe-delete\nAction Input: {"id":"c8"}' },
      { text: "Final Answer: Gone." },
    );
    const answer = await ask({ volley });
    expect(answer.volley.stopped).toBe("confirmation");
    expect(messageOf(answer).content).not.toMatch(/Action|Thought/);
    await decide(questionOf(answer), "approve");
    const later = await ask({ volley, messages: backWith(messageOf(answer)) });
    expect(messageOf(later).content).toBe("Gone.");
    expect(model.problems).toEqual([]);
    expect(JSON.stringify(sentTo(model, 1))).toContain("deleted");
  });
});

describe("skip_approval", () => {
  test("runs it at once for a key that may, and only where it is asked for", async () => {
    model.willSay({ calls: [remove("s1")] }, { text: "Gone." }, { calls: [remove("s2")] });
    const answer = await ask({ volley: { skip_approval: true } }, "trusted-key");
    expect(answer.volley).toMatchObject({
      stopped: "answer",
      rounds: [{ results: [{ status: "success" }] }],
    });
    expect(deletionsOf("s1")).toBe(1);
    expect((await ask({}, "trusted-key")).volley.stopped).toBe("confirmation");
    expect(deletionsOf("s2")).toBe(0);
  });

  test("is for the caller to say, never for the model or a key that may not", async () => {
    const call = {
      name: "execute_actions",
      args: { actions: [{ tool: "probe-delete", args: { id: "s3" } }], skip_approval: true },
    };
    model.willSay({ calls: [call] }, { calls: [remove("s4")] }, { text: "?" });
    expect((await ask({}, "trusted-key")).volley.stopped).not.toBe("answer");
    expect(deletionsOf("s3")).toBe(0);
    const refused = await ask({ volley: { skip_approval: true } });
    expect(deletionsOf("s4")).toBe(0);
    expect(refused.volley.stopped).toBe("confirmation");
  });
});

test("A question that expired is told as such, and nothing has happened", async () => {
  await using worker = await startSandbox({
    vars: {
      PROBE_ORIGIN: upstream.url,
      LLM_BASE_URL: model.baseUrl,
      LLM_API_KEY: "k",
      VOLLEY_KEYS,
      VOLLEY_CONFIRMATION_TTL_S: "1",
    },
  });
  const by = new TestCaller(worker.url);
  const post = async (body: object) =>
    JSON.parse((await by.send({ path: CHAT_PATH, body: JSON.stringify(body) })).text) as ChatAnswer;
  model.willSay({ calls: [remove("x1")] }, { text: "Too late." });
  const answer = await post({ model: "m", messages: [GO] });
  await eventually("the question to expire", async () => {
    const { text } = await by.get(`/v1/confirmations/${questionOf(answer)}`);
    return (JSON.parse(text) as { status: string }).status === "expired" ? true : undefined;
  });
  const later = await post({ model: "m", messages: backWith(messageOf(answer)) });
  expect(messageOf(later).content).toBe("Too late.");
  expect(sentTo(model, 1)[2]!.content).toMatch(/in time|expired/i);
  expect(model.problems).toEqual([]);
  expect(deletionsOf("x1")).toBe(0);
});
