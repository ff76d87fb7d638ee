import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";
import { JOB_RUNS, showResults } from "./http/show-results.ts";
import { createBackgroundPart } from "./objects/stored-batches.ts";
import { later } from "./http/record-batch.ts";

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
        const { attemptBatch } = await import("./http/run-batch.ts");
        await attemptBatch(claim, deploymentOf(env), slots);
      }),
    load: () => import("./http/run-batch.ts"),
  };
}
