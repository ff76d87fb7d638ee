import { describe, expect, test } from "vitest";

import * as search from "../../../src/packs/search.ts";
import * as shell from "../../../src/packs/shell.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { WORKSPACE_TOOLS } from "../../../src/tools/workspace-tools.ts";
import { createFakeLoader } from "../../support/fake-loader.ts";
import { FakeWorkspaces } from "../../support/fake-workspace.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

const toolOf = (name: string): Tool => WORKSPACE_TOOLS.find((tool) => tool.name === name)!;

/** A workspace of a test's own, and how its tools are called. */
function openWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}, packs: object = {}) {
  const workspaces = new FakeWorkspaces();
  const loader = createFakeLoader({ search, shell, ...packs });
  const put = (path: string, content: string | Uint8Array): unknown =>
    workspaces
      .of("acme")
      .change([{ path, content: typeof content === "string" ? new TextEncoder().encode(content) : content }]);
  for (const [path, content] of Object.entries(files)) put(path, content);
  const call = (name: string, args: unknown, tenant = "acme"): Promise<unknown> =>
    runTool(toolOf(name), args, { bindings: { WORKSPACES: workspaces, LOADER: loader }, tenant }).output;
  return { workspaces, loader, put, call };
}

const failure = (code: string, hint: string) => ({ failure: { code, hint: expect.stringContaining(hint) } });

describe("read", () => {
  const { call } = openWorkspace({
    "a.txt": "1\n2\n3\n4",
    empty: "",
    "long.txt": `${"x".repeat(39_999)}\n${"y".repeat(50_000)}\nz\n`,
    "bom.txt": "\ufeffa",
    "crlf.txt": "a\r\nb\r\n",
    "image.png": new Uint8Array([0xff, 0xfe]),
    "src/index.ts": "x",
  });

  test.each([
    [{ path: "a.txt" }, { content: "1\n2\n3\n4", first_line: 1, last_line: 4, total_lines: 4 }],
    [
      { path: "a.txt", offset: 2, limit: 2 },
      { content: "2\n3\n", first_line: 2, last_line: 3, total_lines: 4, next_offset: 4 },
    ],
    [
      { path: "a.txt", offset: 4 },
      { content: "4", first_line: 4, last_line: 4, total_lines: 4 },
    ],
    [{ path: "empty" }, { content: "", first_line: 1, last_line: 0, total_lines: 0 }],
    [{ path: "bom.txt" }, { content: "\ufeffa", first_line: 1, last_line: 1, total_lines: 1 }],
    [
      { path: "crlf.txt", limit: 1 },
      { content: "a\r\n", first_line: 1, last_line: 1, total_lines: 2, next_offset: 2 },
    ],
  ])("answers %j", async (args, expected) => {
    expect(await call("read", args)).toEqual({ path: args.path, ...expected });
  });

  test("answers what there is room for, and where to go on", async () => {
    expect(await call("read", { path: "long.txt" })).toMatchObject({ last_line: 1, next_offset: 2 });
    expect(await call("read", { path: "long.txt", offset: 2 })).toMatchObject({
      content: "y".repeat(40_000),
      last_line: 2,
      next_offset: 3,
      cut: true,
    });
    expect(await call("read", { path: "long.txt", offset: 3 })).toMatchObject({ content: "z\n" });
  });

  test.each([
    [{ path: "a.txt", offset: 5 }, "INVALID_ARGS", "has 4 lines"],
    [{ path: "image.png" }, "INVALID_ARGS", "not text"],
    [{ path: "src" }, "INVALID_ARGS", 'such as "src/index.ts"'],
    [{ path: "index.ts" }, "NOT_FOUND", 'did you mean "src/index.ts"?'],
    [{ path: "empti" }, "NOT_FOUND", 'did you mean "empty"?'],
    [{ path: "nothing/like/it.md" }, "NOT_FOUND", "glob lists"],
    [{ path: "../a.txt" }, "INVALID_ARGS", "leads out"],
  ])("refuses %j", async (args, code, hint) => {
    await expect(call("read", args)).rejects.toMatchObject(failure(code, hint));
  });

  test("may be tried again when the workspace does not answer", async () => {
    const broken = {
      idFromName: () => ({}),
      get: () => ({ read: () => Promise.reject(new Error("reset")) }),
    };
    const { output } = runTool(toolOf("read"), { path: "a" }, { bindings: { WORKSPACES: broken } });
    await expect(output).rejects.toMatchObject({ failure: { code: "OVERLOADED", retryable: true } });
  });
});

