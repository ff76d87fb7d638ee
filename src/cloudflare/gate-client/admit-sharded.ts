import {
  type AdmissionAnswer,
  type AdmissionRequest,
  type ClaimedAdmission,
  NOTHING_ADMITTED,
} from "../../core/contract/gate/admission.ts";
import { HOME, shardOf } from "../../core/contract/gate/job-shard.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import { attempt } from "../../core/kit/result.ts";
import { narrowToClaimed } from "../../core/gate/state/narrow-to-claimed.ts";

/** Send one request to one of the tenant's objects. */
type Ask = (shard: number, request: AdmissionRequest) => Promise<AdmissionAnswer>;

/**
 * Admit a batch whose jobs are kept in several objects: home counts and records its own in one round trip, then the
 * others record theirs side by side. A batch with all of its jobs at home, the usual one, stays one round trip.
 *
 * Home comes first, so nothing is recorded anywhere of a batch that its quota turns away, and (`allOrNothing`) nothing
 * new when a draw was denied. A shard that cannot be reached costs its own jobs only. Rejects when home cannot be.
 */
export async function admitSharded(request: AdmissionRequest, ask: Ask): Promise<AdmissionAnswer> {
  const groups = groupByShard(request.jobs);
  if (groups.size === 0 || (groups.size === 1 && groups.has(HOME))) return ask(HOME, request);

  const atHome = { ...request, jobs: groups.get(HOME) ?? [] };
  const asksHome =
    atHome.quota !== null ||
    atHome.draws.length > 0 ||
    atHome.jobs.length > 0 ||
    atHome.idempotency !== undefined;
  const home = asksHome ? await ask(HOME, atHome) : NOTHING_ADMITTED;
  if (home.quota?.allowed === false || home.stale === true) return home;

  const { allOrNothing } = request;
  const others = await Promise.all(
    [...groupByShard(jobsLeft(request, home))]
      .filter(([shard]) => shard !== HOME)
      .map(async ([shard, jobs]): Promise<AdmissionAnswer> => {
        const indexes = new Set(jobs.map(({ index }) => index));
        // With allOrNothing any denied job matters, wherever it is kept.
        const denied = allOrNothing ? home.denied : home.denied.filter(({ index }) => indexes.has(index));
        const part = { quota: null, draws: [], jobs, allOrNothing, countedAtHome: { denied } };
        const asked = await attempt(() => ask(shard, part));
        if (asked.ok) return asked.value;
        const refusedJobs = jobs.map(({ index }) => ({ index, code: "OUTBOX_UNAVAILABLE" as const }));
        return { ...NOTHING_ADMITTED, denied, refusedJobs };
      }),
  );
  return {
    ...home,
    // A job that is recorded already is not denied, and only the object that has it knows.
    denied: home.denied.filter(
      ({ index }) => !others.some(({ recorded }) => recorded.some((job) => job.index === index)),
    ),
    recorded: [...home.recorded, ...others.flatMap(({ recorded }) => recorded)],
    refusedJobs: [...home.refusedJobs, ...others.flatMap(({ refusedJobs }) => refusedJobs)],
  };
}

export interface ClaimedCalls {
  /** Claim, and admit what home counts and records, in one turn of the home object. */
  readonly admitClaimed: (request: AdmissionRequest) => Promise<ClaimedAdmission>;
  /** Record jobs at another object. */
  readonly admit: (shard: number, request: AdmissionRequest) => Promise<AdmissionAnswer>;
}

/** The answer when an admission is stopped at home: a refused claim records nothing anywhere. */
const STOPPED: AdmissionAnswer = {
  ...NOTHING_ADMITTED,
  quota: { allowed: false, remaining: 0, resetMs: 0, retryAfterMs: 0 },
};

/** Admit what a claim allows, with jobs that are kept in several objects: home claims, counts and records its own, then the others. */
export async function admitClaimedSharded(
  request: AdmissionRequest,
  { admitClaimed, admit }: ClaimedCalls,
): Promise<ClaimedAdmission> {
  const refusals: Refusal[] = [];
  const admission = await admitSharded(request, async (shard, part) => {
    if (shard !== HOME) return admit(shard, part);
    const answer = await admitClaimed(part);
    if (answer.refused === null) return answer.admission;
    refusals.push(answer.refused);
    return STOPPED;
  });
  const [refused] = refusals;
  return refused === undefined ? { refused: null, admission } : { refused };
}

/** The jobs that may be recorded for all that home knows of the batch's idempotency keys. */
function jobsLeft(request: AdmissionRequest, { idempotency }: AdmissionAnswer): AdmissionRequest["jobs"] {
  if (request.idempotency === undefined || idempotency === undefined) return request.jobs;
  const { batch } = idempotency;
  if (batch !== null && batch.kind !== "claimed") return [];
  return narrowToClaimed(request, request.idempotency, idempotency).jobs;
}

function groupByShard(jobs: AdmissionRequest["jobs"]): Map<number, AdmissionRequest["jobs"][number][]> {
  return Map.groupBy(jobs, ({ spec }) => shardOf(spec.id));
}
