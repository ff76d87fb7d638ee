import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

import type { Manager } from "./read-flags.ts";

/** Windows finds npm and its like only through a shell. */
const shell = process.platform === "win32";

/** Ask a package manager for its version; null where it is not installed. */
export function readVersion(pm: Manager): string | null {
  const { status, stdout } = spawnSync(pm, ["--version"], { encoding: "utf8", shell });
  return status === 0 ? stdout.trim() : null;
}

/** Begin a git repository, unless the folder is in one. Says in a sentence how that went. */
export function beginRepository(folder: string): string {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  const inside = git("rev-parse", "--is-inside-work-tree");
  if (inside.error !== undefined) return "git is not installed, so no repository was begun.";
  if (inside.status === 0) return "The folder is in a git repository already.";
  const made = git("init", "--quiet", "--initial-branch=main");
  return made.status === 0 ? "Began a git repository." : "git could not begin a repository.";
}

/** Install the packages; false where that failed, which the manager itself has said. */
export async function install(folder: string, pm: Manager): Promise<boolean> {
  console.log(`Installing with ${pm}, which takes a minute at most…`);
  const quiet = pm === "npm" ? ["--no-audit", "--no-fund", "--loglevel=error"] : [];
  const child = spawn(pm, ["install", ...quiet], { cwd: folder, stdio: "inherit", shell });
  const ignore = (): void => {};
  // Ctrl-C ends the installation; the project stays, and what to type is still said.
  process.on("SIGINT", ignore);
  const ended = await Promise.race([
    once(child, "exit") as Promise<[number | null]>,
    once(child, "error").then(() => [null] as const),
  ]);
  process.off("SIGINT", ignore);
  const [code] = ended;
  if (code === 0) return true;
  console.error(
    code === null && child.pid === undefined
      ? `${pm} is not installed.`
      : `${pm} did not install the packages; its reason stands above. The project itself is there.`,
  );
  return false;
}
