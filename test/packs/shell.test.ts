import { setImmediate } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { runShell, type ShellBounds, type ShellRun } from "../../src/packs/shell.ts";
import { trial } from "../support/trial.ts";

const MIB = 1024 * 1024;
const BOUNDS = { timeMs: 60_000, outputBytes: 12 * MIB, inputBytes: 12 * MIB, fileBytes: 20 * MIB };
const FILES = { "a.txt": "1\n2\n3\n", "b/x.md": "x", "bin/ls": "mine", "tmp/old": "o" };

const run = (
  command: string,
  files: Readonly<Record<string, string>> = FILES,
  bounds: ShellBounds = BOUNDS,
): Promise<ShellRun> =>
  runShell(
    command,
    Object.entries(files).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) })),
    bounds,
  );

/** A run that may take few steps, so that what goes beyond is small. */
const runBriefly = (command: string, files: Readonly<Record<string, string>>): Promise<ShellRun> =>
  run(command, files, { ...BOUNDS, steps: 1_000_000 });

const numbered = (name: string) => Array.from({ length: 2_000 }, (_, line) => `${name}${line}\n`).join("");

/** The files that a command left, as text. */
const changesOf = ({ written, removed }: ShellRun): object => ({
  written: Object.fromEntries(written.map(({ path, content }) => [path, new TextDecoder().decode(content)])),
  removed,
});

