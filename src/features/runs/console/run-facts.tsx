import { hrefTo } from "../../../console/kit/route.ts";
import type { WireJob } from "../../../console/kit/wire.ts";
import { count } from "../../../console/parts/count.ts";
import { CopyButton } from "../../../console/parts/copy-button.tsx";
import { Link } from "../../../console/parts/link.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status, toneOf, wordOf } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { countEnds, isGoing, isOfKey, sayWay, sayWhole } from "./run-words.ts";
import { incompleteOf } from "./to-batch.ts";
import type { WireRun } from "./wire-runs.ts";

interface RunFactsProps {
  readonly run: WireRun;
  /** The jobs that it has made, as far as they are known. */
  readonly jobs: readonly WireJob[];
}

/** How a run ended, who sent it and by which door, and what it belongs to; each with its link. */
export function RunFacts({ run, jobs }: RunFactsProps) {
  const { run_id: id, key, flow, parent, job_id: job, tags = [], subject, error, summary } = run;
  const chosen = Object.entries(run.connections ?? {});
  const lost = incompleteOf(run);
  return (
    <div class="stack tight run-facts">
      <div class="row">
        <Status of={sayWhole(run, jobs)} />
        {isGoing(run) ? (
          <Progress key="progress" run={run} />
        ) : (
          <span key="took">
            {count(summary.total, "action")}
            {jobs.length > 0 && `, ${jobs.length} of them as jobs, answered`} in{" "}
            {sayDuration(run.duration_ms)}
          </span>
        )}
        <span class="muted">
          {sayWay(run)}
          {isOfKey(run) && (
            <span key="key">
              , by the key <Link of={key} section="runs" to={null} query={{ key }} />
            </span>
          )}
          , <Time at={run.started_at} />
        </span>
        {tags.map((tag) => (
          <a key={tag} class="tag" href={hrefTo("runs", null, { tag })}>
            <bdi>{tag}</bdi>
          </a>
        ))}
      </div>
      <div class="row small">
        {countEnds(run, jobs).map(([status, size]) => (
          <span key={status} class={`status tone-${toneOf(status)}`}>
            {size} {wordOf(status)}
          </span>
        ))}
        {error !== undefined && (
          <span key="error">
            first failure: {error.action !== undefined && <bdi class="mono">{error.action}</bdi>}{" "}
            <code>{error.code}</code>
          </span>
        )}
        {subject !== undefined && (
          <span key="subject">
            for <Link of={subject} section="runs" to={null} query={{ subject }} />
            {chosen.length > 0 &&
              ` (${chosen.map(([connector, name]) => `${connector}: ${name}`).join(", ")})`}
          </span>
        )}
        {flow !== undefined && (
          <span key="flow">
            flow <Link of={flow} section="flows" to={flow} />
          </span>
        )}
        {job !== undefined && (
          <span key="job">
            {isGoing(run) ? "is" : "attempt of"} <a href={hrefTo("jobs", job)}>job {job.slice(-8)}</a>
          </span>
        )}
        {parent !== undefined && parent !== job && (
          <span key="parent">
            caused by <a href={hrefTo("runs", parent)}>run {parent.slice(0, 8)}</a>
          </span>
        )}
        <span class="muted ids">
          request{" "}
          <a href={hrefTo("runs", null, { request_id: run.request_id })}>{run.request_id.slice(0, 8)}</a>
          <CopyButton text={id} label="Copy run id" />
        </span>
      </div>
      {lost.length > 0 && (
        <p key="lost" class="small muted">
          Arguments of <bdi class="mono">{lost.slice(0, 3).join(", ")}</bdi>
          {lost.length > 3 && ` and ${lost.length - 3} more`} were not kept as they were sent.
        </p>
      )}
    </div>
  );
}

/** How far a run is that goes on: the calls that are over, of those that are known of. */
function Progress({ run: { summary, duration_ms: took } }: { readonly run: WireRun }) {
  const over = summary.ok + summary.error;
  return (
    <span class="row tight">
      {summary.total > 0 && <progress max={summary.total} value={over} aria-label="Calls that are over" />}
      <span>
        {summary.total > 0 && `${over} of ${count(summary.total, "call")}, `}for {sayDuration(took)}
      </span>
    </span>
  );
}
