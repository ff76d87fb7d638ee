import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";

import type { Wrangler } from "./find-wrangler.ts";

/** Wrangler counts uses, reports errors, and looks for a newer version: none of which this command was asked for. */
const QUIET = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
};

interface Asked {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is for something else, so that its lines go to the other one. */
  readonly isAside?: boolean;
}

/** Run the project's Wrangler in this terminal. Its exit code; null where a signal ended it. */
export async function runWrangler(wrangler: Wrangler, asked: Asked): Promise<number | null> {
  const child = start(wrangler, asked, asked.isAside === true ? ["ignore", 2, 2] : "inherit");
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

/** Ask the project's Wrangler something: its exit code and all that it printed. */
export async function askWrangler(
  wrangler: Wrangler,
  asked: Asked,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const child = start(wrangler, asked, ["ignore", "pipe", "pipe"]);
  let text = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (part: Buffer) => void (text += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text };
}

/** Start the project's Wrangler. A signal that ends this process ends it too. */
function start({ script }: Wrangler, { args, folder, env }: Asked, stdio: StdioOptions): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    env: { ...env, ...QUIET },
    stdio,
  });
  const end = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, end);
    child.once("exit", () => process.off(signal, end));
  }
  return child;
}
