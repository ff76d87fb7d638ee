import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as CONFIRMATIONS_LIMITS from "../../../../src/features/confirmations/limits.ts";
import { BOTH, TASKS, URLS } from "../../../support/mcp-client.ts";
import { openMcp } from "./mcp-world.ts";
import { trial } from "../../../support/trial.ts";

const ASKING = {
  actions: [
    { id: "first", tool: "read_it", args: { n: 1 } },
    { id: "gone", tool: "drop_it", args: { n: 2 } },
    { id: "other", tool: "drop_it", args: { n: 3 } },
    { id: "last", tool: "read_it", args: { n: 4 } },
  ],
};
const DAY = 24 * 3_600_000;

const pageOf = (id: string) => `https://volley.test/console#/confirmations/${id}`;

describe("A call that asks a person, of a client with tasks and addresses", () => {
  test("is a task that requires input: the page of the question, which decides nothing by itself", async () => {
    const { call, look } = await openMcp();
    const task = await call("drop_it", { n: 1 });
    expect(task).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^call-/),
      status: "input_required",
      pollIntervalMs: LIMITS.waitLookMaxMs,
    });
    for (const absent of ["inputRequests", "result", "requestState"]) expect(task).not.toHaveProperty(absent);
    const { inputRequests, ...asked } = await look(task.taskId);
    expect(asked).toMatchObject({ resultType: "complete", status: "input_required" });
    const [[id, request] = ["", null]] = Object.entries(inputRequests as object);
    expect(request).toEqual({
      method: "elicitation/create",
      params: {
        mode: "url",
        message: `'drop_it' with {"n":1} runs only after a person's yes.`,
        url: pageOf(id),
      },
    });
  });

  trial("has its tool's own data once a person said yes", async () => {
    const { call, look, decide } = await openMcp();
    const { taskId } = await call("drop_it", { n: 1 });
    const [id = ""] = Object.keys((await look(taskId)).inputRequests as object);
    expect((await decide(id, "approve")).status).toBe(200);
    const over = await look(taskId);
    expect(over).toMatchObject({ status: "completed", result: { structuredContent: { dropped: 1 } } });
    expect(over.result.isError ?? false).toBe(false);
    expect(over).not.toHaveProperty("inputRequests");
  });

  test("is an error that says so once a person said no, and nothing ran", async () => {
    const { call, look, decide } = await openMcp();
    const { taskId } = await call("drop_it", { n: 1 });
    const [id = ""] = Object.keys((await look(taskId)).inputRequests as object);
    await decide(id, "reject");
    expect(await look(taskId)).toMatchObject({
      status: "completed",
      result: {
        isError: true,
        structuredContent: { status: "error", error: { code: "CONFIRMATION_REJECTED" } },
      },
    });
  });

  trial(
    "in a batch asks about each question until it is decided, and answers every action in its place",
    async () => {
      const { call, look, decide } = await openMcp();
      const { taskId } = await call("execute_actions", ASKING);
      const [one = "", two = ""] = Object.keys((await look(taskId)).inputRequests as object);
      await decide(one, "approve");
      const between = await look(taskId);
      expect([between.status, Object.keys(between.inputRequests as object)]).toEqual([
        "input_required",
        [two],
      ]);
      await decide(two, "reject");
      const { status, result } = await look(taskId);
      expect(status).toBe("completed");
      expect(result.isError ?? false).toBe(false);
      expect(result.structuredContent).toMatchObject({
        results: [
          { index: 0, id: "first", status: "success", data: { read: 1 } },
          { index: 1, id: "gone", status: "success", data: { dropped: 2 } },
          { index: 2, id: "other", status: "error", error: { code: "CONFIRMATION_REJECTED" } },
          { index: 3, id: "last", status: "success", data: { read: 4 } },
        ],
        summary: { total: 4, ok: 3, error: 1, pending_confirmation: 0, initiated: 0 },
      });
      expect(JSON.parse(result.content[0].text as string)).toEqual(result.structuredContent);
    },
  );

  trial("in a batch in the background is asked by the batch's task", async () => {
    const { volley, call, look, decide } = await openMcp();
    const { taskId } = await call("execute_actions", { ...ASKING, background: true });
    await volley.advance(10_000);
    const asked = await look(taskId);
    expect(asked.status).toBe("input_required");
    for (const [id, { params }] of Object.entries(
      asked.inputRequests as Record<string, { params: { url: string } }>,
    )) {
      expect(params.url).toBe(pageOf(id));
      await decide(id, "approve");
    }
    expect(await look(taskId)).toMatchObject({
      status: "completed",
      result: {
        structuredContent: { results: [{}, { data: { dropped: 2 } }, { data: { dropped: 3 } }, {}] },
      },
    });
  });

  trial("is decided by no answer of the client", async () => {
    const { ask, call, look } = await openMcp();
    const { taskId } = await call("drop_it", { n: 1 });
    const [id = ""] = Object.keys((await look(taskId)).inputRequests as object);
    for (const inputResponses of [
      { [id]: { action: "accept", content: { decision: "approve", confirm: true } } },
      { unknown: { action: "decline" } },
      { [id]: "decline" },
      {},
    ]) {
      const { body } = await ask("tasks/update", { taskId, inputResponses });
      expect(body.result).toEqual({ resultType: "complete", _meta: expect.anything() });
      expect((await look(taskId)).status).toBe("input_required");
    }
  });

  trial.each(["decline", "cancel"])(
    "is over when its person does not go there (%s): the result says what waits, and the page decides still",
    async (action) => {
      const { volley, ask, call, look, decide } = await openMcp();
      const one = await call("drop_it", { n: 1 });
      const later = await call("execute_actions", { ...ASKING, background: true });
      await volley.advance(10_000);
      for (const { taskId } of [one, later]) {
        const [id = ""] = Object.keys((await look(taskId)).inputRequests as object);
        await ask("tasks/update", { taskId, inputResponses: { [id]: { action } } });
        const over = await look(taskId);
        expect(over.status).toBe("completed");
        expect(JSON.stringify(over.result.structuredContent)).toContain('"status":"pending_confirmation"');
        await decide(id, "approve");
        expect((await look(taskId)).status).toBe("completed");
        expect(JSON.stringify((await look(taskId)).result)).toContain("dropped");
      }
    },
  );

  test("stays a person's when it is cancelled by a key that may not decide, and is withdrawn by one that may", async () => {
    const { ask, call, look } = await openMcp();
    const { taskId } = await call("drop_it", { n: 1 });
    await ask("tasks/cancel", { taskId });
    expect((await look(taskId)).status).toBe("input_required");
    const own = { key: "decider" };
    const mine = await call("drop_it", { n: 1 }, own);
    await ask("tasks/cancel", { taskId: mine.taskId }, own);
    expect(await look(mine.taskId, own)).toMatchObject({
      status: "completed",
      result: { isError: true, structuredContent: { error: { code: "CONFIRMATION_REJECTED" } } },
    });
  });

  trial(
    "ends as an error when its question expires, and is forgotten a day later, as its ttlMs says",
    async () => {
      const { volley, call, look } = await openMcp();
      const { taskId, ttlMs } = await call("drop_it", { n: 1 });
      expect(ttlMs).toBe(CONFIRMATIONS_LIMITS.confirmationTtlMs + LIMITS.questionRetentionMs);
      await volley.advance(DAY);
      expect(await look(taskId)).toMatchObject({
        status: "completed",
        result: { isError: true, structuredContent: { status: "error" } },
      });
      await volley.advance(DAY - 60_000);
      expect((await look(taskId)).status).toBe("completed");
      await volley.advance(120_000);
      expect(await look(taskId)).toMatchObject({ code: -32_602 });
    },
  );

  trial("has the same task when it comes again under its key", async () => {
    const { ask } = await openMcp();
    const again = { headers: { "idempotency-key": "k-1" } };
    const params = { name: "drop_it", arguments: { n: 1 } };
    const one = await ask("tools/call", params, again);
    const two = await ask("tools/call", params, again);
    expect(two.body.result.taskId).toBe(one.body.result.taskId);
  });

  trial("shows what would hide from the person who is asked", async () => {
    const { call, look } = await openMcp();
    const { taskId } = await call("execute_actions", {
      actions: [{ id: "\u202E", tool: "drop_it", args: { n: 1 } }, ASKING.actions[1]],
    });
    const asked = JSON.stringify(await look(taskId));
    expect(asked).not.toMatch(/[\u202E\u200B]/);
  });
});

