import fc from "fast-check";
import { Bash } from "just-bash";

import { classifyShell } from "../../src/features/orchestration/shell/classify-shell.ts";
import { HARMLESS } from "../../test/features/orchestration/shell/harmless-commands.ts";
import { HOSTILE } from "../../test/features/orchestration/shell/hostile-commands.ts";
import { type Fuzz, lookAt } from "./fuzz.ts";

const FILES = {
  "/work/a": "one\ntwo\nthree\n",
  "/work/b.txt": "b\na\n",
  "/work/list": "a\nb.txt\n",
  "/work/dir/c": "deep\n",
  "/work/-rf": "a name like an option\n",
};

const words = fc.constantFrom(
  "a",
  "b.txt",
  "dir",
  "dir/c",
  "list",
  ".",
  "*",
  "-rf",
  "./-rf",
  "nothing",
  "'a b'",
  '"$HOME"',
  "$(rm a)",
  "`rm a`",
  "-n",
  "-o",
  "-i",
  "--",
  "-exec",
  "rm",
  "{}",
  "\\;",
  "-delete",
  "-fprint",
  "out",
  "-print0",
  "-name",
  "'*'",
  "-w",
  "s/a/b/w out",
  "'{print > \"out\"}'",
  "--output=out",
  "-oout",
  "--files0-from=list",
  "1p",
  "$0",
  "~",
  "a\\\nb",
);
const names = fc.constantFrom(
  "cat",
  "ls",
  "grep",
  "find",
  "sort",
  "uniq",
  "head",
  "tail",
  "wc",
  "cut",
  "tr",
  "sed",
  "awk",
  "xargs",
  "env",
  "tee",
  "echo",
  "printf",
  "pwd",
  "stat",
  "file",
  "du",
  "diff",
  "cmp",
  "which",
  "date",
  "rm",
  "touch",
  "mv",
  "cp",
  "mkdir",
  "rmdir",
);
const joins = fc.constantFrom(
  " | ",
  " && ",
  " || ",
  "; ",
  " & ",
  " > ",
  " >> ",
  " 2>&1 | ",
  " < ",
  "\n",
  "|&",
  " 2> ",
  " <<< ",
  " &> ",
);
const commands = fc
  .tuple(names, fc.array(words, { maxLength: 4 }))
  .map(([name, args]) => [name, ...args].join(" "));
const texts = fc.oneof(
  commands,
  fc
    .array(commands, { minLength: 2, maxLength: 3 })
    .chain((parts) =>
      fc
        .array(joins, { minLength: parts.length, maxLength: parts.length })
        .map((between) =>
          parts.map((part, index) => (index === 0 ? part : `${between[index]}${part}`)).join(""),
        ),
    ),
  // One that is known to be harmless, with something put into it.
  fc.tuple(fc.constantFrom(...HARMLESS), fc.nat(), fc.oneof(words, joins)).map(([text, at, inserted]) => {
    const place = at % (text.length + 1);
    return `${text.slice(0, place)}${inserted}${text.slice(place)}`;
  }),
  fc.constantFrom(...HARMLESS, ...Object.values(HOSTILE).flat()),
);

/** Whether shell text only reads, against a shell of other hands that runs it over files in memory. */
export const SHELL: Fuzz = {
  title: "shell",
  runs: 40_000,
  async look(how) {
    let ran = 0;
    const found = await lookAt(
      fc.asyncProperty(texts, async (text) => {
        if (!classifyShell(text).readonly) return;
        const shell = new Bash({
          files: FILES,
          cwd: "/work",
          executionLimits: { maxCommandCount: 200, maxLoopIterations: 500 },
        });
        const before = await snapshot(shell);
        await shell.exec(text).catch(() => null);
        ran += 1;
        const after = await snapshot(shell);
        if (after !== before) throw new Error(`'${text}' counts as read-only, and changed ${after}`);
      }),
      how,
    );
    how.tell(`${ran} counted as read-only and were run`);
    return found;
  },
};

async function snapshot(shell: Bash): Promise<string> {
  const paths = shell.fs
    .getAllPaths()
    .filter((path) => !path.startsWith("/dev") && !path.startsWith("/proc"));
  const contents = await Promise.all(
    paths.toSorted().map(async (path) => [path, await shell.fs.readFile(path).catch(() => null)]),
  );
  return JSON.stringify(contents);
}
