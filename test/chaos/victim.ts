import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRawSandbox } from "../support/sandbox.ts";
import type { Workerd } from "../support/workerd.ts";

/** A runtime that is killed and comes back with the same storage and port. */
export interface Victim {
  /** The one that runs now. */
  readonly current: Workerd;
  /** `kill -9`, without waiting: the signal is sent when this returns. */
  kill(): void;
  /** Wait until the killed process is gone. */
  bury(): Promise<void>;
  /** Start it again, with some variables changed. */
  start(changes?: Readonly<Record<string, string>>): Promise<void>;
}

export interface VictimOptions {
  readonly vars: Readonly<Record<string, string>>;
  /** What is gone after each restart. */
  readonly forgets?: "storage" | "alarms";
  /** Run a second isolate on the same objects. */
  readonly twin?: boolean;
}

/** Start the chaos worker's bundle in raw workerd, with a storage directory that outlives it. */
export async function startVictim({
  vars,
  forgets,
  twin = false,
}: VictimOptions): Promise<Victim & AsyncDisposable> {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-chaos-"));
  const options = { config: "test/chaos/wrangler.toml", storageDir, twin };
  const wipe = (): Promise<void> => rm(storageDir, { recursive: true, force: true });
  let current = await startRawSandbox({ ...options, vars });
  return {
    get current() {
      return current;
    },
    kill: () => void current.kill("SIGKILL"),
    async bury() {
      await current[Symbol.asyncDispose]();
      if (forgets === "storage") await wipe();
      if (forgets === "alarms") await forgetAlarms(storageDir);
    },
    async start(changes = {}) {
      current = await startRawSandbox({ ...options, port: current.port, vars: { ...vars, ...changes } });
    },
    async [Symbol.asyncDispose]() {
      await current[Symbol.asyncDispose]();
      await wipe();
    },
  };
}

/** workerd keeps a namespace's alarms in a database next to the objects' own. Rejects when there is none. */
async function forgetAlarms(storageDir: string): Promise<void> {
  const database = join(storageDir, "TenantGate", "metadata.sqlite");
  await rm(database);
  for (const suffix of ["-wal", "-shm"]) await rm(database + suffix, { force: true });
}