describe("A question over MCP", () => {
  trial("is text, as it was, for a client that leads its person nowhere", async () => {
    const { call, look, volley } = await openMcp();
    for (const client of [{}, TASKS, { ...TASKS, elicitation: {} }, { ...TASKS, elicitation: { form: {} } }])
      expect(await call("drop_it", { n: 1 }, { client })).toMatchObject({
        resultType: "complete",
        structuredContent: { status: "pending_confirmation", confirmation: { url: expect.any(String) } },
      });
    const later = await call("execute_actions", { ...ASKING, background: true }, { client: TASKS });
    await volley.advance(10_000);
    expect(await look(later.taskId, { client: TASKS })).toMatchObject({
      status: "completed",
      result: { structuredContent: { summary: { pending_confirmation: 2 } } },
    });
    expect(await look(later.taskId, { client: BOTH })).toMatchObject({ status: "input_required" });
  });

  trial.each([
    ["forge_it", { n: 1 }],
    ["invoke_tool", { tool_name: "forge_it", parameters: { n: 1 } }],
    ["execute_actions", { actions: [{ tool: "forge_it", args: { n: 1 } }] }],
  ])("T32 is none that a tool's own output says, called by %s", async (name, args) => {
    const { call } = await openMcp();
    const result = await call(name, args);
    expect(result).toMatchObject({ resultType: "complete" });
    expect(JSON.stringify(result.structuredContent)).toContain("evil.example");
  });

  trial("T32 is none that a tool's own output says, in the background", async () => {
    const { volley, call, look } = await openMcp();
    const actions = [{ tool: "forge_it", args: { n: 1 } }];
    const { taskId } = await call("execute_actions", { actions, background: true });
    await volley.advance(10_000);
    expect(await look(taskId)).toMatchObject({ status: "completed" });
  });

  trial("T49 has a task for the key that asked alone", async () => {
    const { call, look } = await openMcp();
    const { taskId } = await call("drop_it", { n: 1 });
    for (const key of ["decider", "narrowed", "reader", "stranger"])
      expect(await look(taskId, { key })).toMatchObject({ code: -32_602 });
  });
});

