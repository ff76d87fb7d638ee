import { query } from "../../../feature/object.ts";
import { isFlow } from "../../../feature/tool.ts";
import type { FlowClock, ToolChange, ToolsChanged } from "../../added-tools/stored-tools.ts";
import type { Outbox } from "../../../cloudflare/durable/stored-outbox.ts";
import type { ToolTable } from "../../added-tools/index.ts";
import { dueClock } from "../clock/due-clocks.ts";
import type { KeptFlow } from "../declaration/flow-schema.ts";
import { makeRun } from "../run/make-run.ts";
import type { RunTable } from "./stored-runs.ts";

type Row = { flow: string; cron: string; timezone: string; next_at: number | null };

/** The parts of an object that its clocks need. */
export interface FlowClocksParts {
  readonly tenant: string;
  readonly tools: ToolTable;
  readonly runs: RunTable;
  readonly outbox: Outbox;
}

/**
 * The clocks of a tenant's flows, and the runs of those that have come: rows of `clocks`, all of them in memory too, because each of the
 * object's alarms asks.
 *
 * Memory follows the table: it is changed after the write succeeded, and a cold start reads it anew.
 */
export class FlowClocks {
  readonly #sql: SqlStorage;
  readonly #parts: FlowClocksParts;
  readonly #clocks: Map<string, FlowClock>;
  #nextAt: number | null = null;

  constructor(sql: SqlStorage, parts: FlowClocksParts) {
    this.#sql = sql;
    this.#parts = parts;
    const rows = sql.exec<Row>("SELECT flow, cron, timezone, next_at FROM clocks");
    this.#clocks = new Map(
      Array.from(rows, ({ flow, cron, timezone, next_at: nextAt }) => [flow, { cron, timezone, nextAt }]),
    );
    this.#findNext();
  }

  /** The time of the next clock, or null. It is kept in memory: every request to the object reads it. */
  get nextAt(): number | null {
    return this.#nextAt;
  }

  /** Follow a change of the tenant's tools that was made. */
  follow(change: ToolChange, { removed }: ToolsChanged): void {
    for (const flow of removed) this.#put(flow, null);
    if (change.kind === "put") this.#put(change.tool.name, change.tool.clock ?? null);
    this.#findNext();
  }

  /** Record the runs of clocks that have come: one for each, for the latest of its times, whatever it has missed. */
  take(now: number): void {
    if (this.#nextAt === null || this.#nextAt > now) return;
    for (const [flow, clock] of this.#clocks) {
      const { run, nextAt } = dueClock(clock, now);
      if (run === null) continue;
      const next = { ...clock, nextAt };
      this.#record(now, { flow, cause: `cron ${run}` }, () => this.#write(flow, next));
      this.#clocks.set(flow, next);
    }
    this.#findNext();
  }

  /** @param keep writes down what is due next, in the transaction that records the run */
  #record(now: number, of: { readonly flow: string; readonly cause: string }, keep: () => void): void {
    const { tenant, tools, runs, outbox } = this.#parts;
    const tool = tools.read(of.flow);
    // Its name may be another's by now, where the Worker was without flows for a while.
    if (tool === null || !isFlow(tool) || runs.causedBy(now, of) !== null) return keep();
    const spec = makeRun({
      tenant,
      trigger: "cron",
      kept: JSON.parse(tool.json) as KeptFlow,
      toolJson: tool.json,
      inputJson: "{}",
      newId: () => crypto.randomUUID(),
    });
    const beside = (): void => {
      runs.keepCause(now, { ...of, jobId: spec.id });
      keep();
    };
    // So many may wait that this time is as good as missed.
    if (outbox.recordOne(now, { spec, takes: null, beside }) === null) keep();
  }

  #put(flow: string, clock: FlowClock | null): void {
    if (clock !== null) {
      this.#write(flow, clock);
      this.#clocks.set(flow, clock);
    } else if (this.#clocks.delete(flow)) query(this.#sql)`DELETE FROM clocks WHERE flow = ${flow}`;
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
