import type { AdmissionAnswer, AdmissionRequest } from "../../contract/gate/admission.ts";
import { HOME, shardOf } from "../../contract/gate/job-shard.ts";
import { narrowToClaimed } from "../../state/narrow-to-claimed.ts";

/** Send one request to one of the tenant's objects. */
type Ask = (shard: number, request: AdmissionRequest) => Promise<AdmissionAnswer>;

const NOTHING: AdmissionAnswer = { quota: null, denied: [], recorded: [], refusedJobs: [] };

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
  const home = asksHome ? await ask(HOME, atHome) : NOTHING;
  if (home.quota?.allowed === false) return home;

  const { allOrNothing } = request;
  const others = await Promise.all(
    [...groupByShard(jobsLeft(request, home))]
      .filter(([shard]) => shard !== HOME)
      .map(async ([shard, jobs]): Promise<AdmissionAnswer> => {
        const indexes = new Set(jobs.map(({ index }) => index));
        // With allOrNothing it matters that somebody was denied, whoever it was.
        const denied = allOrNothing ? home.denied : home.denied.filter(({ index }) => indexes.has(index));
        try {
          return await ask(shard, { quota: null, draws: [], jobs, allOrNothing, countedAtHome: { denied } });
        } catch {
          const refusedJobs = jobs.map(({ index }) => ({ index, code: "OUTBOX_UNAVAILABLE" as const }));
          return { ...NOTHING, denied, refusedJobs };
        }
      }),
  );
  return {
    ...home,
    // What is recorded already is not denied, and only the object that has it knows.
    denied: home.denied.filter(
      ({ index }) => !others.some(({ recorded }) => recorded.some((job) => job.index === index)),
    ),
    recorded: [...home.recorded, ...others.flatMap(({ recorded }) => recorded)],
    refusedJobs: [...home.refusedJobs, ...others.flatMap(({ refusedJobs }) => refusedJobs)],
  };
}

/** The jobs that may be recorded for all that home knows of the batch's idempotency keys. */
function jobsLeft(request: AdmissionRequest, { idempotency }: AdmissionAnswer): AdmissionRequest["jobs"] {
  if (request.idempotency === undefined || idempotency === undefined) return request.jobs;
  const { batch } = idempotency;
  if (batch !== null && batch.kind !== "claimed") return [];
  return narrowToClaimed(request, request.idempotency, idempotency).jobs;
}

function groupByShard(jobs: AdmissionRequest["jobs"]): Map<number, AdmissionRequest["jobs"][number][]> {
  const groups = new Map<number, AdmissionRequest["jobs"][number][]>();
  for (const job of jobs) {
    const shard = shardOf(job.spec.id);
    const group = groups.get(shard);
    if (group === undefined) groups.set(shard, [job]);
    else group.push(job);
  }
  return groups;
}
