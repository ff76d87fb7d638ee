import { describe, expect, test } from "vitest";

import type { ConfirmationRecord } from "../../../src/features/confirmations/confirmation.ts";
import type { JsonObject } from "../../../src/core/contract/json.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as AGENT_LIMITS from "../../../src/features/agent/limits.ts";
import { AgentWorld, type SaidCall, type SaidTurn } from "../../support/agent-world.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

const double = contractOf("double", { run: async (args) => ({ twice: 2 * (args as { n: number }).n }) });
const slow = contractOf("slow", {
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
});
const write = contractOf("write", { isWrite: true, run: async () => ({ written: true }) });
const remove = contractOf("remove", {
  isWrite: true,
  actions: ["delete"],
  run: async () => ({ gone: true }),
});
const broken = contractOf("broken", { run: () => Promise.reject(new Error("boom")) });
const big = contractOf("big", {
  run: async () => ({ words: Array.from({ length: 4_000 }, (_, n) => `word${n}`) }),
});
const TOOLS = [double, slow, write, remove, broken, big];

const call = (name: string, args: object | string = {}, id?: string): SaidCall => ({
  name,
  args,
  ...(id !== undefined && { id }),
});
const twice = (n: number): SaidCall => call("double", { n });
const THEIRS = {
  type: "function",
  function: { name: "theirs", parameters: { type: "object", properties: {} } },
};
const rolesOf = (messages: readonly { readonly [key: string]: unknown }[]): unknown[] =>
  messages.map(({ role }) => role);

