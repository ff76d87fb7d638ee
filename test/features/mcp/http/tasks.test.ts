import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { BOTH, TASKS, URLS } from "../../../support/mcp-client.ts";
import { openMcp } from "./mcp-world.ts";
import { trial } from "../../../support/trial.ts";

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const BATCH = { actions: [{ tool: "read_it", args: { n: 1 } }], background: true };
const SEND = "POST https://api.example.com/send";
const MAIL = { sent: 1 };
const DAY = 24 * 3_600_000;

/** A service that answers when the test says so, and what it is to answer until then. */
function createMail() {
  const mail = { answer: MAIL as object, sent: 0 };
  const routes = { [SEND]: () => ((mail.sent += 1), mail.answer) };
  return { mail, routes };
}

const refused = (status: number) => new Response("{}", { status });

describe("A client with tasks", () => {
  trial("gets a batch in the background as a task, and its envelope once it is over", async () => {
    const { volley, call, look } = await openMcp();
    const task = await call("execute_actions", BATCH);
    expect(task).toEqual({
      resultType: "task",
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: "working",
      createdAt: INSTANT,
      lastUpdatedAt: INSTANT,
      ttlMs: LIMITS.jobRetentionMs,
      pollIntervalMs: LIMITS.waitLookMs,
      _meta: expect.anything(),
    });
    expect(await look(task.taskId)).toMatchObject({ resultType: "complete", status: "working" });
    await volley.advance(10_000);
    const over = await look(task.taskId);
    expect(over).toMatchObject({
      resultType: "complete",
      taskId: task.taskId,
      status: "completed",
      result: { structuredContent: { summary: { total: 1, ok: 1 }, results: [{ data: { read: 1 } }] } },
    });
    expect(over.result.isError ?? false).toBe(false);
    expect(JSON.parse(over.result.content[0].text)).toEqual(over.result.structuredContent);
  });

  trial(
    "gets a single tool that runs in the background as a task, and its bare data as the result",
    async () => {
      const { call, look } = await openMcp();
      const task = await call("send_it", { n: 7 });
      expect(task).toMatchObject({ resultType: "task", taskId: expect.any(String) });
      for (const absent of ["result", "error", "inputRequests", "requestState", "task", "ttl"])
        expect(task).not.toHaveProperty(absent);
      const over = await look(task.taskId);
      expect(over).toMatchObject({ status: "completed", result: { structuredContent: { sent: 7 } } });
      expect(over).not.toHaveProperty("requestState");
      const invoked = await call("invoke_tool", { tool_name: "send_it", parameters: { n: 8 } });
      expect(await look(invoked.taskId)).toMatchObject({ result: { structuredContent: { sent: 8 } } });
    },
  );

  test("gets no task of a call that is over, nor of a batch of which a part goes on: the batch has its answer", async () => {
    const { call, look } = await openMcp();
    expect(await call("read_it", { n: 1 })).toMatchObject({
      resultType: "complete",
      structuredContent: { read: 1 },
    });
    const mixed = await call("execute_actions", {
      actions: [
        { tool: "read_it", args: { n: 1 } },
        { tool: "send_it", args: { n: 2 } },
      ],
    });
    expect(mixed).toMatchObject({ resultType: "complete", structuredContent: { summary: { initiated: 1 } } });
    const { job_id: id } = mixed.structuredContent.results[1];
    expect(await look(id)).toMatchObject({ status: "completed", result: { structuredContent: { sent: 2 } } });
  });

  trial(
    "is told of a job that failed, or is dead, by a completed task whose result is an error",
    async () => {
      const { mail, routes } = createMail();
      const { volley, call, look } = await openMcp({ routes });
      mail.answer = refused(422);
      const failed = await call("send_it", { n: 1 });
      expect(await look(failed.taskId)).toMatchObject({
        status: "completed",
        result: {
          isError: true,
          structuredContent: { status: "error", job_id: failed.taskId, error: { code: "UPSTREAM_ERROR" } },
        },
      });
      mail.answer = refused(503);
      const dead = await call("send_it", { n: 1 });
      expect(await look(dead.taskId)).toMatchObject({ status: "working" });
      await volley.advance(DAY);
      expect(await look(dead.taskId)).toMatchObject({ status: "completed", result: { isError: true } });
    },
  );

  trial("sees a dead job that is redriven work again, and then its result", async () => {
    const { mail, routes } = createMail();
    const { volley, call, look } = await openMcp({ routes });
    mail.answer = refused(503);
    const { taskId } = await call("send_it", { n: 1 });
    await volley.advance(DAY);
    mail.answer = MAIL;
    await volley.fetch(`/v1/jobs/${taskId}/redrive`, { method: "POST" });
    expect(await look(taskId)).toMatchObject({ status: "working" });
    await volley.advance(60_000);
    expect(await look(taskId)).toMatchObject({
      status: "completed",
      result: { structuredContent: MAIL },
    });
  });

  test("cancels a job, twice too, and one that is over stays what it is", async () => {
    const { mail, routes } = createMail();
    const { volley, ask, call, look } = await openMcp({ routes });
    mail.answer = refused(503);
    const { taskId } = await call("send_it", { n: 1 });
    for (let times = 0; times < 2; times += 1) {
      const { body } = await ask("tasks/cancel", { taskId });
      expect(body.result).toEqual({ resultType: "complete", _meta: expect.anything() });
      expect(await look(taskId)).toMatchObject({ status: "cancelled" });
    }
    const { sent } = mail;
    await volley.advance(DAY);
    expect(mail.sent).toBe(sent);
    mail.answer = MAIL;
    const over = await call("send_it", { n: 1 });
    expect((await ask("tasks/cancel", { taskId: over.taskId })).body.result).toMatchObject({
      resultType: "complete",
    });
    expect(await look(over.taskId)).toMatchObject({ status: "completed" });
  });

  test("cancels a batch in the background before anything of it runs", async () => {
    const { volley, ask, call, look } = await openMcp();
    const { taskId } = await call("execute_actions", BATCH);
    await ask("tasks/cancel", { taskId });
    await volley.advance(60_000);
    expect(await look(taskId)).toMatchObject({ status: "cancelled" });
  });

  test("is told how far a batch in the background has come", async () => {
    const { mail, routes } = createMail();
    const { volley, call, look } = await openMcp({ routes });
    mail.answer = refused(503);
    const { taskId } = await call("execute_actions", {
      background: true,
      actions: [
        { tool: "read_it", args: { n: 1 } },
        { id: "wrong", tool: "read_it", args: { n: "1" } },
      ],
    });
    await volley.advance(10_000);
    const over = await look(taskId);
    expect(over).toMatchObject({ status: "completed", result: { isError: true } });
    expect(over.result.structuredContent.summary).toMatchObject({ ok: 1, error: 1 });
  });

  trial("has the same task for a call that comes again under its key", async () => {
    const { ask } = await openMcp();
    const again = { headers: { "idempotency-key": "k-1" } };
    const one = await ask("tools/call", { name: "execute_actions", arguments: BATCH }, again);
    const two = await ask("tools/call", { name: "execute_actions", arguments: BATCH }, again);
    expect(two.body.result.taskId).toBe(one.body.result.taskId);
  });

  trial("finds a task for as long as ttlMs says, and then none", async () => {
    const { volley, call, look } = await openMcp();
    const { taskId } = await call("send_it", { n: 1 });
    const { ttlMs, createdAt } = await look(taskId);
    await volley.advance(Date.parse(createdAt as string) + ttlMs - volley.now() - 1_000);
    expect(await look(taskId)).toMatchObject({ status: "completed" });
    await volley.advance(1_000 + LIMITS.pruneEveryMs);
    await call("send_it", { n: 2 });
    expect(await look(taskId)).toMatchObject({ code: -32_602 });
  });
});

