import { describe, expect, test, vi } from "vitest";

import { createCatalog } from "../../src/catalog/create-catalog.ts";
import { defineTool } from "../../src/catalog/define-tool.ts";
import {
  readKeys,
  readToolGates,
  readToolSecrets,
  warnOfUnknownTools,
} from "../../src/edge/configuration.ts";
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

describe("readKeys()", () => {
  test.each([[[]], [{}], [7], [null], [true]])(
    "refuses %j, which is not text and would let nobody in",
    (value) => {
      expect(() => readKeys({ VOLLEY_KEYS: value })).toThrow("Cannot read VOLLEY_KEYS: it must be text");
    },
  );
});

describe("readToolSecrets()", () => {
  test("binds nothing where nothing is written", () => {
    expect(readToolSecrets({}).size).toBe(0);
  });

  test("names the variable and the secret that is written wrong", () => {
    expect(() => readToolSecrets({ VOLLEY_TOOL_SECRETS: '{"CRM_TOKEN": {"tenants": ["acme"]}}' })).toThrow(
      "Cannot read VOLLEY_TOOL_SECRETS: 'CRM_TOKEN' needs 'hosts', an array of host names or origins",
    );
  });
});

describe("warnOfUnknownTools()", () => {
  test("tells the operator what a key may call that there is not, by the key's name", () => {
    const warned: unknown[] = [];
    const warn = vi
      .spyOn(console, "warn")
      .mockImplementation((line: string) => void warned.push(JSON.parse(line)));
    const callerOf = (name: string, tools: readonly string[]) => ({
      name,
      tenant: "acme",
      tools,
      quota: { limit: 1, windowS: 60 },
      skipApproval: false,
    });
    warnOfUnknownTools(
      [
        callerOf("all", ["*"]),
        callerOf("fits", [PLAIN.name, PLAIN.category]),
        callerOf("slips", ["shard", PLAIN.name, "toString"]),
      ],
      createCatalog([PLAIN, SHARED]),
    );
    warn.mockRestore();
    expect(warned).toEqual([
      {
        level: "warn",
        message: "VOLLEY_KEYS names tools or categories that are not deployed",
        key: "slips",
        tenant: "acme",
        unknown: ["shard", "toString"],
      },
    ]);
  });
});
