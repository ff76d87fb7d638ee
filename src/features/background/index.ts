import { defineFeature } from "../../feature/define.ts";
import { JOB_RUNS, showResults } from "./http/show-results.ts";
import { createBackgroundPart } from "./objects/stored-batches.ts";
import { later } from "./http/record-batch.ts";
import { attemptBatch } from "./http/attempt-batch.ts";

/** Batches without a waiting caller, with loops of a thousand elements. */
export function background() {
  return defineFeature({
    name: "background",
    needs: ["flows"],
    routes: [{ for: "any key", paths: [showResults] }],
    later,
    gives: { jobRuns: JOB_RUNS },
    objectPart: (deploymentOf) =>
      createBackgroundPart(({ env, slots }) => async (claim) => {
        await attemptBatch(claim, deploymentOf(env), slots);
      }),
  });
}
