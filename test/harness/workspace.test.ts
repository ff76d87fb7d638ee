import { describe, expect, test } from "vitest";

import { startSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const { caller, volley } = await setUpSandbox({ WORKSPACE: "on" }, startSandbox);
const other = new TestCaller(volley.url, "sandbox-other-key");

type Args = Readonly<Record<string, unknown>>;

/** Run one call; its data, or its failure. */
async function call(tool: string, args: Args, by: TestCaller = caller): Promise<unknown> {
  const { results } = await by.execute([{ tool, args }]);
  const [{ data, error, status }] = results as [(typeof results)[0]];
  return error === undefined ? data : { status, code: error.code, hint: error.hint };
}
const write = (path: string, content: string, by?: TestCaller) => call("write", { path, content }, by);
const bash = (command: string) => call("bash", { command });

describe("A workspace", () => {
  test("keeps a file, under one name whatever way it is written", async () => {
    expect(await write("/notes/./a/../plan.md", "one\ntwo\n")).toMatchObject({
      path: "notes/plan.md",
      bytes: 8,
    });
    expect(await call("read", { path: "notes//plan.md" })).toEqual({
      path: "notes/plan.md",
      content: "one\ntwo\n",
      first_line: 1,
      last_line: 2,
      total_lines: 2,
    });
  });

  test("is its tenant's own", async () => {
    await write("mine.md", "secret");
    expect(await call("read", { path: "mine.md" }, other)).toMatchObject({ code: "NOT_FOUND" });
    expect(await call("glob", { pattern: "**" }, other)).toEqual({ paths: [], total: 0 });
    expect(await call("bash", { command: "ls" }, other)).toMatchObject({
      stdout: expect.not.stringContaining("mine.md"),
    });
  });

  test("has reads and writes in the order asked within a batch", async () => {
    const { results } = await caller.execute([
      { tool: "write", args: { path: "order.txt", content: "1" } },
      { tool: "read", args: { path: "order.txt" } },
      { tool: "edit", args: { path: "order.txt", old: "1", new: "2" } },
      { tool: "bash", args: { command: "cat order.txt; echo 3 > order.txt" } },
      { tool: "read", args: { path: "order.txt" } },
    ]);
    expect(results.map(({ data }) => data)).toMatchObject([
      { bytes: 1 },
      { content: "1" },
      { line: 1 },
      { stdout: "2" },
      { content: "3\n" },
    ]);
  });

  test("is put back where a batch fails: a file that was written twice, an edited one, and a new one", async () => {
    await write("back/a.txt", "a");
    const { undone } = await caller.execute(
      [
        { id: "first", tool: "write", args: { path: "back/a.txt", content: "b" } },
        { id: "second", tool: "edit", args: { path: "back/a.txt", old: "b", new: "c" } },
        { id: "third", tool: "write", args: { path: "back/new.txt", content: "x" } },
        { id: "fails", tool: "edit", args: { path: "back/a.txt", old: "z", new: "" } },
      ],
      { on_error: "undo" },
    );
    expect(undone).toMatchObject(
      ["third", "second", "first"].map((id) => ({ id, tool: "restore_file", status: "success" })),
    );
    expect(await call("read", { path: "back/a.txt" })).toMatchObject({ content: "a" });
    expect(await call("glob", { pattern: "back/**" })).toMatchObject({ paths: ["back/a.txt"] });
  });

  test("is searched by pattern and by path", async () => {
    await write("src/a.ts", "// TODO one\nconst x = 1;\n");
    await write("src/lib/b.ts", "// todo two\n");
    await write("src/c.md", "TODO three\n");
    expect(await call("glob", { pattern: "src/**/*.ts" })).toEqual({
      paths: ["src/a.ts", "src/lib/b.ts"],
      total: 2,
    });
    expect(await call("grep", { pattern: "(?i)todo", path: "src/**/*.ts" })).toEqual({
      matches: [
        { path: "src/a.ts", line: 1, text: "// TODO one" },
        { path: "src/lib/b.ts", line: 1, text: "// todo two" },
      ],
      files: 2,
    });
    expect(await call("grep", { pattern: "TODO", path: "/src/" })).toMatchObject({ matches: { length: 2 } });
    expect(await call("grep", { pattern: "(" })).toMatchObject({ code: "INVALID_ARGS" });
    expect(await call("grep", { pattern: "x", path: "nowhere" })).toMatchObject({ code: "NOT_FOUND" });
  });

  test("remembers notes under memory/", async () => {
    await write("memory/decisions/database.md", "# Database\nWe chose SQLite, for its simplicity.\n");
    await write("memory/people.md", "# People\nAda likes tea.\n");
    expect(await call("memory_search", { query: "which database did we choose?" })).toEqual({
      memories: [
        {
          id: "decisions/database",
          title: "Database",
          snippet: "# Database We chose SQLite, for its simplicity.",
        },
      ],
    });
    expect(await call("memory_get", { id: "people" })).toEqual({
      id: "people",
      path: "memory/people.md",
      content: "# People\nAda likes tea.\n",
    });
  });
});

describe("bash", () => {
  test("keeps what a command changes, and says what failed without failing", async () => {
    await write("data/n.txt", "3\n1\n2\n");
    expect(
      await bash("sort data/n.txt > data/sorted.txt; rm data/n.txt; cat /data/sorted.txt; exit 3"),
    ).toEqual({
      exit_code: 3,
      stdout: "1\n2\n3\n",
      stderr: "",
      changed: ["data/n.txt", "data/sorted.txt"],
    });
    expect(await call("glob", { pattern: "data/*" })).toEqual({ paths: ["data/sorted.txt"], total: 1 });
  });

  test.each([
    "while true; do :; done",
    ":(){ :|:& };:",
    "echo {1..100000000}",
    "awk 'BEGIN{while(1) for(;;);}'",
    "awk 'function f(n){return f(n-1)+f(n-1)} BEGIN{f(90)}'",
    "jq -n 'def f(n): f(n-1)+f(n-1); f(90)'",
    "x=a; while true; do x=$x$x; done",
    "seq 1 1000000000",
  ])("ends %s", async (command) => {
    expect(await bash(command)).toMatchObject({
      exit_code: expect.any(Number),
      stderr: expect.stringMatching(/./),
    });
  });

  test("keeps nothing where a file may not be kept", async () => {
    await bash("echo before > kept.txt");
    expect(await bash("echo after > kept.txt; echo x > 'a\\b'")).toMatchObject({
      code: "TOOL_FAILED",
      hint: expect.stringContaining("nothing that it changed was kept"),
    });
    expect(await call("read", { path: "kept.txt" })).toMatchObject({ content: "before\n" });
  });

  test("adds up when many run at once", async () => {
    await write("count.txt", "0\n");
    await Promise.all(Array.from({ length: 3 }, () => bash("n=$(cat count.txt); echo $((n+1)) > count.txt")));
    expect(await call("read", { path: "count.txt" })).toMatchObject({ content: "3\n" });
  });

  test("reaches no network", async () => {
    expect(await bash("curl http://127.0.0.1")).toMatchObject({ exit_code: 127 });
  });
});
