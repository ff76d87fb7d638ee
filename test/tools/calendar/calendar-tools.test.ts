import * as z from "zod/mini";
import { beforeEach, describe, expect, test } from "vitest";

import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { addCalendarEvent } from "../../../src/tools/calendar/add-calendar-event.ts";
import { fetchEvents } from "../../../src/tools/calendar/calendar-api.ts";
import { deleteCalendarEvent } from "../../../src/tools/calendar/delete-calendar-event.ts";
import { listCalendarEvents } from "../../../src/tools/calendar/list-calendar-events.ts";
import { restoreCalendarEvent } from "../../../src/tools/calendar/restore-calendar-event.ts";
import { searchCalendarEvents } from "../../../src/tools/calendar/search-calendar-events.ts";
import { updateCalendarEvent } from "../../../src/tools/calendar/update-calendar-event.ts";
import { forgetGoogleTokens } from "../../../src/tools/kit/google-access.ts";
import { countCalendarEvents, resetGoogleCalendar } from "../../sandbox/upstreams/google-calendar.ts";
import { resetGoogleOauth } from "../../sandbox/upstreams/google-oauth.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

/** The stand-ins' time is Monday, 2 November 2026, 15:00 UTC. */
interface Shown {
  readonly event_id: string;
  readonly title?: string;
  readonly start: string;
  readonly end: string;
  readonly all_day?: boolean;
}

beforeEach(() => {
  forgetGoogleTokens();
  resetGoogleOauth();
  resetGoogleCalendar();
});

let keys = 0;
async function run(tool: Tool, args: object, idempotencyKey = `key-${(keys += 1)}`): Promise<unknown> {
  return runTool(tool, args, { idempotencyKey }).output;
}

async function add(args: object, key?: string): Promise<Shown> {
  return (await run(addCalendarEvent, { title: "Dentist", ...args }, key)) as Shown;
}

async function list(args: object = {}): Promise<readonly Shown[]> {
  return ((await run(listCalendarEvents, args)) as { events: readonly Shown[] }).events;
}

