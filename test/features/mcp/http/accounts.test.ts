import { describe, expect, test } from "vitest";

import { console } from "../../../../src/features/console/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { usage } from "../../../../src/features/usage/index.ts";
import { openConnections } from "../../connections/http/connection-world.ts";
import { mailbox } from "../../connections/http/mailbox-tool.ts";
import { BOTH, speakTo, TASKS, URLS } from "../../../support/mcp-client.ts";

const CALLS = [
  ["mailbox", {}, { structuredContent: { mailbox: "ada@acme.dev" } }],
  [
    "execute_actions",
    { actions: [{ tool: "mailbox" }] },
    { structuredContent: { results: [{ status: "success", data: { mailbox: "ada@acme.dev" } }] } },
  ],
] as const;

const CONNECT_PAGE = /^https:\/\/volley\.test\/connect\/test\/cn_/;

/** A Volley whose caller says for whom its calls are. */
const open = async () => {
  const world = await openConnections({ tools: [mailbox], features: [mcp(), usage(), console()] });
  const ask = speakTo(world.volley);
  const headers = { "volley-subject": "ada" };
  const call = async (name: string, args: object, client: object, more: object = {}) =>
    (await ask("tools/call", { name, arguments: args, ...more }, { client, headers })).body.result;
  const look = async (taskId: string) =>
    (await ask("tasks/get", { taskId }, { client: BOTH, headers })).body.result;
  return { ...world, call, look };
};

describe.each(CALLS)("A call of %s that misses an account", (name, args, done) => {
  test("is a task that requires input where the client has tasks and leads its person to the link; it goes on by itself", async () => {
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
  });

  test("leads there, and comes back for its result, where the client has no tasks", async () => {
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

  test.each([[{}], [TASKS]])(
    "is told so at once, as it was, to a client that leads its person nowhere",
    async (client) => {
      const { call } = await open();
      const result = await call(name, args, client);
      expect(result.resultType).toBe("complete");
      expect(JSON.stringify(result.structuredContent)).toContain("CONNECTION_REQUIRED");
    },
  );
});
