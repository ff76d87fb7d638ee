import { fileURLToPath } from "node:url";
import { buildBundle } from "../support/build-bundle.ts";
import { startWorkerd, type WorkerdOptions } from "../support/workerd.ts";
import { readCpuMicros } from "./cpu-time.ts";
import { median } from "./statistics.ts";

/** What it costs to start a Worker. */
export interface StartUp {
  readonly label: string;
  /** CPU of the whole process until it listens, the median of all starts. */
  readonly cpuMs: number;
}

/**
 * Measure the CPU that hono + zod and what deploys need until they listen, in turns, so that a busy machine touches
 * both alike. The first is what the other is compared with.
 *
 * Of use as a ratio only: on a machine that others use, neither figure says much alone.
 */
export async function measureStartUp(starts: number): Promise<readonly StartUp[]> {
  const baselineEntry = fileURLToPath(new URL("hono-zod-worker.ts", import.meta.url));
  await using baseline = await buildBundle({ entry: baselineEntry });
  await using deployed = await buildBundle({ config: "wrangler.jsonc" });
  const contenders: { label: string; options: WorkerdOptions; timesMs: number[] }[] = [
    { label: "hono + zod", options: { script: baseline.path }, timesMs: [] },
    {
      label: "Volley",
      options: {
        script: deployed.path,
        durableObjects: { TENANT_GATE: "TenantGate" },
        compatibilityFlags: ["enable_request_signal", "global_fetch_strictly_public"],
      },
      timesMs: [],
    },
  ];
  for (let start = 0; start < starts; start += 1) {
    for (const { options, timesMs } of contenders) {
      await using worker = await startWorkerd(options);
      timesMs.push(readCpuMicros(worker.pid) / 1_000);
    }
  }
  return contenders.map(({ label, timesMs }) => ({ label, cpuMs: median(timesMs) }));
}
