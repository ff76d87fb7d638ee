import type { RateLimit } from "../../core/contract/gate/admission.ts";
import type { AttemptEnd, JobClaim, JobSpec, JobStatus } from "../../core/contract/gate/job.ts";
import type { Lane } from "../../core/gate/state/due-index.ts";
import type { MayMend } from "../../core/gate/state/outbox.ts";
import type { Backlog } from "./backlog.ts";

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
