import { defineFeature } from "../../feature/define.ts";
import { toRunLimit } from "../../core/gate/admit-plan.ts";
import type { KeptFlow } from "./declaration/flow-schema.ts";
import { runFlowEndpoint } from "./http/answer-run.ts";
import { createFlowsPart } from "./objects/flows-part.ts";
import { deleteFlow, listFlows, putFlow, showFlow } from "./http/routes.ts";
import { createHooks } from "./http/hooks.ts";
import { toFlowTool } from "./declaration/flow-tool.ts";
import { attemptRun } from "./http/attempt-run.ts";

/** Batches with a name, that run when asked, by the clock or by a webhook. */
export function flows() {
  return defineFeature({
    name: "flows",
    needs: ["added-tools", "confirmations"],
    routes: () => [
      { for: "any key", paths: [listFlows, showFlow, runFlowEndpoint] },
      { for: ["manage_tools"], paths: [putFlow, deleteFlow] },
      { for: "anyone", router: createHooks() },
    ],
    // Its steps are known when an attempt is over.
    gives: {
      jobRuns: { kind: "run", jobOf: (runId) => runId, results: () => Promise.resolve([]) },
      toFlowTool: (kept) => toFlowTool(kept as KeptFlow),
    },
    objectPart: (deploymentOf) =>
      createFlowsPart(({ env, tenant, slots }) => ({
        async run(claim) {
          // The object lives on while something of it is under way.
          await attemptRun(claim, deploymentOf(env), { tenant, defer: () => {}, slots });
        },
        runLimit() {
          const runner = deploymentOf(env).runnerOf(tenant);
          return runner && toRunLimit(runner);
        },
      })),
  });
}
