import { hrefTo } from "../../../console/kit/route.ts";
import type { Places } from "../../../console/kit/section.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { Status } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { RunTable } from "./run-table.tsx";
import type { ListedRun } from "./wire.ts";

const EVERY_MS = 6_000;

interface RunPage {
  readonly runs: readonly ListedRun[];
}

/** The newest runs of a flow, on its page. */
export function RunsOfFlow({ name }: Places["flow"]) {
  const path = `/v1/runs?limit=10&flow=${encodeURIComponent(name)}`;
  const { data } = useLoad<RunPage>(path, { everyMs: EVERY_MS });
  if (data === null || data.runs.length === 0) return null;
  return (
    <section class="stack tight" aria-label="Its runs">
      <div class="row">
        <h2>Its runs</h2>
        <a class="end small" href={hrefTo("runs", null, { flow: name })}>
          All of them
        </a>
      </div>
      <RunTable runs={data.runs} />
    </section>
  );
}

/** How a flow ended last, and when, in its row of the list. */
export function LastRun({ name }: Places["flowRow"]) {
  const { data } = useLoad<RunPage>(`/v1/runs?limit=1&flow=${encodeURIComponent(name)}`);
  const last = data?.runs[0];
  if (last === undefined) return null;
  return (
    <span class="row">
      last <Time at={last.started_at} /> <Status of={last.status} />
    </span>
  );
}