describe("write", () => {
  test("says how many bytes were written", async () => {
    const { call } = openWorkspace();
    expect(await call("write", { path: "/ü.txt", content: "ü" })).toMatchObject({ path: "ü.txt", bytes: 2 });
    expect(await call("write", { path: "ü.txt", content: "" })).toMatchObject({ path: "ü.txt", bytes: 0 });
  });

  test.each([
    [{ path: "a", content: "x" }, "is a folder"],
    [{ path: "a/b/c", content: "x" }, "a file, so nothing can lie in it"],
    [{ path: "big", content: "x".repeat(1024 * 1024 + 1) }, "more than 1048576 bytes"],
    [{ path: "half", content: "\ud800" }, "lone surrogate"],
    [{ path: "a/", content: "x" }, "names a folder"],
  ])("refuses %j", async (args, hint) => {
    const { call } = openWorkspace({ "a/b": "1" });
    await expect(call("write", args)).rejects.toMatchObject(failure("INVALID_ARGS", hint));
  });

  test("refuses what a workspace has no room for", async () => {
    const { call, put } = openWorkspace();
    for (let n = 0; n < 10; n += 1) put(`${n}`, new Uint8Array(1024 * 1024));
    await expect(call("write", { path: "one-more", content: "x" })).rejects.toMatchObject(
      failure("INVALID_ARGS", "more than 10485760 bytes"),
    );
    expect(await call("write", { path: "3", content: "x" })).toMatchObject({ path: "3", bytes: 1 });
  });
});

describe("A workspace with too much under way", () => {
  const LARGE = "x".repeat(100_000);

  test("is not written to, says so, and may be asked again", async () => {
    const { call, workspaces } = openWorkspace({ a: "1" });
    workspaces.isBusy = true;
    await expect(call("write", { path: "a", content: LARGE })).rejects.toMatchObject({
      failure: { code: "OVERLOADED", retryable: true, hint: expect.stringContaining("nothing was written") },
    });
    expect(await call("write", { path: "b", content: "small" })).toMatchObject({ path: "b", bytes: 5 });
    workspaces.isBusy = false;
    expect(await call("read", { path: "a" })).toMatchObject({ content: "1" });
  });

  test("is not read from, and may be asked again", async () => {
    const busy = { idFromName: () => ({}), get: () => ({ read: async () => ({ busy: true }) }) };
    const { output } = runTool(toolOf("read"), { path: "a" }, { bindings: { WORKSPACES: busy } });
    await expect(output).rejects.toMatchObject({ failure: { code: "OVERLOADED", retryable: true } });
  });
});

describe("edit", () => {
  test("replaces what stands there once, as it is", async () => {
    const { call } = openWorkspace({ "a.ts": "one\ntwo $1\n" });
    expect(await call("edit", { path: "a.ts", old: "two $1", new: "$& $$" })).toEqual({
      path: "a.ts",
      bytes: 10,
      line: 2,
      version: expect.any(Number),
    });
    expect(await call("read", { path: "a.ts" })).toMatchObject({ content: "one\n$& $$\n" });
  });

  test.each([
    ["zwei", "stands nowhere"],
    ["o", "stands 2 times"],
    ["aa", "stands 2 times"],
    ["x", "more than 100 times"],
  ])("says how often %j is there", async (old, hint) => {
    const { call } = openWorkspace({ "a.ts": `o two aaa ${"x".repeat(200)}` });
    await expect(call("edit", { path: "a.ts", old, new: "" })).rejects.toMatchObject(
      failure("INVALID_ARGS", hint),
    );
  });

  test("keeps what somebody else wrote meanwhile", async () => {
    const { call, put, workspaces } = openWorkspace({ a: "one two" });
    let times = 0;
    workspaces.before = () => void ((times += 1) === 1 && put("a", "one two three"));
    await call("edit", { path: "a", old: "two", new: "2" });
    expect(await call("read", { path: "a" })).toMatchObject({ content: "one 2 three" });
  });

  test("gives up, and writes nothing, when that goes on", async () => {
    const { call, put, workspaces } = openWorkspace({ a: "one two" });
    workspaces.before = () => void put("a", "one two");
    await expect(call("edit", { path: "a", old: "two", new: "2" })).rejects.toMatchObject(
      failure("OVERLOADED", "nothing was written"),
    );
  });
});

