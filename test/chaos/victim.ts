import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRawSandbox } from "../support/sandbox.ts";
import type { Workerd } from "../support/workerd.ts";
import { ageClocks, forgetAlarms, forgetRows } from "./stored-objects.ts";

/** A runtime that is killed and comes back with the same storage and port. */
export interface Victim {
  /** The one that runs now. */
  readonly current: Workerd;
  /** Where its objects are kept. */
  readonly storageDir: string;
  /** `kill -9`, without waiting: the signal is sent when this returns. */
  kill(): void;
  /** Wait until the killed process is gone. */
  bury(): Promise<void>;
  /** Make it as if the buried process had been gone for so long, as far as clocks can tell. */
  age(byMs: number): Promise<void>;
  /** Start it again, with some variables changed. */
  start(changes?: Readonly<Record<string, string>>): Promise<void>;
}

export interface VictimOptions {
  readonly vars: Readonly<Record<string, string>>;
  /** The state that is gone after each restart: a name with an underscore is a table of the objects. */
  readonly forgets?: "storage" | "alarms" | "run_causes" | "run_steps";
  /** Run a second isolate on the same objects. */
  readonly twin?: boolean;
  /** Another Worker than the chaos worker, as a Wrangler configuration. */
  readonly config?: string;
  /** Open the inspector of each. */
  readonly inspected?: boolean;
  /** Told everything that any of them prints. */
  readonly onOutput?: (text: string) => void;
}

/** Start the chaos worker's bundle in raw workerd, with a storage directory that outlives it. */
export async function startVictim({
  vars,
  forgets,
  twin = false,
  config = "test/chaos/wrangler.toml",
  onOutput,
  inspected = false,
}: VictimOptions): Promise<Victim & AsyncDisposable> {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-chaos-"));
  const options = { config, storageDir, twin, inspected, ...(onOutput !== undefined && { onOutput }) };
  const wipe = (): Promise<void> => rm(storageDir, { recursive: true, force: true });
  let current = await startRawSandbox({ ...options, vars });
  return {
    storageDir,
    get current() {
      return current;
    },
    kill: () => void current.kill("SIGKILL"),
    async bury() {
      await current[Symbol.asyncDispose]();
      if (forgets === "storage") await wipe();
      else if (forgets === "alarms") await forgetAlarms(storageDir);
      else if (forgets !== undefined) await forgetRows(storageDir, forgets);
    },
    age: (byMs) => ageClocks(storageDir, byMs),
    async start(changes = {}) {
      current = await startRawSandbox({ ...options, port: current.port, vars: { ...vars, ...changes } });
    },
    async [Symbol.asyncDispose]() {
      await current[Symbol.asyncDispose]();
      await wipe();
    },
  };
}