describe("A request to a model", () => {
  test("is answered by the model, which sees its results in the order of its calls", async () => {
    const world = new AgentWorld({ calls: [twice(1), call("broken"), twice(3)] }, { text: "Six." });
    const answer = await world.answer(TOOLS);

    expect(answer.message.content).toBe("Six.");
    expect(answer.stopped).toBe("answer");
    const [, second] = world.asked;
    expect(rolesOf(second!.messages)).toEqual(["user", "assistant", "tool", "tool", "tool"]);
    expect(second!.messages.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual([
      "call_1_0",
      "call_1_1",
      "call_1_2",
    ]);
    expect(second!.messages[3]!["content"]).toContain("TOOL_FAILED");
    expect(answer.rounds[0]!.results.map(({ status }) => status)).toEqual(["success", "error", "success"]);
  });

  test("says how long the model and the tools took in each round", async () => {
    const nap = contractOf("nap", { run: async () => world.clock.sleep(70).then(() => ({})) });
    const world: AgentWorld = new AgentWorld(
      { afterMs: 300, calls: [call("nap")] },
      { afterMs: 200, text: "Up." },
    );
    const { rounds } = await world.answer([nap]);
    expect(rounds).toMatchObject([{ model_ms: 300, duration_ms: 70 }]);
  });

  test("has one time for all batches of a round", async () => {
    const alone = { actions: [{ tool: "slow" }], on_error: "fail-fast" };
    const world = new AgentWorld({ calls: [call("slow"), call("execute_actions", alone)] });
    const beganAt = world.clock.now();
    const { rounds, stopped } = await world.answer(TOOLS, { volley: { deadline_ms: 2_000 } });
    expect(stopped).toBe("deadline");
    expect(rounds[0]!.results).toHaveLength(2);
    expect(world.clock.now()).toBeLessThan(beganAt + 2_100);
  });

  test("has the tools first and the same in every round, and no word of Volley's in its other fields", async () => {
    const world = new AgentWorld({ calls: [twice(1)] }, { calls: [twice(2)] }, { text: "Done." });
    await world.answer(TOOLS, { tools: [THEIRS], temperature: 0, volley: { surface: "flat" } });
    const [first, second, third] = world.asked.map((body): JsonObject => ({ ...body, messages: [] }));
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(first!["volley"]).toBeUndefined();
    expect((first!["tools"] as unknown[]).at(-1)).toEqual(THEIRS);
    expect(first!["temperature"]).toBe(0);
  });

  test("sums what all calls of the model used", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
    const world = new AgentWorld({ calls: [twice(1)], usage }, { text: "Done.", usage });
    expect((await world.answer(TOOLS)).usage).toEqual({
      prompt_tokens: 20,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 8 },
    });
  });

  test("is one request of the quota, and one more for each round", async () => {
    const world = new AgentWorld(
      { calls: [twice(1), call("execute_actions", { actions: [{ tool: "double", args: { n: 2 } }] })] },
      { text: "Done." },
    );
    await world.answer(TOOLS);
    expect(world.gate.requests).toHaveLength(1);
  });

  test("keeps the ids of several calls of execute_actions apart, and their caps together", async () => {
    let running = 0;
    let most = 0;
    const capped = contractOf("capped", {
      orchestration: { mode: "fan-out-bounded", max_concurrency: 2 },
      run: async () => {
        most = Math.max(most, (running += 1));
        await world.clock.sleep(10);
        running -= 1;
        return {};
      },
    });
    const three = (from: number): object => ({
      actions: Array.from({ length: 3 }, (_, n) => ({ tool: "capped", args: { n: from + n } })),
    });
    const world: AgentWorld = new AgentWorld(
      { calls: [call("execute_actions", three(0)), call("execute_actions", three(3))] },
      { text: "Done." },
    );
    const { rounds } = await world.answer([capped]);
    expect(most).toBe(2);
    expect(new Set(rounds[0]!.results.map(({ id }) => id)).size).toBe(6);
    expect(rounds[0]!.results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    const [, second] = world.asked;
    for (const { content } of second!.messages.slice(2))
      expect(
        (JSON.parse(content as string) as { results: { index: number }[] }).results.map(({ index }) => index),
      ).toEqual([0, 1, 2]);
  });

  test("does not mix up ids that two calls of a turn both refer to", async () => {
    const chain = (n: number): object => ({
      actions: [
        { id: "one", tool: "double", args: { n } },
        { id: "two", tool: "double", args: { n: { $ref: "one#/twice" } } },
      ],
    });
    const world = new AgentWorld(
      { calls: [call("execute_actions", chain(1)), call("execute_actions", chain(10))] },
      { text: "Done." },
    );
    const { rounds } = await world.answer(TOOLS);
    expect(rounds[0]!.results.map(({ data }) => data)).toEqual([
      { twice: 2 },
      { twice: 4 },
      { twice: 20 },
      { twice: 40 },
    ]);
  });

  test("T39 runs the first fifty calls of a turn and tells the model of the rest", async () => {
    const calls = Array.from({ length: 53 }, (_, n) => twice(n));
    const world = new AgentWorld({ calls }, { text: "Done." });
    const { rounds } = await world.answer(TOOLS);
    const statuses = rounds[0]!.results.map(({ status }) => status);
    expect(statuses.filter((status) => status === "success")).toHaveLength(50);
    expect(statuses).toHaveLength(53);
    expect(rolesOf(world.asked[1]!.messages).filter((role) => role === "tool")).toHaveLength(53);
  });

  trial("cuts what is too much for the model, and a later round can have the rest", async () => {
    const world = new AgentWorld({ calls: [call("big")] }, { text: "Much." });
    const { rounds } = await world.answer(TOOLS, { volley: { max_tokens: 200 } });
    const [result] = rounds[0]!.results as [{ meta: { truncated: object; handle: string } }];
    expect(result.meta.truncated).toBeDefined();
    expect(world.asked[1]!.messages.at(-1)!["content"]).toContain(result.meta.handle);
    expect(world.gate.kept.has(result.meta.handle)).toBe(true);
  });
});

describe("Arguments of a model", () => {
  test.each([
    ["cut off", '{"n": 21'],
    ["fenced", '```json\n{"n": 21}\n```'],
  ])("that are %s are repaired for a read, and go back as JSON", async (_, args) => {
    const world = new AgentWorld({ calls: [call("double", args)] }, { text: "Done." });
    const { rounds } = await world.answer(TOOLS);
    expect(rounds[0]!.results).toMatchObject([{ status: "success", data: { twice: 42 } }]);
    const [{ function: sent }] = world.asked[1]!.messages[1]!["tool_calls"] as [
      { function: { arguments: string } },
    ];
    expect(JSON.parse(sent.arguments)).toEqual({ n: 21 });
  });

  test.each([
    ["a write", call("write", '{"n": 21')],
    [
      "a write in a batch",
      call("execute_actions", '{"actions": [{"tool": "double", "args": {"n": 1}}, {"tool": "write"}'),
    ],
    ["a write behind invoke_tool", call("invoke_tool", '{"tool_name": "write", "parameters": {}')],
  ])("T39 that are cut off never run %s", async (_, cut) => {
    const world = new AgentWorld({ calls: [cut] }, { text: "Done." });
    const { rounds } = await world.answer(TOOLS);
    expect(rounds[0]!.results).toMatchObject([{ status: "error", error: { code: "INVALID_ARGS" } }]);
    expect(world.asked[1]!.messages.at(-1)!["content"]).toContain("cut off");
  });

  test("that are no JSON cost their call only, and the model is told where they go wrong", async () => {
    const world = new AgentWorld({ calls: [call("double", '{"n": oops}'), twice(2)] }, { text: "Done." });
    const { rounds } = await world.answer(TOOLS);
    expect(rounds[0]!.results.map(({ status }) => status)).toEqual(["error", "success"]);
    expect(world.asked[1]!.messages[2]!["content"]).toContain("line 1");
  });
});

