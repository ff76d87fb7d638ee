import * as z from "zod/mini";
import { defineFeature, type TenantPart } from "../../feature/define.ts";
import { mayDo } from "../../feature/caller.ts";
import { operatorCountsOf } from "./http/operator-counts.ts";
import { showOverview } from "./http/overview.ts";
import { redriveTenant } from "./http/redrive.ts";
import { createOperatorLog } from "./objects/operator-log.ts";
import { createOperatorPart } from "./objects/operator-part.ts";
import { OPERATOR_LOGS, restoreCounts } from "./operator.ts";

/**
 * The operator looks across tenants: `GET /v1/operator/overview`, for keys with the flag `operator`. Counts are kept in an object of the class
 * `OperatorLog`, one in each jurisdiction, bound as `OPERATOR`.
 */
export function operator() {
  return defineFeature({
    name: "operator",
    flags: { operator: "Can see all tenants" },
    routes: [{ for: ["operator"], paths: [showOverview, redriveTenant] }],
    hears: operatorCountsOf,
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
      OperatorLog: { binding: OPERATOR_LOGS, create: ({ clock }) => createOperatorLog(clock) },
    },
  });
}

/** The counts of a tenant: its own hours are exported for a caller that may manage its tools and call all of them. */
const COUNTS_OF_TENANT: TenantPart = {
  field: "counts",
  describeExport: () =>
    z
      .array(z.looseObject({}))
      .check(z.describe("What the operator's overview counts of the tenant, by the hour, the oldest first")),
  async exportJson({ caller, configured }) {
    const isWhole = mayDo(caller, "manage_tools") && caller.tools.includes("*");
    const log = isWhole ? operatorCountsOf(configured).logOf(caller) : null;
    if (log === null) return null;
    const hours = await log.read(caller.tenant);
    return JSON.stringify(
      hours.map(({ hour, row: [, runs, actions, errors, throttled], tools }) => ({
        hour: new Date(hour * 3_600_000).toISOString(),
        runs,
        actions,
        errors,
        throttled,
        tools: tools.map(([tool, calls, failed]) => ({ tool, calls, errors: failed })),
      })),
    );
  },
  restore: restoreCounts,
  erased: "Hours of counts",
  async erase({ caller, configured }) {
    const counts = operatorCountsOf(configured);
    counts.forget(caller);
    return (await counts.logOf(caller)?.erase(caller.tenant)) ?? 0;
  },
};
