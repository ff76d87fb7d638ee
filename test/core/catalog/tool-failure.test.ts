import { expect, test } from "vitest";

import { AnsweredFailure, ToolFailure } from "../../../src/core/catalog/tool-failure.ts";

test("a failure of a tool is an error with a name, its code as the message, and its details", () => {
  const failure = new ToolFailure("NOT_FOUND", { hint: "Try another." });
  expect(String(failure)).toBe("ToolFailure: NOT_FOUND");
  expect(failure.failure).toMatchObject({ code: "NOT_FOUND", hint: "Try another." });
  expect(new AnsweredFailure("NOT_FOUND")).toBeInstanceOf(ToolFailure);
});
