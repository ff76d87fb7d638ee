import { defineFeature } from "../../feature/define.ts";
import { givenBy } from "../../feature/gives.ts";
import { makeCancelRuns } from "./http/cancel-runs.ts";
import { makeDeleteRun, makeListRuns, makeShowRun } from "./http/routes.ts";
import { endedRuns } from "./http/ended-runs.ts";
import { makeRerunRun } from "./http/answer-rerun.ts";
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
    routes: (features) => {
      const jobRuns = givenBy(features, "jobRuns");
      const [since] = givenBy(features, "afterRuns");
      const [withdraw] = givenBy(features, "withdraw");
      const cancelRuns = makeCancelRuns({ jobRuns, ...(withdraw !== undefined && { withdraw }) });
      return [
        {
          for: "any key",
          paths: [
            makeListRuns(jobRuns),
            makeShowRun(jobRuns, since),
            makeRerunRun(jobRuns),
            rerunRuns,
            cancelRuns,
          ],
        },
        { for: ["manage_tools"], paths: [makeDeleteRun(jobRuns), restoreRuns] },
      ];
    },
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
