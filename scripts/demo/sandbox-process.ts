import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";

/** A running sandbox; `stop` ends it and everything it started. */
export interface SandboxProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Start the sandbox on a free port and wait until it answers; fails with what it printed when it does not in time.
 *
 * @param vars variables that it is given, as `NAME:value`
 */
export async function startSandboxProcess(
  timeoutMs: number,
  vars: readonly string[] = [],
): Promise<SandboxProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const set = vars.map((value) => `--var=${value}`);
  const child = spawn(process.execPath, ["scripts/start-sandbox.ts", `--port=${port}`, ...set], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  child.stderr.on("data", (chunk) => (printed += chunk));

  const until = Date.now() + timeoutMs;
  while (!(await answers(`${url}/healthz`))) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop(child);
      throw new Error(`The sandbox did not start. It printed:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === "object"
          ? resolve(address.port)
          : reject(new Error("no port")),
      );
    });
  });
}
