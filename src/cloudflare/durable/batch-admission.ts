import type { AdmissionAnswer, AdmissionRequest } from "../../core/contract/gate/admission.ts";
import type { IdempotencyAnswer, IdempotencyRequest } from "../../core/contract/gate/idempotency.ts";
import { admitJobs } from "../../core/gate/state/admit-jobs.ts";
import { narrowToClaimed } from "../../core/gate/state/narrow-to-claimed.ts";
import type { KeyTable } from "./tables/key-table.ts";
import type { Outbox } from "./stored-outbox.ts";
import type { QuotaTable } from "./tables/quota-table.ts";

/** The tables that an admission reads and writes. */
export interface AdmissionTables {
  readonly quota: QuotaTable;
  readonly outbox: Outbox;
  readonly keys: KeyTable;
}

/** Admits batches at one tenant's object: claims their keys, counts their quota and draws, records their jobs. */
export class BatchAdmission {
  readonly #quota: QuotaTable;
  readonly #outbox: Outbox;
  readonly #keys: KeyTable;

  constructor({ quota, outbox, keys }: AdmissionTables) {
    this.#quota = quota;
    this.#outbox = outbox;
    this.#keys = keys;
  }

  /** Admit one batch. Synchronous, so that no other request sees half of it. */
  admit(nowMs: number, request: AdmissionRequest): AdmissionAnswer {
    const { idempotency } = request;
    return idempotency === undefined
      ? this.#admit(nowMs, request)
      : this.#admitKeyed(nowMs, request, idempotency);
  }

  /**
   * Admit a batch with keys. A batch that was run before costs nothing, so it can be asked for when the quota is used up; a batch
   * that the quota or a limit turns away leaves its key as it was.
   */
  #admitKeyed(nowMs: number, request: AdmissionRequest, keys: IdempotencyRequest): AdmissionAnswer {
    const batch = keys.batch && this.#keys.claim(nowMs, keys.batch, keys);
    if (batch !== null && batch.state.kind !== "claimed") {
      const idempotency = { batch: batch.state, actions: [] };
      return { quota: null, denied: [], recorded: [], refusedJobs: [], idempotency };
    }
    const actions = keys.actions.map((action) => ({
      index: action.index,
      ...this.#keys.claim(nowMs, action, keys),
    }));
    const asked: IdempotencyAnswer = { batch: batch && batch.state, actions };
    const narrowed = narrowToClaimed(request, keys, asked);
    // It was counted then. Refusing it now would hide what that admission began.
    const quota = [batch, ...actions].some((claim) => claim?.isHeld) ? null : request.quota;

    let settled: IdempotencyAnswer["actions"] = [];
    const answer = this.#admit(nowMs, { ...request, ...narrowed, quota }, (denied) => {
      const kept = actions.filter(({ index, state }) => narrowed.keeps(index, state, denied));
      this.#keys.save([...(batch === null ? [] : [batch]), ...kept]);
      settled = kept.map(({ index, state }) => ({ index, state }));
    });
    if (answer.quota?.allowed === false) return { ...answer, idempotency: asked };
    const { leaseMs } = this.#keys;
    return { ...answer, idempotency: { batch: asked.batch, actions: settled, leaseMs } };
  }

  /**
   * Count a batch's quota and its draws, record its jobs.
   *
   * A request that recorded jobs before (its answer was lost and it was sent again) is counted once more, but never
   * refused for that: its jobs do run, and saying otherwise would make the caller send them a second time.
   *
   * @param onCounted hears what was denied, before anything is recorded; when it throws nothing is
   */
  #admit(
    nowMs: number,
    request: AdmissionRequest,
    onCounted: (denied: AdmissionAnswer["denied"]) => void = () => {},
  ): AdmissionAnswer {
    const { countedAtHome } = request;
    let count =
      countedAtHome === undefined
        ? this.#quota.draw(nowMs, request)
        : { quota: null, denied: countedAtHome.denied };
    const isRecorded = (id: string): boolean => this.#outbox.has(id);
    if (count.quota?.allowed === false) {
      if (!request.jobs.some(({ spec }) => isRecorded(spec.id)))
        return { ...count, recorded: [], refusedJobs: [] };
      const { denied } = this.#quota.draw(nowMs, { quota: null, draws: request.draws });
      count = { quota: { ...count.quota, allowed: true }, denied };
    }
    const { jobs, denied } = admitJobs(request, count.denied, isRecorded);
    onCounted(denied);
    if (jobs.length === 0) return { quota: count.quota, denied, recorded: [], refusedJobs: [] };
    return {
      quota: count.quota,
      denied,
      ...this.#outbox.record(nowMs, jobs, { queued: countedAtHome !== undefined }),
    };
  }
}
