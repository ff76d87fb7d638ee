import type { RateLimit } from "../../core/contract/gate/admission.ts";
import type { AttemptEnd, JobClaim, JobSpec, JobStatus } from "../../core/contract/gate/job.ts";
import type { Lane, Due } from "../../core/gate/state/due-index.ts";
import type { MayMend } from "../../core/gate/state/settle-job.ts";

/** A kind of job: all that sets its jobs apart from others. One code records, claims, counts, settles and shows those of every kind. */
export interface JobKind {
  /** The name that each row of it has. */
  readonly name: string;
  /** The lane that it brings besides those that there are. */
  readonly lane?: Lane;
  /** The lane of its attempts and the backlog that counts it, while it is alive. */
  readonly placeOf: (status: JobStatus) => { readonly lane: string; readonly backlog: string };
  /** Whether the jobs of one tool take turns with those of another, and are counted apart. */
  readonly takesTurns?: boolean;
  /**
   * Whether all of its attempts are the alarm's, the first one too. Then none is under way in an object that was just started: those
   * that seem to be are due at once.
   */
  readonly isQueued?: boolean;
  /** Whether jobs that have not begun go before those that have and are to go on. */
  readonly newFirst?: boolean;
  /** Whether there is room for a new job. */
  readonly hasRoom: (backlog: Backlog, wish: RoomWish) => boolean;
  /** Whether there is room for one that is redriven: a little more than for new ones. */
  readonly hasRoomAgain: (backlog: Backlog, tool: string) => boolean;
  /** How long an attempt has its job for itself besides the lease. */
  readonly attemptMs?: (spec: JobSpec) => number;
  /** When one that failed for good is dead, so that it can be redriven; never unless said. */
  readonly mayMend?: MayMend;
  /** The tenant's limit that an attempt draws from; null for none. */
  readonly limitOf: (claim: Pick<JobClaim, "spec" | "fence">) => RateLimit | null;
  /** Make an attempt: how it ended, or null where the attempt has told the object itself. */
  readonly attempt: (claim: JobClaim) => Promise<AttemptEnd | null>;
}

/** A new job that room is asked for. */
export interface RoomWish {
  readonly tool: string;
  /** Recorded on a shard, where less may wait. */
  readonly queued: boolean;
  /** Jobs that the same turn records before it. */
  readonly others: number;
}

/**
 * How many jobs are alive, by the backlog that they count in. The index of due rows counts each entry in when it comes and out
 * when it goes, so the two agree after every turn.
 */
export class Backlog {
  readonly #sizes = new Map<string, number>();
  /** The same by the group of jobs, of those that have one. */
  readonly #groups = new Map<string, number>();

  /** Jobs that are alive, of every kind. */
  get size(): number {
    let size = 0;
    for (const count of this.#sizes.values()) size += count;
    return size;
  }

  /** Jobs that are alive in one backlog. */
  sizeOf(backlog: string): number {
    return this.#sizes.get(backlog) ?? 0;
  }

  /** Jobs of a group that are alive. */
  sizeOfGroup(group: string): number {
    return this.#groups.get(group) ?? 0;
  }

  /** Count an entry of the index in (1) or out (-1). */
  count(due: Due | undefined, by: 1 | -1): void {
    if (due?.backlog === undefined) return;
    this.#sizes.set(due.backlog, this.sizeOf(due.backlog) + by);
    const { group } = due;
    if (group === undefined) return;
    const ofGroup = this.sizeOfGroup(group) + by;
    if (ofGroup > 0) this.#groups.set(group, ofGroup);
    else this.#groups.delete(group);
  }
}