describe("restore_file", () => {
  const versionOf = (answer: unknown) => answer as { readonly path: string; readonly version: number };

  test("puts back, one after another, what edit and write changed", async () => {
    const { call, workspaces } = openWorkspace({ a: "one" });
    const written = versionOf(await call("write", { path: "a", content: "two" }));
    const edited = versionOf(await call("edit", { path: "a", old: "two", new: "three" }));
    const created = versionOf(await call("write", { path: "b", content: "new" }));
    for (const [{ path, version }, text] of [
      [edited, "two"],
      [written, "one"],
    ] as const) {
      expect(await call("restore_file", { path, version })).toEqual({ path });
      expect(await call("read", { path })).toMatchObject({ content: text });
    }
    await call("restore_file", { path: created.path, version: created.version });
    expect(
      workspaces
        .of("acme")
        .heads("")
        .map(({ path }) => path),
    ).toEqual(["a"]);
  });

  test("leaves a file that was changed since, and says so", async () => {
    const { call, put } = openWorkspace({ a: "one" });
    const { version } = versionOf(await call("write", { path: "a", content: "two" }));
    put("a", "somebody else's");
    await expect(call("restore_file", { path: "a", version })).rejects.toMatchObject(
      failure("INVALID_ARGS", "it was changed since"),
    );
    expect(await call("read", { path: "a" })).toMatchObject({ content: "somebody else's" });
  });

  test("says so where nothing is kept", async () => {
    const { call } = openWorkspace({ a: "one" });
    await expect(call("restore_file", { path: "a", version: 7 })).rejects.toMatchObject(
      failure("INVALID_ARGS", "is not kept"),
    );
  });
});

describe("glob and grep", () => {
  const { call } = openWorkspace({
    "a.md": "needle\nhay\n",
    "src/a.ts": `${"x".repeat(400)}needle${"y".repeat(400)}\r\nneedle 2`,
    "src/b/c.ts": "(needle)",
    "bin.dat": new Uint8Array([0, 110]),
  });

  test("glob lists paths in order, and says how many there are", async () => {
    expect(await call("glob", { pattern: "src/**" })).toEqual({
      paths: ["src/a.ts", "src/b/c.ts"],
      total: 2,
    });
    expect(await call("glob", { pattern: "*.py" })).toEqual({ paths: [], total: 0 });
  });

  test("grep answers lines with their numbers, long ones around what matches", async () => {
    const found = (await call("grep", { pattern: "needle", path: "src" })) as { matches: { text: string }[] };
    expect(found).toEqual({
      matches: [
        { path: "src/a.ts", line: 1, text: expect.stringMatching(/^…x+needley+…$/) },
        { path: "src/a.ts", line: 2, text: "needle 2" },
        { path: "src/b/c.ts", line: 1, text: "(needle)" },
      ],
      files: 2,
    });
    expect(found.matches[0]!.text).toHaveLength(302);
  });

  test.each([
    [{ pattern: "needle" }, 4],
    [{ pattern: "^needle$" }, 1],
    [{ pattern: "(?i)NEEDLE", path: "a.md" }, 1],
    [{ pattern: "\\(needle\\)" }, 1],
    [{ pattern: "needle", path: "**/*.ts" }, 3],
    [{ pattern: "needle", path: "src/b/**" }, 1],
    [{ pattern: "needle", path: "*.none" }, 0],
  ])("grep finds %j %i times", async (args, times) => {
    expect(await call("grep", args)).toMatchObject({ matches: { length: times } });
  });

  test.each([
    [{ pattern: "(" }, "INVALID_ARGS", "RE2"],
    [{ pattern: "(a)\\1" }, "INVALID_ARGS", "backreferences"],
    [{ pattern: "x", path: "nowhere" }, "NOT_FOUND", "glob lists"],
    [{ pattern: "x", path: "../x" }, "INVALID_ARGS", "leads out"],
    [{ pattern: "x", path: "{a,b}".repeat(9) }, "INVALID_ARGS", "alternatives"],
  ])("grep refuses %j", async (args, code, hint) => {
    await expect(call("grep", args)).rejects.toMatchObject(failure(code, hint));
  });

  test("grep answers in under 20,000 tokens, and says that there is more", async () => {
    const many = openWorkspace({ a: `${"word ".repeat(100)}\n`.repeat(2_000) });
    const found = await many.call("grep", { pattern: "word" });
    expect(found).toMatchObject({ matches: { length: 200 }, truncated: true });
    expect(countTokens(found)).toBeLessThan(20_000);
  });
});

