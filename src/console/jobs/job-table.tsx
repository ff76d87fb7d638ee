import { hrefTo } from "../kit/route.ts";
import type { WireJob } from "../kit/wire.ts";
import { Status } from "../parts/status.tsx";
import { sayDuration } from "../parts/say-duration.ts";
import { Time } from "../parts/time.tsx";
import { isAlive } from "./job-filter.ts";

/** Jobs below each other; on a phone each is a card. */
export function JobTable({ jobs }: { readonly jobs: readonly WireJob[] }) {
  return (
    <div class="card flush">
      <table class="table list">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Attempts
            </th>
            <th scope="col">Asked</th>
            <th scope="col">Took</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.job_id}>
              <td class="lead">
                <a href={hrefTo("jobs", job.job_id)}>
                  <bdi>{job.tool}</bdi>
                  <span class="mono muted small"> {job.job_id.slice(-8)}</span>
                </a>
                {job.error !== undefined && <code class="muted small">{job.error.code}</code>}
              </td>
              <td data-label="Status">
                <Status of={job.status} />
              </td>
              <td data-label="Attempts" class="number">
                {job.attempts}
              </td>
              <td data-label="Asked">
                <Time at={job.created_at} />
              </td>
              <td data-label="Took">
                {job.duration_ms !== undefined ? (
                  sayDuration(job.duration_ms)
                ) : isAlive(job) && job.next_attempt_at !== null ? (
                  <span>
                    next <Time at={job.next_attempt_at} />
                  </span>
                ) : (
                  <span class="muted">–</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
