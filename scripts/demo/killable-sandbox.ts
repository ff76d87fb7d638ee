import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startRawSandbox } from "../../test/support/sandbox.ts";
import type { Workerd } from "../../test/support/workerd.ts";
import type { Killable } from "./survive.ts";
import { VolleyClient } from "./volley-client.ts";

export interface KillableSandbox extends Killable {
  stop(): Promise<void>;
}

/** A killed attempt is given up after a second instead of thirty. */
const VARS = { VOLLEY_JOB_LEASE_MS: "1000", VOLLEY_LOG: "off" };

/** Start the sandbox as one process on a folder of its own, so that it can be killed and started again on the same storage. */
export async function startKillableSandbox(): Promise<KillableSandbox> {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-demo-"));
  const start = (port?: number): Promise<Workerd> =>
    startRawSandbox({ storageDir, vars: VARS, ...(port !== undefined && { port }) });
  let worker = await start();
  return {
    client: clientOf(worker),
    restart: async () => {
      const { port } = worker;
      await worker.kill("SIGKILL");
      worker = await start(port);
      return clientOf(worker);
    },
    stop: async () => {
      await worker[Symbol.asyncDispose]();
      await rm(storageDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function clientOf({ url }: Workerd): VolleyClient {
  return new VolleyClient(url, "sandbox-key");
}
