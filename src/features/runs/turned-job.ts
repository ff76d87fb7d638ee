import type { JobStatus } from "../../core/contract/gate/job.ts";
import type { LogLine } from "../../core/contract/outcome.ts";

/** A job of an action that ended otherwise than well, goes on after that or has written lines: as its run has to know of it. */
export interface TurnedJob {
  readonly job: string;
  /** The batch that made it, and the request of that. */
  readonly run: string;
  readonly request: string;
  readonly tool: string;
  readonly status: JobStatus;
  /** When it turned, in milliseconds since the epoch. */
  readonly at: number;
  readonly code?: string;
  /** The action that it is. */
  readonly action?: string;
  /** Whether it took effect is not known. */
  readonly inDoubt?: true;
  /** The lines that its attempts have written, or those of an action of it where it is a run. */
  readonly log?: readonly LogLine[];
}
