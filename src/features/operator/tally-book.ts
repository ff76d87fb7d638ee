import { addTime, addTimes, type Histogram } from "./histogram.ts";
import { type CountedTenant, OTHERS, type TenantRow } from "./operator.ts";
import type { Caller } from "../../feature/caller.ts";
import { nameOf, type RunListener, type SeenBatch } from "../../feature/tool.ts";

interface TallyBounds {
  readonly tenants: number;
  /** All tenants together may have so many. */
  readonly tools: number;
  /** One tenant may have so many. */
  readonly tenantTools: number;
}

interface ToolTally {
  calls: number;
  errors: number;
  readonly took: Histogram;
}

export interface Counts {
  runs: number;
  actions: number;
  errors: number;
  throttled: number;
  readonly took: Histogram;
}

export function noCounts(): Counts {
  return { runs: 0, actions: 0, errors: 0, throttled: 0, took: [] };
}

interface TenantTally extends Counts {
  begunAt?: number;
  readonly tools: Map<string, ToolTally>;
}

/** One action that is over. Its time is absent where nothing was called. */
interface TalliedAction {
  readonly tool: string;
  readonly isCall: boolean;
  readonly isError: boolean;
  readonly isThrottled: boolean;
  readonly durationMs?: number | undefined;
}

/**
 * Counts by tenant and tool, bounded whatever the names are: a tenant or a tool that there is no room for is counted with others under
 * one name, so that sums stay right.
 */
export class TallyBook {
  readonly #bounds: TallyBounds;
  readonly #tenants = new Map<string, TenantTally>();
  #tools = 0;

  constructor(bounds: TallyBounds) {
    this.#bounds = bounds;
  }

  get isEmpty(): boolean {
    return this.#tenants.size === 0;
  }

  /** Say when a request began that is counted. */
  begin(tenant: string, begunAt: number): void {
    const tally = this.#of(tenant);
    tally.begunAt = Math.min(begunAt, tally.begunAt ?? begunAt);
  }

  addRun(tenant: string, durationMs: number): void {
    const tally = this.#of(tenant);
    tally.runs += 1;
    addTime(tally.took, durationMs);
  }

  addAction(tenant: string, { tool, isCall, isError, isThrottled, durationMs }: TalliedAction): void {
    const tally = this.#of(tenant);
    tally.actions += 1;
    if (isError) tally.errors += 1;
    if (isThrottled) tally.throttled += 1;
    if (!isCall) return;
    const counted = this.#toolOf(tally, tool);
    counted.calls += 1;
    if (isError) counted.errors += 1;
    if (durationMs !== undefined) addTime(counted.took, durationMs);
  }

  /** Count a job that ended otherwise than well. Its action was counted when it was asked for. */
  addFailedJob(tenant: string, tool: string): void {
    const tally = this.#of(tenant);
    tally.errors += 1;
    this.#toolOf(tally, tool).errors += 1;
  }

  addThrottled(tenant: string): void {
    this.#of(tenant).throttled += 1;
  }

  /** Add what was counted elsewhere. */
  add({ row, tools }: CountedTenant): void {
    const tally = this.#of(row[0]);
    addCounts(tally, row);
    for (const [tool, calls, failed, times] of tools) {
      const counted = this.#toolOf(tally, tool);
      counted.calls += calls;
      counted.errors += failed;
      addTimes(counted.took, times);
    }
  }

  forget(tenant: string): boolean {
    this.#tools -= this.#tenants.get(tenant)?.tools.size ?? 0;
    return this.#tenants.delete(tenant);
  }

  *counted(): Iterable<CountedTenant> {
    for (const tenant of this.#tenants.keys()) yield this.countedOf(tenant)!;
  }

  /** The counts of one tenant; undefined where there are none. */
  countedOf(tenant: string): CountedTenant | undefined {
    const tally = this.#tenants.get(tenant);
    if (tally === undefined) return undefined;
    const { runs, actions, errors, throttled, begunAt, took, tools } = tally;
    return {
      row: [tenant, runs, actions, errors, throttled, took],
      tools: Array.from(tools, ([tool, one]) => [tool, one.calls, one.errors, one.took] as const),
      begunAt,
    };
  }

  #of(tenant: string): TenantTally {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    if (this.#tenants.size >= this.#bounds.tenants && tenant !== OTHERS) return this.#of(OTHERS);
    const made = { ...noCounts(), tools: new Map<string, ToolTally>() };
    this.#tenants.set(tenant, made);
    return made;
  }

  #toolOf(tally: TenantTally, tool: string): ToolTally {
    const known = tally.tools.get(tool);
    if (known !== undefined) return known;
    const { tools, tenantTools } = this.#bounds;
    const isFull = this.#tools >= tools || tally.tools.size >= tenantTools;
    if (isFull && tool !== OTHERS) return this.#toolOf(tally, OTHERS);
    const made = { calls: 0, errors: 0, took: [] };
    tally.tools.set(tool, made);
    this.#tools += 1;
    return made;
  }
}

/** The codes of what a limit refused. */
const THROTTLED: ReadonlySet<string> = new Set(["QUOTA_EXCEEDED", "RATE_LIMITED", "BACKLOG_FULL"]);

/**
 * Count the batches of one request. A run is whatever leaves one: the rounds of a request to a model are one, and a flow that
 * is an action of a batch is another.
 */
export function countBatches(
  { tenant }: Pick<Caller, "tenant">,
  count: (add: (book: TallyBook) => void) => void,
): RunListener {
  let isJoined = false;
  return {
    saw(batch) {
      if (batch.ran?.goesOn === true) return;
      count((book) => {
        addActions(book, tenant, batch);
        if (!isJoined || batch.ran?.outer !== undefined) book.addRun(tenant, batch.durationMs);
      });
    },
    refused(code) {
      if (THROTTLED.has(code)) count((book) => book.addThrottled(tenant));
    },
    join() {
      isJoined = true;
      return ({ durationMs }) => {
        isJoined = false;
        count((book) => book.addRun(tenant, durationMs));
      };
    },
  };
}

function addActions(book: TallyBook, tenant: string, { plan, outcomes, isTool }: SeenBatch): void {
  for (const [at, outcome] of outcomes.entries()) {
    const { status, meta } = outcome;
    const code = "error" in outcome ? outcome.error.code : undefined;
    book.addAction(tenant, {
      tool: nameOf(plan.steps[at]!, isTool),
      // The others were not called.
      isCall: status !== "skipped" && status !== "pending_confirmation",
      isError: status === "error" || status === "unknown",
      isThrottled: code !== undefined && THROTTLED.has(code),
      durationMs: status === "initiated" ? undefined : meta.durationMs,
    });
  }
}

/** Add a row of counts, of a tenant in some time, to what was counted of it. */
export function addCounts(sum: Counts, [, runs, actions, errors, throttled, took]: TenantRow): void {
  sum.runs += runs;
  sum.actions += actions;
  sum.errors += errors;
  sum.throttled += throttled;
  addTimes(sum.took, took);
}
