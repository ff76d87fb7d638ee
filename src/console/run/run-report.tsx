import { useMemo, useState } from "../kit/jsx-hooks.ts";
import { hasPage, useDeployment } from "../kit/deployment.ts";
import { writeExact } from "../kit/exact-json.ts";
import { hrefTo } from "../kit/route.ts";
import type { WirePlan } from "../kit/wire.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { wordOf } from "../parts/status.tsx";
import { sayDuration } from "../parts/say-duration.ts";
import { PlanGraph } from "./plan-graph.tsx";
import { ResultList } from "./result-list.tsx";
import { count } from "../parts/count.ts";
import { sayRun } from "./say-run.ts";
import { countStates, makeTimeRows } from "./time-line.ts";
import type { Run } from "./run-state.ts";
import { toneOfRow, useNow, Waterfall } from "./waterfall.tsx";

interface RunReportProps {
  readonly run: Run;
  readonly heading: { current: HTMLHeadingElement | null };
  readonly onCancel: () => void;
  /** Send it again under its key: it runs once. */
  readonly onAgain: () => void;
  readonly onPick: (reference: string) => void;
}

const TITLES: Readonly<Record<Run["phase"], string>> = {
  running: "Running",
  ended: "Done",
  stopped: "Interrupted",
  cancelled: "No longer followed",
};

/** A run: how far it is, what every action does, and each result as soon as it is known. */
export function RunReport({ run, heading, onCancel, onAgain, onPick }: RunReportProps) {
  const { phase, arrivals, envelope, problem, actions, resent } = run;
  const hasRuns = hasPage(useDeployment(), "runs");
  const results = useMemo(
    () =>
      envelope?.results ??
      [...arrivals.values()].map(({ result }) => result).toSorted((a, b) => a.index - b.index),
    [envelope, arrivals],
  );
  const wasRefused = problem !== null && arrivals.size === 0 && problem.code !== "OFFLINE";
  return (
    <div class="stack">
      <section class="card" aria-label="Run">
        <div class="row">
          <h2 tabindex={-1} ref={heading}>
            {wasRefused ? "Refused" : TITLES[phase]}
          </h2>
          {!wasRefused && envelope === null && <Clock key="clock" run={run} />}
          {phase === "running" && (
            <span key="cancel" class="end">
              <button type="button" onClick={onCancel}>
                Stop following
              </button>
            </span>
          )}
        </div>
        <ProblemNote key="problem" problem={problem} />
        {phase === "cancelled" && (
          <p key="cancelled" class="note tone-wait">
            It goes on to its end, within its deadline. Look {hasRuns ? "at Runs" : "at Jobs and Approvals"}{" "}
            before you send it again.
          </p>
        )}
        {phase === "stopped" && !wasRefused && (
          <p key="again">
            {hasRuns && <a href={hrefTo("runs")}>Look for it among the runs</a>}{" "}
            <button type="button" onClick={onAgain}>
              Ask for it again
            </button>
          </p>
        )}
        {resent > 0 && (
          <p key="resent" class="small muted">
            The connection was lost; sent again with the same Idempotency-Key, {count(resent, "time")}.
          </p>
        )}
        {envelope !== null && (
          <p key="said">
            {sayRun(envelope)}{" "}
            {hasRuns && (
              <a key="page" href={hrefTo("runs", envelope.batch_id, { new: "1" })}>
                Open its page
              </a>
            )}
          </p>
        )}
        {!wasRefused && <Counts key="counts" run={run} />}
        {!wasRefused && <Waterfall key="waterfall" run={run} />}
      </section>
      {results.length > 0 && (
        <section key="results" class="card flush" aria-label="Results">
          <div class="card-head">
            <h2>Results</h2>
            <span class="end">
              {envelope !== null && <CopyButton text={() => writeExact(envelope, 2)} label="Copy all" />}
            </span>
          </div>
          <ResultList results={results} answer={envelope} total={actions.length} onPick={onPick} />
        </section>
      )}
      {phase !== "running" && run.plan !== null && actions.length > 1 && (
        <Followed key="plan" plan={run.plan} actions={actions} />
      )}
    </div>
  );
}

/** Drawn when it is opened: what happened says more. */
function Followed({ plan, actions }: { readonly plan: WirePlan; readonly actions: Run["actions"] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="card fold"
      onToggle={(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>The plan</summary>
      {isOpen && <PlanGraph answer={plan} actions={actions} />}
    </details>
  );
}

function Clock({ run }: { readonly run: Run }) {
  return <span class="clock mono">{sayDuration(useNow(run))}</span>;
}

function Counts({ run }: { readonly run: Run }) {
  const rows = makeTimeRows(run, useNow(run));
  return (
    <ul class="row counts" aria-label="Counts">
      {countStates(rows).map(([state, size]) => (
        <li key={state} class={`status tone-${toneOfRow(state)}`}>
          {size} {wordOf(state === "lost" ? "unknown" : state)}
        </li>
      ))}
    </ul>
  );
}
