import { describe, expect, test } from "vitest";

import { isGranted } from "../../../src/core/catalog/catalog.ts";
import { narrow, scopeOfCategory, TOLD_SCOPES } from "../../../src/features/sign-in/sign-in-scopes.ts";

const READ = { name: "get_mail", category: "email", isWrite: false };
const WRITE = { name: "send_mail", category: "email", isWrite: true };
const OTHER = { name: "get_weather", category: "weather", isWrite: false };
const TOOLS = [READ, WRITE, OTHER];

/** The tools that a key with some grants may call by a token with some scopes. */
const reached = (grants: readonly string[], scopes: readonly string[]): string[] =>
  TOOLS.filter((tool) => isGranted(narrow(grants, scopes), tool)).map(({ name }) => name);

describe("A token", () => {
  test.each([
    [["*"], ["tools"], ["get_mail", "send_mail", "get_weather"]],
    [["*"], ["tools:read"], ["get_mail", "get_weather"]],
    [["*"], ["category:email"], ["get_mail", "send_mail"]],
    [["*"], ["category:weather", "tools:read"], ["get_mail", "get_weather"]],
    [["email"], ["tools:read"], ["get_mail"]],
    [["send_mail", "get_weather"], ["tools:read"], ["get_weather"]],
    [["send_mail", "get_weather"], ["category:email"], ["send_mail"]],
    [["weather"], ["category:email"], []],
    [["*"], [], []],
    [["*"], ["admin", "tools:write", "*", ""], []],
    [["tools:read *"], ["tools"], ["get_mail", "get_weather"]],
    [["tools:read *"], ["category:email"], ["get_mail"]],
  ])("of a key with %j and the scopes %j may call %j", (grants, scopes, names) => {
    expect(reached(grants, scopes)).toEqual(names);
  });

  test("never reaches more than its key, whichever scopes it has", () => {
    const scopes = ["tools", "tools:read", "category:email", "category:weather", "category:*", "x"];
    for (const grants of [["*"], ["email"], ["get_weather"], ["email", "get_weather"], []])
      for (const scope of scopes)
        for (const name of reached(grants, [scope])) expect(reached(grants, ["tools"])).toContain(name);
  });
});

test("T02 a client that has not signed in is told of no category", () => {
  expect(TOLD_SCOPES).toEqual(["tools:read", "tools"]);
});

test.each([
  ["email", "category:email"],
  ["a b", null],
  ['a"b', null],
  ["a\\b", null],
])("the category %j has the scope %j", (category, scope) => {
  expect(scopeOfCategory(category)).toBe(scope);
});
