import { describe, expect, test } from "vitest";

import { createCatalog } from "../../src/catalog/create-catalog.ts";
import { defineTool } from "../../src/catalog/define-tool.ts";
import { readToolGates } from "../../src/edge/configuration.ts";
import { declareTool } from "../support/sample-tools.ts";

const PLAIN = defineTool(declareTool());
const SHARED = defineTool(
  declareTool({ name: "shared", orchestration: { mode: "parallel-safe", global_concurrency: 1 } }),
);

describe("readToolGates()", () => {
  test("needs no binding without a tool that has global limits", () => {
    expect(readToolGates({}, createCatalog([PLAIN]))).toBeUndefined();
  });

  test("names the binding and the tool that needs it when it is missing", () => {
    expect(() => readToolGates({}, createCatalog([PLAIN, SHARED]))).toThrow(
      "Cannot read TOOL_GATE: 'shared' has global limits and needs this binding",
    );
  });
});
