import { describe, expect, test } from "vitest";

import { ALIASES } from "../../../src/core/catalog/alias.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const invoke = ALIASES.get("invoke_tool")!;

describe("invoke_tool", () => {
  test("stands for the call that its arguments name, references and all", () => {
    const parameters = { id: { $ref: "a#/id" }, n: 1 };
    expect(valueOf(invoke.resolve({ tool_name: "get_order", parameters }))).toEqual({
      tool: "get_order",
      args: parameters,
    });
  });

  test("needs no parameters", () => {
    expect(valueOf(invoke.resolve({ tool_name: "ping" }))).toEqual({ tool: "ping", args: {} });
  });

  test.each([
    ["no name", {}, "/args/tool_name must be a string, received nothing."],
    ["an empty name", { tool_name: "" }, "/args/tool_name must be at least 1 character long"],
    [
      "parameters that are no object",
      { tool_name: "ping", parameters: [1] },
      "/args/parameters must be an object",
    ],
    [
      "a misspelt field",
      { tool_name: "ping", paramters: {} },
      "There is no field /args/paramters. Did you mean 'parameters' instead of 'paramters'?",
    ],
    ["itself", { tool_name: "invoke_tool", parameters: {} }, "'invoke_tool' cannot call itself."],
    [
      "a name that is not known yet",
      { tool_name: { $ref: "a#/name" } },
      "/args/tool_name must be written out",
    ],
    ["arguments that are not known yet", { $ref: "a#/call" }, "/args/tool_name must be written out"],
  ])("refuses %s", (_, args, hint) => {
    const failure = errorOf(invoke.resolve(args));
    expect(failure.code).toBe("INVALID_ARGS");
    expect(failure.hint).toContain(hint);
  });

  test("says where a name has to be written out, and takes exactly a name and parameters", () => {
    expect(errorOf(invoke.resolve({ tool_name: { $ref: "a#/name" } })).issues).toEqual([
      { path: "/args/tool_name", expected: "a string", received: "a reference or an object" },
    ]);
    expect(Object.keys(invoke.input.shape)).toEqual(["tool_name", "parameters"]);
  });
});
