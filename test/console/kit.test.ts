import { describe, expect, test } from "vitest";

import { splitEvents } from "../../src/console/kit/read-events.ts";
import { hrefTo, parseRoute } from "../../src/console/kit/route.ts";

describe("parseRoute()", () => {
  test.each([
    ["", "run", null],
    ["#/", "run", null],
    ["#/jobs", "jobs", null],
    ["#/jobs/7f-1", "jobs", "7f-1"],
    ["#/tools/a%2Fb%20c", "tools", "a/b c"],
    ["#/tools/100%", "tools", "100%"],
    ["#/tools/%ff", "tools", "\ufffd"],
    ["#/tools/a&b+c=d", "tools", "a&b+c=d"],
    ["#/elsewhere/x", "run", null],
    ["#javascript:alert(1)", "run", null],
  ])("reads '%s' as %s, %s", (hash, section, id) => {
    expect(parseRoute(hash)).toMatchObject({ section, id });
  });

  test.each(["a/b", "ü", "100%", "a?b#c", "%2F", "\u202e"])(
    "finds the name '%s' that hrefTo() wrote",
    (name) => {
      const route = parseRoute(hrefTo("tools", name, { status: "dead", tool: "" }));
      expect(route.id).toBe(name);
      expect([...route.query]).toEqual([["status", "dead"]]);
    },
  );
});

describe("splitEvents()", () => {
  test("gives what is complete, and keeps the rest for the next piece", () => {
    const text = ': still here\n\nevent: result\ndata: {"a":1}\n\nevent: done\ndata: {"b"';
    const { events, rest } = splitEvents(text);
    expect(events).toMatchObject([{ event: "result", data: { a: 1 } }]);
    expect(splitEvents(`${rest}:2}\n\n`)).toMatchObject({
      events: [{ event: "done", data: { b: 2 } }],
      rest: "",
    });
  });
});
