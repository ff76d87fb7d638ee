import * as z from "zod/mini";

import * as LIMITS from "../../../core/contract/limits.ts";
import type { TenantPart } from "../../../core/edge/feature.ts";
import { runDeskOf } from "./run-desk.ts";

/** The runs of a tenant: exported for a caller that may manage its tools and call all of them, as many as one document has room for. */
export const RUNS_OF_TENANT: TenantPart = {
  field: "runs",
  describeExport: () =>
    z
      .array(z.looseObject({}))
      .check(z.describe("What ran, the oldest first, as it is kept: heads and bodies")),
  async exportJson({ caller, configured }) {
    const log =
      caller.manageTools === true && caller.tools.includes("*") ? runDeskOf(configured).logOf(caller) : null;
    if (log === null) return null;
    const texts: string[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page: Awaited<ReturnType<typeof log.read>> = await log.read(after, LIMITS.runReportBytes);
      for (const { head, body } of page.runs) texts.push(`{"head":${head},"body":${body}}`);
      after = page.next;
    }
    return `[${texts.join(",")}]`;
  },
  erased: "Runs",
  async erase({ caller, configured }) {
    const desk = runDeskOf(configured);
    desk.forget(caller);
    return (await desk.logOf(caller)?.erase()) ?? 0;
  },
};
