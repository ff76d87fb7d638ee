import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { build, transform } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { countWork } from "../../../../scripts/count-work.ts";
import { classifyShell } from "../../../../src/features/orchestration/shell/classify-shell.ts";
import type * as Counter from "../../../../src/packs/count-work.ts";
import { samples } from "../../../support/samples.ts";
import { HARMLESS } from "./harmless-commands.ts";
import { HOSTILE } from "./hostile-commands.ts";
import { trial } from "../../../support/trial.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

test.each(HARMLESS)("classifyShell() takes %j for read-only", (text) => {
  expect(classifyShell(text)).toEqual({ readonly: true, reason: expect.stringMatching(/ only reads?$/) });
});

test.each(Object.entries(HOSTILE).flatMap(([how, texts]) => texts.map((text) => [how, text] as const)))(
  "classifyShell() takes for mutating what (%s) %j",
  (_, text) => {
    expect(classifyShell(text)).toEqual({ readonly: false, reason: expect.stringMatching(/./) });
  },
);

test("the lists are as long as they promise: 60 hostile ones beyond the contract's, 40 harmless, none twice", () => {
  const hostile = Object.values(HOSTILE).flat();
  expect(hostile.length).toBeGreaterThan(60 + 16);
  expect(HARMLESS.length).toBeGreaterThan(40);
  expect(new Set([...hostile, ...HARMLESS]).size).toBe(hostile.length + HARMLESS.length);
});

test.each([
  ["cat file", "cat only reads"],
  ["cat a | grep b | cat", "cat, grep only read"],
  ["git push", "git 'push' is not on the read-only list"],
  ["cat a; rm b", "'rm' is not on the read-only list"],
  ["cat a > b", "'>' is not proven harmless"],
  ["find . -delete", "find '-delete' is not proven harmless"],
  ["ls \u202e", "the text holds '\\u{202e}'"],
])("classifyShell() says why: %j", (text, reason) => {
  expect(classifyShell(text).reason).toBe(reason);
});

const harmless = fc.constantFrom(...HARMLESS);
const hostile = fc.constantFrom(...Object.values(HOSTILE).flat());

test("classifyShell() never takes a mutating command for read-only because something harmless stands before it", () => {
  const prefixes = fc.array(fc.constantFrom("-P ", "--no-pager ", "-C dir ", "-C .. "), { maxLength: 3 });
  const git = fc.constantFrom(
    ...Object.values(HOSTILE)
      .flat()
      .filter((text) => text.startsWith("git ")),
  );
  fc.assert(
    fc.property(git, prefixes, (text, before) => {
      expect(classifyShell(`git ${before.join("")}${text.slice("git ".length)}`).readonly).toBe(false);
    }),
    { numRuns: samples(2_000) },
  );
  const options = fc.constantFrom("-s", "-o /dev/null", "-so /dev/null", "-H 'a: b'", "-D -", "-w x");
  const curl = fc.constantFrom(...HOSTILE["curl"]!.filter((text) => text.startsWith("curl ")));
  fc.assert(
    fc.property(curl, fc.array(options, { maxLength: 3 }), (text, before) => {
      const rest = text.slice("curl ".length);
      expect(classifyShell(`curl ${before.join(" ")} ${rest}`).readonly).toBe(false);
    }),
    { numRuns: samples(2_000) },
  );
});

const join = fc.constantFrom(" ; ", "\n", " && ", " || ", " | ");

test("classifyShell() takes what joins only harmless commands for read-only", () => {
  const plain = fc.constantFrom(...HARMLESS.filter((text) => !/[;\n]/.test(text)));
  fc.assert(
    fc.property(plain, join, plain, (left, between, right) => {
      expect(classifyShell(left + between + right).readonly).toBe(true);
    }),
  );
});

test("classifyShell() takes what joins a hostile command, on either side, for mutating", () => {
  // Nothing at all, after `;`, is nothing.
  const some = hostile.filter((text) => !/^\s*$/.test(text));
  fc.assert(
    fc.property(harmless, join, some, (left, between, right) => {
      expect(classifyShell(left + between + right).readonly).toBe(false);
    }),
    { numRuns: samples(2_000) },
  );
});

test("classifyShell() never takes a read-only command with something unproven inserted for read-only", () => {
  const insertion = fc.constantFrom(
    "&",
    "`",
    "$(",
    "$(rm x)",
    "`rm x`",
    "> out",
    ">>out",
    "<(rm x)",
    "; rm x;",
    "\nrm x\n",
    "<<E",
    "\r",
    "\0",
    "| rm x |",
    "&& rm x &&",
    "|| rm x ||",
    "& rm x &",
    "$[x=1]",
    "${x:=1}",
    "\u202e",
    "(",
    ")",
    "&>f",
    " # ",
    "\n#\n",
    "|&",
  );
  // No quotes, escapes or variables: wherever the insertion lands, the shell acts on it. No redirection either, because
  // an ampersand before one only sends more of the output to nowhere.
  const plain = fc.constantFrom(...HARMLESS.filter((text) => !/['"\\#$>]/.test(text)));
  fc.assert(
    fc.property(plain, insertion, fc.nat(), (text, inserted, position) => {
      const at = position % (text.length + 1);
      expect(classifyShell(`${text.slice(0, at)}${inserted}${text.slice(at)}`).readonly).toBe(false);
    }),
    { numRuns: samples(5_000) },
  );
});

trial("classifyShell() takes any arguments of a command that is not in the table for mutating", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,8}$/), fc.string(), (name, rest) => {
      fc.pre(!HARMLESS.some((text) => text.split(/\s/, 1)[0] === name));
      expect(classifyShell(`${name} ${rest}`).readonly).toBe(false);
    }),
  );
});

/** The classifier with its work counted, as that of the pack `shell` is. */
async function countClassifier(): Promise<(text: string) => number> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { classifyShell } from "./src/features/orchestration/shell/classify-shell.ts"; export * from "./src/packs/count-work.ts";`,
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    plugins: [
      {
        name: "counted",
        setup: (building) =>
          building.onLoad({ filter: /\/(?:shell|kit)\/.*\.ts$/ }, async ({ path }) => {
            const { code } = await transform(await readFile(path, "utf8"), { loader: "ts" });
            // Every pattern here is one of ours, which takes the text that it is given once.
            return { contents: countWork(code).replaceAll("new $Slow(", "new RegExp(") };
          }),
      },
    ],
  });
  const module = `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.text).toString("base64")}`;
  const counted = (await import(/* @vite-ignore */ module)) as typeof Counter & {
    readonly classifyShell: typeof classifyShell;
  };
  return (text) => {
    const work = new counted.Work(1e12);
    counted.countFor(work);
    counted.classifyShell(text);
    return 1e12 - work.left;
  };
}

describe("classifyShell() takes steps in proportion to the text", async () => {
  const stepsOf = await countClassifier();
  const pieces = ["{", "'", '"a"', "$x", "a ", "| cat ", "-", "\\", "`", "é", "*", "git ", "#\n", "||"];
  const around = [
    "cat ?",
    "awk '?'",
    "npm view @?",
    'grep "?" a',
    "curl http://a/?",
    "find . ?",
    "git log ?",
  ];
  trial.each(around)("in %s", (command) => {
    for (const piece of pieces) {
      const [once, twice] = [2_000, 4_000].map((size) =>
        stepsOf(command.replace("?", () => piece.repeat(size))),
      );
      expect(twice! / once!, piece).toBeLessThan(2.5);
    }
  });
});
