import type { AdmissionRequest, RateLimit } from "../../../src/core/contract/gate/admission.ts";
import type { JobClaim, JobSpec } from "../../../src/core/contract/gate/job.ts";
import { HOME, nameObject, placeJob, shardOf } from "../../../src/core/contract/gate/job-shard.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { admitSharded } from "../../../src/cloudflare/gate-client/admit-sharded.ts";
import { callBounded } from "../../../src/cloudflare/object-client.ts";
import { attempt } from "../../../src/core/kit/result.ts";
import { createRandom } from "../../../test/support/random.ts";
import { EventQueue } from "./event-queue.ts";
import { HostedObject, type Kind } from "./hosted-object.ts";
import { Isolate, type Send } from "./isolate.ts";
import type { SimulatedObject } from "./simulated-object.ts";
import * as chosen from "./workload.ts";

/** The parts of a batch besides reads. */
export type Mix = Readonly<Record<keyof typeof chosen.MIX, number>>;

export interface TrafficOptions {
  /** Batches a second, of all tenants together. */
  readonly rate: number;
  readonly tenants: number;
  readonly regions: number;
  readonly mix: Mix;
  readonly seed: number;
  /** Batches a second of one tenant at most: who sends more is given so many tenants, each with its keys. */
  readonly largest?: number;
  /** Isolates of a region at least; the workload's unless given. */
  readonly isolates?: number;
  /** The requests that every key may send a minute; a multiple of its tenant's rate unless given. */
  readonly quota?: number;
  /** One more tenant's load, on a quota of the product's default: so many batches of reads a second. */
  readonly flood?: number;
}

/** The ends of requests. */
export interface Ends {
  asked: number;
  admitted: number;
  denied: number;
  /** The object did not answer in time. */
  late: number;
  jobs: number;
  flows: number;
  /** Jobs and runs that were refused because too many wait. */
  refused: number;
}

const NO_ENDS: Ends = { asked: 0, admitted: 0, denied: 0, late: 0, jobs: 0, flows: 0, refused: 0 };

const SUCCEEDED = { kind: "succeeded", dataJson: '{"ok":true}' } as const;
const FAILED = {
  kind: "failed",
  error: { code: "UPSTREAM_ERROR", message: "", retryable: true },
} as unknown as Parameters<SimulatedObject["settle"]>[2];

/**
 * Tenants in regions that send batches to isolates, and the objects that those ask, in virtual time. Isolates and objects run the
 * product's code: leases, admission, shards, the outbox and its alarm. Arrivals are a Poisson process; who sends and from where
 * follows Zipf, each on its own, so every tenant is everywhere: the worst case for leases, which are each isolate's own.
 */