describe("A call that asks a person, of a client that leads its person to addresses and has no tasks", () => {
  const asked = async (name: string, args: object) => {
    const world = await openMcp();
    const result = await world.call(name, args, { client: URLS });
    const [id = ""] = Object.keys((result.inputRequests ?? {}) as object);
    const resume = (action: string, more: object = {}) =>
      world.ask(
        "tools/call",
        {
          name,
          arguments: args,
          requestState: result.requestState,
          inputResponses: { [id]: { action } },
          ...more,
        },
        { client: URLS },
      );
    return { ...world, result, id, resume };
  };

  trial("is answered with the page of the question", async () => {
    const { result, id } = await asked("drop_it", { n: 1 });
    expect(result).toEqual({
      resultType: "input_required",
      inputRequests: {
        [id]: {
          method: "elicitation/create",
          params: { mode: "url", message: expect.any(String), url: pageOf(id) },
        },
      },
      requestState: expect.any(String),
      _meta: expect.anything(),
    });
  });

  test("has its result when it comes back after the decision, and nothing runs again", async () => {
    const { resume, decide, id } = await asked("execute_actions", ASKING);
    await decide(id, "approve");
    const { body } = await resume("decline");
    expect(body.result).toMatchObject({
      resultType: "complete",
      structuredContent: {
        results: [{ data: { read: 1 } }, { data: { dropped: 2 } }, { status: "pending_confirmation" }, {}],
      },
    });
  });

  test("waits for the decision when its person went there", async () => {
    const { resume, decide, id } = await asked("drop_it", { n: 1 });
    const waiting = resume("accept");
    await decide(id, "approve");
    expect((await waiting).body.result).toMatchObject({
      resultType: "complete",
      structuredContent: { dropped: 1 },
    });
  });

  trial(
    "is told what still waits, as other clients are, when that takes longer, or its person did not go there",
    async () => {
      const { volley, resume } = await asked("drop_it", { n: 1 });
      const text = { resultType: "complete", structuredContent: { status: "pending_confirmation" } };
      const begun = volley.now();
      for (const action of ["decline", "cancel"])
        expect((await resume(action)).body.result).toMatchObject(text);
      expect(volley.now() - begun).toBeLessThan(1_000);
      expect((await resume("accept")).body.result).toMatchObject(text);
      expect(volley.now() - begun).toBeGreaterThanOrEqual(1_000 * LIMITS.maxWaitS);
    },
  );

  trial.each([
    ["a state that was never given", { requestState: "call-00000000-0000-4000-8000-000000000000" }],
    ["a state that is none", { requestState: 7 }],
    ["the name of a job", { requestState: "00000000-0000-4000-8000-000000000000" }],
    ["another tool", { name: "read_it" }],
    ["answers that are none", { inputResponses: "accept" }],
  ])("is refused with %s, and nothing runs", async (_, more) => {
    const { resume } = await asked("drop_it", { n: 1 });
    const { body, headers } = await resume("accept", more);
    expect(body.error.code).toBe(-32_602);
    expect(headers.get("ratelimit-policy")).toContain("lists");
  });

  trial("T49 is refused to another key that knows its state", async () => {
    const { ask, result } = await asked("drop_it", { n: 1 });
    const params = { name: "drop_it", arguments: { n: 1 }, requestState: result.requestState };
    for (const key of ["decider", "narrowed", "stranger"])
      expect((await ask("tools/call", params, { client: URLS, key })).body.error.code).toBe(-32_602);
  });

  trial("comes back for the end of what was approved and still runs", async () => {
    const held = Promise.withResolvers<object>();
    const slow = defineTool({
      name: "drop_slowly",
      summary: "Drop it",
      description: "Drop it.",
      category: "shop",
      actions: ["delete"],
      isWrite: true,
      execution: "sync",
      hosts: [],
      timeoutMs: 60_000,
      orchestration: { mode: "parallel-safe" },
      input: z.strictObject({}),
      run: () => held.promise,
    });
    const { ask, decide } = await openMcp({ tools: [slow] });
    const params = {
      name: "execute_actions",
      arguments: { deadline_ms: 60_000, actions: [{ tool: "drop_slowly" }] },
    };
    const first = (await ask("tools/call", params, { client: URLS })).body.result;
    const [id = ""] = Object.keys(first.inputRequests as object);
    const deciding = decide(id, "approve");
    const again = {
      ...params,
      requestState: first.requestState,
      inputResponses: { [id]: { action: "accept" } },
    };
    const waiting = (await ask("tools/call", again, { client: URLS })).body.result;
    expect(waiting).toEqual({
      resultType: "input_required",
      requestState: first.requestState,
      _meta: expect.anything(),
    });
    held.resolve({ dropped: 1 });
    await deciding;
    expect((await ask("tools/call", again, { client: URLS })).body.result).toMatchObject({
      resultType: "complete",
      structuredContent: { results: [{ status: "success", data: { dropped: 1 } }] },
    });
  });
});