describe("Rounds", () => {
  trial.each([1, 2, 5, 20])(
    "T39 are at most %i where that is asked; then the model answers without tools",
    async (max_rounds) => {
      const turns = Array.from({ length: max_rounds }, (_, n): SaidTurn => ({ calls: [twice(n)] }));
      const world = new AgentWorld(...turns, { text: "That is all." });
      const answer = await world.answer(TOOLS, { tool_choice: "required", volley: { max_rounds } });
      expect(world.asked).toHaveLength(max_rounds + 1);
      expect(answer).toMatchObject({
        stopped: "max_rounds",
        finish_reason: "stop",
        message: { content: "That is all." },
      });
      const last = world.asked.at(-1)!;
      expect([last["tools"], last["tool_choice"]]).toEqual([undefined, undefined]);
      expect(last.messages.at(-1)).toMatchObject({
        role: "user",
        content: expect.stringContaining("switched off") as string,
      });
    },
  );

  test("end with an answer even where the model calls on", async () => {
    const world = new AgentWorld({ calls: [twice(1)] }, { calls: [call("write")] });
    const answer = await world.answer(TOOLS, { volley: { max_rounds: 1 } });
    expect(answer.message["tool_calls"]).toBeUndefined();
    expect(answer.message.content).not.toBe("");
    expect(answer.finish_reason).toBe("stop");
    expect(answer.rounds).toHaveLength(1);
  });

  test("T39 end where the same call came three times running", async () => {
    const same: SaidTurn = { calls: [twice(1)] };
    const world = new AgentWorld(same, same, same, { text: "Again two." });
    expect(await world.answer(TOOLS)).toMatchObject({
      stopped: "repetition",
      rounds: { length: 3 },
      message: { content: "Again two." },
    });
  });

  test("go on where one action of a batch is the same and what it refers to is not", async () => {
    const turn = (n: number): SaidTurn => ({
      calls: [
        call("execute_actions", {
          actions: [
            { id: "a", tool: "double", args: { n } },
            { tool: "double", args: { n: { $ref: "a#/twice" } } },
          ],
        }),
      ],
    });
    const world = new AgentWorld(turn(1), turn(2), turn(3), { text: "Done." });
    expect((await world.answer(TOOLS)).stopped).toBe("answer");
  });

  test("end at the request's deadline, with what is known and an answer", async () => {
    const world = new AgentWorld({ calls: [call("slow"), twice(1)] });
    const answer = await world.answer(TOOLS, { volley: { deadline_ms: 2_000 } });
    expect(answer).toMatchObject({ stopped: "deadline", finish_reason: "stop" });
    expect(answer.rounds[0]!.results[1]).toMatchObject({ status: "success" });
    expect(answer.message.content).toContain("2000 ms");
    expect(answer.message.content).toContain("\nDone: 'double'. Started, and not over yet: 'slow'.");
  });
});

