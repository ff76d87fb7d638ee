import type {
  AdmissionAnswer,
  AdmissionRequest,
  LeaseWish,
} from "../../../src/core/contract/gate/admission.ts";
import { createLeasedAdmission, IsolateQuota } from "../../../src/core/gate/leased-admission.ts";
import type { Clock } from "../../../src/core/kit/clock.ts";
import { TENANTS_LEASED } from "./workload.ts";

type Admit = (request: AdmissionRequest) => Promise<AdmissionAnswer>;

export type Send = (
  tenant: number,
  request: AdmissionRequest,
  wishes: readonly LeaseWish[],
) => Promise<AdmissionAnswer>;

/** One isolate of a region: what it holds of its tenants' quotas, and how it asks for more. */
export class Isolate {
  readonly #clock: Clock;
  readonly #send: Send;
  readonly #held = new Map<number, { readonly quota: IsolateQuota; readonly admit: Admit }>();

  constructor(clock: Clock, send: Send) {
    this.#clock = clock;
    this.#send = send;
  }

  admit(tenant: number, request: AdmissionRequest): Promise<AdmissionAnswer> {
    return this.#open(tenant).admit(request);
  }

  /** Tenants of whose quota it holds some now. */
  countLeases(bucketOf: (tenant: number) => string): number {
    let count = 0;
    for (const [tenant, { quota }] of this.#held) if (quota.leases.heldOf(bucketOf(tenant)) > 0) count += 1;
    return count;
  }

  /** As the deployment keeps them: whose was opened first goes first. */
  #open(tenant: number): { readonly admit: Admit } {
    const known = this.#held.get(tenant);
    if (known !== undefined) return known;
    const [oldest] = this.#held.keys();
    if (this.#held.size >= TENANTS_LEASED && oldest !== undefined) this.#held.delete(oldest);
    const quota = new IsolateQuota();
    const admit = createLeasedAdmission({
      held: quota,
      clock: this.#clock,
      defer: () => {},
      send: (request, wishes) => this.#send(tenant, request, wishes),
    });
    const opened = { quota, admit };
    this.#held.set(tenant, opened);
    return opened;
  }
}
