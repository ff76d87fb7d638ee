import { defineFeature } from "../../feature/define.ts";
import { operatorCountsOf } from "./http/operator-counts.ts";
import { showOverview } from "./http/overview.ts";
import { redriveTenant } from "./http/redrive.ts";
import { COUNTS_OF_TENANT } from "./http/export-counts.ts";
import { createOperatorLog } from "./objects/operator-log.ts";
import { createOperatorPart } from "./objects/operator-part.ts";
import { OPERATOR_LOGS } from "./operator.ts";

/**
 * The operator looks across tenants: `GET /v1/operator/overview`, for keys with the flag `operator`. Counts are kept in an object of the class
 * `OperatorLog`, one in each jurisdiction, bound as `OPERATOR`.
 */
export function operator() {
  return defineFeature({
    name: "operator",
    flags: { operator: "May look across tenants" },
    routes: [{ for: ["operator"], paths: [showOverview, redriveTenant] }],
    hears: (configured) => {
      const counts = operatorCountsOf(configured);
      return (to) => counts.listen(to);
    },
    tenantPart: COUNTS_OF_TENANT,
    objectPart: (deploymentOf) =>
      createOperatorPart((env, tenant) => {
        if (env[OPERATOR_LOGS] === undefined) return undefined;
        const log = () => {
          const deployment = deploymentOf(env);
          return operatorCountsOf(deployment.configured).logOf(deployment.runnerOf(tenant) ?? {});
        };
        return {
          tell: async (standing) => log()?.tell(standing),
          report: async (counted) => log()?.report(counted),
        };
      }),
    objects: {
      OperatorLog: {
        binding: OPERATOR_LOGS,
        create: ({ clock }) => createOperatorLog(clock),
      },
    },
  });
}