describe("A model that fails", () => {
  test("is asked again where that may help, twice at most and no sooner than it says", async () => {
    const busy = { status: 429, headers: { "retry-after": "3" } };
    const world = new AgentWorld(busy, { breaks: true }, { text: "Here." });
    expect((await world.answer(TOOLS)).message.content).toBe("Here.");
    expect(world.askedAt[1]).toBe(3_000);
    expect(world.asked).toHaveLength(3);
  });

  test.each([
    ["busy", { status: 429 }, 3],
    ["failing", { status: 500 }, 3],
    ["overloaded", { status: 529 }, 3],
    ["gone", { breaks: true }, 3],
    ["refusing", { status: 400 }, 1],
    ["refusing our key", { status: 401 }, 1],
    ["elsewhere", { status: 307 }, 1],
  ] as const)("F26 and stays %s is unavailable", async (_, turn, times) => {
    const world = new AgentWorld(turn, turn, turn);
    expect(await world.ask(TOOLS)).toMatchObject({
      ok: false,
      error: { refusal: { code: "MODEL_UNAVAILABLE" }, report: null },
    });
    expect(world.asked).toHaveLength(times);
  });

  test("is not waited for beyond the deadline", async () => {
    const world = new AgentWorld({ status: 429, headers: { "retry-after": "60" } });
    const asked = await world.ask(TOOLS, { volley: { deadline_ms: 5_000 } });
    expect(asked).toMatchObject({ error: { refusal: { code: "MODEL_UNAVAILABLE", retryAfterMs: 60_000 } } });
    expect(world.clock.now() - 1_000_000).toBeLessThan(100);
  });

  test("or hangs has timed out at the deadline, with what ran before", async () => {
    const world = new AgentWorld({ calls: [twice(1)] }, { afterMs: Number.POSITIVE_INFINITY });
    const asked = await world.ask(TOOLS, { volley: { deadline_ms: 5_000 } });
    const hint = expect.stringMatching(/deadline_ms.* Done: 'double'\.$/) as string;
    expect(asked).toMatchObject({ error: { refusal: { code: "MODEL_TIMEOUT", hint } } });
    expect(asked.ok ? null : asked.error.report).toContain('"twice":2');
    expect(world.clock.now() - 1_000_000).toBe(5_000);
  });

  test("leaves no timer behind", async () => {
    const world = new AgentWorld({ calls: [twice(1)] }, { text: "Done." });
    await world.answer(TOOLS);
    expect(world.clock.pending).toBe(0);
  });
});

