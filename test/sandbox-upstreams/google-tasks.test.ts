import { beforeEach, expect, test } from "vitest";

import { resetGoogleTasks } from "../sandbox/upstreams/google-tasks.ts";
import { callStandIn } from "./call-stand-in.ts";
import { authorize } from "./google-access-token.ts";

const TASKS = "https://tasks.googleapis.com/tasks/v1/lists/@default/tasks";

beforeEach(resetGoogleTasks);

async function call(method: string, path: string, body?: object) {
  const headers = { ...(await authorize()), "content-type": "application/json" };
  return callStandIn(`${TASKS}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

test("a task is made, completed and deleted; of its due time only the day is kept", async () => {
  const made = await call("POST", "", { title: "x", due: "2027-03-05T17:30:00Z" });
  expect(made).toMatchObject({
    status: 200,
    body: { status: "needsAction", due: "2027-03-05T00:00:00.000Z" },
  });
  const { id } = made.body as { id: string };
  expect(await call("PATCH", `/${id}`, { status: "completed" })).toMatchObject({
    body: { status: "completed", completed: "2026-11-02T15:00:00.000Z" },
  });
  expect(await call("GET", "?showCompleted=false&fields=items(id)")).toEqual({
    status: 200,
    body: { items: [{ id: "c2FuZGJveA" }] },
  });
  expect(await call("DELETE", `/${id}`)).toEqual({ status: 204, body: null });
  expect(await call("DELETE", `/${id}`)).toMatchObject({ status: 404, body: { error: { code: 404 } } });
});

test.each([
  ["POST", "", { name: "x" }],
  ["POST", "", { title: 7 }],
  ["POST", "", { title: "x".repeat(1_025) }],
  ["POST", "", { title: "x", due: "2027-03-05" }],
  ["POST", "", { title: "x", due: "tomorrow" }],
  ["PATCH", "/c2FuZGJveA", { status: "done" }],
  ["GET", "?showCompleted=yes", undefined],
  ["GET", "?limit=3", undefined],
])("%s %s with %j is refused", async (method, path, body) => {
  expect(await call(method, path, body)).toMatchObject({ status: 400, body: { error: { code: 400 } } });
});

test("a request without a token is refused, and there is no other list", async () => {
  expect(await callStandIn(TASKS)).toMatchObject({ status: 401 });
  const other = TASKS.replace("@default", "other");
  expect(await callStandIn(other, { headers: await authorize() })).toMatchObject({ status: 404 });
});
