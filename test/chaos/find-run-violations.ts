import type { UpstreamAttempt } from "./chaos-upstream.ts";
import type { JobView } from "./volley-client.ts";

/** Everything known of one event after a loop: what its sender was told, what is recorded, what the provider saw. */
export interface RunEvidence {
  readonly n: number;
  /** The run that each 202 named, repeats included; empty when there never was one. */
  readonly jobIds: readonly string[];
  /** The run's record at the end; null when there is none, or the server did not answer. */
  readonly record: JobView | null;
  /** The record once nothing was under way any more and the event had been delivered again. */
  readonly later: JobView | null;
  /** Arrivals of the write that must not happen twice. */
  readonly once: readonly UpstreamAttempt[];
  /** Arrivals of the write that acts once for its key, and waits for the other one. */
  readonly keyed: readonly UpstreamAttempt[];
}

/**
 * A run is lost unless it is recorded as succeeded and both its writes did happen; or as `unknown`, which is all that can be
 * said when the first may have been sent. The provider refuses nothing here, so nothing else is a right end.
 */
export function isRunLost({ record, once, keyed }: RunEvidence): boolean {
  if (record?.status === "unknown") return false;
  return !(record?.status === "succeeded" && hasActed(once) && hasActed(keyed));
}

/** A run is repeated when its first write reaches the provider again, or its second one under another key. */
export function isRunRepeated({ once, keyed }: RunEvidence): boolean {
  return once.length > 1 || new Set(keyed.map(({ key }) => key)).size > 1;
}

/** Find what went against the contract of webhooks and their runs, in words; nothing when all is well. */
export function findRunViolations(runs: readonly RunEvidence[], maxAttempts: number): string[] {
  const owners = new Map<string, number>();
  return runs.flatMap((run) => {
    const { n, jobIds, record, later, once, keyed } = run;
    const found: string[] = [];
    const note = (wrong: boolean, text: string): void =>
      void (wrong && found.push(`delivery n=${n} (${jobIds[0] ?? "never taken"}): ${text}`));
    const status = record?.status ?? "nothing";

    note(new Set(jobIds).size > 1, `its repeats were told ${new Set(jobIds).size} runs`);
    note(
      isRunLost(run),
      `lost: recorded as ${status}, its writes acted ${count(once)} and ${count(keyed)} times`,
    );
    note(once.length > 1, `at most once, and the provider saw ${once.length} attempts`);
    // Its effect cannot be known, so nothing but `unknown` may be said of it.
    note(
      status !== "unknown" && once.some(({ torn }) => torn),
      `its first write was cut off, and it is ${status}`,
    );
    note(
      keyed.some(({ at }) => !once.some(({ torn, actedAt }) => !torn && actedAt !== null && actedAt <= at)),
      "its second write was sent before the first had succeeded",
    );
    note(
      status === "unknown" && keyed.length > 0,
      "it is unknown, and the write that waits for its first was sent",
    );

    const keys = new Set(keyed.map(({ key }) => key));
    note(keys.has(null), "its second write came without an idempotency key");
    note(keys.size > 1, `its second write came with ${keys.size} different keys`);
    for (const key of keys) {
      const owner = key === null ? n : (owners.get(key) ?? n);
      note(owner !== n, `its key is also that of n=${owner}`);
      if (key !== null) owners.set(key, n);
    }

    if (record !== null) {
      note(record.attempts > maxAttempts, `${record.attempts} attempts, ${maxAttempts} are allowed`);
      const [end, laterEnd] = [describeEnd(record), later === null ? "nothing" : describeEnd(later)];
      note(laterEnd !== end, `it was over as ${end}, and then as ${laterEnd}`);
    }
    return found;
  });
}

function hasActed(attempts: readonly UpstreamAttempt[]): boolean {
  return count(attempts) > 0;
}

function count(attempts: readonly UpstreamAttempt[]): number {
  return attempts.filter(({ actedAt }) => actedAt !== null).length;
}

function describeEnd({ status, attempts }: JobView): string {
  return `${status} after ${attempts} attempts`;
}
