import { describe, expect, test } from "vitest";

import { runShell, type ShellRun } from "../../src/packs/shell.ts";

const MIB = 1024 * 1024;
const BOUNDS = { timeMs: 60_000, outputBytes: 12 * MIB, inputBytes: 12 * MIB, fileBytes: 20 * MIB };
const FILES = { "a.txt": "1\n2\n3\n", "b/x.md": "x", "bin/ls": "mine", "tmp/old": "o" };

const run = (command: string, files: Readonly<Record<string, string>> = FILES): Promise<ShellRun> =>
  runShell(
    command,
    Object.entries(files).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) })),
    BOUNDS,
  );

/** What a command left, as text. */
const changesOf = ({ written, removed }: ShellRun): object => ({
  written: Object.fromEntries(written.map(({ path, content }) => [path, new TextDecoder().decode(content)])),
  removed,
});

test.each([
  ["pwd; cd; pwd; cat a.txt /a.txt ./b/../a.txt | wc -l", "/\n/\n9\n"],
  ["find . -name '*.md'", "./b/x.md\n"],
  ["awk '{n += $1} END {print n}' a.txt", "6\n"],
  ["seq 20000 | awk 'END {print NR}'", "20000\n"],
  ["printf 'héllo 日本'", "héllo 日本"],
  [`echo '{"a": [1, 2]}' | jq -c .a`, "[1,2]\n"],
  ["sed 's/2/two/' a.txt | tr '\\n' ' '", "1 two 3 "],
  ["grep -c . a.txt", "3\n"],
])("%s prints %j", async (command, stdout) => {
  expect(await run(command)).toEqual({ stdout, stderr: "", exitCode: 0, written: [], removed: [] });
});

test.each([
  [
    "echo n > n.txt; echo 4 >> a.txt; rm b/x.md",
    { written: { "n.txt": "n\n", "a.txt": "1\n2\n3\n4\n" }, removed: ["b/x.md"] },
  ],
  ["mv b/x.md c.md; rmdir b", { written: { "c.md": "x" }, removed: ["b/x.md"] }],
  ["cp a.txt b/y", { written: { "b/y": "1\n2\n3\n" }, removed: [] }],
  ["touch e", { written: { e: "" }, removed: [] }],
  ["cat a.txt > t; mv t a.txt; touch a.txt; chmod +x a.txt", { written: {}, removed: [] }],
  ["mkdir -p d/e; ln -s /a.txt l", { written: {}, removed: [] }],
  ["echo x > tmp/new; echo y > /tmp/old", { written: { "tmp/old": "y\n" }, removed: [] }],
  ["rm -r tmp", { written: {}, removed: ["tmp/old"] }],
  ["echo x > bin/ls; rm /usr/bin/cat; echo y > /dev/null", { written: {}, removed: [] }],
  ["base64 -d <<< //79 > r.bin; wc -c r.bin", { written: { "r.bin": "\ufffd\ufffd\ufffd" }, removed: [] }],
])("%s changes just that", async (command, changes) => {
  expect(changesOf(await run(command))).toEqual(changes);
});

test("nothing of one command is left for the next", async () => {
  await run("x=1; f() { echo hi; }; echo n > n; cd b");
  expect(await run("echo $x; f; cat n; pwd")).toMatchObject({ stdout: "\n/\n", exitCode: 0 });
});

describe("What would not end, or grow without end, ends", () => {
  test.each([
    "while true; do :; done",
    "while :; do echo y; done",
    "until false; do ((i++)); done",
    "for ((;;)); do :; done",
    "f() { f; }; f",
    ":(){ :|:& };:",
    "echo {1..100000000}",
    "seq 1 1000000000",
    "printf '%1000000000s' x",
    "x=a; while true; do x=$x$x; done",
    "awk 'BEGIN { while (1) for (;;) ; }'",
    "awk 'function f(n) { return f(n-1) + f(n-1) } BEGIN { f(90) }'",
    `awk 'BEGIN { s = "a"; while (length(s) < 1e9) s = s s }'`,
    "yes '' | awk 'BEGIN{for(i=0;i<9e9;i++)for(j=0;j<9e9;j++)x++}'",
    "echo a | sed ':a;ba'",
    "jq -n 'def f: f; f'",
    "jq -n 'def f(n): f(n-1) + f(n-1); f(90)'",
    "jq -n '[limit(100000000; repeat(1))] | length'",
    "while true; do cat a.txt >> a.txt; done",
  ])("%s", async (command) => {
    const { exitCode, stderr } = await run(command);
    expect(stderr).toMatch(/exceeded|too many|more steps/);
    expect(stderr).not.toContain("executionLimits");
    expect(exitCode).toBe(126);
  });

  test("at its time, what waits", async () => {
    const ran = await runShell("sleep 100", [], { ...BOUNDS, timeMs: 20 });
    expect(ran).toMatchObject({ exitCode: 124, stderr: expect.stringContaining("deadline") });
  });

  test("with its steps, however a command takes that", async () => {
    const lines = "o\n".repeat(50_000);
    expect(await run("sed -i s/o/0/ a b || true", { a: lines, b: lines })).toMatchObject({
      exitCode: 126,
      stderr: expect.stringContaining("more steps"),
    });
  });

  test("a pattern that is made to explode", async () => {
    const ran = await run("grep -cE '^(a+)+$' a; [[ $(cat a) =~ ^(a|aa)+$ ]]; echo $?", {
      a: `${"a".repeat(5_000)}b`,
    });
    expect(ran.stdout).toBe("0\n1\n");
  });
});

test.each([
  "curl http://127.0.0.1",
  "wget http://127.0.0.1",
  "node -e 1",
  "python3 -c 1",
  "ssh host",
  "git status",
])("%s is not there", async (command) => {
  expect(await run(command)).toMatchObject({ exitCode: 127 });
});