describe("The caller's own tools", () => {
  const ask = { tools: [THEIRS] };

  test("are handed over alone, and nothing is kept where the caller sees everything", async () => {
    const world = new AgentWorld({ text: "Yours.", calls: [call("theirs", {}, "call_t")] });
    const answer = await world.answer(TOOLS, ask);
    expect(answer).toMatchObject({
      stopped: "client_tools",
      finish_reason: "tool_calls",
      message: { tool_calls: { length: 1 } },
    });
    expect(world.gate.kept.size).toBe(0);
  });

  test("are handed over without ours, which have run and are back in their place when the conversation comes back", async () => {
    const world = new AgentWorld(
      { calls: [twice(5)] },
      {
        text: "Both.",
        calls: [call("double", { n: 1 }, "a"), call("theirs", {}, "b"), call("double", { n: 2 }, "c")],
      },
    );
    const { message, rounds } = await world.answer(TOOLS, ask);
    expect((message["tool_calls"] as { id: string }[]).map(({ id }) => id)).toEqual(["b"]);
    expect(rounds).toHaveLength(2);

    world.willSay({ text: "All known." });
    const reply = { role: "tool", tool_call_id: "b", content: "theirs" };
    const messages = [{ role: "user", content: "Go" }, message, reply];
    expect((await world.answer(TOOLS, { ...ask, messages })).message.content).toBe("All known.");
    const sent = world.asked.at(-1)!.messages;
    expect(rolesOf(sent)).toEqual(["user", "assistant", "tool", "assistant", "tool", "tool", "tool"]);
    expect(sent.slice(4).map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      ["a", '{"twice":2}'],
      ["b", "theirs"],
      ["c", '{"twice":4}'],
    ]);
  });

  test("of two conversations with the same ids are told apart by what was said before", async () => {
    const world = new AgentWorld();
    const turn = (n: number): SaidTurn => ({
      calls: [call("double", { n }, "call_1"), call("theirs", {}, "call_2")],
    });
    const begin = async (content: string, n: number) => {
      world.willSay(turn(n));
      const messages = [{ role: "user", content }];
      return { messages, message: (await world.answer(TOOLS, { ...ask, messages })).message };
    };
    const one = await begin("One", 1);
    const two = await begin("Two", 2);
    for (const [{ messages, message }, result] of [
      [one, '{"twice":2}'],
      [two, '{"twice":4}'],
    ] as const) {
      world.willSay({ text: "Done." });
      const later = [...messages, message, { role: "tool", tool_call_id: "call_2", content: "x" }];
      await world.answer(TOOLS, { ...ask, messages: later });
      expect(
        world.asked.at(-1)!.messages.find(({ tool_call_id }) => tool_call_id === "call_1")!["content"],
      ).toBe(result);
    }
  });

  test.each([
    ["the id", "functions.theirs:0"],
    ["no id", ""],
  ])("of two keys whose system messages alone differ keep their own where both get %s", async (_, id) => {
    const world = new AgentWorld();
    const people = [
      ["Ada", 1],
      ["Grace", 2],
    ] as const;
    const begun = [];
    for (const [who, n] of people) {
      const caller = { ...world.execution(TOOLS).caller, name: who };
      const messages = [
        { role: "system", content: `You serve ${who}` },
        { role: "user", content: "Go" },
      ];
      world.willSay({ calls: [call("double", { n }, id && "functions.double:0"), call("theirs", {}, id)] });
      const { message } = await world.answer(TOOLS, { ...ask, messages }, { caller });
      begun.push({ n, caller, messages: [...messages, message, toolReplyTo(message)] });
    }
    for (const { n, caller, messages } of begun) {
      world.willSay({ text: "Done." });
      await world.answer(TOOLS, { ...ask, messages }, { caller });
      const told = world.asked
        .at(-1)!
        .messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
      expect(told).toEqual([`{"twice":${2 * n}}`, "shown"]);
    }
  });

  trial("come back to all of it, however large what ran with them was", async () => {
    const world = new AgentWorld({
      calls: [call("big", {}, "a"), call("big", { n: 1 }, "b"), call("theirs", {}, "c")],
    });
    const much = { ...ask, volley: { max_tokens: 1_000_000 } };
    const wide = contractOf("big", { run: async () => ({ text: "wö🚗ter ".repeat(90_000) }) });
    const { message } = await world.answer([wide], much);
    expect(world.gate.kept.size).toBeGreaterThan(3);
    world.willSay({ text: "Done." });
    const messages = [
      { role: "user", content: "Go" },
      message,
      { role: "tool", tool_call_id: "c", content: "x" },
    ];
    await world.answer([wide], { ...much, messages });
    expect((world.asked.at(-1)!.messages[2]!["content"] as string).length).toBeGreaterThan(200_000);
    for (const json of world.gate.kept.values()) expect(json.isWellFormed()).toBe(true);
  });

  test("are not handed over where what ran with them could not be kept: the error tells what ran", async () => {
    const world = new AgentWorld({ calls: [twice(1), call("theirs")] });
    world.gate.keep = () => Promise.reject(new Error("down"));
    const asked = await world.ask(TOOLS, ask);
    expect(asked).toMatchObject({ ok: false, error: { refusal: { code: "UNAVAILABLE" } } });
    expect(asked.ok ? null : asked.error.report).toContain('"twice":2');
  });
});