export class Traffic {
  readonly queue = new EventQueue();
  readonly objects = new Map<string, HostedObject>();
  /** By tenant; the flood is the one behind the last. */
  readonly ends = new Map<number, Ends>();
  readonly #options: TrafficOptions;
  readonly #random: () => number;
  readonly #tenants: Float64Array;
  readonly #regions: Float64Array;
  readonly #isolates: readonly (readonly Isolate[])[];
  #ids = 0;
  #isOn = true;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed);
    this.#tenants = chosen.split(chosen.zipf(options.tenants), (options.largest ?? Infinity) / options.rate);
    this.#regions = chosen.zipf(options.regions);
    const { isolates = chosen.ISOLATES.least, rate, flood = 0 } = options;
    this.#isolates = Array.from({ length: options.regions }, (_, region) => {
      const share = this.#regions[region]! - (this.#regions[region - 1] ?? 0);
      const needed = Math.ceil(((rate + flood) * share) / chosen.ISOLATES.batchesPerSecond);
      return Array.from({ length: Math.max(isolates, needed) }, () => {
        const send: Send = (tenant, request, wishes) =>
          admitSharded(request, (shard, part) =>
            callBounded(
              () =>
                this.#call(tenant, shard, region, kindOf(part, wishes.length), (object) =>
                  object.admit(part, shard === HOME ? wishes : []),
                ),
              { clock: this.queue, timeoutMs: LIMITS.admissionTimeoutMs },
            ),
          );
        return new Isolate(this.queue, send);
      });
    });
    this.#arrive(rate, () => chosen.pick(this.#tenants, this.#random()), options.mix);
    if (flood > 0) this.#arrive(flood, () => this.#tenants.length, { job: 0, wide: 0, keyed: 0, flow: 0 });
  }

  /** Tenants, not counting the flood. */
  get tenants(): number {
    return this.#tenants.length;
  }

  get isolates(): number {
    return this.#isolates.flat().length;
  }

  /** Leases in force now, over all isolates. */
  get leases(): number {
    let leases = 0;
    for (const isolate of this.#isolates.flat())
      leases += isolate.countLeases((tenant) => this.#quotaOf(tenant).bucket);
    return leases;
  }

  /** Count from nothing again. */
  forgetFigures(): void {
    this.ends.clear();
    for (const object of this.objects.values()) object.forgetFigures();
  }

  stop(): void {
    this.#isOn = false;
  }

  #arrive(rate: number, tenantOf: () => number, mix: Mix): void {
    const next = (): void => {
      this.queue.after((-Math.log(1 - this.#random()) / rate) * 1_000, () => {
        if (!this.#isOn) return;
        next();
        const tenant = tenantOf();
        const region = chosen.pick(this.#regions, this.#random());
        void this.#send(tenant, region, mix);
      });
    };
    next();
  }

  async #send(tenant: number, region: number, mix: Mix): Promise<void> {
    const ends = this.#endsOf(tenant);
    ends.asked += 1;
    let which = this.#random();
    const is = (kind: keyof Mix): boolean => (which -= mix[kind]) < 0;
    if (is("flow")) return this.#deliver(tenant, region, ends);
    const jobs = is("wide") ? chosen.WIDE_JOBS : is("job") ? 1 : 0;
    const keyed = jobs === 0 && is("keyed");
    const isolates = this.#isolates[region]!;
    const isolate = isolates[Math.floor(this.#random() * isolates.length)]!;
    const request = this.#makeRequest(tenant, jobs, keyed);
    const asked = await attempt(() => isolate.admit(tenant, request));
    if (!asked.ok) {
      ends.late += 1;
      return;
    }
    const { quota, recorded, refusedJobs } = asked.value;
    if (quota?.allowed === false) {
      ends.denied += 1;
      return;
    }
    ends.admitted += 1;
    ends.jobs += recorded.length;
    ends.refused += refusedJobs.length;
    for (const { index, fence } of recorded)
      if (fence !== null) void this.#runJob(tenant, region, request.jobs[index]!.spec.id, fence);
    if (keyed) void this.#complete(tenant, region, request);
  }

  #makeRequest(tenant: number, jobs: number, keyed: boolean): AdmissionRequest {
    const specs = Array.from({ length: jobs }, (_, rank) => this.#makeSpec(rank));
    const id = keyed ? this.#newId() : "";
    const batch = { key: `batch:${id}`, fingerprint: "f".repeat(64), seed: id };
    return {
      quota: this.#quotaOf(tenant),
      draws: [],
      jobs: specs.map((spec, index) => ({ index, spec })),
      allOrNothing: false,
      ...(keyed && { idempotency: { runId: id, batch, actions: [] } }),
    };
  }

  async #runJob(tenant: number, region: number, jobId: string, fence: number): Promise<void> {
    await this.#pause(chosen.ATTEMPT.ms);
    const end = this.#attemptEnd();
    await this.#call(tenant, shardOf(jobId), region, "settle", (object) => object.settle(jobId, fence, end));
  }

  async #complete(tenant: number, region: number, { idempotency }: AdmissionRequest): Promise<void> {
    await this.#pause(chosen.ATTEMPT.ms);
    const { runId, batch } = idempotency!;
    const answer = { json: '{"results":[]}', failed: false };
    const closing = { runId, ends: [{ key: batch!.key, end: { kind: "done", answer } as const }] };
    await this.#call(tenant, HOME, region, "keyed", (object) => object.complete(closing));
  }

  /** A webhook: its run is recorded, then tried by the request or by the alarm. */
  async #deliver(tenant: number, region: number, ends: Ends): Promise<void> {
    const spec: JobSpec = {
      ...this.#makeSpec(0),
      tool: "flow",
      toolJson: "{}",
      kind: "run",
      run: { trigger: "webhook", deadlineMs: LIMITS.deadlineMs },
    };
    const request = { cause: spec.id, spec, takes: true };
    const answer = await this.#call(tenant, HOME, region, "hook", (object) => object.recordRun(request));
    if (answer.kind === "backlog-full") {
      ends.refused += 1;
      return;
    }
    ends.flows += 1;
    ends.admitted += 1;
    if (answer.fence !== null) await this.#runFlow(tenant, region, spec.id, answer.fence);
  }

  async #runFlow(tenant: number, region: number, jobId: string, fence: number): Promise<void> {
    const call = <T>(turn: (object: SimulatedObject) => T): Promise<T> =>
      this.#call(tenant, HOME, region, "step", turn);
    for (let step = 0; step < chosen.FLOW_WRITES; step += 1) {
      const id = `write-${step}`;
      await call((object) => object.beginStep(jobId, fence, id));
      await this.#pause(chosen.ATTEMPT.ms);
      void call((object) => object.endStep(jobId, fence, { id, outcomeJson: "{}" }));
    }
    const report = { envelopeJson: '{"results":[]}', steps: [] };
    const end = this.#attemptEnd();
    await this.#call(tenant, HOME, region, "settle", (object) => object.settleRun(jobId, fence, end, report));
  }

  #call<T>(
    tenant: number,
    shard: number,
    region: number,
    kind: Kind,
    turn: (object: SimulatedObject) => T,
  ): Promise<T> {
    const { regions } = this.#options;
    const { least, most } = chosen.ONE_WAY_MS;
    // The object lies in the region that most callers are in.
    const oneWayMs = least + ((most - least) * region) / Math.max(1, regions - 1);
    return this.#objectOf(tenant, shard).call(kind, oneWayMs, turn);
  }

  #objectOf(tenant: number, shard: number): HostedObject {
    const name = nameObject(`tenant-${tenant + 1}`, shard);
    let object = this.objects.get(name);
    if (object !== undefined) return object;
    object = new HostedObject(name, this.queue, {
      random: this.#random,
      attempt: async () => {
        await this.#pause(chosen.ATTEMPT.ms);
        object!.takeTurn();
        return this.#attemptEnd();
      },
      run: ({ spec, fence }: JobClaim) => this.#runFlow(tenant, 0, spec.id, fence),
    });
    this.objects.set(name, object);
    return object;
  }

  #quotaOf(tenant: number): RateLimit {
    const { rate, quota } = this.#options;
    const { length: tenants } = this.#tenants;
    const { headroom, least, windowS } = chosen.QUOTA;
    const share = tenant < tenants ? this.#tenants[tenant]! - (this.#tenants[tenant - 1] ?? 0) : 0;
    const limit = quota ?? Math.max(least, Math.ceil(rate * share * windowS * headroom));
    return { bucket: "key:agent", limit: tenant < tenants ? limit : least, windowS };
  }

  #endsOf(tenant: number): Ends {
    let ends = this.ends.get(tenant);
    if (ends === undefined) this.ends.set(tenant, (ends = { ...NO_ENDS }));
    return ends;
  }

  #makeSpec(rank: number): JobSpec {
    const id = placeJob(this.#newId(), { rank, atHome: LIMITS.headerSlots });
    return {
      id,
      tool: "send_email",
      argsJson: "{}",
      idempotencyKey: id,
      maxAttempts: LIMITS.jobAttempts,
      backoffInitialMs: LIMITS.jobBackoffInitialMs,
      delivery: "at-least-once",
    };
  }

  #newId(): string {
    return `00000000-0000-4000-8000-${(this.#ids += 1).toString(16).padStart(12, "0")}`;
  }

  #attemptEnd(): Parameters<SimulatedObject["settle"]>[2] {
    return this.#random() < chosen.ATTEMPT.fails ? FAILED : SUCCEEDED;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.queue.after(ms, resolve));
  }
}

function kindOf({ quota, jobs, idempotency }: AdmissionRequest, wishes: number): Kind {
  if (jobs.length > 0) return "job";
  if (idempotency !== undefined) return "keyed";
  return quota === null && wishes > 0 ? "lease" : "batch";
}
