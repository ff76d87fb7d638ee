import { dueClock } from "../clock/due-clocks.ts";
import type { FlowClock, ToolChange, ToolsChanged } from "../../added-tools/stored-tools.ts";

type Row = { flow: string; cron: string; timezone: string; next_at: number | null };

/**
 * The clocks of the tenant's flows: rows of `clocks`, all of them in memory too, because each of the object's alarms asks.
 *
 * Memory follows the table: it is changed after the write succeeded, and a cold start reads it anew.
 */
export class ClockTable {
  readonly #sql: SqlStorage;
  readonly #clocks: Map<string, FlowClock>;
  #nextAt: number | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const rows = sql.exec<Row>("SELECT flow, cron, timezone, next_at FROM clocks");
    this.#clocks = new Map(
      Array.from(rows, ({ flow, cron, timezone, next_at: nextAt }) => [flow, { cron, timezone, nextAt }]),
    );
    this.#findNext();
  }

  /** When the first of them comes; null when none does. Every request to the object asks. */
  get nextAt(): number | null {
    return this.#nextAt;
  }

  /** Follow a change of the tenant's tools that was made. */
  follow(change: ToolChange, { removed }: ToolsChanged): void {
    for (const flow of removed) this.#put(flow, null);
    if (change.kind === "put") this.#put(change.tool.name, change.tool.clock ?? null);
    this.#findNext();
  }

  /**
   * Take the clocks that have come: of each, the time that its run is for.
   *
   * @param record records that run and, in the same transaction, what is due next, by `keep`
   */
  take(nowMs: number, record: (flow: string, at: number, keep: () => void) => void): void {
    for (const [flow, clock] of this.#clocks) {
      const { run, nextAt } = dueClock(clock, nowMs);
      if (run === null) continue;
      const next = { ...clock, nextAt };
      record(flow, run, () => this.#write(flow, next));
      this.#clocks.set(flow, next);
    }
    this.#findNext();
  }

  #put(flow: string, clock: FlowClock | null): void {
    if (clock !== null) {
      this.#write(flow, clock);
      this.#clocks.set(flow, clock);
    } else if (this.#clocks.delete(flow)) this.#sql.exec("DELETE FROM clocks WHERE flow = ?", flow);
  }

  #findNext(): void {
    const times = [...this.#clocks.values()].flatMap(({ nextAt }) => nextAt ?? []);
    this.#nextAt = times.length === 0 ? null : Math.min(...times);
  }

  #write(flow: string, { cron, timezone, nextAt }: FlowClock): void {
    const insert = "REPLACE INTO clocks (flow, cron, timezone, next_at) VALUES (?, ?, ?, ?)";
    this.#sql.exec(insert, flow, cron, timezone, nextAt);
  }
}
