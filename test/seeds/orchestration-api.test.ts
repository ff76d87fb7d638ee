import { expect, test } from "vitest";

import type { Outcome } from "../../src/core/contract/outcome.ts";
import { toBatchJson, toPartitionJson } from "../../src/features/orchestration/orchestration-answer.ts";
import {
  parseBatchRequest,
  parsePartitionRequest,
} from "../../src/features/orchestration/orchestration-api.ts";
import { classifyTool, makePartition } from "../../src/features/orchestration/partition.ts";
import { SAMPLE_CATALOG } from "../support/sample-tools.ts";
import { errorOf, valueOf } from "../support/unwrap.ts";

const words = (text: string): string[] => text.split(", ");

// The document's tables, row by row, to the letter.

test.each(
  [
    ["File reads", "read, file_read, file_read_tool"],
    ["Search", "grep, search, find, glob"],
    ["System info", "bash_status, docker_ps, docker_logs, docker_inspect"],
    ["Web", "web_fetch, web_search, http_get"],
    ["Memory", "memory_search, memory_get"],
  ].flatMap(([category, names]) => words(names!).map((name) => [category, name] as const)),
)("'Read-only tools', %s: %s", (_, name) => {
  expect(classifyTool(name, {})).toEqual({ class: "readonly", reason: `${name} is read-only` });
});

test.each(
  [
    ["File writes", "write, file_write, file_write_tool, edit, file_edit, file_edit_tool"],
    ["Shell execution", "bash, exec, shell, terminal"],
    ["Git writes", "git_commit, git_push, git_merge"],
    ["Docker writes", "docker_run, docker_build, docker_exec"],
    ["API calls", "http_post, http_put, http_delete, api_call"],
    ["System", "install, uninstall, deploy"],
    ["Agentbot", "provision, configure, restart"],
  ].flatMap(([category, names]) => words(names!).map((name) => [category, name] as const)),
)("'Mutating tools', %s: %s", (_, name) => {
  const { class: concurrency, reason } = classifyTool(name, {});
  expect(concurrency).toBe("mutating");
  expect(reason).toMatch(new RegExp(`^${name} is mutating`));
});

const SHELL_TABLE = [
  ["Filesystem read", "cat, head, tail, ls, find, stat, wc, du, df"],
  ["Text processing", "grep, sort, uniq, cut, awk"],
  [
    "Git read-only",
    "git status, git diff, git log, git show, git branch, git tag, git remote, git blame, git reflog",
  ],
  ["System info", "echo, pwd, whoami, date, uptime, hostname, env, which"],
  ["Package info", "npm list, npm view, npm outdated, pip list, pip show"],
  ["Docker read-only", "docker ps, docker images, docker logs, docker inspect, docker stats"],
  ["HTTP read", "curl"],
].flatMap(([category, commands]) => words(commands!).map((command) => [category, command] as const));

/** The table names commands; awk and curl do nothing without an operand. */
const OPERANDS: Readonly<Record<string, string>> = {
  awk: " '{print $1}' file",
  curl: " https://example.com",
};

test.each(
  SHELL_TABLE.flatMap(([category, command]) =>
    ["bash", "exec", "shell"].map((tool) => [category, tool, command] as const),
  ),
)("'Shell command introspection', %s: %s(\"%s\") is promoted", (_, tool, command) => {
  const input = { command: `${command}${OPERANDS[command] ?? ""}` };
  expect(classifyTool(tool, input).class).toBe("readonly");
});

test.each(SHELL_TABLE)(
  "'For bash, exec, and shell tools' only: %s, terminal(\"%s\") stays mutating",
  (_, command) => {
    expect(classifyTool("terminal", { command }).class).toBe("mutating");
  },
);

test.each(["-X POST", "--request POST", "-d a=b"])(
  "'curl (without -X, --request, or -d flags)': %s",
  (flags) => {
    expect(classifyTool("bash", { command: `curl ${flags} https://example.com` }).class).toBe("mutating");
  },
);

test.each(["rm x", "git push", "npm install", "docker run x", "make", "touch x"])(
  "'Shell commands not in this list are classified as mutating': %s",
  (command) => {
    expect(classifyTool("bash", { command }).class).toBe("mutating");
  },
);

test("'Unknown tools default to mutating as a safety measure'", () => {
  expect(classifyTool("frobnicate", {}).class).toBe("mutating");
});

const BATCH_REQUEST = {
  tools: [
    { id: "t1", toolName: "read", input: { path: "/src/index.ts" } },
    { id: "t2", toolName: "grep", input: { pattern: "TODO" } },
    { id: "t3", toolName: "write", input: { path: "/src/config.ts", content: "..." } },
    { id: "t4", toolName: "read", input: { path: "/src/utils.ts" } },
  ],
};