describe("add_calendar_event", () => {
  test.each([
    [{ start_time: "tomorrow at 3pm" }, "2026-11-03T15:00:00Z", "2026-11-03T16:00:00Z", false],
    [
      { start_time: "2027-03-05T15:00:00+01:00" },
      "2027-03-05T15:00:00+01:00",
      "2027-03-05T16:00:00+01:00",
      false,
    ],
    [
      { start_time: "2027-03-05T15:00", timezone: "America/New_York", duration: "90 minutes" },
      "2027-03-05T15:00:00-05:00",
      "2027-03-05T16:30:00-05:00",
      false,
    ],
    [
      { start_time: "tomorrow at 3pm", end_time: "5pm" },
      "2026-11-03T15:00:00Z",
      "2026-11-03T17:00:00Z",
      false,
    ],
    [
      { start_time: "friday 10am", end_time: "friday 6pm" },
      "2026-11-06T10:00:00Z",
      "2026-11-06T18:00:00Z",
      false,
    ],
    [{ start_time: "friday 10pm", end_time: "2am" }, "2026-11-06T22:00:00Z", "2026-11-07T02:00:00Z", false],
    [{ start_time: "tomorrow 3pm to 5pm" }, "2026-11-03T15:00:00Z", "2026-11-03T17:00:00Z", false],
    // Clocks go forward at 2:00: two hours of elapsed time end at 4:00.
    [
      { start_time: "2027-03-14T01:00", duration: "2 hours", timezone: "America/New_York" },
      "2027-03-14T01:00:00-05:00",
      "2027-03-14T04:00:00-04:00",
      false,
    ],
    [{ start_time: "on March 5" }, "2027-03-05", "2027-03-05", true],
    [{ start_time: "2027-03-05", end_time: "2027-03-07" }, "2027-03-05", "2027-03-07", true],
    [{ start_time: "friday", duration: "2 days" }, "2026-11-06", "2026-11-07", true],
    [{ start_time: "friday", end_time: "sunday" }, "2026-11-06", "2026-11-08", true],
  ])("with %j answers and stores when it is", async (args, start, end, allDay) => {
    const added = await add(args);
    expect(added).toEqual({ success: true, event_id: expect.any(String), start, end, all_day: allDay });
    const { timezone } = args as { timezone?: string };
    const shown = (await list({ from: "2026-11-01", limit: 50, ...(timezone && { timezone }) })).find(
      ({ event_id }) => event_id === added.event_id,
    );
    expect(shown!.title).toBe("Dentist");
    if (allDay) expect(shown).toMatchObject({ start, end });
    else
      expect([Date.parse(shown!.start), Date.parse(shown!.end)]).toEqual([
        Date.parse(start),
        Date.parse(end),
      ]);
  });

  test("asks Google as documented", async () => {
    const { output, requests } = runTool(
      addCalendarEvent,
      {
        title: "Review",
        start_time: "tomorrow at 3pm",
        description: "Bring numbers",
        attendees: ["a@example.com"],
        timezone: "europe/berlin",
      },
      { idempotencyKey: "0b0e7a4c-1f5d-4a68-9a53-2f3c1d5e6f70:a0" },
    );
    await output;
    expect(requests.map(({ method, url }) => `${method} ${url.origin}${url.pathname}`)).toEqual([
      "POST https://oauth2.googleapis.com/token",
      "POST https://www.googleapis.com/calendar/v3/calendars/primary/events",
    ]);
    const insert = requests[1]!;
    expect(insert.headers.get("authorization")).toMatch(/^Bearer ya29\./);
    expect(insert.url.searchParams.get("sendUpdates")).toBe("all");
    expect(JSON.parse(insert.body)).toEqual({
      id: expect.stringMatching(/^0b0e7a4c1f5d4a689a532f3c1d5e6f70[0-9a-v]+$/),
      summary: "Review",
      description: "Bring numbers",
      attendees: [{ email: "a@example.com" }],
      start: { date: null, dateTime: "2026-11-03T15:00:00+01:00", timeZone: "Europe/Berlin" },
      end: { date: null, dateTime: "2026-11-03T16:00:00+01:00", timeZone: "Europe/Berlin" },
    });
  });

  test("sent again under its key makes no second event, and answers the one that is there", async () => {
    const first = await add({ start_time: "tomorrow at 3pm" }, "same");
    expect(await add({ start_time: "tomorrow at 3pm" }, "same")).toEqual(first);
    await add({ start_time: "tomorrow at 3pm" }, "another");
    expect(countCalendarEvents()).toBe(4);
  });

  test("sent again under its key after its event was deleted is a conflict", async () => {
    const { event_id } = await add({ start_time: "tomorrow at 3pm" }, "same");
    await run(deleteCalendarEvent, { event_id });
    await expect(add({ start_time: "tomorrow at 3pm" }, "same")).rejects.toMatchObject({
      failure: { code: "IDEMPOTENCY_CONFLICT" },
    });
  });

  test.each([
    [{ start_time: "Feb 30" }, "start_time"],
    [{ start_time: "2027-02-30T10:00" }, "start_time"],
    [{ start_time: "lunch" }, "start_time"],
    [{ start_time: "morgen um 15 Uhr" }, "start_time"],
    [{ start_time: "tomorrow 5pm to 3pm", end_time: "6pm" }, "end_time"],
    [{ start_time: "tomorrow at 3pm", end_time: "tomorrow at 2pm" }, "end_time"],
    [{ start_time: "tomorrow at 3pm", end_time: "2pm" }, "end_time"],
    [{ start_time: "tomorrow at 3pm", end_time: "tomorrow at 3pm" }, "end_time"],
    [{ start_time: "tomorrow at 3pm", end_time: "friday" }, "end_time"],
    [{ start_time: "friday", end_time: "thursday 5pm" }, "start_time"],
    [{ start_time: "2027-03-05", end_time: "2027-03-04" }, "end_time"],
    [{ start_time: "friday", duration: "2 hours" }, "start_time"],
    [{ start_time: "tomorrow at 3pm", duration: "a while" }, "duration"],
    [{ start_time: "tomorrow at 3pm", duration: "-1 hours" }, "duration"],
    [{ start_time: "tomorrow at 3pm", end_time: "4pm", duration: "2 hours" }, "duration"],
    [{ start_time: "tomorrow at 3pm", timezone: "Mars/Olympus" }, "timezone"],
    [{ start_time: "tomorrow at 3pm", timezone: "+02:00" }, "timezone"],
  ])("refuses %j, says at which argument, and sends nothing", async (args, argument) => {
    const { output, requests } = runTool(addCalendarEvent, { title: "x", ...args });
    await expect(output).rejects.toMatchObject({
      failure: {
        code: "INVALID_ARGS",
        hint: expect.stringContaining(`/args/${argument} must be `),
        issues: [{ path: `/args/${argument}` }],
      },
    });
    expect(requests).toEqual([]);
  });

  test("takes an end and a length that agree", async () => {
    expect(await add({ start_time: "tomorrow at 3pm", end_time: "5pm", duration: "2 hours" })).toMatchObject({
      end: "2026-11-03T17:00:00Z",
    });
  });

  test.each([
    { start_time: "tomorrow" },
    { title: " ", start_time: "tomorrow" },
    { title: "x", start_time: "" },
    { title: "x", start_time: "a".repeat(101) },
    { title: "x", start_time: "tomorrow", attendees: ["a@example.com,b@example.com"] },
    { title: "x", start_time: "tomorrow", attendees: ["Ann <a@example.com>"] },
    { title: "x", start_time: "tomorrow", location: "here" },
  ])("does not accept %j", (args) => {
    expect(z.safeParse(addCalendarEvent.input, args).success).toBe(false);
  });
});

