import type { IdempotencyAnswer, IdempotencyRequest } from "../contract/gate/idempotency.ts";
import { LIMITS } from "../contract/limits.ts";
import { deriveId } from "../kit/derive-id.ts";
import type { Ports } from "../egress/ports.ts";

/**
 * The ids by which the rest of the world knows a batch's calls: of its jobs, and the idempotency keys of its requests.
 *
 * Without an idempotency key they are fresh. Under one they are made of its seed, so that whoever runs the same thing
 * again gives the same ids: the outbox then finds the job, and a provider that honours the key acts once. An action's
 * own key goes before the batch's.
 */
export class StepIds {
  readonly #newId: () => string;
  readonly #batchSeed: string | null;
  readonly #actionSeeds: ReadonlyMap<number, string>;
  readonly #retaken: ReadonlySet<number>;
  readonly #isBatchRetaken: boolean;
  #key: string | null = null;

  /**
   * @param asked the keys, null without any
   * @param claimed what the gate said; absent before the admission, when every key counts as fresh
   */
  constructor(
    ports: Pick<Ports, "newId">,
    asked: IdempotencyRequest | null = null,
    claimed: IdempotencyAnswer | null = null,
  ) {
    this.#newId = () => ports.newId();
    const { batch } = claimed ?? {};
    const askedSeed = asked?.batch?.seed ?? null;
    this.#batchSeed = batch?.kind === "claimed" ? batch.seed : askedSeed;
    this.#isBatchRetaken = this.#batchSeed !== askedSeed;

    const seeds = new Map(asked?.actions.map(({ index, seed }) => [index, seed]));
    const retaken = new Set<number>();
    for (const { index, state } of claimed?.actions ?? []) {
      if (state.kind !== "claimed" || state.seed === seeds.get(index)) continue;
      seeds.set(index, state.seed);
      retaken.add(index);
    }
    this.#actionSeeds = seeds;
    this.#retaken = retaken;
  }

  /** The idempotency key of a sync call, or of one element of a loop of them. */
  callKey({ index, id }: { readonly index: number; readonly id: string }, element: number | null): string {
    const base = this.#actionSeeds.get(index) ?? `${this.#batchKey()}:${id}`;
    return element === null ? base : `${base}:${element}`;
  }

  /** The id of a background job, or of the job of one element of a loop. */
  jobId(index: number, element: number | null): string {
    const place = element === null ? 0 : element + 1;
    const actionSeed = this.#actionSeeds.get(index);
    if (actionSeed !== undefined) return deriveId(actionSeed, place);
    if (this.#batchSeed !== null) return deriveId(this.#batchSeed, index * (LIMITS.loopElements + 1) + place);
    return this.#newId();
  }

  /** Whether an earlier run chose the ids of a step, and may have recorded its jobs. */
  isRetaken(index: number): boolean {
    return this.#actionSeeds.has(index) ? this.#retaken.has(index) : this.#isBatchRetaken;
  }

  /** Whether a step's ids come from an idempotency key of its own. */
  isOwn(index: number): boolean {
    return this.#actionSeeds.has(index);
  }

  #batchKey(): string {
    return (this.#key ??= this.#batchSeed ?? this.#newId());
  }
}