trial.each([
  ["pwd; cd; pwd; cat a.txt /a.txt ./b/../a.txt | wc -l", "/\n/\n9\n"],
  ["find . -name '*.md'", "./b/x.md\n"],
  ["awk '{n += $1} END {print n}' a.txt", "6\n"],
  ["seq 20000 | awk 'END {print NR}'", "20000\n"],
  ["printf 'héllo 日本'", "héllo 日本"],
  [`echo '{"a": [1, 2]}' | jq -c .a`, "[1,2]\n"],
  ["sed 's/2/two/' a.txt | tr '\\n' ' '", "1 two 3 "],
  ["grep -c . a.txt", "3\n"],
  ["seq 20000 | awk '{ print $1 % 7, $1 }' | sort -n | cut -d' ' -f1 | uniq -c | head -1", "2857 0\n"],
  ["seq 20000 | sed 's/1/one/g' | grep -cE '^(one)+[0-9]'", "11106\n"],
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

describe("A command that would not end, or grow without end, ends", () => {
  trial("by its own bound of work", async () => {
    const { exitCode, stderr } = await run("awk 'BEGIN { while (1) for (;;) ; }'");
    expect([exitCode, stderr]).toEqual([126, expect.stringContaining("more steps")]);
  });

  trial.each([
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
    const { exitCode, stderr } = await run(command, FILES, { ...BOUNDS, steps: 5_000_000 });
    expect(stderr).toMatch(/exceeded|too many|more steps/);
    expect(stderr).not.toContain("executionLimits");
    expect(exitCode).toBe(126);
  });

  test("at its time, what waits", async () => {
    const ran = await runShell("sleep 100", [], { ...BOUNDS, timeMs: 20 });
    expect(ran).toMatchObject({ exitCode: 124, stderr: expect.stringContaining("deadline") });
  });

  trial("with its steps, however a command takes that", async () => {
    expect(await runBriefly("diff a b || true", { a: numbered("a"), b: numbered("b") })).toMatchObject({
      exitCode: 126,
      stderr: expect.stringContaining("more steps"),
    });
  });

  trial.each([
    ["diff a b", { a: numbered("a"), b: numbered("b") }],
    ["grep -cE '([a-j]{1,100}){1,9}z' a", { a: "abcdefghij".repeat(3_300) }],
    ["rg -c '([a-j]{1,100}){1,9}z' a", { a: "abcdefghij".repeat(3_300) }],
    ["sed -E 's/([a-j]{1,100}){1,9}z/x/' a", { a: "abcdefghij".repeat(3_300) }],
    [`awk '{ for (i = 1; i <= NF; i++) $i = "x" }' a`, { a: "f ".repeat(4_000) }],
  ])("T43 by its work within one command, whatever the clock says: %s", async (command, files) => {
    expect(await runBriefly(command, files)).toMatchObject({
      exitCode: 126,
      stderr: expect.stringContaining("more steps"),
      written: [],
    });
  });

  const LONG = "x".repeat(100_000);
  const DIGITS = `${"1".repeat(20_000)}x`;
  /** As often as takes half of the steps where what native functions do costs nothing. */
  const awk = (body: string) => `awk '{ s = $0; for (i = 0; i < 2000; i++) { ${body} } }' a`;
  const bash = (body: string) => `x=$(cat a); for i in {1..300}; do ${body}; done`;
  trial.each([
    // Texts that are joined and read by turns are copied each time.
    [awk('s = s "x"; n = index(s, "x")'), LONG],
    [awk('s = s "x"; n = substr(s, 5, 10)'), LONG],
    [awk('s = "x" s; n = s < "a"'), LONG],
    [awk("n = s i == s i"), LONG],
    [awk('n = sprintf("%c", s i)'), LONG],
    // Texts that stay in memory, of few steps otherwise.
    ["awk '{ for (i = 0; i < 30; i++) a[i] = $0 i }' a", LONG],
    ["awk '{ for (i = 0; i < 30; i++) a[$0 i] = 1 }' a", LONG],
    // Texts that are read as numbers, or converted.
    [awk("n = s * 1"), `${"1".repeat(100_000)}x`],
    [awk("n = int(s)"), `${" ".repeat(100_000)}1`],
    [awk("n = s > 1"), `${"1".repeat(100_000)}x`],
    [awk("n = toupper(s)"), LONG],
    // Patterns of the shell itself that begin again at each character.
    ['x=$(cat a); find / -printf "$x"', `%${DIGITS}`],
    ["sleep $(cat a)", DIGITS],
    ["timeout $(cat a) true", DIGITS],
    ["echo $(cat a)", "[".repeat(20_000)],
    ["bash a", "a[".repeat(20_000)],
    ["bash a", "{".repeat(20_000)],
    ["bash a", "@(".repeat(20_000)],
    ['sed "$(cat a)" a', `s/${"a".repeat(20_000)}/b/`],
    ['grep -E "$(cat a)" a', "a{9}".repeat(10_000)],
    ["sed ':a;s/^\\(.*\\)x/\\1y/;ta' a", "x".repeat(10_000)],
    // Pieces, copies and expansions.
    [bash("y=${x//x/y}"), LONG],
    [bash("x+=y; c=${x:0:1}"), LONG],
  ])("T43 by the work of native functions too: %s", async (command, a) => {
    expect(await runBriefly(command, { a })).toMatchObject({
      exitCode: 126,
      stderr: expect.stringContaining("more steps"),
      written: [],
    });
  });

  trial.each([
    ["x=$(cat a); echo ${#x}", `${"\n".repeat(100_000)}x`, "100001\n"],
    ['basename "$(cat a)"', `${"/".repeat(100_000)}x`, "x\n"],
    ['x=$(cat a); echo "$x" | wc -c', "[x] /usr/lib a=b %1s\n".repeat(4_000), "84000\n"],
    [awk('s = s "," i'), LONG, ""],
    [awk('a["k"] = s i; n++'), LONG, ""],
  ])("T43 but not what is long and plain: %s", async (command, a, stdout) => {
    const ran = await run(command, { a }, { ...BOUNDS, steps: 10_000_000 });
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(new RegExp(`${stdout}$`)),
    });
  });

  trial.each([
    ["sort a | tail -1", 5, "99999,name"],
    ["sort -t, -k1,1n a | tail -1", 5, "100002,name"],
    ["wc -l a", 5, "81920 a"],
    ["cut -d, -f2 a | sort | uniq -c | sort -rn | wc -l", 5, "81920"],
    ["grep -F 'name 42,' a | wc -l", 5, "1"],
    ["tr a-z A-Z < a | tail -1", 3, "NAME"],
    ["sed 's/city/town/' a | tail -1", 3, "town"],
  ])("but not plain work over megabytes: %s", async (command, mebibytes, said) => {
    const rows = Array.from(
      { length: (mebibytes * MIB) / 64 },
      (_, n) => `${(n * 7_919) % 100_003},name ${n},city ${n % 97},${"some words ".repeat(4)}\n`,
    ).join("");
    const ran = await run(command, { a: rows });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringContaining(said) });
  });

  trial.each([
    ["bash a", "{".repeat(20_000)],
    ["bash a", "@(".repeat(20_000)],
    ["bash a & bash a | bash a; echo $(bash a)", "{".repeat(20_000)],
    ["rg 'x.*y' . --multiline", "x".repeat(20_000)],
  ])("T43 and no part of %s fails behind its back", async (command, a) => {
    const escaped: unknown[] = [];
    const hear = (error: unknown) => escaped.push(error);
    process.on("unhandledRejection", hear);
    const { exitCode } = await run(command, { a, b: a, c: a }, { ...BOUNDS, steps: 100_000 });
    await setImmediate();
    process.off("unhandledRejection", hear);
    expect({ exitCode, escaped }).toEqual({ exitCode: 126, escaped: [] });
  });

  trial("T43 by its own work: another command has all of its own", async () => {
    const [ended, ran] = await Promise.all([
      runBriefly("diff a b", { a: numbered("a"), b: numbered("b") }),
      runBriefly("sleep 0.01; sort a | tail -1", { a: numbered("a") }),
    ]);
    expect([ended.exitCode, ran.exitCode, ran.stdout]).toEqual([126, 0, "a999\n"]);
  });

  trial("a pattern that is made to explode", async () => {
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
  "html-to-markdown a.txt",
])("%s is not there", async (command) => {
  expect(await run(command)).toMatchObject({
    exitCode: 127,
    stderr: `bash: ${command.split(" ")[0]}: command not found\n`,
  });
});
