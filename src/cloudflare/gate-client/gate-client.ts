import type { Jurisdiction } from "../../core/contract/gate/caller.ts";
import type { JobQuery, JobRecord } from "../../core/contract/gate/job.ts";
import type { Gate, GateStub } from "../../core/contract/gate/tenant-gate-methods.ts";
import { compareJobs, HOME, nameObject, shardOf } from "../../core/contract/gate/job-shard.ts";
import { addUsage, type UsageQuery, type UsageReport } from "../../core/contract/gate/usage.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { fitKeep, KEEP_LIMITS } from "../../core/gate/state/kept-results.ts";
import { admitClaimedSharded, admitSharded } from "./admit-sharded.ts";
import { callBounded, type CallBounds } from "./call-bounded.ts";

/** The binding, as much of it as the client uses. */
export interface TenantGateNamespace {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): GateStub;
  /** The namespace of the objects that are kept there: the same names are other objects. */
  jurisdiction?(jurisdiction: Jurisdiction): TenantGateNamespace;
}

export interface GateClientOptions extends CallBounds {
  /** For an admission; as long as for anything else unless given. */
  readonly admissionTimeoutMs?: number;
  /** When whatever asks began: a tenant that is deleted after that takes nothing more of it. Now unless given. */
  readonly begunAt?: number;
}

/** Ids are remembered for so many objects per isolate; computing one is a hash. */
const IDS_KEPT = 1_000;

/**
 * Kept results in one message. At most 1 MiB each as UTF-8, but text with one character beyond Latin-1 travels as UTF-16,
 * so these are 16 MiB at most, half of what a message may have.
 */
const RESULTS_PER_CALL = 8;

const ids = new WeakMap<TenantGateNamespace, Map<string, DurableObjectId>>();

/**
 * Create a client of one tenant's gate.
 *
 * A call that fails in a way the platform calls retryable is sent once more through a fresh stub (the old one stays
 * broken), except to an overloaded object, which a retry would only load more. The first sending may have landed:
 * quota is then counted twice, a job is recorded once, a group is parked once, a decision is its own repetition, a
 * settle that landed answers false, a run is recorded once for its cause, and a tool that was deleted is not there. A call that times out rejects; it may still take effect. A job is looked for where its
 * id says; what features keep is at home. Results are kept and recalled in several calls when they are many.
 */
export function createGateClient(
  namespace: TenantGateNamespace,
  tenant: string,
  options: GateClientOptions,
): Gate {
  const { clock, timeoutMs, admissionTimeoutMs = timeoutMs, begunAt = clock.now() } = options;
  const callShard = <T>(
    shard: number,
    send: (stub: Gate) => Promise<T>,
    bounds: CallBounds = options,
  ): Promise<T> =>
    callBounded(
      () => send(begunAs(namespace.get(idOf(namespace, nameObject(tenant, shard))), begunAt)),
      bounds,
    );
  const callHolder = <T>(jobId: string, send: (stub: Gate) => Promise<T>): Promise<T> =>
    callShard(shardOf(jobId), send);
  const call = <T>(send: (stub: Gate) => Promise<T>): Promise<T> => callShard(HOME, send);
  return {
    admit: (request, wishes = []) =>
      admitSharded(request, (shard, part) =>
        callShard(shard, (stub) => stub.admit(part, shard === HOME ? wishes : []), {
          clock,
          timeoutMs: admissionTimeoutMs,
        }),
      ),
    admitClaimed: (claim, request) =>
      admitClaimedSharded(request, {
        admitClaimed: (part) => call((stub) => stub.admitClaimed(claim, part)),
        admit: (shard, part) => callShard(shard, (stub) => stub.admit(part, [])),
      }),
    settle: (jobId, fence, end) => callHolder(jobId, (stub) => stub.settle(jobId, fence, end)),
    job: (id) => callHolder(id, (stub) => stub.job(id)),
    jobs: (query) => listShards(query, (shard) => callShard(shard, (stub) => stub.jobs(query))),
    usage: (query) => sumShards((shard) => callShard(shard, (stub) => stub.usage(onShard(query, shard)))),
    cancel: (jobId) => callHolder(jobId, (stub) => stub.cancel(jobId)),
    redrive: (jobId) => callHolder(jobId, (stub) => stub.redrive(jobId)),
    renew: (renewal) => call((stub) => stub.renew(renewal)),
    complete: (closing) => call((stub) => stub.complete(closing)),
    reportOpening: (report) => call((stub) => stub.reportOpening(report)),
    call: (feature, method, ...args) => call((stub) => stub.call(feature, method, ...args)),
    async erase() {
      // Home last: until then the tenant can be seen not to be empty.
      for (let shard = LIMITS.outboxShards - 1; shard > HOME; shard -= 1)
        await callShard(shard, (stub) => stub.erase());
      return call((stub) => stub.erase());
    },
    keep: (results, shelf = "results") =>
      inParts(fitKeep(results, KEEP_LIMITS[shelf]), (part) => call((stub) => stub.keep(part, shelf))),
    recall: (handles, shelf = "results") =>
      inParts([...new Set(handles)], (part) => call((stub) => stub.recall(part, shelf))),
  };
}

/** The methods of an object for something that began then. */
function begunAs(stub: GateStub, begunAt: number): Gate {
  return new Proxy({} as Gate, {
    get:
      (_, method: keyof Gate) =>
      async (...args: unknown[]) => {
        const taken = await stub.since(begunAt, method, ...args);
        if (taken !== null) return taken.answer;
        throw new Error(`Cannot ask for '${method}': the tenant was deleted after this began`);
      },
  });
}

/** List all shards' jobs as one list: each is in its order, so the first of all are among the first of each. */
async function listShards(
  { limit }: JobQuery,
  list: (shard: number) => Promise<readonly JobRecord[]>,
): Promise<JobRecord[]> {
  const lists = await Promise.all(Array.from({ length: LIMITS.outboxShards }, (_, shard) => list(shard)));
  return lists.flat().sort(compareJobs).slice(0, limit);
}

/** Ask all shards at once; home alone counts quota. */
async function sumShards(ask: (shard: number) => Promise<UsageReport>): Promise<UsageReport> {
  const [home, ...others] = await Promise.all(
    Array.from({ length: LIMITS.outboxShards }, (_, shard) => ask(shard)),
  );
  return addUsage(home!, others);
}

function onShard(query: UsageQuery, shard: number): UsageQuery {
  return shard === HOME ? query : { ...query, quotas: [] };
}

/** One part after the other, so that a later part of the same results never drops an earlier one. */
async function inParts<T, U>(
  all: readonly T[],
  send: (part: readonly T[]) => Promise<readonly U[]>,
): Promise<U[]> {
  const answers: U[] = [];
  for (let at = 0; at < all.length; at += RESULTS_PER_CALL)
    answers.push(...(await send(all.slice(at, at + RESULTS_PER_CALL))));
  return answers;
}

function idOf(namespace: TenantGateNamespace, tenant: string): DurableObjectId {
  let known = ids.get(namespace);
  if (known === undefined) ids.set(namespace, (known = new Map()));
  let id = known.get(tenant);
  if (id !== undefined) return id;
  id = namespace.idFromName(tenant);
  const [oldest] = known.keys();
  if (known.size >= IDS_KEPT && oldest !== undefined) known.delete(oldest);
  known.set(tenant, id);
  return id;
}