describe("bash", () => {
  trial("runs in an isolate of its tenant's own", async () => {
    const { call, loader } = openWorkspace();
    await call("bash", { command: "true" });
    await call("bash", { command: "true" }, "other");
    expect(loader.ids).toEqual(["shell-test:acme", "shell-test:other"]);
  });

  trial("writes what changed, and only that", async () => {
    const { call, workspaces } = openWorkspace({ a: "1", b: "2", "c/d": "3" });
    const before = workspaces.of("acme").heads("b")[0]!.version;
    expect(await call("bash", { command: "echo new > a; rm c/d; mkdir e; cat b; false" })).toEqual({
      exit_code: 1,
      stdout: "2",
      stderr: "",
      changed: ["c/d", "a"],
    });
    expect(
      workspaces
        .of("acme")
        .heads("")
        .map(({ path }) => path),
    ).toEqual(["a", "b"]);
    expect(workspaces.of("acme").heads("b")[0]!.version).toBe(before);
  });

  test("a command that only reads writes nothing", async () => {
    const { call, workspaces } = openWorkspace({ a: "1" });
    workspaces.before = () => {
      throw new Error("nothing is to be written");
    };
    expect(await call("bash", { command: "cat a | wc -c" })).toEqual({
      exit_code: 0,
      stdout: "1\n",
      stderr: "",
    });
  });

  test("runs again when somebody changed what it changes", async () => {
    const { call, put, workspaces } = openWorkspace({ n: "1" });
    let times = 0;
    workspaces.before = () => void ((times += 1) === 1 && put("n", "5"));
    await call("bash", { command: "echo $(($(cat n) + 1)) > n" });
    expect(await call("read", { path: "n" })).toMatchObject({ content: "6\n" });
  });

  trial("gives up, and keeps nothing, when that goes on", async () => {
    const { call, put, workspaces } = openWorkspace({ n: "1" });
    workspaces.before = () => void put("n", "5");
    await expect(call("bash", { command: "echo 2 > n; echo 3 > m" })).rejects.toMatchObject(
      failure("OVERLOADED", "nothing that the command changed was kept"),
    );
    expect(workspaces.of("acme").heads("m")).toEqual([]);
  });

  trial.each([
    ["echo x > 'a\\b'", "no name that a file may have"],
    ["for i in {1..9}; do cat big big big > big$i; done", "divide it"],
  ])("keeps nothing of %s", async (command, hint) => {
    const { call, workspaces } = openWorkspace({ big: "x".repeat(500_000) });
    await expect(call("bash", { command: `echo y > other; ${command}` })).rejects.toMatchObject(
      failure("TOOL_FAILED", hint),
    );
    expect(
      workspaces
        .of("acme")
        .heads("")
        .map(({ path }) => path),
    ).toEqual(["big"]);
  });

  trial("answers in under 7,000 tokens, however much was printed", async () => {
    const { call } = openWorkspace({ a: "word ".repeat(100_000) });
    const ran = (await call("bash", { command: "cat a a; cat a >&2" })) as { stdout: string };
    expect(ran.stdout).toContain("characters left out");
    expect(countTokens(ran)).toBeLessThan(7_000);
  });
});