describe("The extension", () => {
  trial.each(["meta", "batch", "flat"])(
    "has a client offered batches in the background, on the surface %s, and no other client",
    async (surface) => {
      const { ask } = await openMcp();
      const fieldsFor = async (client: object): Promise<readonly string[]> => {
        const { tools } = (await ask("tools/list", {}, { client, surface })).body.result;
        const { inputSchema } = tools.find(({ name }: { name: string }) => name === "execute_actions");
        return Object.keys(inputSchema.properties as object);
      };
      const others = await fieldsFor({});
      expect(others).not.toContain("background");
      expect(await fieldsFor(URLS)).toEqual(others);
      expect(await fieldsFor(TASKS)).toEqual([...others, "background"]);
    },
  );

  trial("is advertised to clients of 2026-07-28, and nothing else is", async () => {
    const { ask } = await openMcp();
    const { capabilities } = (await ask("server/discover", {})).body.result;
    expect(capabilities).toEqual({ tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } });
  });

  trial.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "has %s only for clients that declare it with the request",
    async (method) => {
      const { ask, call } = await openMcp();
      const { taskId } = await call("send_it", { n: 1 });
      const params = { taskId, inputResponses: {} };
      for (const client of [{}, URLS, { extensions: { "io.modelcontextprotocol/tasks": true } }]) {
        const { status, body } = await ask(method, params, { client });
        expect(status).toBe(400);
        expect(body.error).toMatchObject({
          code: -32_021,
          data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
        });
      }
      expect((await ask(method, params, { client: TASKS })).body.result.resultType).toBe("complete");
    },
  );

  trial.each(["tasks/list", "tasks/result"])("has no %s", async (method) => {
    const { ask } = await openMcp();
    const { status, body } = await ask(method, { taskId: "x" });
    expect([status, body.error.code]).toEqual([404, -32_601]);
  });

  trial("is none of the revisions before", async () => {
    const { volley } = await openMcp();
    for (const method of ["tasks/get", "tasks/cancel", "server/discover"]) {
      const answer = await volley.fetch("/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { taskId: "x" } }),
      });
      expect(await answer.json()).toMatchObject({ error: { code: -32_601 } });
    }
  });

  trial.each([
    ["another task", { "mcp-name": "another" }],
    ["no task", { "mcp-name": "" }],
  ])("refuses a request whose header names %s", async (_, headers) => {
    const { ask, call } = await openMcp();
    const { taskId } = await call("send_it", { n: 1 });
    const { status, body } = await ask("tasks/get", { taskId }, { headers });
    expect([status, body.error.code]).toEqual([400, -32_020]);
  });

  trial("refuses answers that are no object of answers", async () => {
    const { ask, call } = await openMcp();
    const { taskId } = await call("send_it", { n: 1 });
    for (const inputResponses of [undefined, null, [], "accept"])
      expect((await ask("tasks/update", { taskId, inputResponses })).body.error.code).toBe(-32_602);
  });

  trial.each([
    ["execute_actions", BATCH],
    ["send_it", { n: 1 }],
    ["drop_it", { n: 1 }],
    ["execute_actions", { actions: [{ tool: "drop_it", args: { n: 1 } }] }],
  ])("changes nothing of an answer of %s to a client that does not declare it", async (name, args) => {
    const { call } = await openMcp();
    const result = await call(name, args, { client: {} });
    expect(Object.keys(result).sort()).toEqual(["_meta", "content", "resultType", "structuredContent"]);
    expect(result.resultType).toBe("complete");
  });
});