describe("list_calendar_events", () => {
  trial("lists what is to come in order, in at most 4000 tokens", async () => {
    for (let n = 0; n < 30; n += 1)
      await add({
        title: `${n} ${"word ".repeat(100)}`,
        start_time: `2026-11-${String(30 - n).padStart(2, "0")}T10:00`,
      });
    const events = await list({ limit: 50 });
    const starts = events.map(({ start }) => start);
    expect(starts).toEqual(starts.toSorted());
    expect(events.every(({ start }) => start > "2026-11-02T15")).toBe(true);
    expect(countTokens(events)).toBeLessThan(4_000);
  });

  test.each([
    [{ from: "tomorrow", to: "tomorrow" }, ["Meeting with John", "Late"]],
    [{ from: "tomorrow", to: "tomorrow end of day" }, ["Meeting with John", "Late"]],
    [{ from: "tomorrow", to: "wednesday" }, ["Meeting with John", "Late", "Stand-up"]],
    [{ from: "2026-11-03T23:30" }, ["Stand-up"]],
    [{ from: "2026-11-01T00:00:00Z", to: "2026-11-02" }, []],
    [{ from: "tomorrow", to: "2026-11-03T20:00:00-02:00" }, ["Meeting with John"]],
  ])("keeps to %j", async (range, titles) => {
    await add({ title: "Late", start_time: "tomorrow at 22:30" });
    expect((await list(range)).map(({ title }) => title)).toEqual(titles);
  });

  test("shows times by the clocks of the zone it is asked in", async () => {
    const [first] = await list({ timezone: "Asia/Tokyo", limit: 1 });
    expect(first).toEqual({
      event_id: "abc123",
      title: "Meeting with John",
      start: "2026-11-03T23:00:00+09:00",
      end: "2026-11-04T00:00:00+09:00",
    });
  });

  test("says when there are more", async () => {
    expect(await run(listCalendarEvents, { limit: 1 })).toMatchObject({ events: [{}], more: true });
    expect(await run(listCalendarEvents, { limit: 2 })).not.toHaveProperty("more");
  });

  test.each([
    [{ from: "whenever" }, "from"],
    [{ to: "later" }, "to"],
    [{ from: "2027-03-05", to: "2027-03-01" }, "to"],
    [{ timezone: "Nowhere" }, "timezone"],
  ])("refuses %j at its argument", async (args, argument) => {
    await expect(list(args)).rejects.toMatchObject({
      failure: { code: "INVALID_ARGS", issues: [{ path: `/args/${argument}` }] },
    });
  });
});