describe("An action that needs a person's yes", () => {
  const turn: SaidTurn = {
    text: "I will remove it.",
    calls: [call("remove", { id: 7 }, "r"), call("double", { n: 1 }, "d")],
  };

  /** The request that asks, and then the conversation sent back, with what has become of the question by then. */
  async function goOn(
    record: (id: string) => Partial<ConfirmationRecord> | null,
    said: SaidTurn = turn,
    later: Partial<ConfirmationRecord> = {},
  ) {
    const world = new AgentWorld(said);
    const first = await world.answer(TOOLS);
    const [{ id }] = first.confirmations as [{ id: string }];
    const found = record(id);
    const known = found && {
      id,
      createdAt: 0,
      expiresAt: 1,
      groupJson: "",
      key: null,
      answerJson: null,
      ...found,
    };
    const confirmation = (asked: string) =>
      Promise.resolve(asked === "later" ? { ...known, id: "later", ...later } : known);
    Object.assign(world.gate.confirmations, { confirmation });
    world.willSay({ text: "On we go." });
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", content: first.message.content },
      { role: "user", content: "And?" },
    ];
    await world.answer(TOOLS, { messages });
    return { id, first, sent: world.asked.at(-1)!.messages };
  }

  test("ends the request with a message that says what waits, and with its id; the rest has run", async () => {
    const { id, first } = await goOn(() => ({ status: "pending" }));
    expect(first).toMatchObject({ stopped: "confirmation", finish_reason: "stop" });
    expect(first.message["tool_calls"]).toBeUndefined();
    expect(first.message.content).toContain("I will remove it.");
    expect(first.message.content).toContain(id);
    expect(first.rounds[0]!.results.map(({ status }) => status)).toEqual(["pending_confirmation", "success"]);
  });

  test("says of what waits alone that it is not done, and what the calls of all rounds came to", async () => {
    const job = contractOf("job", { execution: "fire-and-forget", isWrite: true });
    const world = new AgentWorld(
      { calls: [call("write"), call("(confirmation a-1, until ")] },
      { calls: [call("remove", { id: 7 }), call("write", { n: 2 }), call("job"), call("broken")] },
    );
    const { stopped, message } = await world.answer([...TOOLS, job]);
    expect(stopped).toBe("confirmation");
    const lines = message.content!.split("\n");
    expect(lines[0]).toBe(
      "Of what was called, this alone waits for a person to agree, and has not been done:",
    );
    expect(lines[1]).toContain("'remove'");
    expect(lines.at(-1)).toBe(
      "Done: 'write'. Started, and not over yet: 'job'. Failed: no known tool, 'broken'.",
    );
  });

  const done = (result: object): Partial<ConfirmationRecord> => ({
    status: "done",
    answerJson: JSON.stringify({ results: [{ index: 0, id: "a0", tool: "remove", ...result, meta: {} }] }),
  });

  test.each([
    ["its result, where it was approved", done({ status: "success", data: { gone: true } }), '{"gone":true}'],
    [
      "its failure, where it was approved and failed",
      done({ status: "error", error: { code: "NOT_FOUND" } }),
      "NOT_FOUND",
    ],
    ["a no, where it was rejected", { status: "rejected" }, "A person said no"],
    [
      "without a decision, where it expired",
      { status: "expired" },
      "The question expired without a decision",
    ],
    ["that its end is not known, where it was begun and lost", { status: "running" }, '"status":"unknown"'],
    ["that it waits, where it does", { status: "pending" }, "pending_confirmation"],
  ] as const)("is told to the model when the conversation goes on: %s", async (_, record, told) => {
    const { sent } = await goOn(() => record);
    expect(rolesOf(sent)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(sent[2]!["content"]).toContain(told);
    expect(sent[3]!["content"]).toBe('{"twice":2}');
    expect(sent[4]!["content"]).toBe("And?");
  });

  test.each([
    ["that it waits, while it does", { status: "pending", answerJson: null }, "pending_confirmation"],
    ["its result, once that is approved too", done({ status: "success", data: { gone: 2 } }), '{"gone":2}'],
    ["a no to that", { status: "rejected", answerJson: null }, "A person said no"],
  ] as const)("that a yes made a question of its own is told to the model: %s", async (_, later, told) => {
    const asked = done({ status: "pending_confirmation", confirmation: { id: "later" } });
    const { sent } = await goOn(() => asked, turn, later);
    expect(sent[2]!["content"]).toContain(told);
  });

  test("is told inside the answer of the batch that it was part of", async () => {
    const batch = {
      actions: [
        { id: "rm", tool: "remove" },
        { tool: "double", args: { n: 1 } },
      ],
    };
    const answer = {
      results: [{ index: 0, id: "rm", tool: "remove", status: "success", data: { gone: true }, meta: {} }],
    };
    const { sent } = await goOn(() => ({ status: "done", answerJson: JSON.stringify(answer) }), {
      calls: [call("execute_actions", batch)],
    });
    const { results, summary } = JSON.parse(sent[2]!["content"] as string) as {
      results: object[];
      summary: object;
    };
    expect(results).toMatchObject([
      { index: 0, id: "rm", status: "success" },
      { index: 1, status: "success" },
    ]);
    expect(summary).toMatchObject({ total: 2, ok: 2, pending_confirmation: 0 });
  });

  test("is not asked for where the caller may skip that and says so; a model cannot say it", async () => {
    const world = new AgentWorld({ calls: [call("remove")] }, { text: "Gone." });
    const may = { caller: { ...world.execution(TOOLS).caller, flags: ["skip_approval"] } };
    expect((await world.answer(TOOLS, { volley: { skip_approval: true } }, may)).stopped).toBe("answer");
    world.willSay({
      calls: [call("execute_actions", { actions: [{ tool: "remove" }], skip_approval: true })],
    });
    expect((await world.answer(TOOLS, {}, may)).stopped).toBe("confirmation");
  });
});

