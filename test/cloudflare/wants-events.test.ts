import { expect, test } from "vitest";

import { wantsEvents } from "../../src/cloudflare/http/event-stream.ts";

test.each([
  "text/event-stream",
  "Text/Event-Stream",
  "text/event-stream; charset=utf-8",
  "text/event-stream;q=0.1",
  "application/json, text/event-stream",
  "text/event-stream, application/json",
  "text/event-stream, */*;q=0.1",
  "application/json;q=0.5,text/event-stream;q=0.8",
  "*/*, application/json;q=0.2, text/event-stream;q=0.5",
  "text/event-stream, application/json;q=0",
  "text/event-stream ; q = 0.9 , application/json ; q=0.8",
  "text/event-stream;q=0.1, text/event-stream;q=1, application/json;q=0.9",
  "text/event-stream;q=nonsense",
  'text/x;note="q=1, ;", text/event-stream',
])("Accept: %s asks for events", (accept) => {
  expect(wantsEvents(accept)).toBe(true);
});

test.each([
  null,
  "",
  "*/*",
  "text/*",
  "application/json",
  "text/html, application/json",
  "text/event-stream;q=0",
  "text/event-stream; q=0.000, */*",
  "application/json, text/event-stream;q=0.9",
  "text/event-stream;q=0.5, application/*",
  "text/event-streams",
  "text/event-stream-but-not-really, text/x",
  'text/x;note="text/event-stream"',
  'text/x;note="a,text/event-stream,b"',
  'text/x;note="a, text/event-stream',
  "text/event-stream;q=-1",
  ",;,=",
])("Accept: %s does not", (accept) => {
  expect(wantsEvents(accept)).toBe(false);
});
