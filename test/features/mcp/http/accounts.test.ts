import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { console } from "../../../../src/features/console/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { usage } from "../../../../src/features/usage/index.ts";
import { openConnections } from "../../connections/http/connection-world.ts";
import { base, mailbox } from "../../connections/http/mailbox-tool.ts";
import { BOTH, speakTo, TASKS, URLS } from "../../../support/mcp-client.ts";
import { trial } from "../../../support/trial.ts";

const CALLS = [
  ["mailbox", {}, { structuredContent: { mailbox: "ada@acme.dev" } }],
  [
    "execute_actions",
    { actions: [{ tool: "mailbox" }] },
    { structuredContent: { results: [{ status: "success", data: { mailbox: "ada@acme.dev" } }] } },
  ],
] as const;

/** Answers after its call. */
const later = defineTool({
  ...base,
  name: "later",
  isWrite: true,
  actions: ["create"],
  execution: "fire-and-forget",
  run: async () => ({ n: 1 }),
});

const CONNECT_PAGE = /^https:\/\/volley\.test\/connect\/test\/cn_/;

/** A Volley whose caller names a subject. */
const open = async () => {
  const world = await openConnections({
    tools: [mailbox, later],
    features: [mcp(), addedTools(), flows(), background(), usage(), console()],
  });
  const ask = speakTo(world.volley);
  const headers = { "volley-subject": "ada" };
  const call = async (name: string, args: object, client: object, more: object = {}) =>
    (await ask("tools/call", { name, arguments: args, ...more }, { client, headers })).body.result;
  const look = async (taskId: string) =>
    (await ask("tasks/get", { taskId }, { client: BOTH, headers })).body.result;
  return { ...world, call, look };
};

test("A batch in the background that misses an account asks for it by its task, and has its results by itself", async () => {
  const { call, look, connect, volley } = await open();
  const actions = [{ tool: "mailbox" }];
  const { taskId } = await call("execute_actions", { actions, background: true }, BOTH);
  await volley.advance(10_000);
  const { status, inputRequests } = await look(taskId);
  expect(status).toBe("input_required");
  expect(Object.values(inputRequests as object)).toMatchObject([
    { params: { url: expect.stringMatching(CONNECT_PAGE) } },
  ]);
  await connect("ada", "ada@acme.dev");
  await volley.advance(1_000);
  expect(await look(taskId)).toMatchObject({ status: "completed", result: CALLS[1][2] });
});

describe.each(CALLS)("A call of %s that misses an account", (name, args, done) => {
  trial(
    "is a task that requires input where the client has tasks and leads its person to the link; it goes on by itself",
    async () => {
      const { call, look, connect, volley } = await open();
      const { taskId, ...task } = await call(name, args, BOTH);
      expect(task).toMatchObject({ resultType: "task", status: "input_required" });
      const [request] = Object.values((await look(taskId)).inputRequests as object);
      expect(request).toMatchObject({
        method: "elicitation/create",
        params: {
          mode: "url",
          url: expect.stringMatching(CONNECT_PAGE),
          message: expect.stringContaining("ada"),
        },
      });
      await connect("ada", "ada@acme.dev");
      await volley.advance(1_000);
      expect(await look(taskId)).toMatchObject({ status: "completed", result: done });
    },
  );

  trial("leads there, and comes back for its result, where the client has no tasks", async () => {
    const { call, connect, volley } = await open();
    const { resultType, inputRequests, requestState } = await call(name, args, URLS);
    expect(resultType).toBe("input_required");
    const [[id, { params }] = ["", { params: { url: "" } }]] = Object.entries(
      inputRequests as Record<string, { params: { url: string } }>,
    );
    expect(params.url).toMatch(CONNECT_PAGE);
    await connect("ada", "ada@acme.dev");
    await volley.advance(1_000);
    const inputResponses = { [id]: { action: "accept" } };
    expect(await call(name, args, URLS, { requestState, inputResponses })).toMatchObject(done);
  });

  trial.each([[{}], [TASKS]])(
    "is told so at once, as it was, to a client that leads its person nowhere",
    async (client) => {
      const { call } = await open();
      const result = await call(name, args, client);
      expect(result.resultType).toBe("complete");
      expect(JSON.stringify(result.structuredContent)).toContain("CONNECTION_REQUIRED");
    },
  );
});

trial.each([
  ["call that waits for an account", "mailbox", {}],
  ["batch", "execute_actions", { actions: [{ tool: "later" }], background: true }],
  ["job", "later", {}],
])("T52 The task of a %s is found for the subject that it was made for alone", async (_, name, args) => {
  const { volley, call, look } = await open();
  const { taskId } = await call(name, args, BOTH);
  expect(await look(taskId)).toMatchObject({ taskId });
  const ask = speakTo(volley);
  for (const headers of [{ "volley-subject": "grace" }, {}]) {
    const seen = await ask("tasks/get", { taskId }, { headers });
    expect(seen.body.error.code).toBe(-32_602);
    const params = { name: "mailbox", arguments: {}, requestState: taskId };
    expect((await ask("tools/call", params, { headers, client: URLS })).body.error.code).toBe(-32_602);
  }
});