describe("The strategy think-act", () => {
  test("asks for a plan without tools before each round, and the plan stays in the conversation", async () => {
    const usage = { total_tokens: 1 };
    const world = new AgentWorld(
      { text: "I will double.", usage },
      { calls: [twice(1)], usage },
      { text: "Nothing is missing.", usage },
      { text: "Two.", usage },
    );
    const answer = await world.answer(TOOLS, { volley: { strategy: "think-act" } });
    expect(answer).toMatchObject({
      stopped: "answer",
      message: { content: "Two." },
      usage: { total_tokens: 4 },
      rounds: { length: 1 },
    });
    expect(world.asked.map(({ tools }) => tools !== undefined)).toEqual([false, true, false, true]);
    expect(world.asked.at(-1)!.messages.map(({ content }) => content)).toContain("I will double.");
  });
});

describe("The strategy react", () => {
  const react = { volley: { strategy: "react" } };

  test("reads actions out of text, tells results as text, and sends no tools", async () => {
    const world = new AgentWorld(
      {
        text: 'Thought: two at once.\nAction: double\nAction Input: {"n": 1,}\nAction: double\nAction Input: ```json\n{"n": 2}\n```\nObservation: 99',
      },
      { text: "Thought: I know.\nFinal Answer: Two and four." },
    );
    const answer = await world.answer(TOOLS, react);
    expect(answer).toMatchObject({
      stopped: "answer",
      finish_reason: "stop",
      message: { content: "Two and four." },
    });
    expect(answer.rounds[0]!.results.map(({ data }) => data)).toEqual([{ twice: 2 }, { twice: 4 }]);
    for (const { tools } of world.asked) expect(tools).toBeUndefined();
    const sent = world.asked[1]!.messages;
    expect(rolesOf(sent)).toEqual(["system", "user", "assistant", "user"]);
    expect(JSON.stringify(sent)).not.toContain("99");
  });

  test("hands the caller's own tools over as calls, and takes their results back as text", async () => {
    const world = new AgentWorld({
      text: 'Action: theirs\nAction Input: {}\nAction: double\nAction Input: {"n": 4}',
    });
    const { message, stopped } = await world.answer(TOOLS, { tools: [THEIRS], ...react });
    expect(stopped).toBe("client_tools");
    const [sent] = message["tool_calls"] as [{ id: string; function: { name: string } }];
    expect(sent.function.name).toBe("theirs");
    expect(message.content).toBe("");

    world.willSay({ text: "Final Answer: both." });
    const messages = [
      { role: "user", content: "Go" },
      message,
      { role: "tool", tool_call_id: sent.id, content: "from them" },
    ];
    const answer = await world.answer(TOOLS, { tools: [THEIRS], messages, ...react });
    expect(answer.message.content).toBe("both.");
    const told = JSON.stringify(world.asked.at(-1)!.messages);
    expect(told).toContain("from them");
    expect(told).toContain("twice");
    expect(rolesOf(world.asked.at(-1)!.messages)).not.toContain("tool");
  });
});

test("LIMITS: 50 calls of a turn run, and 1,000 are read; five rounds run unless said, 20 at most", () => {
  expect([LIMITS.actions, LIMITS.modelCalls]).toEqual([50, 1_000]);
  expect([AGENT_LIMITS.agentRounds, AGENT_LIMITS.agentMaxRounds]).toEqual([5, 20]);
});

