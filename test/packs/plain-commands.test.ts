import { describe, expect, test } from "vitest";

import { runShell } from "../../src/packs/shell.ts";
import { trial, trials } from "../support/trial.ts";

const MIB = 1024 * 1024;
const BOUNDS = { timeMs: 60_000, outputBytes: 12 * MIB, inputBytes: 12 * MIB, fileBytes: 20 * MIB };

const run = (command: string, a: string | Uint8Array, steps?: number) =>
  runShell(command, [{ path: "a", content: typeof a === "string" ? new TextEncoder().encode(a) : a }], {
    ...BOUNDS,
    ...(steps !== undefined && { steps }),
  });

const TEXTS: readonly (string | Uint8Array)[] = [
  "",
  "\n",
  "a",
  "a\n",
  "b\na\n\naa\nxa,b\n",
  "ends without a\nline break a",
  "naïve 日本 a\u{1f600}\nA-Z [a] \\a\r\na",
  "\ufeffa\n",
  "aaaa\naaaa",
  new Uint8Array([0x61, 0xff, 0x61, 0x0a]),
  new Uint8Array([0x61, 0x00, 0x61, 0x0a]),
];

/* A plain form, and one that means the same and is the library's own. */
describe.each([
  ["tr a-z A-Z < a", "tr a-z A-Z '' < a"],
  ["tr a-c x < a", "tr a-c x '' < a"],
  ["tr abA-C 123 < a", "tr abA-C 123 '' < a"],
  ["tr a- x- < a", "tr a- x- '' < a"],
  ["tr z-a x < a", "tr z-a x '' < a"],
  ["tr ' ' , < a", "tr ' ' , '' < a"],
  ["cat a | tr a b", "cat a | tr a b ''"],
  ["sed s/a/b/ a", "sed -e s/a/b/ a"],
  ["sed s/a/b/g a", "sed -e s/a/b/g a"],
  ["sed s/aa/a/g < a", "sed -e s/aa/a/g < a"],
  ["sed s/a// a", "sed -e s/a// a"],
  ["sed 's/a/x y/' nowhere", "sed -e 's/a/x y/' nowhere"],
  ["grep a a", "grep -e a a"],
  ["grep -F a a", "grep -F -e a a"],
  ["cat a | grep aa", "cat a | grep -e aa"],
  ["grep nothing a", "grep -e nothing a"],
  ["grep a nowhere", "grep -e a nowhere"],
  ["grep a /tmp", "grep -e a /tmp"],
])("%s", (plain, own) => {
  trial.each(TEXTS.map((text) => [text]))("does to %j what the library does", async (text) => {
    expect(await run(plain, text)).toEqual(await run(own, text));
  });
});

trials("Five megabytes of short lines", () => {
  const rows = Array.from({ length: 200_000 }, (_, n) => `${n},name ${n},city ${n % 97} x\n`).join("");

  test.each([
    ["tr a-z A-Z < a | tail -1", "199999,NAME 199999,CITY 82 X\n"],
    ["sed s/a/b/ a | tail -1", "199999,nbme 199999,city 82 x\n"],
    ["cut -d, -f1 a | tail -1", "199999\n"],
    ["grep x a | wc -l", "200000\n"],
    ["awk '{print $1}' a | tail -1", "199999,name\n"],
  ])("%s comes to its end", async (command, stdout) => {
    expect(rows.length).toBeGreaterThan(5 * MIB);
    expect(await run(command, rows)).toMatchObject({ exitCode: 0, stderr: "", stdout });
  });
});

test.each([
  ["sed s/a/bbbbbbbbbb/g a", "a".repeat(2 * MIB), /exceeded|more steps/],
  ["x=0; while :; do tr a b < a > /tmp/b; done", "a".repeat(MIB), /more steps/],
  ["while :; do sed s/a/b/g a > /tmp/b; done", "a".repeat(MIB), /more steps/],
  ["while :; do grep a a > /tmp/b; done", "a\n".repeat(MIB / 2), /more steps/],
])("T43 %s is ended all the same", async (command, a, said) => {
  expect(await run(command, a, 10_000_000)).toMatchObject({
    exitCode: 126,
    stderr: expect.stringMatching(said),
    written: [],
  });
});