test("'Execute batch': the example's request gives the example's response", () => {
  const partition = makePartition(valueOf(parseBatchRequest(BATCH_REQUEST, 0)), SAMPLE_CATALOG);
  const outcomes = [12, 8, 45, 10].map((durationMs): Outcome => {
    const data = { "..": "..." };
    return { status: "success", data, json: JSON.stringify(data), meta: { durationMs } };
  });
  const result = (toolId: string, toolName: string, durationMs: number) => ({
    toolId,
    toolName,
    success: true,
    output: { "..": "..." },
    durationMs,
  });
  expect(JSON.parse(toBatchJson(partition, { outcomes, totalDurationMs: 75 }))).toEqual({
    result: {
      success: true,
      results: [
        result("t1", "read", 12),
        result("t2", "grep", 8),
        result("t3", "write", 45),
        result("t4", "read", 10),
      ],
      stats: { totalTools: 4, parallelBatches: 2, serialBatches: 1, maxParallelism: 2, totalDurationMs: 75 },
    },
    partition: {
      batches: 3,
      totalTools: 4,
      parallelBatches: 2,
      serialBatches: 1,
      maxParallelism: 2,
      estimatedSpeedup: "133%",
    },
  });
});

test("'Partition (dry run)': the example's request gives the example's response", () => {
  const call = (id: string, toolName: string, input: object) => ({ id, toolName, input });
  const [t1, t2, t3, t4] = [
    call("t1", "read", { path: "/src/a.ts" }),
    call("t2", "read", { path: "/src/b.ts" }),
    call("t3", "write", { path: "/src/c.ts" }),
    call("t4", "grep", { pattern: "error" }),
  ];
  const calls = valueOf(parsePartitionRequest({ tools: [t1, t2, t3, t4] }, 0));
  expect(JSON.parse(toPartitionJson(makePartition(calls, SAMPLE_CATALOG)))).toEqual({
    batches: [
      {
        parallel: true,
        tools: [
          { call: t1, class: "readonly", reason: "read is read-only" },
          { call: t2, class: "readonly", reason: "read is read-only" },
        ],
      },
      { parallel: false, tools: [{ call: t3, class: "mutating", reason: "write is mutating" }] },
      { parallel: true, tools: [{ call: t4, class: "readonly", reason: "grep is read-only" }] },
    ],
    stats: {
      totalTools: 4,
      parallelBatches: 2,
      serialBatches: 1,
      maxParallelism: 2,
      estimatedSpeedup: "133%",
    },
  });
});

test("'Partitioning rules': the example of six tools gives its four batches", () => {
  const named = (toolName: string, command?: string) => ({
    id: toolName,
    toolName,
    input: command === undefined ? {} : { command },
  });
  const tools = [
    named("read"),
    named("grep"),
    named("bash", "cat file"),
    named("write"),
    named("read"),
    named("bash", "git push"),
  ];
  const partition = makePartition(valueOf(parsePartitionRequest({ tools }, 0)), SAMPLE_CATALOG);
  expect(
    partition.batches.map(({ parallel, tools }) => [parallel, tools.map(({ call }) => call.toolName)]),
  ).toEqual([
    [true, ["read", "grep", "bash"]],
    [false, ["write"]],
    [true, ["read"]],
    [false, ["bash"]],
  ]);
  expect(partition.stats).toEqual({
    totalTools: 6,
    parallelBatches: 2,
    serialBatches: 2,
    maxParallelism: 3,
    estimatedSpeedup: "150%",
  });
});

test.each([
  ["batch", "missing", {}, "tools array required"],
  ["batch", "empty", { tools: [] }, "tools array required"],
  [
    "batch",
    "too long",
    { tools: Array.from({ length: 21 }, () => BATCH_REQUEST.tools[0]) },
    "Maximum 20 tools per batch",
  ],
  ["partition", "missing", {}, "tools array required"],
  ["partition", "non-array", { tools: "read" }, "tools array required"],
])("'Errors', %s, tools field %s: 400", (endpoint, _, body, error) => {
  const parse = endpoint === "batch" ? parseBatchRequest : parsePartitionRequest;
  expect(errorOf(parse(body, 0))).toEqual({ status: 400, body: { error } });
});

test("'Malformed tool objects are passed to the executor and may produce runtime errors in the tool results'", () => {
  const calls = valueOf(parseBatchRequest({ tools: [{}, { id: "t" }, { toolName: "read" }] }, 0));
  expect(calls.map(({ entry }) => entry.action.ok)).toEqual([false, false, false]);
});
