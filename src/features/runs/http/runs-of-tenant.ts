import { mayDo } from "../../../core/contract/gate/caller.ts";
import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";
import { givenBy } from "../../../feature/gives.ts";
import type { TenantPart } from "../../../cloudflare/feature.ts";
import { runDeskOf } from "./run-desk.ts";
import { restoreRunParts } from "../restore-parts.ts";

/** The runs of a tenant: exported for a caller that may manage its tools and call all of them, the newest ones that one document has room for. */
export const RUNS_OF_TENANT: TenantPart = {
  field: "runs",
  describeExport: () =>
    z
      .array(z.looseObject({}))
      .check(
        z.describe(
          "What ran, the newest first, as it is kept, and then the reruns; as PUT /v1/runs takes them",
        ),
      ),
  async exportJson({ caller, configured, gate }) {
    const isAll = caller.tools.includes("*") && caller.subject === undefined;
    const log = mayDo(caller, "manage_tools") && isAll ? runDeskOf(configured).logOf(caller) : null;
    if (log === null) return null;
    const [since] = givenBy(configured.features, "afterRuns");
    const texts: string[] = [];
    let left: number = LIMITS.runsExportedBytes;
    for (let before: number | null = null; left > 0;) {
      const page: Awaited<ReturnType<typeof log.read>> = await log.read(before, LIMITS.runReportBytes);
      const names = page.runs.flatMap(({ after = [] }) => after);
      const kept = names.length === 0 ? undefined : await since?.keep(names, { gate });
      for (const { at, head, body: own, after = [] } of page.runs) {
        const became = after.flatMap((name) => kept?.get(name) ?? []);
        const body = became.length === 0 ? own : `${own.slice(0, -1)},"after":[${became.join(",")}]}`;
        left -= head.length + body.length;
        if (left > 0) texts.push(`{"at":${at},"head":${head},"body":${body}}`);
      }
      before = page.next;
      if (before === null) break;
    }
    for (const rerun of await log.readReruns()) texts.push(JSON.stringify(rerun));
    return `[${texts.join(",")}]`;
  },
  restore: restoreRunParts,
  erased: "Runs",
  async erase({ caller, configured }) {
    const desk = runDeskOf(configured);
    desk.forget(caller);
    return (await desk.logOf(caller)?.erase()) ?? 0;
  },
};
