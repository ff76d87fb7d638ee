import { afterAll, expect, test } from "vitest";

import type { WireEnvelope, WireResult } from "../support/execute-batch.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const volley = await startRawSandbox();
afterAll(() => volley[Symbol.asyncDispose]());
const caller = new TestCaller(volley.url);

async function run(actions: readonly object[], batch: object = {}): Promise<readonly WireResult[]> {
  const { status, text } = await caller.send({ body: JSON.stringify({ actions, ...batch }) });
  expect(status, text).toBe(200);
  return (JSON.parse(text) as WireEnvelope).results;
}

/** Far from today, and behind everything else that is in the calendar. */
const DAY = "2098-03-05";

test("an event is added, listed, changed and, after a person's yes, deleted, by references", async () => {
  const [added, listed, changed, searched] = await run([
    {
      id: "add",
      tool: "add_calendar_event",
      args: {
        title: "Planning the move",
        start_time: `${DAY}T15:00`,
        timezone: "America/New_York",
        duration: "90 minutes",
      },
    },
    { id: "list", tool: "list_calendar_events", args: { from: DAY, to: DAY, timezone: "America/New_York" } },
    {
      id: "change",
      tool: "update_calendar_event",
      args: {
        event_id: { $ref: "list#/events/0/event_id" },
        start_time: `${DAY}T16:00`,
        timezone: "America/New_York",
      },
    },
    {
      id: "search",
      tool: "search_calendar_events",
      args: { query: "planning move" },
      depends_on: ["change"],
    },
  ]);
  const { event_id } = added!.data as { event_id: string };
  expect(added!.data).toEqual({
    success: true,
    event_id: expect.stringMatching(/^[0-9a-v]{5,1024}$/),
    start: `${DAY}T15:00:00-05:00`,
    end: `${DAY}T16:30:00-05:00`,
    all_day: false,
  });
  expect(listed!.data).toEqual({
    events: [
      { event_id, title: "Planning the move", start: `${DAY}T15:00:00-05:00`, end: `${DAY}T16:30:00-05:00` },
    ],
  });
  expect(changed!.data).toMatchObject({
    event_id,
    start: `${DAY}T16:00:00-05:00`,
    end: `${DAY}T17:30:00-05:00`,
  });
  expect(searched!.data).toMatchObject({ events: [{ event_id, start: `${DAY}T21:00:00Z` }] });

  const [parked] = await run([{ tool: "delete_calendar_event", args: { event_id } }]);
  expect(parked!.status).toBe("pending_confirmation");
  const approved = await caller.send({
    path: `/v1/confirmations/${parked!.confirmation!.id}`,
    body: JSON.stringify({ decision: "approve" }),
  });
  expect((JSON.parse(approved.text) as WireEnvelope).results).toMatchObject([
    { status: "success", data: { success: true, event_id } },
  ]);
  const [after] = await run([{ tool: "list_calendar_events", args: { from: DAY, to: DAY } }]);
  expect(after!.data).toEqual({ events: [] });
});

test("times in words are read inside the Worker, by the clocks of their zone", async () => {
  const [tomorrow, friday, day, wrong] = await run([
    {
      tool: "add_calendar_event",
      args: { title: "x", start_time: "tomorrow at 3pm", timezone: "Asia/Kolkata" },
    },
    {
      tool: "add_calendar_event",
      args: { title: "x", start_time: "next friday 14:00", timezone: "Europe/Berlin" },
    },
    { tool: "add_calendar_event", args: { title: "x", start_time: "on March 5" } },
    { tool: "add_calendar_event", args: { title: "x", start_time: "Feb 30" } },
  ]);
  expect(tomorrow!.data).toMatchObject({ start: expect.stringMatching(/T15:00:00\+05:30$/), all_day: false });
  const { start } = friday!.data as { start: string };
  expect(start).toMatch(/T14:00:00\+0[12]:00$/);
  expect(new Date(`${start.slice(0, 10)}T12:00:00Z`).getUTCDay()).toBe(5);
  expect(day!.data).toMatchObject({ start: expect.stringMatching(/-03-05$/), all_day: true });
  expect(wrong).toMatchObject({
    status: "error",
    error: { code: "INVALID_ARGS", issues: [{ path: "/args/start_time" }] },
  });
});

test("the same batch under the same key makes one event", async () => {
  const body = JSON.stringify({
    actions: [{ tool: "add_calendar_event", args: { title: "Once only", start_time: `${DAY}T09:00` } }],
  });
  for (let sent = 0; sent < 2; sent += 1)
    await caller.send({ body, headers: { "idempotency-key": "one-event" } });
  const [found] = await run([{ tool: "search_calendar_events", args: { query: "once only" } }]);
  expect((found!.data as { events: object[] }).events).toHaveLength(1);
});

test("a mail is sent, found, and read without naming it", async () => {
  const [sent, found, read] = await run([
    {
      id: "send",
      tool: "send_gmail",
      args: { to: ["ann@example.com"], subject: "Grüße aus der Küche 🍳", body: "Essen ist fertig.\nKomm!" },
    },
    { id: "find", tool: "search_gmail", args: { query: "in:sent subject:küche" }, depends_on: ["send"] },
    { id: "read", tool: "read_gmail", args: {} },
  ]);
  const { message_id } = sent!.data as { message_id: string };
  expect(found!.data).toMatchObject({ messages: [{ message_id, subject: "Grüße aus der Küche 🍳" }] });
  expect(read!.data).toMatchObject({ message_id, to: "ann@example.com", text: "Essen ist fertig.\nKomm!" });
});

test("a task is added, listed and completed, and deleted only after a yes", async () => {
  const [added, listed, completed, parked] = await run([
    { id: "add", tool: "add_task", args: { title: "Buy boxes", due: "2098-03-05" } },
    { id: "list", tool: "list_tasks" },
    { id: "done", tool: "complete_task", args: { task_id: { $ref: "add#/task_id" } } },
    { id: "gone", tool: "delete_task", args: { task_id: { $ref: "add#/task_id" } } },
  ]);
  expect(added!.data).toMatchObject({ success: true, due: "2098-03-05", status: "open" });
  expect((listed!.data as { tasks: object[] }).tasks).toContainEqual(
    expect.objectContaining({ title: "Buy boxes", due: "2098-03-05" }),
  );
  expect(completed!.data).toMatchObject({ status: "completed" });
  expect(parked!.status).toBe("pending_confirmation");
});

test("a wide batch of them works on a cold isolate", async () => {
  const actions = Array.from({ length: 50 }, (_, n) => ({
    tool: ["list_calendar_events", "search_gmail", "list_tasks"][n % 3],
    args: [{ limit: 1 + (n % 50) }, { query: `in:inbox ${n}`, limit: 1 }, { limit: 1 + (n % 50) }][n % 3],
  }));
  const results = await run(actions, { deadline_ms: 60_000 });
  expect(results.filter(({ status }) => status !== "success")).toEqual([]);
});
