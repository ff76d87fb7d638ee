import { defineFeature } from "../../feature/define.ts";
import { cancelRuns } from "./http/cancel-runs.ts";
import { deleteRun, listRuns, showRun } from "./http/routes.ts";
import { endedRuns } from "./http/ended-runs.ts";
import { rerunRun } from "./http/answer-rerun.ts";
import { rerunRuns } from "./http/answer-bulk-rerun.ts";
import { restoreRuns } from "./http/restore-runs.ts";
import { runDeskOf } from "./http/run-desk.ts";
import { RUNS_OF_TENANT } from "./http/runs-of-tenant.ts";
import { createRunsPart } from "./objects/runs-part.ts";
import { readKept, RUN_DAYS, RUNS_KEPT } from "./read-settings.ts";
import { RUN_LOGS } from "./run.ts";
import { createRunLog } from "./objects/run-log.ts";

/** Batches that ran can be seen: `GET /v1/runs`. They are kept in objects of the class `RunLog`, one of each tenant, bound as `RUNS`. */
export function runs() {
  return defineFeature({
    name: "runs",
    variables: { [RUNS_KEPT]: {}, [RUN_DAYS]: {} },
    routes: [
      { for: "any key", paths: [listRuns, showRun, rerunRun, rerunRuns, cancelRuns] },
      { for: ["manage_tools"], paths: [deleteRun, restoreRuns] },
    ],
    hears: runDeskOf,
    gives: { endedRuns },
    tenantPart: RUNS_OF_TENANT,
    objectPart: (deploymentOf) =>
      createRunsPart((env, tenant) =>
        env[RUN_LOGS] === undefined || readKept(env) === "off"
          ? undefined
          : async (jobs, aftermaths) => {
              const deployment = deploymentOf(env);
              const log = runDeskOf(deployment.configured).logOf({ ...deployment.runnerOf(tenant), tenant });
              await log?.hear(jobs, aftermaths);
            },
      ),
    objects: {
      RunLog: { binding: RUN_LOGS, create: ({ clock }) => createRunLog(undefined, clock) },
    },
  });
}
