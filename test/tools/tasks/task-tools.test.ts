import * as z from "zod/mini";
import { beforeEach, describe, expect, test } from "vitest";

import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { forgetGoogleTokens } from "../../../src/tools/kit/google-access.ts";
import { addTask } from "../../../src/tools/tasks/add-task.ts";
import { completeTask } from "../../../src/tools/tasks/complete-task.ts";
import { deleteTask } from "../../../src/tools/tasks/delete-task.ts";
import { reopenTask } from "../../../src/tools/tasks/reopen-task.ts";
import { listTasks } from "../../../src/tools/tasks/list-tasks.ts";
import { resetGoogleTasks } from "../../sandbox/upstreams/google-tasks.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

beforeEach(() => {
  forgetGoogleTokens();
  resetGoogleTasks();
});

const run = async (tool: Tool, args: object = {}): Promise<Record<string, unknown>> =>
  (await runTool(tool, args).output) as Record<string, unknown>;

/** The stand-ins' time is Monday, 2 November 2026, 15:00 UTC. */
describe("add_task", () => {
  test.each([
    ["tomorrow", "UTC", "2026-11-03"],
    ["friday", "UTC", "2026-11-06"],
    ["in 3 days", "UTC", "2026-11-05"],
    ["2027-03-05", "UTC", "2027-03-05"],
    ["tomorrow at 5pm", "UTC", "2026-11-03"],
    ["tomorrow", "Pacific/Auckland", "2026-11-04"],
    ["2027-03-05T23:30:00-08:00", "UTC", "2027-03-05"],
  ])("due %j, in %s, is due on %s", async (due, timezone, day) => {
    const added = await run(addTask, { title: "Buy milk", due, timezone, notes: "Two" });
    expect(added).toEqual({
      success: true,
      task_id: expect.any(String),
      title: "Buy milk",
      status: "open",
      due: day,
      notes: "Two",
    });
    expect(await run(listTasks)).toMatchObject({ tasks: [{ task_id: added["task_id"], due: day }, {}] });
  });

  test.each([
    [{ due: "Feb 30" }, "due"],
    [{ due: "someday" }, "due"],
    [{ due: "tomorrow to friday" }, "due"],
    [{ due: "übermorgen" }, "due"],
    [{ timezone: "Mars" }, "timezone"],
  ])("refuses %j at its argument", async (args, argument) => {
    await expect(run(addTask, { title: "x", ...args })).rejects.toMatchObject({
      failure: { code: "INVALID_ARGS", issues: [{ path: `/args/${argument}` }] },
    });
  });
});

test("list_tasks lists what is open, and what is completed on request", async () => {
  const { task_id } = await run(addTask, { title: "Done soon" });
  expect(await run(completeTask, { task_id })).toEqual({
    success: true,
    task_id,
    title: "Done soon",
    status: "completed",
  });
  expect(await run(completeTask, { task_id })).toMatchObject({ status: "completed" });
  expect(await run(listTasks)).toEqual({
    tasks: [{ task_id: "c2FuZGJveA", title: "Water the plants", status: "open" }],
  });
  expect(await run(listTasks, { include_completed: true })).toMatchObject({ tasks: [{ task_id }, {}] });
  expect(await run(listTasks, { include_completed: true, limit: 1 })).toMatchObject({
    tasks: [{}],
    more: true,
  });
});

trial("list_tasks stays within its size", async () => {
  for (let n = 0; n < 60; n += 1)
    await run(addTask, { title: "title ".repeat(150), notes: "note ".repeat(1_000), due: "tomorrow" });
  expect(countTokens(await run(listTasks, { limit: 50 }))).toBeLessThan(7_000);
});

test("delete_task deletes a task, after a person's yes", async () => {
  expect(await run(deleteTask, { task_id: "c2FuZGJveA" })).toEqual({ success: true, task_id: "c2FuZGJveA" });
  expect(await run(listTasks)).toEqual({ tasks: [] });
  for (const tool of [deleteTask, completeTask])
    await expect(run(tool, { task_id: "c2FuZGJveA" })).rejects.toMatchObject({
      failure: { code: "NOT_FOUND" },
    });
  expect(deleteTask).toMatchObject({ confirm: true });
  for (const task_id of ["..", "a/b", "a?b", ""])
    expect(z.safeParse(deleteTask.input, { task_id }).success).toBe(false);
});

test("reopen_task takes back what complete_task did", async () => {
  const task_id = "c2FuZGJveA";
  await run(completeTask, { task_id });
  for (const _ of ["once", "and again"])
    expect(await run(reopenTask, { task_id })).toEqual({
      success: true,
      task_id,
      title: "Water the plants",
      status: "open",
    });
  expect(await run(listTasks)).toMatchObject({ tasks: [{ task_id }] });
});