describe("A caller that listens", () => {
  const listening = (...turns: readonly SaidTurn[]): AgentWorld =>
    Object.assign(new AgentWorld(...turns), { heard: [] });
  const said = async (world: AgentWorld, ...request: Parameters<AgentWorld["ask"]> | []): Promise<string> => {
    const [tools = TOOLS, body = {}] = request;
    const end = await world.ask(tools, body);
    if (!end.ok) throw new Error(end.error.refusal.hint);
    return world.heard!.join("") + end.value;
  };

  test("hears what the model says and each result, of all rounds in one answer", async () => {
    const world = listening({ text: "Let me see.", calls: [twice(1)] }, { text: "Two." });
    const heard = await said(world);
    const places = [
      "Let me see.",
      '"twice":2',
      "Two.",
      '"finish_reason":"stop"',
      '"stopped":"answer"',
      "[DONE]",
    ].map((part) => heard.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places.every((place) => place >= 0)).toBe(true);
    for (const once of ["[DONE]", '"role":"assistant"', '"stopped"'])
      expect(heard.split(once)).toHaveLength(2);
    expect(heard.split("(begun)")).toHaveLength(3);
    expect(heard).not.toContain('"name":"double"');
    expect(world.waiting).toBe(0);
  });

  test("hears no plan, and of a model that speaks of calls in text its answer alone", async () => {
    const planned = listening({ text: "I plan." }, { text: "Done." });
    expect(await said(planned, TOOLS, { volley: { strategy: "think-act" } })).not.toContain("I plan.");
    const text = 'Thought: Look.\nAction: double\nAction Input: {"n": 2}';
    const inText = listening({ text }, { text: "Final Answer: Four." });
    const heard = await said(inText, TOOLS, { volley: { strategy: "react" } });
    expect(heard).toContain("Four.");
    expect(heard).not.toContain("Action");
  });

  test("hears no more calls once tools are switched off, its own as little", async () => {
    const turn: SaidTurn = { text: "Once more.", calls: [twice(1), call("theirs", {}, "t")] };
    const world = listening({ calls: [twice(1)] }, turn);
    const heard = await said(world, TOOLS, { tools: [THEIRS], volley: { max_rounds: 1 } });
    expect(heard).toContain('"stopped":"max_rounds"');
    expect(heard).not.toContain('"name":"theirs"');
    expect(heard).toContain("Once more.");
  });

  test("is handed its own calls, and told what waits for a person", async () => {
    const world = listening({ calls: [call("theirs", {}, "t")] });
    expect(await said(world, TOOLS, { tools: [THEIRS] })).toMatch(
      /"name":"theirs"[^]*"finish_reason":"tool_calls"/,
    );
    const asking = listening({ text: "Deleting.", calls: [call("remove", { id: 1 })] });
    expect(await said(asking)).toMatch(
      /Deleting\.[^]*this alone waits for a person to agree, and has not been done[^]*"finish_reason":"stop"/,
    );
  });
});

describe("An answer of a model that", () => {
  test("said nothing says so", async () => {
    const closed = new AgentWorld({ calls: [twice(1)] }, { text: "" });
    const answer = await closed.answer(TOOLS, { volley: { max_rounds: 1 } });
    const said = "The model gave no answer.\nDone: 'double'.";
    expect([answer.stopped, answer.message.content]).toEqual(["max_rounds", said]);
  });

  test("calls on where tools are switched off is what it said, or that it gave none", async () => {
    const contentOf = async (text: string) => {
      const world = new AgentWorld({ calls: [twice(1)] }, { text, calls: [twice(2)] });
      const { message, finish_reason } = await world.answer(TOOLS, { volley: { max_rounds: 1 } });
      expect([message["tool_calls"], finish_reason]).toEqual([undefined, "stop"]);
      return message.content;
    };
    expect(await contentOf("So far two.")).toBe("So far two.");
    const none = await contentOf("");
    expect(none).toContain("gave no answer");
    expect(none).toContain("Done: 'double'.");
  });

  test("goes away in the middle is not asked again", async () => {
    const world = new AgentWorld({ calls: [twice(1)] }, { text: "Never." });
    const gone = contractOf("double", { run: async () => world.gone.abort() });
    expect(await world.ask([gone])).toMatchObject({ ok: false, error: { refusal: { code: "UNAVAILABLE" } } });
    expect(world.asked).toHaveLength(1);
  });

  test("plans is told of the tools in its first plan, and once that it may go on", async () => {
    const world = new AgentWorld({ text: "" }, { calls: [twice(1)] }, { text: "Again." }, { text: "Done." });
    await world.answer(TOOLS, { volley: { strategy: "think-act" } });
    const [first, , second] = world.asked.map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(first).toContain("The tools there are");
    expect(second).not.toContain("The tools there are");
    const sent = JSON.stringify(world.asked.at(-1)!.messages);
    expect(sent.split("Now do that")).toHaveLength(3);
    expect(sent).toContain('"…"');
    const refused = await new AgentWorld({ status: 401 }).ask(TOOLS, { volley: { strategy: "think-act" } });
    expect(refused).toMatchObject({
      ok: false,
      error: { refusal: { code: "MODEL_UNAVAILABLE" }, report: null },
    });
  });
});

/** The reply of a client to the one call of a turn. */
function toolReplyTo({ tool_calls }: JsonObject): JsonObject {
  const [{ id }] = tool_calls as [JsonObject];
  return { role: "tool", tool_call_id: id, content: "shown" };
}
