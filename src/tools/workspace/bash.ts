import * as z from "zod/mini";

import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { type FileChange, WORKSPACES } from "../../core/contract/gate/workspace.ts";
import * as LIMITS from "../kit/limits.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { quotedText } from "../../core/kit/visible-text.ts";
import { callPack, LOADER } from "../kit/call-pack.ts";
import { normaliseFilePath } from "./workspace-path.ts";
import { changeWorkspace, readFiles, refuseChange, WORKSPACE } from "./open-workspace.ts";

/** The answer of `src/packs/shell.ts`. */
interface ShellRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly written: readonly { readonly path: string; readonly content: Uint8Array }[];
  readonly removed: readonly string[];
}

/**
 * Run a command over the files of the caller's workspace, in the pack `shell`, in an isolate of its tenant's own.
 *
 * The command runs over a copy. Its changes are written as a whole, and only if none of those files was changed meanwhile; else it
 * runs again over the new ones, which does no harm, because files are all that it can change.
 */
export const bash = defineTool({
  ...WORKSPACE,
  name: "bash",
  summary: "Run a shell command over the workspace's files",
  description:
    "Run a bash command over your workspace's files, which are its / and its working directory: pipes, loops, grep, sed, awk, jq, " +
    "sort, find and so on, but no programs of your own and no network. Its changes to files are kept, except under /tmp. `exit_code` " +
    "124 means that its time was over, 126 that it went beyond another bound. Size: about 500 tokens.",
  actions: ["run"],
  isWrite: true,
  input: () =>
    z.strictObject({
      command: z
        .string()
        .check(
          z.minLength(1),
          z.maxLength(20_000),
          z.describe("The command, such as 'grep -c TODO src/*.ts | sort -t: -k2'."),
        ),
    }),
  bindings: [LOADER, WORKSPACES],
  timeoutMs: 30_000,
  typicalTokens: 500,
  orchestration: { mode: "parallel-safe" },
  run: async ({ command }, ctx) => {
    for (let run = 0; run < LIMITS.workspaceTries; run += 1) {
      const files = await readFiles("", ctx);
      const ran = await callPack<ShellRun>(shellOf(ctx), "runShell", [command, files, BOUNDS], ctx);
      const versions = new Map(files.map(({ path, version }) => [path, version]));
      const changes = toChanges(ran, versions);
      const refused = changes.length === 0 ? null : await changeWorkspace(changes, ctx);
      if (refused === null) return toAnswer(ran, changes);
      if (refused.reason !== "changed")
        throw new ToolFailure("TOOL_FAILED", {
          hint: `The command ran, and nothing that it changed was kept: ${refuseChange(refused)}`,
        });
    }
    throw new ToolFailure("OVERLOADED", {
      hint: "Others keep changing the same files; nothing that the command changed was kept, so try again.",
    });
  },
});

const BOUNDS = {
  timeMs: LIMITS.shellTimeMs,
  outputBytes: LIMITS.shellOutputBytes,
  inputBytes: LIMITS.shellInputBytes,
  fileBytes: 2 * LIMITS.workspaceBytes,
};

const shellOf = ({ caller }: ToolContext) => ({
  name: "shell",
  text: () => import("../../../dist/packs/shell.txt"),
  owner: caller.tenant,
});

/** The changes of the command, from the versions that it was given. Its paths are not more trusted than a caller's. */
function toChanges({ written, removed }: ShellRun, versions: ReadonlyMap<string, number>): FileChange[] {
  const changes = [
    ...removed.map((path) => ({ path, content: null })),
    ...written.map(({ path, content }) => ({ path: keptAs(path), content })),
  ];
  return changes.map((change) => ({ ...change, base: versions.get(change.path) ?? null }));
}

function keptAs(path: string): string {
  const normal = attemptNow(() => normaliseFilePath(path));
  if (normal.ok && normal.value === path) return path;
  throw new ToolFailure("TOOL_FAILED", {
    hint: `The command ran, and nothing that it changed was kept: ${quotedText(path, 80)} is no name that a file may have.`,
  });
}

function toAnswer({ stdout, stderr, exitCode }: ShellRun, changes: readonly FileChange[]): object {
  return {
    exit_code: exitCode,
    stdout: cutOutput(stdout, LIMITS.shellOutputCharacters),
    stderr: cutOutput(stderr, LIMITS.shellOutputCharacters / 4),
    ...(changes.length > 0 && { changed: changes.slice(0, MOST_NAMED).map(({ path }) => path) }),
    ...(changes.length > MOST_NAMED && { changed_in_all: changes.length }),
  };
}

/** Paths of changed files that are named. */
const MOST_NAMED = 50;

/** The beginning and the end of what was printed, with a line between them that says how much is left out. */
function cutOutput(text: string, most: number): string {
  const shown = text.toWellFormed();
  if (shown.length <= most) return shown;
  const half = most / 2;
  const left = shown.length - most;
  return `${shown.slice(0, half)}\n… ${left} characters left out …\n${shown.slice(-half)}`.toWellFormed();
}
