import { useEffect, useRef, useState } from "../kit/jsx-hooks.ts";
import { writeExact } from "../kit/exact-json.ts";
import { hasPage, useDeployment } from "../kit/deployment.ts";
import { hrefTo } from "../kit/route.ts";
import { useLoad } from "../kit/use-load.ts";
import { useSend } from "../kit/use-send.ts";
import type { WireEnvelope, WireJob } from "../kit/wire.ts";
import { announce } from "../parts/announce.tsx";
import { ArgsView } from "../parts/args-view.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Facts } from "../parts/facts.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Link } from "../parts/link.tsx";
import { Pending } from "../parts/notes.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { AskingButton } from "../parts/question.tsx";
import { Status } from "../parts/status.tsx";
import { sayDuration } from "../parts/say-duration.ts";
import { Time } from "../parts/time.tsx";
import { Title } from "../parts/title.tsx";
import { FailureNote } from "../run/failure-note.tsx";
import { ResultList } from "../run/result-list.tsx";
import { isAlive, pathOfJobs, sayStatus } from "./job-filter.ts";
import { JobTable } from "./job-table.tsx";
import { tellJob } from "./job-timeline.ts";

/** A job that is alive is looked at so often. */
const EVERY_MS = 2_000;

/** One job, as long as it lives: its arguments, how it fares, what came of it. */
export function JobPage({ id }: { readonly id: string }) {
  const [isLive, setLive] = useState(true);
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const loaded = useLoad<WireJob>(path, { everyMs: isLive ? EVERY_MS : undefined, isExact: true });
  const [changed, setChanged] = useState<WireJob | null>(null);
  const { send, isBusy, problem } = useSend();
  const known = loaded.data;
  const job = changed !== null && (known === null || changed.updated_at > known.updated_at) ? changed : known;
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (job === null) {
      if (loaded.problem !== null && loaded.problem.code !== "OFFLINE") setLive(false);
      return;
    }
    setLive(isAlive(job));
    if (before.current !== null && before.current !== job.status) announce(`The job is ${job.status} now`);
    before.current = job.status;
    // The button that had the focus has gone.
    const isLeft = changed !== null && document.activeElement === document.body;
    if (isLeft) document.querySelector("h1")!.focus({ preventScroll: true });
  }, [job?.status, loaded.problem]);
  const change = async (how: "cancel" | "redrive"): Promise<void> => {
    const answer = await send<WireJob>(`${path}/${how}`, { method: "POST", isExact: true });
    if (answer.ok) setChanged(answer.data);
    loaded.reload();
  };
  return (
    <div class="stack">
      <Title text={job?.tool ?? "Job"} back={{ href: hrefTo("jobs"), label: "Jobs" }}>
        {job !== null && isAlive(job) && (
          <AskingButton
            key="cancel"
            isBusy={isBusy}
            title="Cancel this job?"
            yes="Cancel"
            isDanger
            onYes={() => void change("cancel")}
          >
            There is no further attempt. A request that is already sent may still take effect.
          </AskingButton>
        )}
        {job?.status === "dead" && (
          <button
            key="redrive"
            type="button"
            class="primary"
            aria-disabled={isBusy}
            onClick={() => void change("redrive")}
          >
            Retry
          </button>
        )}
      </Title>
      <ProblemNote problem={problem} />
      <Pending
        of={loaded}
        what="the job"
        gone={{
          title: "There is no such job",
          children:
            "Finished jobs are kept for seven days. It may also be another tenant's, or of a tool that this key may not call.",
        }}
      />
      {job !== null && <JobBody key="body" job={job} />}
    </div>
  );
}

function JobBody({ job }: { readonly job: WireJob }) {
  const envelope = job.envelope as WireEnvelope | undefined;
  const { batch_id: batch } = job;
  const hasRuns = hasPage(useDeployment(), "runs");
  return (
    <div class="stack">
      <div class="split">
        <div class="stack">
          <section class="card" aria-label="The job">
            <Facts
              of={[
                ["Status", <Status of={sayStatus(job)} />],
                ["Attempts", job.attempts],
                ["Created", <Asked job={job} />],
                job.duration_ms !== undefined && ["Took", sayDuration(job.duration_ms)],
                job.note !== undefined && ["Note", <span dir="auto">{job.note}</span>],
                ["Tool", <Link of={job.tool} section="tools" to={job.tool} />],
                batch !== undefined && hasRuns && ["Run", <OfRun id={batch} />],
                ["Id", <CopiedId of={job.job_id} />],
              ]}
            />
          </section>
          <section class="card" aria-label="What happened">
            <h2>What happened</h2>
            <ol class="timeline">
              {tellJob(job).map(({ what, at, tone }) => (
                <li key={what} class={`tone-${tone}`}>
                  <bdi>{what}</bdi>
                  {at !== null && (
                    <span class="muted small">
                      <Time at={at} />
                    </span>
                  )}
                </li>
              ))}
            </ol>
          </section>
        </div>
        <div class="stack">
          {job.error !== undefined && <FailureNote key="error" error={job.error} />}
          {job.data !== undefined && (
            <section key="data" class="card" aria-label="Result">
              <div class="row">
                <h2>Result</h2>
                <span class="end">
                  <CopyButton text={() => writeExact(job.data, 2)} label="Copy result" />
                </span>
              </div>
              <JsonView value={job.data} label="Result" />
            </section>
          )}
          {envelope?.results !== undefined && (
            <section key="envelope" class="card flush" aria-label="Each action">
              <ResultList results={envelope.results} answer={envelope} />
            </section>
          )}
          {job.args !== undefined && (
            <section key="args" class="card" aria-label="Arguments">
              <h2>Arguments</h2>
              <ArgsView args={job.args} label="Arguments" />
            </section>
          )}
        </div>
      </div>
      <Siblings job={job} />
    </div>
  );
}

function Asked({ job: { created_at: at, key } }: { readonly job: WireJob }) {
  return (
    <span>
      <Time at={at} />
      {key !== undefined && (
        <span class="muted">
          {" "}
          by <bdi>{key}</bdi>
        </span>
      )}
    </span>
  );
}

function CopiedId({ of }: { readonly of: string }) {
  return (
    <span class="mono">
      {of} <CopyButton text={of} label="Copy id" />
    </span>
  );
}

function OfRun({ id }: { readonly id: string }) {
  return (
    <span>
      <a href={hrefTo("runs", id)}>{id.slice(0, 8)}</a>, which asked for it
    </span>
  );
}

/** The other jobs of the same batch. */
function Siblings({ job: { job_id: id, batch_id: batch, created_at: created } }: { readonly job: WireJob }) {
  const { data } = useLoad<{ readonly jobs: readonly WireJob[] }>(
    batch === undefined ? null : pathOfJobs(created),
  );
  const others = data?.jobs.filter((job) => job.batch_id === batch && job.job_id !== id) ?? [];
  if (others.length === 0) return null;
  return (
    <section class="stack tight" aria-label="Of the same batch">
      <h2>Of the same batch</h2>
      <JobTable jobs={others} />
    </section>
  );
}
