import { fileURLToPath } from "node:url";

import { buildBundle } from "../../test/support/build-bundle.ts";
import { startWorkerd } from "../../test/support/workerd.ts";
import { median } from "./statistics.ts";

const PLANS_PER_REQUEST = 200;
const REQUESTS = 40;

export interface PlanningTime {
  readonly edges: number;
  /** The median over requests of the mean time of one plan. */
  readonly microsPerPlan: number;
}

/** Time the planning of a batch of 50 actions in workerd, whose own clocks stand still while code runs. */
export async function measurePlanning(): Promise<PlanningTime> {
  await using bundle = await buildBundle({
    entry: fileURLToPath(new URL("plan-worker.ts", import.meta.url)),
  });
  await using worker = await startWorkerd({ script: bundle.path });
  let edges = 0;
  const time = async (times: number): Promise<number> => {
    const startedAt = performance.now();
    const response = await fetch(`${worker.url}/?times=${times}`);
    const body = (await response.json()) as { edges: number };
    edges = Math.max(edges, body.edges);
    return performance.now() - startedAt;
  };
  for (let warmup = 0; warmup < 10; warmup += 1) await time(PLANS_PER_REQUEST);
  const micros: number[] = [];
  for (let request = 0; request < REQUESTS; request += 1) {
    const emptyMs = await time(0);
    micros.push(((await time(PLANS_PER_REQUEST)) - emptyMs) * (1000 / PLANS_PER_REQUEST));
  }
  return { edges, microsPerPlan: median(micros) };
}
