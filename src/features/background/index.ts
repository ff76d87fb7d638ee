import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";
import { showResults } from "./http/results.ts";
import { createBackgroundPart } from "./objects/background-part.ts";
import { JOB_RUNS } from "./http/job-runs.ts";
import { later } from "./http/later.ts";

/** Batches without a waiting caller, with loops of a thousand elements. */
export function background(): Feature {
  return {
    name: "background",
    needs: ["flows"],
    router: routerOf("any key", [showResults]),
    later,
    jobRuns: JOB_RUNS,
    objectPart: (deploymentOf) =>
      createBackgroundPart(({ env, slots }) => async (claim) => {
        const { attemptBatch } = await import("./http/attempt-batch.ts");
        await attemptBatch(claim, deploymentOf(env), slots);
      }),
    load: () => import("./http/attempt-batch.ts"),
  };
}
