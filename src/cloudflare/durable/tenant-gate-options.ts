import type { CallbackTarget } from "../../core/contract/gate/job.ts";
import type { Shelf } from "../../core/contract/gate/kept-result.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { KEEP_LIMITS, type KeepLimits } from "../../core/gate/state/kept-results.ts";
import type { BacklogOptions } from "./core-kinds.ts";
import type { OutboxOptions } from "./stored-outbox.ts";
import { KEY_LIMITS, type KeyTableOptions } from "./tables/key-table.ts";

/** The bounds of a tenant's object, and the addresses that it tells. */
export interface TenantGateOptions extends OutboxOptions, BacklogOptions {
  readonly shelves: Readonly<Record<Shelf, KeepLimits>>;
  readonly keys: KeyTableOptions;
  /** The deployment's address for events; null if it names no address. */
  readonly eventsTo: CallbackTarget | null;
  /** Events that may wait to be delivered. */
  readonly eventBacklog: number;
}

/** The defaults of a deployment. */
export const TENANT_GATE_OPTIONS: TenantGateOptions = {
  leaseMs: LIMITS.jobLeaseMs,
  backlog: LIMITS.jobBacklog,
  shardBacklog: LIMITS.shardBacklog,
  webhookBacklog: LIMITS.webhookBacklog,
  redrives: LIMITS.jobRedrives,
  retentionMs: LIMITS.jobRetentionMs,
  jobsKept: LIMITS.jobsKept,
  concurrency: LIMITS.headerSlots,
  shelves: KEEP_LIMITS,
  keys: KEY_LIMITS,
  eventsTo: null,
  eventBacklog: LIMITS.eventBacklog,
};
