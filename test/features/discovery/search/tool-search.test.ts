import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { createCatalog } from "../../../support/create-catalog.ts";
import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { isWeak } from "../../../../src/features/discovery/search/vocabulary.ts";
import { ToolSearch } from "../../../../src/features/discovery/search/tool-search.ts";
import { toChunks, toWords } from "../../../../src/features/discovery/search/to-words.ts";
import { readCatalogue } from "../../../fixtures/catalogue/read-catalogue.ts";
import { declareTool } from "../../../support/sample-tools.ts";
import { trial } from "../../../support/trial.ts";

function tool(name: string, summary: string, category = "things", description = `${summary}.`) {
  const input = z.strictObject({});
  return defineTool(declareTool({ name, summary, description, category, input }));
}

const TOOLS = [
  tool("delete_calendar_event", "Delete a calendar event by its ID", "calendar"),
  tool("list_calendar_events", "List the events of a calendar between two dates", "calendar"),
  tool("sendEmail", "Send an email to one or more recipients", "mail"),
  tool("search-mail", "Search the mailbox for messages", "mail"),
  tool("get_weather", "Get the weather forecast of a city", "weather", "Also says whether it will rain."),
  tool("create_invoice", "Create an invoice for a customer", "billing"),
  tool("status", "Say whether the service is up", "ops"),
  tool("probe-echo", "Answer what was sent", "probe"),
  tool("getUserOrders", "Show what somebody bought", "shop"),
  tool("to-do-add", "Put something on the list", "notes"),
  tool("oauth2_login", "Sign in with another account", "access"),
  tool("airqualityforecast", "How clean it will be outside", "nature"),
];
const search = new ToolSearch(TOOLS);
const names = (request: string): string[] => search.find(request).map(({ name }) => name);

describe("find()", () => {
  test.each([
    ["the words of a summary", "delete a calendar event", "delete_calendar_event"],
    ["a word of its description", "rain", "get_weather"],
    ["its category", "billing", "create_invoice"],
    ["the plural of its words", "invoices for customers", "create_invoice"],
    ["another tense of its words", "who created and sent this email", "sendEmail"],
    ["misspelt words", "wether forcasts", "get_weather"],
    ["swapped letters, also the first two", "waether ofrecast", "get_weather"],
    ["the beginning of a word", "cal", "delete_calendar_event"],
    ["its name in other punctuation", "Send email", "sendEmail"],
    ["one word of its name after a capital", "orders", "getUserOrders"],
    ["two words of its name written as one", "userOrders", "getUserOrders"],
    ["one word of its name after a hyphen", "echo", "probe-echo"],
    ["one word of its name beside a digit", "oauth", "oauth2_login"],
    ["a word inside a name written as one", "air quality", "airqualityforecast"],
    ["words of its name that are one in the request", "todo", "to-do-add"],
    ["one word of its name that are two in the request", "add it in a to-do", "to-do-add"],
    ["a name of a word that is a word of grammar", "to", "to-do-add"],
    ["an identifier that is no tool's name", "createUserInvoice", "create_invoice"],
    ["a sentence around it", "Could you please make the invoice for our client Acme?", "create_invoice"],
  ])("finds a tool by %s", (_, request, expected) => {
    expect(names(request)).toContain(expected);
  });

  trial("finds every tool that has a word of the request, not only the best", () => {
    expect(new Set(names("calendar weather"))).toEqual(
      new Set(["delete_calendar_event", "list_calendar_events", "get_weather"]),
    );
  });

  test.each(TOOLS.map(({ name }) => name))("puts %s first when it is the request, in any case", (name) => {
    for (const request of [name, name.toUpperCase(), name.toLowerCase(), name.replaceAll(/[_-]/g, " ")])
      expect(names(request)[0]).toBe(name);
  });

  test("puts a tool first that a request names in a sentence, in any case", () => {
    expect(names("use search-mail to find the event of the calendar")[0]).toBe("search-mail");
    expect(names("delete calendar event by GETUSERORDERS")[0]).toBe("getUserOrders");
  });

  test("puts the name as it is written before another that only looks like it", () => {
    const alike = new ToolSearch([tool("send_mail", "Send a letter"), tool("sendMail", "Send")]);
    expect(alike.find("sendMail")[0]!.name).toBe("sendMail");
    expect(alike.find("send_mail")[0]!.name).toBe("send_mail");
  });

  test("does not take an everyday word in a request for a tool's name", () => {
    expect(names("delete the status event of my calendar")[0]).toBe("delete_calendar_event");
  });

  test.each([
    "how do I bake sourdough bread",
    "42",
    "🙂",
    "zzz qqq",
    "",
    "   ",
    "__proto__ constructor toString",
  ])("finds nothing by '%s', of which no tool has a word", (request) => {
    const grammarless = new ToolSearch(TOOLS.filter(({ name }) => name !== "to-do-add"));
    expect(grammarless.find(request)).toEqual([]);
  });

  test("looks for words of grammar in summaries only when there are no others", () => {
    expect(names("who is")).toEqual(["status"]);
    expect(names("who is Ann")).toEqual([]);
    expect(names("the email of the")).toEqual(["sendEmail"]);
  });

  test("does not let numbers and words of grammar decide", () => {
    expect(names("send 2 emails to Ann")[0]).toBe("sendEmail");
  });

  test("counts a misspelt word less than one that is there", () => {
    const near = new ToolSearch([tool("order_food", "Order food"), tool("older_file", "Show older files")]);
    expect(near.find("order").map(({ name }) => name)).toEqual(["order_food", "older_file"]);
  });

  test("finds nothing in an empty catalog", () => {
    expect(new ToolSearch([]).find("send an email")).toEqual([]);
  });

  test.each([
    ["accents", "cafe geoffnet", "coffee"],
    ["Cyrillic in another case", "ПОГОДА", "weather"],
    ["Chinese, of which a part is asked", "天气", "forecast"],
    ["one Chinese character", "雨", "forecast"],
    ["Japanese in another width", "ﾒｰﾙ", "post"],
    ["Hindi", "मौसम", "season"],
  ])("reads %s", (_, request, expected) => {
    const abroad = new ToolSearch([
      tool("coffee", "Welches Café ist geöffnet"),
      tool("weather", "Показать погода города"),
      tool("forecast", "查询天气预报和雨量"),
      tool("post", "メールを送る"),
      tool("season", "आज का मौसम"),
    ]);
    expect(abroad.find(request).map(({ name }) => name)).toEqual([expected]);
  });

  test("takes tools named like what every object has", () => {
    const odd = ["constructor", "toString", "hasOwnProperty", "valueOf"].map((name) => tool(name, "Odd"));
    const index = new ToolSearch(odd);
    for (const { name } of odd) expect(index.find(name)[0]!.name).toBe(name);
  });

  test.each([
    ["one word", "x".repeat(500)],
    ["single letters", "a b c d e f g h i j k l m ".repeat(19)],
    ["words near to many", "calendar".replace("a", "aa").concat(" ").repeat(50)],
    ["brackets and operators", '((+*?[a-z]{99}|\\\\ OR AND NOT ~^"'.repeat(12)],
    ["marks without letters", "\u0301".repeat(500)],
    ["half a pair", "\ud83d weather \ude00"],
  ])("takes 500 characters of %s", (_, request) => {
    expect(names(request).length).toBeLessThanOrEqual(TOOLS.length);
  });

  trial("takes any text, and gives each tool at most once", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (request) => {
        const found = names(request);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });

  test("does not depend on the order of the tools beyond ties", () => {
    const reversed = new ToolSearch([...TOOLS].reverse());
    expect(reversed.find("delete my calendar event")[0]!.name).toBe("delete_calendar_event");
  });
});

