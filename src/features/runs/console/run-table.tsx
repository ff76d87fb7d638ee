import { hrefTo } from "../../../console/kit/route.ts";
import type { Places } from "../../../console/kit/section.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { count } from "../../../console/parts/count.ts";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status } from "../../../console/parts/status.tsx";
import { ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { isGoing, isOfKey, nameRun, sayUnfailed, sayWay } from "./run-words.ts";
import type { ListedRun } from "./wire-runs.ts";

/** Runs below each other: what ran, how it ended and what failed first, who sent it, how long it took and when. */
export function RunTable({ runs }: { readonly runs: readonly ListedRun[] }) {
  return (
    <ListTable
      of={runs}
      by={(run) => run.run_id}
      look="runs"
      columns={[
        ["Status", (run) => <Status of={run.status} />, "run-status", () => ""],
        ["What ran", (run) => <Name of={run} />, "lead"],
        ["First failure", (run) => <FailedFirst of={run} />, "run-failed"],
        ["Source", (run) => <From of={run} />],
        ["Took", (run) => <Took of={run} />, "run-took"],
        ["Started", (run) => <Time at={run.started_at} />],
      ]}
    />
  );
}

interface OfRun {
  readonly of: ListedRun;
}

function Name({ of: run }: OfRun) {
  const { run_id: id, actions, tags = [] } = run;
  return (
    <>
      <a href={hrefTo("runs", id)}>
        <bdi>{nameRun(run)}</bdi>
        <span class="hidden-text">, run {id.slice(0, 8)}</span>
      </a>
      {!isGoing(run) && <span class="muted small">{count(actions, "action")}</span>}
      {tags.slice(0, 3).map((tag) => (
        <a key={tag} class="tag" href={hrefTo("runs", null, { tag })}>
          <bdi>{tag}</bdi>
        </a>
      ))}
    </>
  );
}

function FailedFirst({ of: { error, status, summary } }: OfRun) {
  if (error === undefined) return <span class="muted">{sayUnfailed({ status, summary })}</span>;
  return (
    <span>
      <code>{error.code}</code>{" "}
      {error.action !== undefined && <bdi class="muted small mono">{error.action}</bdi>}
    </span>
  );
}

function From({ of: run }: OfRun) {
  const { key } = run;
  return (
    <span class="run-from">
      <span>{sayWay(run)}</span>{" "}
      {isOfKey(run) && (
        <a class="muted small" href={hrefTo("runs", null, { key })} aria-label={`Runs of the key ${key}`}>
          <bdi>{key}</bdi>
        </a>
      )}
    </span>
  );
}

function Took({ of: run }: OfRun) {
  return isGoing(run) ? <span class="muted">–</span> : <>{sayDuration(run.duration_ms)}</>;
}

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
        <h2>Runs</h2>
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
  const last = useLoad<RunPage>(`/v1/runs?limit=1&flow=${encodeURIComponent(name)}`).data?.runs[0];
  if (last === undefined) return null;
  return (
    <span class="row">
      last <Time at={last.started_at} /> <Status of={last.status} />
    </span>
  );
}
