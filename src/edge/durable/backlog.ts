import type { UsageReport } from "../../contract/gate/usage.ts";
import type { Due } from "../../state/due-index.ts";
import type { JobKind } from "./tables/job-table.ts";

export interface BacklogOptions {
  /** Live jobs at most; runs are not counted, nor webhooks that wait to be sent again. */
  readonly backlog: number;
  /** The same of a shard that is not the tenant's home. */
  readonly shardBacklog: number;
  /** Webhooks that wait to be sent again: for days, so they are many where an endpoint is down. */
  readonly webhookBacklog: number;
  /** Live runs of one flow, and of all. */
  readonly flowBacklog: number;
  readonly runBacklog: number;
  /** Live jobs that redriving may add to a full backlog. */
  readonly redrives: number;
}

/**
 * How many jobs are alive, by the backlog that they count in. The index of due rows counts each entry in when it comes and out
 * when it goes, so the two agree after every turn.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  #jobs = 0;
  #webhooks = 0;
  #runs = 0;
  readonly #runsOf = new Map<string, number>();

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Jobs that are alive, of every kind. */
  get size(): number {
    return this.#jobs + this.#webhooks + this.#runs;
  }

  get usage(): UsageReport["backlog"] {
    return { jobs: this.#jobs, webhooks: this.#webhooks, runs: this.#runs };
  }

  hasRunsOf(flow: string): boolean {
    return this.#runsOf.has(flow);
  }

  /** Count an entry of the index in (1) or out (-1). */
  count(due: Due | undefined, by: 1 | -1): void {
    if (due?.kind === "attempt" && due.isWaiting === true) this.#webhooks += by;
    else if (due?.kind === "attempt") this.#jobs += by;
    if (due?.kind !== "run") return;
    const flow = due.flow!;
    const ofFlow = this.#live(flow) + by;
    this.#runs += by;
    if (ofFlow > 0) this.#runsOf.set(flow, ofFlow);
    else this.#runsOf.delete(flow);
  }

  /** Whether there is no room for a new job beside those of the same turn: `others`. A webhook may come to wait, so it needs room there too. */
  isFull(kind: JobKind, { queued, others }: { queued: boolean; others: number }): boolean {
    const { backlog, shardBacklog, webhookBacklog } = this.#options;
    const isFull = this.#jobs + others >= (queued ? shardBacklog : backlog);
    return isFull || (kind === "webhook" && this.#webhooks >= webhookBacklog);
  }

  /** Whether there is no room for a new run of a flow. */
  isFullOfRuns(flow: string): boolean {
    return this.#live(flow) >= this.#options.flowBacklog || this.#runs >= this.#options.runBacklog;
  }

  /** Whether there is no room for one more, even of what is redriven. */
  isFullForRedriven(kind: JobKind, tool: string): boolean {
    const { backlog, flowBacklog, webhookBacklog, redrives } = this.#options;
    switch (kind) {
      case "job":
        return this.#jobs >= backlog + redrives;
      case "webhook":
        return this.#webhooks >= webhookBacklog + redrives;
      case "run":
        return this.#live(tool) >= flowBacklog + redrives;
    }
  }

  #live(flow: string): number {
    return this.#runsOf.get(flow) ?? 0;
  }
}
