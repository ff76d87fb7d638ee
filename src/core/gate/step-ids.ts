import {
  type IdempotencyAnswer,
  type IdempotencyRequest,
  type Seed,
  seedOf,
} from "../contract/gate/idempotency.ts";
import * as LIMITS from "../contract/limits.ts";
import { deriveId } from "../kit/derive-id.ts";
import type { Result } from "../kit/result.ts";
import { sha256 } from "../kit/sha256.ts";
import type { Call } from "../plan/step.ts";
import type { Ports } from "../egress/ports.ts";

/**
 * The ids by which the rest of the world knows a batch's calls: of its jobs, and the idempotency keys of its requests.
 *
 * All of them are made of a seed: a random one of the batch's or, under an idempotency key, that of the key, so that a repeated
 * run gives the same ids: the outbox then finds the job, and a provider that honours the key acts once.
 */
export class StepIds {
  readonly #newId: () => string;
  readonly #asked: IdempotencyRequest | null;
  #claimed: IdempotencyAnswer | null = null;
  #fresh: string | null = null;

  constructor(ports: Pick<Ports, "newId">, asked: IdempotencyRequest | null = null) {
    this.#newId = () => ports.newId();
    this.#asked = asked;
  }

  /** Take the seeds that the gate knows of earlier runs. */
  take(claimed: IdempotencyAnswer): void {
    this.#claimed = claimed;
  }

  seedOf(index: number): Seed {
    const keyed = this.#asked === null ? null : seedOf(index, this.#asked, this.#claimed);
    return keyed ?? { value: (this.#fresh ??= this.#newId()), own: false, retaken: false };
  }

  /** The idempotency key of a sync call, or of one element of a loop of them, by its name. */
  callKey({ index, id }: { readonly index: number; readonly id: string }, element: string | null): string {
    const { value, own } = this.seedOf(index);
    const base = own ? value : `${value}:${id}`;
    return element === null ? base : `${base}:${element}`;
  }

  /** Name the elements of a loop of jobs, where the batch may come again; undefined where their places name them. */
  namesOf(index: number, calls: Parameters<typeof nameElements>[0]): readonly string[] | undefined {
    return this.#asked === null || this.seedOf(index).byPlace === true ? undefined : nameElements(calls);
  }

  /** The id of a background job, or of the job of one element of a loop, by its name or its place. */
  jobId(index: number, element: string | number | null): string {
    const { value, own } = this.seedOf(index);
    if (typeof element === "string")
      return value.slice(0, -12) + sha256(`${value} ${own ? "" : index} ${element}`).slice(0, 12);
    const place = element === null ? 0 : element + 1;
    const id = deriveId(value, own ? place : index * (LIMITS.loopElements + 1) + place);
    return id === this.#asked?.runId ? deriveId(value, BESIDE) : id;
  }
}

/** The position of the action whose place a batch that is a job has taken itself; no action comes that far. */
const BESIDE = 0x7fff;

/**
 * Name the elements of a loop by their arguments, and equal ones by how many came before. A batch that comes again may read a list that
 * has changed since: at their old places other elements would have the keys of those that were sent.
 */
export function nameElements(calls: readonly Result<Pick<Call, "input">, unknown>[]): readonly string[] {
  const counts = new Map<string, number>();
  return calls.map((call) => {
    const name = call.ok ? sha256(JSON.stringify(call.value.input)).slice(0, 16) : "";
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    return before === 0 ? name : `${name}.${before}`;
  });
}
