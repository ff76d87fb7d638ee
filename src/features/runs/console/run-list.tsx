import { useMemo } from "hono/jsx/dom";

import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useOnline } from "../../../console/kit/use-online.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { NoRuns } from "./no-runs.tsx";
import { isNarrow, readFilter, toQuery } from "./run-filter.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunTable } from "./run-table.tsx";
import type { ListedRun } from "./wire.ts";

/** A run is seen within two seconds of its answer: asked for more often, the list would show nothing more. */
const EVERY_MS = 3_000;

/** The runs of the tenant, newest first. The list is live while the page is seen and no older runs were asked for. */
export function RunList({ query }: { readonly query: URLSearchParams }) {
  const filter = readFilter(query);
  const text = query.toString();
  // The time is taken when the filter is chosen: a path that moves with the clock would never be the same twice.
  const path = useMemo(() => `/v1/runs?${toQuery(filter, Date.now())}`, [text]);
  const runs = usePages<ListedRun>(path, "runs", EVERY_MS);
  const isOnline = useOnline();
  const { first } = runs;
  // The list has what is over; what goes on stands before it.
  const goingPath = useMemo(
    () => (filter.status === "" ? `/v1/runs?${toQuery({ ...filter, status: "running" }, Date.now())}` : null),
    [text],
  );
  const { data: going } = useLoad<{ readonly runs: readonly ListedRun[] }>(goingPath, { everyMs: EVERY_MS });
  const items = [...(going?.runs ?? []), ...runs.items].filter(
    ({ run_id: id }, at, all) => all.findIndex((one) => one.run_id === id) === at,
  );
  return (
    <div class="stack">
      <Title text="Runs">
        {runs.isStill ? (
          <button key="newest" type="button" onClick={runs.reload}>
            Show the newest
          </button>
        ) : (
          <span
            key="live"
            class={`live small muted tone-${isOnline && first.problem === null ? "ok" : "idle"}`}
          >
            {isOnline && first.problem === null ? "Live" : "Paused"}
          </span>
        )}
      </Title>
      <RunFilters filter={filter} />
      <Pending of={first} what="the runs" />
      {first.data !== null && items.length === 0 && isNarrow(filter) && (
        <Empty key="narrow" title="No such runs">
          {runs.hasMore ? (
            "None among the newest; there are older ones."
          ) : (
            <a href={hrefTo("runs")}>Show all runs</a>
          )}
        </Empty>
      )}
      {first.data !== null && items.length === 0 && !isNarrow(filter) && <NoRuns key="none" />}
      {items.length > 0 && <RunTable key="table" runs={items} />}
      <MoreButton of={runs} />
    </div>
  );
}