describe("any word of a tool's name or summary", () => {
  const all = readCatalogue();
  const everything = new ToolSearch(all);
  /** A tool and one word by which it must be found. */
  const toolAndWord = fc
    .nat({ max: all.length - 1 })
    .map((at) => all[at]!)
    .chain((one) => {
      const words = [one.name, one.summary].flatMap(toChunks).flatMap(toWords);
      return fc.record({ name: fc.constant(one.name), word: fc.constantFrom(...words) });
    });
  const finds = (request: string, name: string): void => {
    expect(
      everything.find(request).map((found) => found.name),
      request,
    ).toContain(name);
  };

  trial("finds it, in any letter case", () => {
    fc.assert(
      fc.property(toolAndWord, fc.func(fc.boolean()), ({ name, word }, isUpper) => {
        finds(word, name);
        finds(Array.from(word, (letter, at) => (isUpper(at) ? letter.toUpperCase() : letter)).join(""), name);
      }),
    );
  });

  trial("finds it in the plural", () => {
    fc.assert(
      fc.property(toolAndWord, ({ name, word }) => {
        fc.pre(/^[a-z]{4,}$/.test(word) && !word.endsWith("s"));
        finds(`${word}s`, name);
      }),
    );
  });

  trial("finds it with two neighbouring letters swapped", () => {
    fc.assert(
      fc.property(toolAndWord, fc.nat(), ({ name, word }, seed) => {
        fc.pre(/^[a-z]{5,}$/.test(word));
        const at = seed % (word.length - 1);
        finds(word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2), name);
      }),
    );
  });

  trial("finds it with a letter left out, doubled or mistaken after the first", () => {
    fc.assert(
      fc.property(
        toolAndWord,
        fc.nat(),
        fc.constantFrom("", "double", "other"),
        ({ name, word }, seed, slip) => {
          fc.pre(/^[a-z]{6,}$/.test(word) && !isWeak(word));
          const at = 1 + (seed % (word.length - 1));
          const put = slip === "double" ? word[at]! + word[at]! : slip === "other" ? "q" : "";
          finds(word.slice(0, at) + put + word.slice(at + 1), name);
        },
      ),
    );
  });

  trial("finds it among the other words of a request", () => {
    fc.assert(
      fc.property(toolAndWord, toolAndWord, (one, other) => {
        fc.pre(/^[a-z]+$/.test(one.word) && !isWeak(one.word));
        finds(`please ${other.word} the ${one.word} zzqq`, one.name);
      }),
    );
  });
});

test("a catalog's search sees its own tools only, down to their order", () => {
  const all = createCatalog(TOOLS);
  const part = all.restrictTo(["calendar"]);
  const alone = createCatalog(TOOLS.slice(0, 2));

  for (const request of ["calendar event", "send an email", "cancel my meeting", "events between two dates"])
    expect(part.search(request)).toEqual(alone.search(request));
});
