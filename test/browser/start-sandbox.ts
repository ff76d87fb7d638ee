import { once } from "node:events";
import { createServer } from "node:net";

import type { TestProject } from "vitest/node";

import { buildBundle } from "../support/build-bundle.ts";
import { SANDBOX_CONFIG, startSandbox } from "../support/sandbox.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the sandbox of each worker answers, without a slash at the end. */
    sandboxUrls: readonly string[];
  }
}

/** Each worker has a sandbox of its own: what one test leaves there, no other meets while it runs. */
export const WORKERS = 2;

/**
 * Build the sandbox and the console once, start both for each worker, on ports of their own, and stop them after the last test.
 *
 * `npm run sandbox` would build them for each, look for changes of sources all the time, and answer by way of a second runtime:
 * three times the work of each answer. That it serves the console is shown where the README is followed.
 */
export default async function startSandboxes(project: TestProject): Promise<() => Promise<void>> {
  await using built = await buildBundle({ config: SANDBOX_CONFIG });
  const started = await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const port = await findFreePort();
      return startSandbox({
        script: built.path,
        assets: "dist/console",
        port,
        vars: { VOLLEY_URL: `http://127.0.0.1:${port}` },
      });
    }),
  );
  project.provide(
    "sandboxUrls",
    started.map(({ url }) => url),
  );
  return async () => {
    await Promise.all(started.map((sandbox) => sandbox[Symbol.asyncDispose]()));
  };
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
