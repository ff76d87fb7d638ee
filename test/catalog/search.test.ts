import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { createCatalog } from "../../src/catalog/catalog.ts";
import { defineTool } from "../../src/catalog/define-tool.ts";
import { ToolSearch } from "../../src/catalog/search.ts";
import { declareTool } from "../support/sample-tools.ts";

function tool(name: string, summary: string, category: string, action: string) {
  const input = z.strictObject({});
  return defineTool(
    declareTool({ name, summary, description: `${summary}.`, category, actions: [action], input }),
  );
}

const TOOLS = [
  tool("delete_calendar_event", "Delete a calendar event by its ID", "calendar", "delete"),
  tool("list_calendar_events", "List the events of a calendar between two dates", "calendar", "list"),
  tool("sendEmail", "Send an email to one or more recipients", "mail", "send"),
  tool("search-mail", "Search the mailbox for messages", "mail", "search"),
  tool("get_weather", "Get the weather forecast of a city", "weather", "read"),
  tool("create_invoice", "Create an invoice for a customer", "billing", "create"),
  tool("status", "Say whether the service is up", "ops", "read"),
];
const search = new ToolSearch(TOOLS);
const names = (query: string): string[] => search.find(query).map(({ name }) => name);

describe("find()", () => {
  test.each([
    ["the words of a summary", "delete a calendar event", "delete_calendar_event"],
    ["other forms of them", "weather forecasts for cities", "get_weather"],
    ["words of the same meaning", "cancel my meeting", "delete_calendar_event"],
    ["a phrase of the same meaning", "call off the appointment", "delete_calendar_event"],
    ["a misspelt word", "wether forcast", "get_weather"],
    ["its name in other punctuation", "Send email", "sendEmail"],
    ["one word, where the other is an everyday one that no tool has", "email my boss", "sendEmail"],
    ["a sentence around it", "Could you please draw up the bill for our client Acme?", "create_invoice"],
  ])("finds a tool by %s", (_, query, expected) => {
    expect(names(query)[0]).toBe(expected);
  });

  test.each(TOOLS.map(({ name }) => name))(
    "puts %s first when it is the request, whatever the case",
    (name) => {
      expect(names(name)[0]).toBe(name);
      expect(names(name.toUpperCase().replaceAll(/[_-]/g, " "))[0]).toBe(name);
    },
  );

  test("puts a tool first that a request names as it is written", () => {
    expect(names("use search-mail to find the event of the calendar")[0]).toBe("search-mail");
  });

  test("puts the name as it is written before another that only looks like it", () => {
    const alike = [
      tool("send_mail", "Send a letter", "post", "send"),
      tool("sendMail", "Send", "mail", "send"),
    ];
    expect(new ToolSearch(alike).find("sendMail")[0]!.name).toBe("sendMail");
    expect(new ToolSearch(alike).find("send_mail")[0]!.name).toBe("send_mail");
  });

  test("does not take an everyday word in a request for a tool's name", () => {
    expect(names("delete the status event of my calendar")[0]).toBe("delete_calendar_event");
  });

  test.each(["how do I bake sourdough bread", "the of and", "42", "🙂", "zzz qqq"])(
    "finds nothing that fits '%s'",
    (query) => {
      expect(names(query)).toEqual([]);
    },
  );

  test("leaves out what only shares a little with the request", () => {
    expect(names("delete calendar event")).not.toContain("sendEmail");
  });

  test("takes the name of a category for all of it, even where every tool is of it", () => {
    const mail = new ToolSearch(TOOLS.filter(({ category }) => category === "mail"));
    expect(
      mail
        .find(" Mail ")
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["search-mail", "sendEmail"]);
    expect(names("billing")).toContain("create_invoice");
  });

  test("finds nothing in an empty catalog", () => {
    expect(new ToolSearch([]).find("send an email")).toEqual([]);
  });

  test("does not look beyond the words that anybody would use", () => {
    const strange = Array.from({ length: 26 }, (_, n) => `${String.fromCodePoint(97 + n)}qq`).join(" ");
    expect(names("weather forecast")).toEqual(["get_weather"]);
    expect(names(`${strange} weather forecast`)).toEqual([]);
  });

  test("takes any text, and gives each tool at most once", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (query) => {
        const found = names(query);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });

  test("does not depend on the order of the tools beyond ties", () => {
    const reversed = new ToolSearch([...TOOLS].reverse());
    expect(reversed.find("cancel my meeting")[0]!.name).toBe("delete_calendar_event");
  });
});

test("a catalog's search sees its own tools only, down to their order", () => {
  const all = createCatalog(TOOLS);
  const part = all.restrictTo(["calendar"]);
  const alone = createCatalog(TOOLS.slice(0, 2));

  for (const query of ["calendar event", "send an email", "cancel my meeting", "events between two dates"])
    expect(part.search(query)).toEqual(alone.search(query));
});
