import type { UpstreamAttempt } from "./chaos-upstream.ts";
import type { JobView } from "./volley-client.ts";

/** Everything known of one job after a loop: what was promised, what is recorded, what the provider saw. */
export interface JobEvidence {
  readonly n: number;
  /** Whether its tool promises at most once: then a lost attempt may end as `unknown`, and nothing happens twice. */
  readonly once: boolean;
  /** Null when no `initiated` arrived, so nothing was promised. */
  readonly jobId: string | null;
  /** The record at the end; null when there is none, or the server did not answer. */
  readonly record: JobView | null;
  /** The record once nothing was under way at the provider any more. */
  readonly later: JobView | null;
  readonly attempts: readonly UpstreamAttempt[];
  /** Ends that are no loss, because of what was done to it: it was cancelled, or never answered well. */
  readonly mayEnd?: readonly string[];
}

/**
 * A promised job is lost unless it is recorded as succeeded and its effect did happen; or as `unknown`, where that is
 * what its tool promises of a lost attempt.
 */
export function isLost({ once, jobId, record, attempts, mayEnd = [] }: JobEvidence): boolean {
  if (jobId === null || (once && record?.status === "unknown")) return false;
  if (record !== null && mayEnd.includes(record.status)) return false;
  return !(record?.status === "succeeded" && attempts.some(({ actedAt }) => actedAt !== null));
}

/** An at-most-once job is run twice when a second attempt reaches the provider, whatever comes of it. */
export function isRunTwice({ once, attempts }: JobEvidence): boolean {
  return once && attempts.length > 1;
}

/** Find what went against the contract of background jobs, in words; nothing when all is well. */
export function findViolations(jobs: readonly JobEvidence[], maxAttempts: number): string[] {
  const owners = new Map<string, number>();
  return jobs.flatMap((job) => {
    const { n, record, attempts } = job;
    const found: string[] = [];
    const note = (wrong: boolean, text: string): void =>
      void (wrong && found.push(`job n=${n} (${job.jobId ?? "not promised"}): ${text}`));

    const acted = attempts.filter(({ actedAt }) => actedAt !== null).length;
    note(isLost(job), `lost: recorded as ${record?.status ?? "nothing"}, acted ${acted} times`);

    note(isRunTwice(job), `at most once, and the provider saw ${attempts.length} attempts`);

    const keys = new Set(attempts.map(({ key }) => key));
    note(keys.has(null), "an attempt came without an idempotency key");
    note(keys.size > 1, `its attempts came with ${keys.size} different keys`);
    for (const key of keys) {
      const owner = key === null ? n : (owners.get(key) ?? n);
      note(owner !== n, `its key is also that of n=${owner}`);
      if (key !== null) owners.set(key, n);
    }

    if (record !== null) {
      note(record.attempts > maxAttempts, `${record.attempts} attempts, ${maxAttempts} are allowed`);
      // Attempts are counted before they run, so the provider can never have seen more than are recorded.
      note(
        attempts.length > record.attempts,
        `the provider saw ${attempts.length} attempts, ${record.attempts} are recorded`,
      );
      const end = describeEnd(record);
      const laterEnd = job.later === null ? "nothing" : describeEnd(job.later);
      note(laterEnd !== end, `it was over as ${end}, and then as ${laterEnd}`);
      // When every attempt reached the provider, they are numbered alike there and here.
      note(
        record.data !== undefined &&
          attempts.length === record.attempts &&
          record.data.attempt !== record.attempts,
        `attempt ${record.data?.attempt} was believed after attempt ${record.attempts} had begun`,
      );
    }
    return found;
  });
}

/** Count the jobs of which an attempt was answered after another one had begun: those a fence is for. */
export function countLateAttempts(jobs: readonly JobEvidence[]): number {
  return jobs.filter(({ attempts }) =>
    attempts.some(({ actedAt }, i) =>
      attempts.some(({ at }, j) => j > i && actedAt !== null && actedAt > at),
    ),
  ).length;
}

function describeEnd({ status, attempts, data }: JobView): string {
  return `${status} after ${attempts} attempts${data === undefined ? "" : `, attempt ${data.attempt} believed`}`;
}
