/** A key as its tenant knows it, with what it was sent for. */
export interface KeyedContent {
  /** Batches and actions have keys of their own kind: the same text as both is two keys. */
  readonly key: string;
  /** SHA-256 of what was asked and who asked; the same key with another fingerprint is a conflict. */
  readonly fingerprint: string;
  /** The same as an earlier version wrote it, where that differs. */
  readonly former?: string;
  /**
   * The fingerprint is that of references, before they are resolved. The key is claimed without comparing; the asker compares
   * when the references are resolved.
   */
  readonly open?: true;
  /** The seed of the ids of its jobs and upstream calls, unless an earlier run has begun: then that run's. */
  readonly seed: string;
  /** A record under it is of another request, and is forgotten. */
  readonly fresh?: boolean;
  /**
   * Its run has taken over the request that the key was made for: a run that holds it by an earlier claim is lost. False where no run
   * began that request before.
   */
  readonly inherited?: boolean;
  /** Its client sends it a few times only: it is to come again when the run is over, was renewed, or may be taken over from. */
  readonly givesUpSoon?: boolean;
  /** How long it is kept, where that is shorter than keys are. */
  readonly retentionMs?: number;
  /** The places of its actions that wait for a person in this run, which sends none of them; an action's own key has one place, 0. */
  readonly parked?: readonly number[];
}

/** The keys of one batch, to be claimed in its admission. */
export interface IdempotencyRequest {
  /** Names this run of the batch: only it may complete what it claimed. */
  readonly runId: string;
  readonly batch: KeyedContent | null;
  /** At most one of a key. */
  readonly actions: readonly (KeyedContent & { readonly index: number })[];
}

/**
 * The state of a key for the request that sends it now.
 *
 * - `claimed`: run it, with these ids. `inDoubt`: an earlier run began and never reported; what it did is not known, but that it sent
 *   nothing of what was `parked` in every run.
 * - `running`: another run holds it.
 * - `conflict`: it was used for other content.
 * - `done`: this was the answer.
 *
 * `of` is the fingerprint that the key was used for, where what asks has an open one: it is a conflict if that turns out to be
 * another.
 */
export type KeyState =
  | {
      readonly kind: "claimed";
      readonly seed: string;
      readonly inDoubt: boolean;
      readonly parked?: readonly number[];
      /** When the first run began, where that is in doubt; absent where a version recorded it that did not say. */
      readonly begunAt?: number;
      readonly of?: string;
    }
  | { readonly kind: "running"; readonly retryAfterMs: number }
  | { readonly kind: "conflict" }
  | { readonly kind: "done"; readonly answer: KeptAnswer; readonly of?: string };

export interface KeptAnswer {
  readonly json: string;
  /** Whether it says that the action did not succeed: under fail-fast that stops the batch again. */
  readonly failed: boolean;
  /** For a batch or a request: the tools that it tells of, which its reader must be allowed to call. */
  readonly tools?: readonly string[];
}

/** The seed of the ids of one action's jobs and upstream calls. */
export interface Seed {
  readonly value: string;
  /** True for an idempotency key of the action's own, which stands for it in whichever batch it is sent. */
  readonly own: boolean;
  /** An earlier run's, which may have recorded jobs under it: their attempts are that run's or the alarm's. */
  readonly retaken: boolean;
  /** That run was one of a version that named the jobs of a loop by the places of its elements. */
  readonly byPlace?: boolean;
}

/** The keys' states in an admission; an action that is missing was not claimed. */
export interface IdempotencyAnswer {
  readonly batch: KeyState | null;
  readonly actions: readonly { readonly index: number; readonly state: KeyState }[];
  /** How long the claims last unless they are renewed; absent where they need not be. */
  readonly leaseMs?: number;
}

/** The keys that a run has claimed and holds on to while it is alive, each with the seed that its claim was given. */
export interface IdempotencyRenewal {
  readonly runId: string;
  readonly keys: readonly (Pick<KeyedContent, "key" | "seed"> & {
    readonly retentionMs?: number | undefined;
  })[];
}

/**
 * How a run leaves a key that it claimed.
 *
 * - `done`: keep the answer.
 * - `free`: forget the key, because certainly nothing was done under it.
 * - `release`: nothing was done but what its seed identifies, which the next run will find again.
 */
export type KeyEnd =
  | { readonly kind: "done"; readonly answer: KeptAnswer }
  | { readonly kind: "free" | "release" };

/** A run's last word on its keys. */
export interface IdempotencyClosing {
  readonly runId: string;
  readonly ends: readonly (Pick<KeyedContent, "key" | "retentionMs"> & {
    readonly end: KeyEnd;
    /** The fingerprint of an open key, once it is known. */
    readonly fingerprint?: string | undefined;
  })[];
}

/**
 * Find the seed of an action among its batch's keys: its own key's goes before the batch's, and an earlier run's before the
 * one that was asked with. Null where it has neither key.
 *
 * @param claimed null before the admission, when every key counts as fresh
 */
export function seedOf(
  index: number,
  { batch, actions }: IdempotencyRequest,
  claimed: IdempotencyAnswer | null,
): Seed | null {
  const action = actions.find((other) => other.index === index);
  const asked = action ?? batch;
  if (asked === null) return null;
  const own = action !== undefined;
  const state = own ? claimed?.actions.find((other) => other.index === index)?.state : claimed?.batch;
  const value = state?.kind === "claimed" ? state.seed : asked.seed;
  const byPlace = state?.kind === "claimed" && state.inDoubt && state.begunAt === undefined;
  return { value, own, retaken: value !== asked.seed, byPlace };
}
