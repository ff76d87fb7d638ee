import { expect, test } from "vitest";

import { parseBatchRequest } from "../../../src/features/orchestration/orchestration-api.ts";
import { classifyCall, classifyTool } from "../../../src/features/orchestration/partition.ts";
import {
  deleteOrder,
  getOrder,
  SAMPLE_CATALOG,
  searchOrders,
  sendReceipt,
} from "../../support/sample-tools.ts";
import { valueOf } from "../../support/unwrap.ts";

test("classifyTool() classes by the document's tables, in the document's words", () => {
  expect(classifyTool("read", { path: "/a" })).toEqual({ class: "readonly", reason: "read is read-only" });
  expect(classifyTool("write", { path: "/a" })).toEqual({ class: "mutating", reason: "write is mutating" });
});

test.each([
  ["a name of no table and no catalog", "frobnicate"],
  ["another case", "Read"],
  ["a name with a space", "read "],
  ["an empty name", ""],
  ["a prototype's", "constructor"],
  ["another prototype's", "__proto__"],
  ["a look-alike", "re\u0430d"],
])("classifyTool() takes %s for mutating", (_, name) => {
  expect(classifyTool(name, {})).toEqual({
    class: "mutating",
    reason: `${name} is unknown and counts as mutating`,
  });
});

test("classifyTool() shows a name it does not know escaped and cut", () => {
  expect(classifyTool("a\u202eb", {}).reason).toBe("a\\u{202e}b is unknown and counts as mutating");
  expect(classifyTool("x".repeat(100), {}).reason).toHaveLength(
    64 + "… is unknown and counts as mutating".length,
  );
});

test.each([
  [searchOrders, "readonly", "search_orders is read-only"],
  [getOrder, "readonly", "get_order is read-only"],
  [deleteOrder, "mutating", "delete_order is mutating"],
  [sendReceipt, "mutating", "send-receipt is mutating"],
  [
    { ...searchOrders, orchestration: { mode: "sequential-only" } as const },
    "mutating",
    "search_orders is sequential-only",
  ],
])("classifyTool() classes another tool by its contract: %#", (tool, expected, reason) => {
  expect(classifyTool(tool.name, {}, tool)).toEqual({ class: expected, reason });
});

test("classifyTool() lets the tables decide about a name that is a tool too", () => {
  expect(classifyTool("search", {}, deleteOrder).class).toBe("readonly");
  expect(classifyTool("deploy", {}, searchOrders).class).toBe("mutating");
  expect(classifyTool("bash", { command: "rm x" }, searchOrders).class).toBe("mutating");
});

test.each(["bash", "exec", "shell"])("classifyTool() looks into the command of %s", (name) => {
  expect(classifyTool(name, { command: "cat a | grep b" })).toEqual({
    class: "readonly",
    reason: `${name} is read-only here: cat, grep only read`,
  });
  expect(classifyTool(name, { command: "git push" })).toEqual({
    class: "mutating",
    reason: `${name} is mutating: git 'push' is not on the read-only list`,
  });
});

test("classifyTool() does not look into what is typed in a terminal", () => {
  expect(classifyTool("terminal", { command: "ls" })).toEqual({
    class: "mutating",
    reason: "terminal is mutating",
  });
});

test.each([
  [{}],
  [{ command: 5 }],
  [{ command: ["ls"] }],
  [{ command: null }],
  [{ Command: "ls" }],
  [{ script: "ls" }],
  [{ command: "ls", cmd: "rm x" }],
  [{ command: "ls", cmd: "ls" }],
  [{ command: "ls", args: ["; rm x"] }],
  [{ command: "ls", env: { PATH: "/x" } }],
  [{ command: "ls", stdin: "rm x" }],
  [{ command: "ls", background: true }],
])("classifyTool() takes a shell's input it does not understand whole for mutating: %j", (input) => {
  expect(classifyTool("bash", input).class).toBe("mutating");
});

test.each([
  [{ command: "ls" }],
  [{ cmd: "ls" }],
  [{ command: "ls", description: "Look around; rm x", timeout: 5, cwd: "/src" }],
])("classifyTool() knows a command and the manner of running it: %j", (input) => {
  expect(classifyTool("bash", input).class).toBe("readonly");
});

test.each([
  [{ toolName: "read", input: {} }, "readonly", "read is read-only"],
  [{ toolName: "read" }, "readonly", "read is read-only"],
  [{ id: 1, toolName: "grep", input: "x" }, "readonly", "grep is read-only"],
  [{ id: "t", toolName: "search_orders" }, "readonly", "search_orders is read-only"],
  [{ toolName: "write" }, "mutating", "write is mutating"],
  [{ toolName: "frobnicate" }, "mutating", "frobnicate is unknown and counts as mutating"],
  [{ id: "t", toolName: "bash" }, "mutating", "bash is mutating: its command is not one string"],
  [{ id: "t", toolName: "bash", input: "ls" }, "mutating", "bash is mutating: its command is not one string"],
  [{ id: "t", input: {} }, "mutating", "a tool call without a name is mutating"],
  [{ id: "t", toolName: 7, input: {} }, "mutating", "a tool call without a name is mutating"],
  [null, "mutating", "a tool call without a name is mutating"],
])("classifyCall() classes a call without id or input by its name: %j", (sent, expected, reason) => {
  const calls = valueOf(parseBatchRequest({ tools: [sent] }, 0));
  expect(classifyCall(calls[0]!, SAMPLE_CATALOG)).toEqual({ class: expected, reason });
});

test("classifyCall() classes by the caller's part of the catalog only", () => {
  const tools = [{ id: "t", toolName: "search_orders", input: { query: "x" } }];
  const [call] = valueOf(parseBatchRequest({ tools }, 0));
  expect(classifyCall(call!, SAMPLE_CATALOG).class).toBe("readonly");
  expect(classifyCall(call!, SAMPLE_CATALOG.restrictTo(["email"]))).toEqual({
    class: "mutating",
    reason: "search_orders is unknown and counts as mutating",
  });
});
