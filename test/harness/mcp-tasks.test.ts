import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";

import { BOTH, speakTo, TASKS } from "../support/mcp-client.ts";
import { signInWith } from "../support/oauth-browser.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();
const { url } = volley;
const KEY = "sandbox-key";
const WAIT = { timeout: 30_000, interval: 100 };
const ask = speakTo({ fetch: (path, init) => fetch(`${url}${path}`, init) });
const BATCH = { actions: [{ tool: "probe-echo", args: { n: 1 } }], background: true };

const call = async (key: string, name: string, args: object, client: object = BOTH) =>
  (await ask("tools/call", { name, arguments: args }, { key, client })).body.result;
const look = async (key: string, taskId: string) => {
  const { body } = await ask("tasks/get", { taskId }, { key });
  return body.result ?? body.error;
};
const ended = (key: string, taskId: string) =>
  vi.waitFor(async () => {
    const task = await look(key, taskId);
    expect(task.status).toBe("completed");
    return task;
  }, WAIT);

describe("A program that signed in, narrowed", () => {
  test("T51 has tasks of its own batches and calls, and sees none of its key", async () => {
    const { tokens } = await signInWith(url, KEY, { choice: "reads" });
    const token = tokens.access_token;
    const own = await call(token, "execute_actions", BATCH);
    expect((await ended(token, own.taskId)).result.structuredContent.summary).toMatchObject({ ok: 1 });
    const theirs = [
      await call(KEY, "execute_actions", BATCH),
      await call(KEY, "probe-background", { n: 1 }),
      await call(KEY, "probe-delete", { id: "lamp-1" }),
    ];
    for (const { taskId } of theirs) {
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
        expect((await ask(method, { taskId, inputResponses: {} }, { key: token })).body.error).toMatchObject({
          code: -32_602,
        });
      expect(await look(KEY, taskId)).toMatchObject({ taskId });
    }
    expect(await look(KEY, own.taskId)).toMatchObject({ status: "completed" });
  });

  test("T51 is not told of a question that its key asked, whichever scopes it has", async () => {
    const { tokens } = await signInWith(url, KEY, { choice: "reads" });
    const { requestState } = await call(KEY, "probe-delete", { id: "lamp-2" }, { elicitation: { url: {} } });
    expect(requestState).toEqual(expect.any(String));
    const params = { name: "probe-delete", arguments: { id: "lamp-2" }, requestState };
    const { status } = await ask("tools/call", params, { key: tokens.access_token });
    expect(status).toBe(403);
    const read = await ask(
      "tools/call",
      { ...params, name: "execute_actions" },
      { key: tokens.access_token },
    );
    expect(read.body.error.code).toBe(-32_602);
  });
});

test("F10 A batch's task and a call's are found after the runtime was killed, and the call's question is decided still", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-mcp-tasks-"));
  const start = () => startRawSandbox({ storageDir });
  const speak = (at: string) => speakTo({ fetch: (path, init) => fetch(`${at}${path}`, init) });
  try {
    const first = await start();
    const before = speak(first.url);
    const taskOf = async (name: string, args: object): Promise<string> =>
      (await before("tools/call", { name, arguments: args }, { key: KEY })).body.result.taskId;
    const batch = await taskOf("execute_actions", BATCH);
    const asked = await taskOf("probe-delete", { id: "lamp-3" });
    await first.kill();
    await using second = await start();
    const after = speak(second.url);
    const see = async (taskId: string) => (await after("tasks/get", { taskId }, { key: KEY })).body.result;
    const { inputRequests } = await see(asked);
    const [id = ""] = Object.keys(inputRequests as object);
    expect(id).not.toBe("");
    await fetch(`${second.url}/v1/confirmations/${id}`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: '{"decision":"reject"}',
    });
    expect(await see(asked)).toMatchObject({ status: "completed", result: { isError: true } });
    expect(await see(batch)).toMatchObject({
      taskId: batch,
      status: expect.stringMatching(/^(?:working|completed)$/),
    });
  } finally {
    await rm(storageDir, { recursive: true, force: true });
  }
});

test("An answer as events may be a task: the last message says so", async () => {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "execute_actions",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "execute_actions",
        arguments: BATCH,
        _meta: {
          progressToken: 1,
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": TASKS,
        },
      },
    }),
  });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  const last = (await answer.text()).trim().split("\n\n").at(-1)!;
  expect(JSON.parse(last.split("data: ")[1]!)).toMatchObject({
    result: { resultType: "task", taskId: expect.any(String), status: "working" },
  });
});
