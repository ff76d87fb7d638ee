import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import type { Wrangler } from "./find-wrangler.ts";

/** Wrangler counts uses, reports errors, looks for a newer version, and asks where in the world it runs: none of which this command was asked for. */
const QUIET = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
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

/** Serve a Worker by Wrangler in this terminal, without its list of the bindings: in the sandbox that is fifty lines above the first that matters. */
export async function serveByWrangler(
  wrangler: Pick<Wrangler, "script">,
  asked: Asked,
): Promise<number | null> {
  const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  const child = start(wrangler, { ...asked, env: { ...colours, ...asked.env } }, [
    "inherit",
    "pipe",
    "inherit",
  ]);
  const out = asked.isAside === true ? process.stderr : process.stdout;
  const hide = hideBindings();
  createInterface({ input: child.stdout! }).on("line", (line) => hide(line) || out.write(`${line}\n`));
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

/** Say of each line that Wrangler prints whether it belongs to a list of bindings, which ends with an empty line. */
export function hideBindings(): (line: string) => boolean {
  let isListed = false;
  return (line) => {
    const wasListed = isListed;
    isListed = isListed ? line !== "" : line.includes("has access to the following bindings:");
    return isListed || wasListed;
  };
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
function start(
  { script }: Pick<Wrangler, "script">,
  { args, folder, env }: Asked,
  stdio: StdioOptions,
): ChildProcess {
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
