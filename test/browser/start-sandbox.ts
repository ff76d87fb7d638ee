import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the sandbox of each worker answers, without a slash at the end. */
    sandboxUrls: readonly string[];
  }
}

/** Each worker has a sandbox of its own: what one test leaves there, no other meets while it runs. */
export const WORKERS = 2;

/** Start the sandboxes as a user does, on ports of their own, and stop them after the last test. */
export default async function startSandboxes(project: TestProject): Promise<() => Promise<void>> {
  const started: Sandbox[] = [];
  // One after another: the first one builds what all of them run.
  for (let worker = 0; worker < WORKERS; worker += 1) started.push(await startSandbox());
  project.provide(
    "sandboxUrls",
    started.map(({ url }) => url),
  );
  return async () => {
    await Promise.all(started.map(({ stop }) => stop()));
  };
}

interface Sandbox {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

async function startSandbox(): Promise<Sandbox> {
  const port = await findFreePort();
  const sandbox = spawn(process.execPath, ["scripts/start-sandbox.ts", "--port", String(port)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [sandbox.stdout, sandbox.stderr])
    stream.on("data", (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-20_000)));
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(url, sandbox, () => output);
  return {
    url,
    async stop() {
      sandbox.kill("SIGTERM");
      if (sandbox.exitCode === null) await once(sandbox, "exit");
    },
  };
}

async function untilHealthy(url: string, sandbox: ChildProcess, output: () => string): Promise<void> {
  for (let turn = 0; turn < 240; turn += 1) {
    if (sandbox.exitCode !== null) break;
    const isHealthy = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  sandbox.kill("SIGTERM");
  throw new Error(`The sandbox does not answer:\n${output()}`);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port");
  return address.port;
}