describe("A task is for", () => {
  trial("T49 its tenant, and keys that may call its tool", async () => {
    const { ask, call, look } = await openMcp();
    const { taskId } = await call("send_it", { n: 1 });
    expect(await look(taskId, { key: "narrowed" })).toMatchObject({ status: "completed" });
    for (const key of ["reader", "stranger"]) {
      expect(await look(taskId, { key })).toMatchObject({ code: -32_602 });
      for (const method of ["tasks/cancel", "tasks/update"]) {
        const { body } = await ask(method, { taskId, inputResponses: {} }, { key });
        expect(body.error.code).toBe(-32_602);
      }
    }
  });

  trial("T49 the key whose batch it is, or one that may call every tool", async () => {
    const { call, look } = await openMcp();
    const { taskId } = await call("execute_actions", BATCH, { key: "narrowed" });
    expect(await look(taskId, { key: "narrowed" })).toMatchObject({ status: "working" });
    expect(await look(taskId, { key: "decider" })).toMatchObject({ status: "working" });
    for (const key of ["reader", "stranger"])
      expect(await look(taskId, { key })).toMatchObject({ code: -32_602 });
  });

  trial.each([
    ["that of no job", "00000000-0000-4000-8000-000000000000"],
    ["that of no call", "call-00000000-0000-4000-8000-000000000000"],
    ["half of one", "call-"],
    ["a question of the agent", "q-1"],
    ["a path", "../../etc"],
    ["long", "x".repeat(10_000)],
    ["a prototype", "__proto__"],
    ["a number", 7],
    ["null", null],
    ["absent", undefined],
    ["an object", {}],
  ])("nobody where its id is %s", async (_, taskId) => {
    const { ask } = await openMcp();
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { status, body } = await ask(method, { taskId, inputResponses: {} });
      expect([status, body.error.code]).toEqual([200, -32_602]);
    }
  });

  trial("nobody in the place of a question of the agent", async () => {
    const { volley, look, call } = await openMcp();
    const { structuredContent } = await call("drop_it", { n: 1 }, { client: {} });
    const { id } = structuredContent.confirmation;
    expect(await look(id)).toMatchObject({ code: -32_602 });
    expect(await look(`call-${id}`)).toMatchObject({ code: -32_602 });
    expect((await volley.fetch(`/v1/jobs/call-${id}`)).status).toBe(404);
  });
});

trial("T34 Polls draw from the allowance for what runs nothing, and are refused beyond it", async () => {
  const { ask, call } = await openMcp();
  const { taskId } = await call("send_it", { n: 1 });
  const polls = await Promise.all(Array.from({ length: 1_000 }, () => ask("tasks/get", { taskId })));
  const refusals = polls.filter(({ status }) => status === 429);
  expect(refusals.length).toBeGreaterThan(0);
  for (const { headers, body } of refusals) {
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(body.error.code).toBe(-32_000);
  }
  expect(polls.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(500);
  expect(await call("read_it", { n: 1 }, { client: BOTH })).toMatchObject({ resultType: "complete" });
});
