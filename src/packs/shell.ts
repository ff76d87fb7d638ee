import { Bash } from "just-bash/browser";

import { attempt } from "../kit/result.ts";

/** Commands and expressions that are interpreted: about two seconds of a processor. */
const MAX_STEPS = 1_000_000;
const MAX_ITERATIONS = 100_000;
/** A line that sed edits costs as much as so many expressions of awk. */
const SED_STEPS = 25;
/** Half of what the library's own tighter set of bounds allows: a loop that never ends then takes about a second. */
const MAX_COMMANDS = 5_000;

/** A file by its path from the workspace's root, without a leading slash. */
export interface ShellFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** What a command did. */
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
  /** Of what its parts print, to each other too. */
  readonly outputBytes: number;
  /** Of what its parts read. */
  readonly inputBytes: number;
  /** Of all files together, the shell's own among them. */
  readonly fileBytes: number;
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
  const steps = new StepCount();
  const own = new Set(openShell(bounds, steps).fs.getAllPaths());
  // Files where the shell has its own are not seen there, so they stay as they are.
  const given = new Map(files.flatMap(({ path, content }) => (own.has(`/${path}`) ? [] : [[path, content]])));
  const shell = openShell(bounds, steps);
  for (const [path, content] of given) await shell.fs.writeFile(`/${path}`, content);
  const ran = await attempt(() => shell.exec(command));
  if (!ran.ok && !steps.isSpent) throw ran.error;
  // The steps may run out between commands too, where the shell itself does not expect it.
  const { stdout, stderr, exitCode } = ran.ok ? ran.value : { stdout: "", stderr: "", exitCode: 126 };
  const left = await readAll(shell, own);
  return {
    stdout,
    // What the library tells whoever configures it is nothing that the caller could do.
    stderr:
      stderr.replaceAll(/, increase executionLimits\.\w+/g, "") + (steps.isSpent ? `bash: ${SPENT}\n` : ""),
    // Where the steps ran out a command may have taken that for a failure of something else, and the next ones too.
    exitCode: steps.isSpent ? 126 : exitCode,
    written: [...left].flatMap(([path, content]) => {
      const before = given.get(path);
      const isScratch = before === undefined && path.startsWith("tmp/");
      return isScratch || (before !== undefined && isEqual(before, content)) ? [] : [{ path, content }];
    }),
    removed: [...given.keys()].filter((path) => !left.has(path)),
  };
}

const SPENT = "the command takes more steps than it may";

/** Told of every command and expression that is interpreted, because awk and jq have loops and functions of their own. */
class StepCount {
  #steps = 0;

  get isSpent(): boolean {
    return this.#steps > MAX_STEPS;
  }

  hit(feature: string): void {
    this.#steps += feature.startsWith("sed:") ? SED_STEPS : 1;
    if (this.isSpent) throw new Error(SPENT);
  }
}

function openShell({ timeMs, outputBytes, inputBytes, fileBytes }: ShellBounds, coverage: StepCount): Bash {
  return new Bash({
    cwd: "/",
    env: { HOME: "/", TMPDIR: "/tmp" },
    coverage,
    executionLimitProfile: "hardened",
    executionLimits: {
      maxCommandCount: MAX_COMMANDS,
      // The steps bound loops; these would end an awk over more lines.
      maxLoopIterations: MAX_ITERATIONS,
      maxAwkIterations: MAX_ITERATIONS,
      maxSedIterations: MAX_ITERATIONS,
      maxJqIterations: MAX_ITERATIONS,
      maxExecutionTimeMs: timeMs,
      maxOutputSize: outputBytes,
      maxInputBytes: inputBytes,
      maxFileSystemBytes: fileBytes,
    },
  });
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