describe("search_calendar_events", () => {
  test("finds what is to come first, then what was, the latest first", async () => {
    for (const [title, start_time] of [
      ["Yoga a", "2026-09-01T10:00"],
      ["Yoga b", "2026-10-01T10:00"],
      ["Yoga c", "2026-12-01T10:00"],
      ["Yoga d", "2027-01-01T10:00"],
      ["Chess", "2026-12-01T10:00"],
    ] as const)
      await add({ title, start_time });
    const found = (await run(searchCalendarEvents, { query: "yoga" })) as { events: Shown[] };
    expect(found.events.map(({ title }) => title)).toEqual(["Yoga c", "Yoga d", "Yoga b", "Yoga a"]);
    expect(await run(searchCalendarEvents, { query: "yoga", limit: 1 })).toMatchObject({
      events: [{ title: "Yoga c" }],
    });
    expect(await run(searchCalendarEvents, { query: "nobody" })).toEqual({ events: [] });
  });

  test("lists an event that goes on right now once", async () => {
    await add({ title: "Workshop", start_time: "today at 14:00", duration: "3 hours" });
    expect(await run(searchCalendarEvents, { query: "workshop" })).toMatchObject({
      events: [{ title: "Workshop" }],
    });
  });
});

describe("restore_calendar_event", () => {
  /** Reads the whole event. */
  const reader: Tool = {
    ...updateCalendarEvent,
    input: z.object({}),
    run: async (_, ctx) => (await fetchEvents(ctx, "abc123", {})).json(),
  };
  const look = (): Promise<unknown> => run(reader, {});
  const change = (args: object): Promise<unknown> =>
    run(updateCalendarEvent, { event_id: "abc123", ...args });
  const takeBack = (data: unknown): Promise<unknown> => {
    const { event_id, before, after } = data as Readonly<Record<string, unknown>>;
    return run(restoreCalendarEvent, { event_id, before, after });
  };

  test.each([
    [{ title: "Lunch with John" }],
    [{ start_time: "friday at 9am" }],
    [{ start_time: "friday" }],
    [{ duration: "30 minutes", description: "In the park" }],
    [{ attendees: ["ada@example.com"], title: "Lunch" }],
  ])("puts back what a change of %j changed", async (args) => {
    await change({ description: "Agenda", attendees: ["john@example.com"] });
    const before = await look();
    const changed = await change(args);
    expect(await look()).not.toEqual(before);
    for (const _ of ["once", "and again, when its answer was lost"])
      expect(await takeBack(changed)).toEqual({ success: true, event_id: "abc123" });
    expect(await look()).toEqual(before);
  });

  test("leaves what somebody has changed since, and says so", async () => {
    const changed = await change({ title: "Lunch with John" });
    await change({ title: "Dinner with John" });
    await expect(takeBack(changed)).rejects.toMatchObject({
      failure: {
        code: "INVALID_ARGS",
        issues: [{ path: "/args/after/title" }],
        hint: expect.stringContaining("changed again since"),
      },
    });
    expect(await look()).toMatchObject({ summary: "Dinner with John" });
  });

  test("leaves other fields to whom changed them", async () => {
    const changed = await change({ title: "Lunch with John" });
    await change({ description: "Bring the plan" });
    await takeBack(changed);
    expect(await look()).toMatchObject({ summary: "Meeting with John", description: "Bring the plan" });
  });

  test("finds no event that is deleted", async () => {
    const changed = await change({ title: "Lunch with John" });
    await run(deleteCalendarEvent, { event_id: "abc123" });
    await expect(takeBack(changed)).rejects.toMatchObject({ failure: { code: "NOT_FOUND" } });
  });

  test("is not misled by a second attempt of the change, which finds its own work", async () => {
    const request = {};
    const attempt = async (): Promise<unknown> =>
      runTool(updateCalendarEvent, { event_id: "abc123", title: "Lunch" }, { request, idempotencyKey: "k" })
        .output;
    await attempt();
    expect(await attempt()).toMatchObject({
      before: { title: "Meeting with John" },
      after: { title: "Lunch" },
    });
  });
});

