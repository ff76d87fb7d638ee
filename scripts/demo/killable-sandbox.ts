import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eventually } from "../../test/support/eventually.ts";
import { HostileUpstream } from "../../test/support/hostile-upstream.ts";
import { startRawSandbox } from "../../test/support/sandbox.ts";
import type { Workerd } from "../../test/support/workerd.ts";
import type { Killable } from "./survive.ts";
import { VolleyClient } from "./volley-client.ts";

export interface KillableSandbox extends Killable {
  readonly provider: HostileUpstream;
  stop(): Promise<void>;
}

/**
 * Start the sandbox as one process on a folder of its own, so that it can be killed and started again on the same storage. The provider is
 * here, and keeps its answer until the process is gone: the write is always under way when that happens.
 *
 * @param write the path of the write at its provider
 */
export async function startKillableSandbox(write = "/background"): Promise<KillableSandbox> {
  const [storageDir, provider] = [
    await mkdtemp(join(tmpdir(), "volley-demo-")),
    await HostileUpstream.start(),
  ];
  const answer = provider.hold(write);
  // A killed attempt is given up after a second instead of thirty.
  const vars = { PROBE_ORIGIN: provider.url, VOLLEY_JOB_LEASE_MS: "1000", VOLLEY_LOG: "off" };
  const start = (port?: number): Promise<Workerd> =>
    startRawSandbox({ storageDir, vars, ...(port !== undefined && { port }) });
  let worker = await start();
  return {
    client: clientOf(worker),
    restart: async () => {
      await eventually("the write at its provider", () => provider.requestsTo(write)[0]);
      await worker.kill("SIGKILL");
      answer();
      worker = await start(worker.port);
      return clientOf(worker);
    },
    provider,
    keysAtProvider: () => provider.requestsTo(write).map(({ headers }) => String(headers["idempotency-key"])),
    stop: async () => {
      await worker[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await rm(storageDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function clientOf({ url }: Workerd): VolleyClient {
  return new VolleyClient(url, "sandbox-key");
}
