import type { JobQuery, JobRecord } from "../../core/contract/gate/job.ts";
import type { BegunCalls, Gate } from "../../core/contract/gate/tenant-gate-methods.ts";
import { compareJobs, HOME, nameObject, shardOf } from "../../core/contract/gate/job-shard.ts";
import { addUsage, type UsageQuery, type UsageReport } from "../../core/contract/gate/usage.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { mergeRows, type TakenRows } from "../../core/kit/take-rows.ts";
import { fitKeep, KEEP_LIMITS } from "../../core/gate/state/kept-results.ts";
import { admitClaimedSharded, admitSharded } from "./admit-sharded.ts";
import { type CallBounds, type ObjectNamespace, openObject } from "../object-client.ts";
import type { Clock } from "../../core/kit/clock.ts";
import { attempt } from "../../core/kit/result.ts";
import type { ToolGates } from "../../core/egress/ports.ts";
import type { ToolGateMethods } from "../durable/tool-gate.ts";

export type TenantGateNamespace = ObjectNamespace<BegunCalls>;

export interface GateClientOptions extends CallBounds {
  /** For an admission; as long as for anything else unless given. */
  readonly admissionTimeoutMs?: number;
  /** When whatever asks began: a tenant that is deleted after that takes nothing more of it. Now unless given. */
  readonly begunAt?: number;
}

/**
 * Kept results in one message. At most 1 MiB each as UTF-8, but text with one character beyond Latin-1 travels as UTF-16,
 * so these are 16 MiB at most, half of what a message may have.
 */
const RESULTS_PER_CALL = 8;

/**
 * Create a client of one tenant's gate.
 *
 * A call that is sent once more may have landed before: quota is then counted twice, a job is recorded once, a settle that landed
 * answers false, and a method of a feature is its own repetition. A job is looked for where its id says; what features keep is at
 * home. Results are kept and recalled in several calls when they are many.
 */
export function createGateClient(
  namespace: TenantGateNamespace,
  tenant: string,
  options: GateClientOptions,
): Gate {
  const { clock, timeoutMs, admissionTimeoutMs = timeoutMs, begunAt = clock.now() } = options;
  const open = (shard: number, bounds: CallBounds = options): Gate =>
    openObject(namespace, nameObject(tenant, shard), { ...bounds, begunAt }) as unknown as Gate;
  const openHolder = (jobId: string): Gate => open(shardOf(jobId));
  const home = open(HOME);
  return {
    admit: (request, wishes = []) =>
      admitSharded(request, (shard, part) =>
        open(shard, { clock, timeoutMs: admissionTimeoutMs }).admit(part, shard === HOME ? wishes : []),
      ),
    admitClaimed: (claim, request) =>
      admitClaimedSharded(request, {
        admitClaimed: (part) => home.admitClaimed(claim, part),
        admit: (shard, part) => open(shard).admit(part, []),
      }),
    settle: (jobId, fence, end) => openHolder(jobId).settle(jobId, fence, end),
    job: (id) => openHolder(id).job(id),
    jobs: (query) => listShards(query, (shard) => open(shard).jobs(query)),
    usage: (query) => sumShards((shard) => open(shard).usage(onShard(query, shard))),
    cancel: (jobId) => openHolder(jobId).cancel(jobId),
    redrive: (jobId, options) => openHolder(jobId).redrive(jobId, options),
    renew: (renewal) => home.renew(renewal),
    complete: (closing) => home.complete(closing),
    reportOpening: (report) => home.reportOpening(report),
    call: (feature, method, ...args) => home.call(feature, method, ...args),
    async erase() {
      // Home last: until then the tenant can be seen not to be empty.
      for (let shard = LIMITS.outboxShards - 1; shard > HOME; shard -= 1) await open(shard).erase();
      return home.erase();
    },
    keep: (results, shelf = "results") =>
      inParts(fitKeep(results, KEEP_LIMITS[shelf]), (part) => home.keep(part, shelf)),
    recall: (handles, shelf = "results") =>
      inParts([...new Set(handles)], (part) => home.recall(part, shelf)),
  };
}

/** Ask a tenant's gate for nothing: it rejects where the tenant was deleted after what asks began. */
export function askStill(gate: Gate): Promise<unknown> {
  return gate.renew({ runId: "", keys: [] });
}

/** List all shards' jobs as one list: each is in its order, so the first of all are among the first of each. */
async function listShards(
  { limit }: JobQuery,
  list: (shard: number) => Promise<TakenRows<JobRecord>>,
): Promise<TakenRows<JobRecord>> {
  const lists = await Promise.all(Array.from({ length: LIMITS.outboxShards }, (_, shard) => list(shard)));
  return mergeRows(lists, limit, compareJobs);
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

export type ToolGateNamespace = ObjectNamespace<ToolGateMethods>;

export interface ToolGatesOptions {
  readonly clock: Clock;
  /** Whose calls these are. */
  readonly tenant: string;
  /** How much longer than its wait a question may take. */
  readonly timeoutMs: number;
  /** Keep a message alive that no request waits for. */
  readonly defer: (work: Promise<unknown>) => void;
}

/**
 * Create a client of the tools' gates. Each tool's name has one object, for all callers.
 *
 * A question that fails in a way the platform calls retryable is asked once more under the same id, so it never takes
 * two permits. A message that is lost gives nothing back: the permit then ends by its own time.
 */
export function createToolGates(namespace: ToolGateNamespace, options: ToolGatesOptions): ToolGates {
  const { clock, tenant, timeoutMs, defer } = options;
  const gateOf = (tool: string, waitMs = 0) =>
    openObject(namespace, tool, { clock, timeoutMs: waitMs + timeoutMs, once: ["release"] });
  return {
    acquire: (tool, request) => gateOf(tool, request.waitMs).acquire({ ...request, tenant }),
    release(tool, id, retryAfterMs) {
      defer(attempt(() => gateOf(tool).release(id, retryAfterMs)));
    },
  };
}
