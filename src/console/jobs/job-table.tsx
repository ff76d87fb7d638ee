import { hrefTo } from "../kit/route.ts";
import type { WireJob } from "../kit/wire.ts";
import { Status } from "../parts/status.tsx";
import { sayDuration } from "../parts/say-duration.ts";
import { ListTable } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { isAlive, sayStatus } from "./job-filter.ts";

/** Jobs below each other; on a phone each is a card. */
export function JobTable({ jobs }: { readonly jobs: readonly WireJob[] }) {
  return (
    <ListTable
      of={jobs}
      by={(job) => job.job_id}
      columns={[
        ["Job", (job) => <Name of={job} />, "lead"],
        ["Status", (job) => <Status of={sayStatus(job)} />],
        ["Attempts", (job) => job.attempts, "number"],
        ["Created", (job) => <Time at={job.created_at} />],
        ["Next attempt", (job) => <Time at={isAlive(job) ? job.next_attempt_at : null} />],
        [
          "Took",
          ({ duration_ms: ms }) => (ms === undefined ? <span class="muted">–</span> : sayDuration(ms)),
        ],
      ]}
    />
  );
}

function Name({ of: { job_id: id, tool, error } }: { readonly of: WireJob }) {
  return (
    <>
      <a href={hrefTo("jobs", id)}>
        <bdi>{tool}</bdi>
        <span class="mono muted small"> {id.slice(-8)}</span>
      </a>
      {error !== undefined && <code class="muted small">{error.code}</code>}
    </>
  );
}
