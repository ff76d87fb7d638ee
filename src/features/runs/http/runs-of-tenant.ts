import { mayDo } from "../../../feature/caller.ts";
import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";
import { givenBy } from "../../../feature/gives.ts";
import type { TenantPart } from "../../../feature/define.ts";
import { runDeskOf } from "./run-desk.ts";
import { restoreRunParts } from "../restore-parts.ts";

/** The runs of a tenant: exported for a caller that may manage its tools and call all of them. */
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
  async exportJson({ caller, configured, gate }, from) {
    const isAll = caller.tools.includes("*") && caller.subject === undefined;
    const log = mayDo(caller, "manage_tools") && isAll ? runDeskOf(configured).logOf(caller) : null;
    if (log === null) return null;
    const [since] = givenBy(configured.features, "afterRuns");
    const page = await log.read(from as number | null, LIMITS.runReportBytes);
    const names = page.runs.flatMap(({ after = [] }) => after);
    const kept = names.length === 0 ? undefined : await since?.keep(names, { gate });
    const texts = page.runs.map(({ at, head, body: own, after = [] }) => {
      const became = after.flatMap((name) => kept?.get(name) ?? []);
      const body = became.length === 0 ? own : `${own.slice(0, -1)},"after":[${became.join(",")}]}`;
      return `{"at":${at},"head":${head},"body":${body}}`;
    });
    if (page.next === null) for (const rerun of await log.readReruns()) texts.push(JSON.stringify(rerun));
    return { json: `[${texts.join(",")}]`, next: page.next };
  },
  restore: restoreRunParts,
  erased: "Runs",
  async erase({ caller, configured }) {
    const desk = runDeskOf(configured);
    desk.forget(caller);
    return (await desk.logOf(caller)?.erase()) ?? 0;
  },
};
