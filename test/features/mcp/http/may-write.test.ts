import { expect, test } from "vitest";

import { mayWrite } from "../../../../src/features/mcp/http/answer-mcp.ts";
import { createProbeTools } from "../../../sandbox/probe-tools.ts";
import { createCatalog } from "../../../support/create-catalog.ts";

const catalog = createCatalog(createProbeTools("https://probe.example.com"));
const call = (name: unknown, args: unknown) => ({ method: "tools/call", params: { name, arguments: args } });
const batch = (actions: unknown, more: object = {}) => call("execute_actions", { actions, ...more });

test.each([
  ["a listing", { method: "tools/list" }, false],
  ["a read", call("probe-echo", { n: 1 }), false],
  ["a write", call("probe-write", { n: 1 }), true],
  ["a job", call("probe-background", { n: 1 }), true],
  ["discovery", call("discover_tools", {}), false],
  ["an unknown tool", call("nothing", {}), true],
  ["a batch of reads", batch([{ tool: "probe-echo" }, { name: "probe-read" }]), false],
  ["a batch with a write", batch([{ tool: "probe-echo" }, { tool: "probe-write" }]), true],
  ["a batch with a loop of writes", batch([{ tool: "probe-write", for_each: [1], args: {} }]), true],
  ["a read that is invoked", batch([{ tool: "invoke_tool", args: { tool_name: "probe-echo" } }]), false],
  ["a write that is invoked", batch([{ tool: "invoke_tool", args: { tool_name: "probe-write" } }]), true],
  ["an invoked batch", call("invoke_tool", { tool_name: "execute_actions" }), true],
  ["a batch in the background", batch([{ tool: "probe-echo" }], { background: true }), true],
  ["a batch as text", batch("[]"), true],
  ["a batch whose arguments are text", call("execute_actions", "{}"), true],
  ["an odd message", { method: "tools/call" }, true],
])("mayWrite() of %s", (_, message, may) => {
  expect(mayWrite(message, catalog)).toBe(may);
});
