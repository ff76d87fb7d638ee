import * as LIMITS from "./limits.ts";
import { attempt } from "../../feature/refuse.ts";
import type { LogLevel } from "../../feature/outside.ts";
import { type Clock, sleep } from "../../feature/kit.ts";
import type { CountedTenant } from "./operator.ts";
import { TallyBook } from "./tally-book.ts";

export interface TallyBufferOptions {
  readonly clock: Clock;
  readonly send: (counted: readonly CountedTenant[]) => Promise<unknown>;
  readonly log: (level: LogLevel, json: string) => void;
}

export const REPORT_BOUNDS = {
  tenants: LIMITS.operatorReportTenants,
  tools: LIMITS.operatorReportTools,
  tenantTools: LIMITS.operatorTenantTools,
};

/**
 * Hold what an isolate counts until it is reported: at most one report a second, of all tenants together, off the way of any answer.
 *
 * The request that counts first keeps the timer; where the platform ends it, the next one sees that the time has passed and takes it
 * over. A report that fails is not sent again, because it may have arrived: its counts are missing, and the log says so.
 */
export class TallyBuffer {
  readonly #options: TallyBufferOptions;
  #book = new TallyBook(REPORT_BOUNDS);
  #sentAt = Number.NEGATIVE_INFINITY;
  #dueAt: number | null = null;

  constructor(options: TallyBufferOptions) {
    this.#options = options;
  }

  /** Count something. */
  count(add: (book: TallyBook) => void, defer: (work: Promise<unknown>) => void): void {
    add(this.#book);
    const now = this.#options.clock.now();
    if (this.#dueAt !== null && now < this.#dueAt + LIMITS.operatorReportMs) return;
    const dueAt = Math.max(now, this.#sentAt + LIMITS.operatorReportMs);
    this.#dueAt = dueAt;
    defer(this.#reportAt(dueAt));
  }

  forget(tenant: string): void {
    this.#book.forget(tenant);
  }

  async #reportAt(dueAt: number): Promise<void> {
    const { clock, send, log } = this.#options;
    await sleep(clock, Math.max(0, dueAt - clock.now()));
    // Another request took it over.
    if (this.#dueAt !== dueAt) return;
    this.#dueAt = null;
    this.#sentAt = clock.now();
    const counted = [...this.#book.counted()];
    this.#book = new TallyBook(REPORT_BOUNDS);
    if (counted.length === 0) return;
    const sent = await attempt(() => send(counted));
    if (sent.ok) return;
    const runs = counted.reduce((sum, { row }) => sum + row[1], 0);
    log("warn", JSON.stringify({ level: "warn", event: "counts_dropped", runs, tenants: counted.length }));
  }
}
