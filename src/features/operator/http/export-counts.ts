import * as z from "zod/mini";

import { mayDo } from "../../../core/contract/gate/caller.ts";
import type { TenantPart } from "../../../cloudflare/feature.ts";
import { operatorCountsOf } from "./operator-counts.ts";
import { restoreCounts } from "../operator.ts";

/** The counts of a tenant: its own hours are exported for a caller that may manage its tools and call all of them. */
export const COUNTS_OF_TENANT: TenantPart = {
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