describe("Memories", () => {
  const { call } = openWorkspace({
    "memory/2026-10-01.md": "# Standup\nWe talked about the release of the parser.\n",
    "memory/decisions/database.md": "# Database\nWe chose SQLite.\n",
    "memory/people": "Ada likes tea. Ünal mag Kaffee. 東京は暑い。",
    "memory/broken.md": new Uint8Array([0xff]),
    "notes.md": "SQLite is not remembered here",
  });

  test.each([
    ["sqlite database", ["decisions/database"]],
    ["the parser release", ["2026-10-01"]],
    ["ünal", ["people"]],
    ["暑い", ["people"]],
    ["data", ["decisions/database"]],
    ["base", []],
    ["we chose", ["decisions/database", "2026-10-01"]],
    ["???", []],
    ["constructor", []],
  ])("memory_search finds %j in %j", async (query, ids) => {
    expect(await call("memory_search", { query })).toMatchObject({ memories: ids.map((id) => ({ id })) });
  });

  test("memory_search shows what a memory is about", async () => {
    expect(await call("memory_search", { query: "tea" })).toEqual({
      memories: [
        {
          id: "people",
          title: "Ada likes tea. Ünal mag Kaffee. 東京は暑い。",
          snippet: "Ada likes tea. Ünal mag Kaffee. 東京は暑い。",
        },
      ],
    });
  });

  test("memory_search answers in under 1,500 tokens", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [
        `memory/${n}.md`,
        `# ${"title ".repeat(99)}\n${"word ".repeat(999)}`,
      ]),
    );
    const found = await openWorkspace(many).call("memory_search", { query: "word" });
    expect(found).toMatchObject({ memories: { length: 10 } });
    expect(countTokens(found)).toBeLessThan(1_500);
  });

  test.each([
    "decisions/database",
    "decisions/database.md",
    "memory/decisions/database.md",
    "/decisions/database",
  ])("memory_get reads %s", async (id) => {
    expect(await call("memory_get", { id })).toEqual({
      id: "decisions/database",
      path: "memory/decisions/database.md",
      content: "# Database\nWe chose SQLite.\n",
    });
  });

  test.each([
    ["decisions/databse", "did you mean"],
    ["zzzzzzzz", "memory_search finds"],
  ])("memory_get says that there is no %s", async (id, hint) => {
    await expect(call("memory_get", { id })).rejects.toMatchObject(failure("NOT_FOUND", hint));
  });

  test("memory_get stays in the folder of memories", async () => {
    await expect(call("memory_get", { id: "../notes.md" })).rejects.toMatchObject(
      failure("INVALID_ARGS", "leads out"),
    );
    await expect(call("memory_get", { id: "x/../../notes.md" })).rejects.toMatchObject(
      failure("INVALID_ARGS", "leads out"),
    );
  });
});

test("a tenant's files belong to that tenant alone", async () => {
  const { call } = openWorkspace({ "memory/a.md": "mine" });
  for (const [name, args] of [
    ["read", { path: "memory/a.md" }],
    ["memory_get", { id: "a" }],
  ] as const)
    await expect(call(name, args, "other")).rejects.toMatchObject(failure("NOT_FOUND", "There is no"));
  expect(await call("glob", { pattern: "**" }, "other")).toEqual({ paths: [], total: 0 });
  expect(await call("memory_search", { query: "mine" }, "other")).toEqual({ memories: [] });
  expect(await call("grep", { pattern: "mine" }, "other")).toEqual({ matches: [], files: 0 });
});