describe("update_calendar_event", () => {
  const change = async (args: object): Promise<Shown> =>
    (await run(updateCalendarEvent, { event_id: "abc123", ...args })) as Shown;

  test.each([
    [{ title: "Lunch with John" }, "2026-11-03T14:00:00Z", "2026-11-03T15:00:00Z", false],
    [{ start_time: "friday at 9am" }, "2026-11-06T09:00:00Z", "2026-11-06T10:00:00Z", false],
    [{ end_time: "4pm" }, "2026-11-03T14:00:00Z", "2026-11-03T16:00:00Z", false],
    [{ duration: "30 minutes" }, "2026-11-03T14:00:00Z", "2026-11-03T14:30:00Z", false],
    [{ start_time: "friday" }, "2026-11-06", "2026-11-06", true],
    [
      { start_time: "2026-11-06T09:00", timezone: "Asia/Tokyo" },
      "2026-11-06T09:00:00+09:00",
      "2026-11-06T10:00:00+09:00",
      false,
    ],
  ])("with %j changes that, and keeps the rest", async (args, start, end, allDay) => {
    const { title = "Meeting with John" } = args as { title?: string };
    expect(await change(args)).toEqual({
      success: true,
      event_id: "abc123",
      title,
      start,
      end,
      all_day: allDay,
      before: expect.any(Object),
      after: expect.any(Object),
    });
    const [listed] = ((await run(searchCalendarEvents, { query: "john" })) as { events: Shown[] }).events;
    expect(Date.parse(listed!.start)).toBe(Date.parse(start));
  });

  test.each([
    ["America/New_York", "2026-11-06T09:00:00-05:00", "2026-11-06T10:30:00-05:00"],
    ["Asia/Tokyo", "2026-11-06T09:00:00+09:00", "2026-11-06T10:30:00+09:00"],
  ])("moves an event of %s by the clocks of its own zone, with its length", async (zone, start, end) => {
    const { event_id } = await add({
      start_time: "2026-11-05T15:00",
      timezone: zone,
      duration: "90 minutes",
    });
    expect(await change({ event_id, start_time: "2026-11-06T09:00" })).toMatchObject({ start, end });
  });

  test("makes an event of whole days one of a time again, an hour long", async () => {
    await change({ start_time: "friday", end_time: "sunday" });
    expect(await change({ start_time: "monday" })).toMatchObject({ start: "2026-11-09", end: "2026-11-11" });
    expect(await change({ start_time: "friday 9am" })).toMatchObject({
      end: "2026-11-06T10:00:00Z",
      all_day: false,
    });
  });

  test("is about something that is there, and changes something", async () => {
    await expect(change({})).rejects.toMatchObject({ failure: { code: "INVALID_ARGS" } });
    await expect(change({ timezone: "Asia/Tokyo" })).rejects.toMatchObject({
      failure: { code: "INVALID_ARGS" },
    });
    await expect(change({ end_time: "1pm" })).rejects.toMatchObject({
      failure: { code: "INVALID_ARGS", issues: [{ path: "/args/end_time" }] },
    });
    await expect(change({ event_id: "nobody", title: "x" })).rejects.toMatchObject({
      failure: { code: "NOT_FOUND" },
    });
    await run(deleteCalendarEvent, { event_id: "abc123" });
    await expect(change({ title: "x" })).rejects.toMatchObject({ failure: { code: "NOT_FOUND" } });
  });
});

describe("delete_calendar_event", () => {
  test("deletes an event once, and says of one that was deleted that it is", async () => {
    expect(await run(deleteCalendarEvent, { event_id: "abc123" })).toEqual({
      success: true,
      event_id: "abc123",
    });
    expect(await run(deleteCalendarEvent, { event_id: "abc123" })).toEqual({
      success: true,
      event_id: "abc123",
      already_deleted: true,
    });
    await expect(run(deleteCalendarEvent, { event_id: "nobody" })).rejects.toMatchObject({
      failure: { code: "NOT_FOUND" },
    });
  });

  test.each(["..", ".", "../acl", "a/b", "a?b", "a%2Fb", ""])("takes no %j for an id", (event_id) => {
    expect(z.safeParse(deleteCalendarEvent.input, { event_id }).success).toBe(false);
    expect(z.safeParse(updateCalendarEvent.input, { event_id, title: "x" }).success).toBe(false);
  });

  test("needs a person's yes", () => {
    expect(deleteCalendarEvent).toMatchObject({ confirm: true, isWrite: true, repeatable: true });
  });
});
