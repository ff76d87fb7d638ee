import { Bash, type CommandName, getCommandNames } from "just-bash/browser";

import { attempt } from "../core/kit/result.ts";
import { addPlainCommands } from "./plain-commands.ts";
import { countFor, SPENT_WORK, Work } from "./count-work.ts";

/** Work that a command may take, as `count-work.ts` counts it: at most two seconds of a processor, and enough to sort 5 MB. */
const MAX_WORK = 50_000_000;
/** Rounds of one loop, and lines of one file: what all of them take is counted as work, so that this is more than any workspace has. */
const MAX_ITERATIONS = 12_000_000;
/** Half of what the library's own tighter set of bounds allows: a loop that never ends then takes about a second. */
const MAX_COMMANDS = 5_000;

/** `html-to-markdown` reads HTML by a browser's `document`, which no isolate has. */
const COMMANDS = (getCommandNames() as CommandName[]).filter((name) => name !== "html-to-markdown");

/** A file by its path from the workspace's root, without a leading slash. */
export interface ShellFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** The result of a command. */
export interface ShellRun {
  readonly stdout: string;
  readonly stderr: string;
  /** 124 where its time was over, 126 where it went beyond another bound. */
  readonly exitCode: number;
  /** Files that are other than before, or new. */
  readonly written: readonly ShellFile[];
  /** Paths of files that are gone. */
  readonly removed: readonly string[];
}

/** How far a command may go. */
export interface ShellBounds {
  readonly timeMs: number;
  /** The most that its parts print, to each other too. */
  readonly outputBytes: number;
  /** The most that its parts read. */
  readonly inputBytes: number;
  /** The size of all files together, the shell's own among them. */
  readonly fileBytes: number;
  /** The most work, as `count-work.ts` counts it. */
  readonly steps?: number;
}

/**
 * Run a command over a copy of some files, which are the shell's `/`, and say what it changed.
 *
 * just-bash has every command itself: no process, no network, and counted bounds for what a script can make endless or large. `/tmp`
 * is for a command's own use: what is new there is left out. Links, modes and empty folders are not files, so they are left out
 * too.
 */
export async function runShell(
  command: string,
  files: readonly ShellFile[],
  bounds: ShellBounds,
): Promise<ShellRun> {
  countFor(new Work(MAX_WORK));
  const work = new Work(bounds.steps ?? MAX_WORK);
  const own = new Set(openShell(bounds, work).fs.getAllPaths());
  // Files where the shell has its own are not seen there, so they stay as they are.
  const given = new Map(files.flatMap(({ path, content }) => (own.has(`/${path}`) ? [] : [[path, content]])));
  const shell = openShell(bounds, work);
  for (const [path, content] of given) await shell.fs.writeFile(`/${path}`, content);
  countFor(work);
  const ran = await attempt(() => shell.exec(command, { signal: work.signal }));
  countFor(new Work(MAX_WORK));
  if (!ran.ok && !work.isSpent) throw ran.error;
  // The work may be spent between commands too, where the shell itself does not expect it.
  const { stdout, stderr, exitCode } = ran.ok ? ran.value : { stdout: "", stderr: "", exitCode: 126 };
  const left = await readAll(shell, own);
  return {
    stdout,
    // Advice for the library's configuration is nothing that a caller could follow.
    stderr:
      stderr
        .replaceAll(/, increase executionLimits\.\w+/g, "")
        .replaceAll(/: command not available in browser.*/g, ": command not found") +
      (work.isSpent ? `bash: ${SPENT_WORK}\n` : ""),
    // Where the work was spent a command may have taken that for a failure of something else, and the next ones too.
    exitCode: work.isSpent ? 126 : exitCode,
    written: [...left].flatMap(([path, content]) => {
      const before = given.get(path);
      const isScratch = before === undefined && path.startsWith("tmp/");
      return isScratch || (before !== undefined && isEqual(before, content)) ? [] : [{ path, content }];
    }),
    removed: [...given.keys()].filter((path) => !left.has(path)),
  };
}

function openShell({ timeMs, outputBytes, inputBytes, fileBytes }: ShellBounds, work: Work): Bash {
  const shell = new Bash({
    cwd: "/",
    env: { HOME: "/", TMPDIR: "/tmp" },
    commands: COMMANDS,
    // Each command says so: other commands of the tenant run while this one waits.
    coverage: { hit: () => countFor(work) },
    executionLimitProfile: "hardened",
    executionLimits: {
      maxCommandCount: MAX_COMMANDS,
      maxLoopIterations: MAX_ITERATIONS,
      maxAwkIterations: MAX_ITERATIONS,
      maxSedIterations: MAX_ITERATIONS,
      maxJqIterations: MAX_ITERATIONS,
      maxArrayElements: MAX_ITERATIONS,
      maxWorkUnits: MAX_ITERATIONS,
      maxExecutionTimeMs: timeMs,
      maxOutputSize: outputBytes,
      maxInputBytes: inputBytes,
      maxFileSystemBytes: fileBytes,
    },
  });
  addPlainCommands(shell, work);
  return shell;
}

/** Read every file that is not the shell's own. */
async function readAll(shell: Bash, own: ReadonlySet<string>): Promise<Map<string, Uint8Array>> {
  const { fs } = shell;
  const files = new Map<string, Uint8Array>();
  for (const path of fs.getAllPaths()) {
    if (own.has(path) || path.startsWith("/dev/") || path.startsWith("/proc/")) continue;
    const found = await attempt(() => fs.lstat(path));
    if (found.ok && found.value.isFile) files.set(path.slice(1), await fs.readFileBuffer(path));
  }
  return files;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
