import { expect, test } from "vitest";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { DECLARATION, sendIt } from "../features/runs/http/store-tools.ts";
import { openBookings, TOOLS } from "../features/undo/http/bookings.ts";
import { speakTo } from "../support/mcp-client.ts";
import { HOUR, openTriggers, STORES } from "./trigger-world.ts";
import { trial } from "../support/trial.ts";

const drops = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"], run: sendIt });

/** Open a Volley, and call its tools over MCP as a program that has tasks. */
async function open() {
  const bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  const world = await openTriggers({ tools: [drops, ...TOOLS], routes: bookings.routes });
  const ask = speakTo(world.volley);
  const call = async (name: string, args: object, key = "test-key") =>
    (await ask("tools/call", { name, arguments: args }, { key })).body.result;
  const look = async (taskId: string, key = "test-key") => {
    const { body } = await ask("tasks/get", { taskId }, { key });
    return body.result ?? body.error;
  };
  return { ...world, ask, call, look, bookings };
}
const GONE = { code: -32_602 };
const store = (of: string, more: object = {}) => ({ id: of, tool: "store_it", args: { of }, ...more });
const BATCH = { background: true, actions: [store("good"), store("bad")] };

test("T49 the task of a made key is none for the key that gets its name with fewer tools", async () => {
  const { send, call, look, volley } = await open();
  const make = async (tools: readonly string[]) =>
    (await send("POST", "/v1/keys", { name: "made", tools })).body.key;
  const first = await make(["*"]);
  const { taskId } = await call("execute_actions", BATCH, first);
  const job = await call("store_later", { of: "later" }, first);
  expect((await look(taskId, first)).taskId).toBe(taskId);
  await send("DELETE", "/v1/keys/made");
  await volley.advance(60_000);
  const second = await make(["mailbox"]);
  for (const id of [taskId, job.taskId]) expect(await look(id as string, second)).toMatchObject(GONE);
});

trial("a job that died is a failed task, and makes the run of its call an error", async () => {
  const { call, look, get, volley, statuses } = await open();
  statuses["late"] = 503;
  const { taskId } = await call("store_later", { of: "late" });
  await volley.advance(1_000);
  expect((await get("/v1/runs?source=mcp")).runs).toMatchObject([{ status: "running" }]);
  await volley.advance(12 * HOUR);
  expect(await look(taskId)).toMatchObject({ status: "completed", result: { isError: true } });
  expect((await get("/v1/runs?source=mcp")).runs).toMatchObject([{ status: "error" }]);
});

trial(
  "the rerun of a batch that was a task is a task by its own job, and answers what was done from the first",
  async () => {
    const { call, look, send, volley, stored, statuses } = await open();
    statuses["bad"] = 400;
    const { taskId } = await call("execute_actions", BATCH);
    await volley.advance(60_000);
    expect((await look(taskId)).status).toBe("completed");
    statuses["bad"] = 200;
    const again = await send("POST", `/v1/runs/${taskId}/rerun`, {});
    await volley.advance(60_000);
    expect(await look(again.body.job_id)).toMatchObject({
      status: "completed",
      result: {
        structuredContent: { results: [{ meta: { idempotency_replayed: true } }, { data: { of: "bad" } }] },
      },
    });
    expect(stored).toEqual(["good", "bad", "bad"]);
  },
);

trial("the task of a batch that was undone has what was taken back in its answer", async () => {
  const { call, look, volley, bookings } = await open();
  const book = (name: string) => ({ id: name, tool: "book", args: { name } });
  const { taskId } = await call("execute_actions", {
    background: true,
    on_error: "undo",
    actions: [book("a"), { ...book("fails"), depends_on: ["a"] }],
  });
  await volley.advance(60_000);
  const { result } = await look(taskId);
  expect(result.structuredContent.undone).toMatchObject([{ id: "a", tool: "unbook", status: "success" }]);
  expect([...bookings.live]).toEqual([]);
});

trial("T03 no task is left of a tenant that was deleted", async () => {
  const { call, look, send, volley } = await open();
  const { taskId } = await call("store_later", { of: "good" });
  expect((await look(taskId)).taskId).toBe(taskId);
  await send("POST", "/v1/tenant/delete", { tenant: "acme" });
  await volley.advance(60_000);
  expect(await look(taskId)).toMatchObject(GONE);
});

trial(
  "the task of a dead job works again where who operates redrives it, and then has its result",
  async () => {
    const { call, look, send, as, volley, statuses } = await open();
    statuses["late"] = 503;
    const { taskId } = await call("store_later", { of: "late" });
    await volley.advance(12 * HOUR);
    expect(await look(taskId)).toMatchObject({ status: "completed", result: { isError: true } });
    statuses["late"] = 200;
    await send("POST", "/v1/operator/redrive", { tenant: "acme" }, as("root"));
    expect((await look(taskId)).status).toBe("working");
    await volley.advance(60_000);
    expect(await look(taskId)).toMatchObject({
      status: "completed",
      result: { structuredContent: { of: "late" } },
    });
  },
);

trial(
  "a flow is a task where one of its actions asks a person, and has the flow's answer after the yes",
  async () => {
    const { keep, call, look, send, stored } = await open();
    const actions = [{ id: "gone", tool: "drop_it", args: { of: "gone" } }];
    await keep("asks", { ...STORES, actions, answer: { $ref: "gone#/of" } });
    const { taskId, status } = await call("asks", {});
    expect([status, stored]).toEqual(["input_required", []]);
    const [id = ""] = Object.keys((await look(taskId)).inputRequests as object);
    await send("POST", `/v1/confirmations/${id}`, { decision: "approve" });
    expect(await look(taskId)).toMatchObject({
      status: "completed",
      result: { structuredContent: { data: "gone" } },
    });
    expect(stored).toEqual(["gone"]);
  },
);
