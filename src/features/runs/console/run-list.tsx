import { useMemo } from "../../../console/kit/jsx-hooks.ts";
import { wordsOf } from "../../../console/jobs/job-filter.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useFilter, useOnline } from "../../../console/kit/use-browser.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { CopyButton } from "../../../console/parts/copy-button.tsx";
import { Choice, Search } from "../../../console/parts/filters.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { sayCurl } from "../../../console/run/say-run.ts";
import { isNarrow, readFilter, toQuery, type RunFilter, SINCE } from "./run-filter.ts";
import { RunTable } from "./run-table.tsx";
import { wordOf } from "../../../console/parts/status.tsx";
import { RUN_SOURCES, RUN_STATUSES, sayDoor } from "./run-words.ts";
import type { ListedRun } from "./wire-runs.ts";

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
  items.sort((a, b) => Date.parse(b.started_at) - Date.parse(a.started_at));
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
            {isOnline && first.problem === null ? "Updates live" : "Updates paused"}
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

/** A first batch, which every key may send: discovery needs no tool of a category. */
const FIRST = '{"actions":[{"tool":"discover_tools","args":{"query":"weather"}}]}';

/** The page of a tenant that has run nothing yet: a command that makes the first run, and where else runs come from. */
function NoRuns() {
  const command = sayCurl(location.origin, FIRST);
  return (
    <section class="card no-runs" aria-label="No runs yet">
      <h2>Nothing has run yet</h2>
      <p class="muted">
        Each batch leaves a run here, within two seconds: from your code, from a model, by a webhook or a
        schedule. Send a first one:
      </p>
      <div class="command">
        <pre class="json" tabindex={0} aria-label="A command that makes a run">
          {command}
        </pre>
        <CopyButton text={command} label="Copy command" />
      </div>
      <p>
        Or <a href={hrefTo("run")}>write a batch in the Playground</a>.
      </p>
    </section>
  );
}

/** The texts to filter by, besides the tool; they fold. */
const MORE = [
  ["flow", "Any flow", "Flow"],
  ["key", "Any key", "Key"],
  ["tag", "Any tag", "Tag"],
  ["subject", "Any subject", "Subject"],
  ["request_id", "Any request id", "Request id"],
] as const;

const SOURCES = Object.fromEntries(RUN_SOURCES.map((source) => [source, sayDoor(source)]));

/** The filters of the list. They are kept in the address, so that a filtered list can be sent to a colleague. */
function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const { set } = useFilter(Object.keys(filter));
  const isOpen = MORE.some(([name]) => filter[name] !== "");
  return (
    <div class="filters run-filters">
      <Choice
        label="Status"
        any="Any status"
        values={RUN_STATUSES}
        say={wordOf}
        chosen={filter.status}
        onChoose={set("status")}
      />
      <Choice
        label="Source"
        any="Any source"
        values={SOURCES}
        chosen={filter.source}
        onChoose={set("source")}
      />
      <Choice label="Since" values={wordsOf(SINCE)} chosen={filter.since} onChoose={set("since")} />
      <Search label="Tool" any="Any tool" value={filter.tool} onText={set("tool")} />
      <details class="fold" open={isOpen}>
        <summary>More filters</summary>
        <div class="filters">
          {MORE.map(([name, any, label]) => (
            <Search key={name} any={any} label={label} value={filter[name]} onText={set(name)} />
          ))}
        </div>
      </details>
      {isNarrow(filter) && (
        <a key="all" class="all" href={hrefTo("runs")}>
          Clear filters
        </a>
      )}
    </div>
  );
}
