import { beforeEach, describe, expect, test } from "vitest";

import { resetGoogleCalendar } from "../sandbox/upstreams/google-calendar.ts";
import { callStandIn } from "./call-stand-in.ts";
import { authorize } from "./google-access-token.ts";

const EVENTS = "https://www.googleapis.com/calendar/v3/calendars/primary/events";
const START = { dateTime: "2027-03-05T15:00:00+01:00" };
const END = { dateTime: "2027-03-05T16:00:00+01:00", timeZone: "Europe/Berlin" };

beforeEach(resetGoogleCalendar);

async function call(method: string, path: string, body?: object) {
  const headers = { ...(await authorize()), "content-type": "application/json" };
  return callStandIn(`${EVENTS}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

test("an event is made, read, changed and deleted", async () => {
  const made = await call("POST", "?sendUpdates=all", { id: "abcde", summary: "x", start: START, end: END });
  expect(made).toMatchObject({
    status: 200,
    body: { id: "abcde", status: "confirmed", start: { dateTime: "2027-03-05T14:00:00Z", timeZone: "UTC" } },
  });
  expect(await call("PATCH", "/abcde", { summary: "y" })).toMatchObject({
    status: 200,
    body: { summary: "y" },
  });
  expect(await call("GET", "/abcde?fields=summary,start(timeZone)")).toEqual({
    status: 200,
    body: { summary: "y", start: { timeZone: "UTC" } },
  });
  expect(await call("DELETE", "/abcde")).toEqual({ status: 204, body: null });
  expect(await call("DELETE", "/abcde")).toMatchObject({ status: 410, body: { error: { code: 410 } } });
  expect(await call("GET", "/abcde")).toMatchObject({ status: 200, body: { status: "cancelled" } });
  expect(await call("POST", "", { id: "abcde", start: START, end: END })).toMatchObject({ status: 409 });
});

test.each([
  ["no token", {}, 401],
  ["a token that was never given out", { authorization: "Bearer ya29.made-up" }, 401],
])("%s is refused", async (_, headers, status) => {
  expect(await callStandIn(EVENTS, { headers: headers as Record<string, string> })).toMatchObject({
    status,
    body: { error: { code: status, errors: [{ domain: "global" }] } },
  });
});

describe("An event is refused", () => {
  test.each([
    ["without an end", { start: START }],
    ["without an offset or a zone", { start: { dateTime: "2027-03-05T15:00:00" }, end: END }],
    ["with an offset for a zone", { start: { ...START, timeZone: "+01:00" }, end: END }],
    ["in a zone that is none", { start: { ...START, timeZone: "Mars/Olympus" }, end: END }],
    ["with a date and a time", { start: { ...START, date: "2027-03-05" }, end: END }],
    ["from a date to a time", { start: { date: "2027-03-05" }, end: END }],
    ["on a day that does not exist", { start: { date: "2027-02-30" }, end: { date: "2027-03-02" } }],
    ["that ends before it starts", { start: END, end: START }],
    ["of whole days that is empty", { start: { date: "2027-03-05" }, end: { date: "2027-03-05" } }],
    ["with an id of other letters", { id: "wxyz-1", start: START, end: END }],
    ["with a short id", { id: "abc", start: START, end: END }],
    ["with an unknown field", { title: "x", start: START, end: END }],
    ["with a guest who has no address", { attendees: [{ email: "Ann" }], start: START, end: END }],
    ["with a list of addresses", { attendees: ["a@example.com"], start: START, end: END }],
    ["with a title that is no text", { summary: 7, start: START, end: END }],
  ])("%s", async (_, body) => {
    expect(await call("POST", "", body)).toMatchObject({ status: 400, body: { error: { code: 400 } } });
  });
});

test.each([
  ["GET", "?timeMin=2027-03-05T15:00:00"],
  ["GET", "?timeMin=2027-03-05"],
  ["GET", "?orderBy=startTime"],
  ["GET", "?maxResults=0"],
  ["GET", "?limit=3"],
  ["GET", "?q=a&q=b"],
  ["GET", "?fields=items(id"],
  ["GET", "?fields=items(title)"],
  ["GET", "?timeMin=2027-03-05T15:00:00Z&timeMax=2027-03-05T14:00:00Z"],
  ["DELETE", "/abc123?sendUpdates=everybody"],
])("%s %s is refused", async (method, path) => {
  expect(await call(method, path)).toMatchObject({ status: 400 });
});

test.each([
  ["GET", "/nobody"],
  ["DELETE", "/nobody"],
  ["PUT", "/abc123"],
])("%s %s finds nothing", async (method, path) => {
  expect(await call(method, path)).toMatchObject({ status: 404, body: { error: { code: 404 } } });
});

test("a time takes the place of a date only where the date is taken away", async () => {
  await call("POST", "", { id: "a11da", start: { date: "2027-03-05" }, end: { date: "2027-03-06" } });
  expect(await call("PATCH", "/a11da", { start: START, end: END })).toMatchObject({ status: 400 });
  const times = { start: { ...START, date: null }, end: { ...END, date: null } };
  expect(await call("PATCH", "/a11da", times)).toMatchObject({ status: 200 });
});

test("a list is in order, in pages, and only what was asked for", async () => {
  const sorted = "singleEvents=true&orderBy=startTime&fields=items(id),nextPageToken";
  expect((await call("GET", `?${sorted}&maxResults=1`)).body).toEqual({
    items: [{ id: "abc123" }],
    nextPageToken: "1",
  });
  expect((await call("GET", `?${sorted}&pageToken=1`)).body).toEqual({ items: [{ id: "def456" }] });
  expect((await call("GET", `?${sorted}&q=JOHN`)).body).toEqual({ items: [{ id: "abc123" }] });
});
