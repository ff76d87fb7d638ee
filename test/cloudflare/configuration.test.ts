import { describe, expect, test, vi } from "vitest";

import { createCatalog } from "../support/create-catalog.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import {
  checkWebhookSecrets,
  readKeys,
  readToolGates,
  warnOfUnknownTools,
} from "../../src/cloudflare/configuration.ts";
import { readToolPorts, readToolSecrets } from "../../src/features/added-tools/http/tool-settings.ts";
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
    "refuses %j, which is not text and would refuse every request",
    (value) => {
      expect(() => readKeys({ VOLLEY_KEYS: value })).toThrow("Cannot read VOLLEY_KEYS: it must be text");
    },
  );
});

describe("checkWebhookSecrets()", () => {
  const job = defineTool(declareTool({ name: "job", isWrite: true, execution: "fire-and-forget" }));
  const signer = defineTool(declareTool({ name: "signer", secrets: ["VOLLEY_WEBHOOK_SECRET"] }));
  const callerOf = (more: object) => ({
    name: "one",
    tenant: "acme",
    tools: ["*"],
    quota: { limit: 1, windowS: 60 },
    flags: [],
    ...more,
  });
  const good = `whsec_${btoa("x".repeat(24))}`;

  test.each([
    ["a tool whose jobs have callbacks", [job], "VOLLEY_WEBHOOK_SECRET", {}],
    ["a tool that signs", [signer], "VOLLEY_WEBHOOK_SECRET", {}],
    ["tools that may be added", [PLAIN], "VOLLEY_WEBHOOK_SECRET", { flags: ["manage_tools"] }],
    ["a key that names another", [job], "ACME_SECRET", { webhookSecret: "ACME_SECRET" }],
  ])("names the secret that cannot be read where %s needs it", (_, tools, name, more) => {
    for (const text of ["secret", "whsec_c2hvcnQ=", `${good} other`])
      expect(() => checkWebhookSecrets({ [name]: text }, [callerOf(more)], tools)).toThrow(
        `Cannot read ${name}: it must be 'whsec_' and 24 to 64 bytes as base64`,
      );
    for (const text of [undefined, "", " ", good, `${good} ${good}`])
      expect(() => checkWebhookSecrets({ [name]: text }, [callerOf(more)], tools)).not.toThrow();
  });

  test("does not ask for what nothing needs", () => {
    expect(() =>
      checkWebhookSecrets({ VOLLEY_WEBHOOK_SECRET: "secret" }, [callerOf({})], [PLAIN]),
    ).not.toThrow();
  });
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

describe("readToolPorts()", () => {
  test("has the two of https where nothing is written, and otherwise only those that are", () => {
    expect([...readToolPorts({})]).toEqual([443, 8443]);
    expect([...readToolPorts({ VOLLEY_TOOL_PORTS: "443, 9443" })]).toEqual([443, 9443]);
  });

  test.each(["0", "65536", "443;80", "https", "4e2", "-1"])("refuses %s and names the variable", (text) => {
    expect(() => readToolPorts({ VOLLEY_TOOL_PORTS: text })).toThrow(
      `Cannot read VOLLEY_TOOL_PORTS: '${text}' must be a port from 1 to 65535`,
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
      flags: [],
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
