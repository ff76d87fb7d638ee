import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { toEvent } from "../../src/console/kit/read-events.ts";
import { hrefTo, parseRoute } from "../../src/console/kit/route.ts";
import { EventSplitter } from "../../src/core/kit/event-splitter.ts";
import { SOURCES } from "../support/import-graph.ts";

const SECTIONS = ["run", "tools", "jobs"];

describe("parseRoute()", () => {
  test.each([
    ["", null, null],
    ["#/", null, null],
    ["#/jobs", "jobs", null],
    ["#/jobs/7f-1", "jobs", "7f-1"],
    ["#/tools/a%2Fb%20c", "tools", "a/b c"],
    ["#/tools/100%", "tools", "100%"],
    ["#/tools/%ff", "tools", "\ufffd"],
    ["#/tools/a&b+c=d", "tools", "a&b+c=d"],
    ["#/elsewhere/x", "elsewhere/x", null],
    ["#javascript:alert(1)", "javascript:alert(1)", null],
  ])("reads '%s' as %s, %s", (hash, section, id) => {
    expect(parseRoute(hash, SECTIONS)).toMatchObject({ section, id });
  });

  test.each(["a/b", "ü", "100%", "a?b#c", "%2F", "\u202e"])(
    "finds the name '%s' that hrefTo() wrote",
    (name) => {
      const route = parseRoute(hrefTo("tools", name, { status: "dead", tool: "" }), SECTIONS);
      expect(route.id).toBe(name);
      expect([...route.query]).toEqual([["status", "dead"]]);
    },
  );
});

test("an event of a stream is its name and its data, and a comment is none", () => {
  const events = new EventSplitter().read(': still here\n\nevent: result\ndata: {"a":1}\n\ndata: 2\n\n');
  expect(events.flatMap(toEvent)).toEqual([
    { event: "result", data: { a: 1 } },
    { event: "message", data: 2 },
  ]);
});

const PAGES = SOURCES.filter((file) => /^src\/(?:features\/\w[\w-]*\/)?console\//.test(file));

test("the pages take hono's hooks from one file, in which they end with their component", async () => {
  const texts = await Promise.all(PAGES.map((file) => readFile(file, "utf8")));
  const importing = PAGES.filter((_, index) => /\buse\w+[^;]*"hono\/jsx\/dom"/.test(texts[index]!));
  expect(importing).toEqual(["src/console/kit/jsx-hooks.ts"]);
});

test("no page disables what waits for an answer: that would take the focus from it", async () => {
  const texts = await Promise.all(PAGES.map((file) => readFile(file, "utf8")));
  const waiting = /(?<!aria-)disabled=\{[^}]*\bis(?:\w*ing|Busy)/;
  expect(PAGES.filter((_, index) => waiting.test(texts[index]!))).toEqual([]);
});
