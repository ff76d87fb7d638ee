import { expect, test } from "vitest";

import { toWords } from "../../../src/catalog/language/to-words.ts";

test.each([
  ["send_email", ["send", "email"]],
  ["send-email", ["send", "email"]],
  ["calendar.events.list", ["calendar", "events", "list"]],
  ["sendEmail", ["send", "email"]],
  ["HTTPRequest", ["http", "request"]],
  ["listS3Buckets", ["list", "s3", "buckets"]],
  ["What's on, today?", ["what", "s", "on", "today"]],
  ["don’t", ["don", "t"]],
  ["Größe ändern", ["größe", "ändern"]],
  ["天気 予報", ["天気", "予報"]],
  ["ﬁle", ["file"]],
  ["  \n", []],
  ["*", []],
])("toWords('%s') is %j", (text, words) => {
  expect(toWords(text)).toEqual(words);
});
