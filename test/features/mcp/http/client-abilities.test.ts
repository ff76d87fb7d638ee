import { expect, test } from "vitest";

import { readAbilities } from "../../../../src/features/mcp/http/mcp-revision.ts";

const of = (capabilities: unknown) => ({
  params: { _meta: { "io.modelcontextprotocol/clientCapabilities": capabilities } },
});
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const URLS = { elicitation: { url: {} } };

test.each([
  ["both", { ...TASKS, ...URLS }, true, true],
  ["tasks", TASKS, true, false],
  ["addresses", URLS, false, true],
  ["forms", { elicitation: { form: {} } }, false, false],
  ["nothing of how it asks", { elicitation: {} }, false, false],
  ["another extension", { extensions: { other: {} } }, false, false],
  ["an extension that is none", { extensions: { "io.modelcontextprotocol/tasks": true } }, false, false],
  ["abilities that are none", { extensions: [], elicitation: "url" }, false, false],
  ["the tasks of 2025", { tasks: {} }, false, false],
  ["nothing", undefined, false, false],
])("A client that declares %s", (_, capabilities, tasks, urls) => {
  expect(readAbilities(of(capabilities), "stateless")).toEqual({ tasks, urls });
  expect(readAbilities(of(capabilities), "handshake")).toEqual({ tasks: false, urls: false });
});
