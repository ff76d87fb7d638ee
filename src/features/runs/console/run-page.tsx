import { useEffect, useMemo, useRef, useState } from "../../../console/kit/jsx-hooks.ts";
import { readEvents } from "../../../console/kit/read-events.ts";
import { hrefTo, type Route } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import type { WireJob } from "../../../console/kit/wire.ts";
import { isAlive, pathOfJobs } from "../../../console/jobs/job-filter.ts";
import { Loading, Pending } from "../../../console/parts/notes.tsx";
import { Pieces } from "../../../console/parts/pieces.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunFacts } from "./run-facts.tsx";
import { RunList } from "./run-list.tsx";
import { RunTable } from "./run-table.tsx";
import { RunTrace } from "./run-trace.tsx";
import { isGoing, nameRun } from "./run-words.ts";
import { useSettled } from "./settle-run.ts";
import type { WireRun } from "./wire-runs.ts";

/** A run is written within two seconds of its answer, so one that was just made is asked for again so often, and so long. */
const EARLY_MS = 1_000;
const EARLY_FOR_MS = 6_000;
/** One that goes on, or waits for a person, is asked for again so often. */
const EVERY_MS = 3_000;

/** All runs, or one of them. */
export function RunsView({ route }: { readonly route: Route }) {
  if (route.id !== null) return <RunPage key={`run ${route.id}`} id={route.id} query={route.query} />;
  return <RunList key="list" query={route.query} />;
}

interface RunPageProps {
  readonly id: string;
  /** Its `action` is the one whose panel is open to begin with; `new` is said of a run that this tab has just made, and `kept` has what that did not send again. */
  readonly query: URLSearchParams;
}

/** One run: how it ended, its trace, what it caused; and the buttons that run it again. One that goes on is asked for again with each of its events. */
function RunPage({ id, query }: RunPageProps) {
  const path = `/v1/runs/${encodeURIComponent(id)}`;
  const [everyMs, setEvery] = useState<number | undefined>(EARLY_MS);
  const [isEarly, setEarly] = useState(true);
  const loaded = useLoad<WireRun>(path, { everyMs, isExact: true });
  const run = useSettled(loaded.data);
  const isLost = run === null && loaded.problem?.status === 404;
  const isNew = query.has("new");
  const kept = query.get("kept");
  useEffect(() => {
    const timer = setTimeout(() => setEarly(false), EARLY_FOR_MS);
    return () => clearTimeout(timer);
  }, []);
  const isOpen =
    run !== null &&
    ["running", "waiting"].some(
      (word) => run.status === word || run.actions.some(({ since }) => since === word),
    );
  const wasOpen = useRef(false);
  wasOpen.current ||= isOpen;
  useEffect(() => {
    if (isOpen) return setEvery(EVERY_MS);
    // The API tells what became of its writes a moment after the run.
    if (isEarly && (isNew || run === null)) return undefined;
    if (!wasOpen.current) return setEvery(undefined);
    // The run of a decision is written within two seconds of it.
    const timer = setTimeout(() => setEvery(undefined), EARLY_FOR_MS);
    return () => clearTimeout(timer);
  }, [run === null, isOpen, isEarly]);
  const isRunning = run !== null && isGoing(run);
  useEffect(() => {
    if (!isRunning) return undefined;
    const aborter = new AbortController();
    void readEvents(path, { signal: aborter.signal }, loaded.reload).then(loaded.reload);
    return () => aborter.abort();
  }, [isRunning, path]);
  return (
    <div class="stack">
      <Title
        text={run === null ? "Run" : nameRun({ ...run, actions: run.actions.length })}
        back={{ href: hrefTo("runs"), label: "Runs" }}
      >
        {run !== null && <RunActions run={run} />}
      </Title>
      {isLost && isEarly && isNew ? (
        <Loading key="early" what="the run" />
      ) : (
        <Pending
          key="pending"
          of={loaded}
          what="the run"
          gone={{
            title: "There is no such run",
            children: (
              <span>
                A run appears here two seconds after its answer and is kept for some days. The id may also be
                another tenant’s, of tools that this key may not call, or that of{" "}
                <a href={hrefTo("jobs", id)}>a job</a>.
              </span>
            ),
          }}
        />
      )}
      {run !== null && kept !== null && (
        <p key="kept" class="note tone-idle">
          Not sent again, because it had succeeded: <bdi class="mono">{kept}</bdi>
        </p>
      )}
      {run !== null && <RunBody key="body" run={run} action={query.get("action")} reload={loaded.reload} />}
      {run !== null && run.children.length > 0 && (
        <section key="children" class="stack tight" aria-label="Runs that it caused">
          <h2>Runs that it caused</h2>
          <RunTable runs={run.children} />
        </section>
      )}
    </div>
  );
}

function RunBody({ run, action, reload }: { run: WireRun; action: string | null; reload: () => void }) {
  const hasJobs = run.actions.some(({ job_id: job }) => job !== undefined);
  const path = useMemo(() => pathOfJobs(run.started_at, run.duration_ms), [run.run_id]);
  const [isLive, setLive] = useState(true);
  const { data } = useLoad<{ readonly jobs: readonly WireJob[] }>(hasJobs ? path : null, {
    everyMs: isLive ? EVERY_MS : undefined,
    isExact: true,
  });
  const jobs = useMemo(() => {
    const ids = new Set(run.actions.map(({ job_id: job }) => job));
    return data?.jobs.filter(({ job_id: id }) => ids.has(id)) ?? [];
  }, [data, run]);
  useEffect(() => {
    setLive(data === null || jobs.some(isAlive));
  }, [data]);
  return (
    <div class="stack">
      <RunFacts run={run} jobs={jobs} />
      <RunTrace key={`trace ${action}`} run={run} jobs={jobs} action={action}>
        <Pieces
          of="run"
          given={{ id: run.run_id, run, tools: run.actions.map(({ tool }) => tool), reload }}
        />
      </RunTrace>
    </div>
  );
}
