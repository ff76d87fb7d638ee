import type { JobSpec } from "../../contract/gate/job.ts";
import type { ToolsChanged, ToolChange } from "../../contract/gate/kept-tool.ts";
import { attempt } from "../../kit/result.ts";
import type { Outbox } from "./outbox.ts";
import { ClockTable, type Look } from "./tables/clock-table.ts";
import type { RunTable } from "./tables/run-table.ts";
import type { ToolTable } from "./tables/tool-table.ts";

/** Reads the clocks of flows, and makes the runs that they cause. */
export interface ClockEngine {
  /** Load what reads clocks. */
  loadLook(): Promise<Look>;
  makeRun(clocked: {
    readonly tenant: string;
    readonly toolJson: string;
    readonly newId: () => string;
  }): JobSpec;
}

/** The parts of an object that its clocks need. */
export interface GateClocksParts {
  /** Absent in a Worker without flows: its clocks stand still. */
  readonly engine: ClockEngine | undefined;
  readonly tenant: string;
  readonly tools: ToolTable;
  readonly runs: RunTable;
  readonly outbox: Outbox;
  /** Told when clocks that had come can be read at last. */
  readonly onReady: () => void;
}

/** The clocks of a tenant's flows: when the next comes, and the runs of those that have. */
export class GateClocks {
  readonly #table: ClockTable;
  readonly #parts: GateClocksParts;
  /** Reads the clocks; loaded when one has come. */
  #look: Look | undefined;

  constructor(sql: SqlStorage, parts: GateClocksParts) {
    this.#table = new ClockTable(sql);
    this.#parts = parts;
  }

  /** When the next clock strikes; null when there is none. */
  get nextAt(): number | null {
    return this.#parts.engine === undefined ? null : this.#table.nextAt;
  }

  /** Take over what changed of the flows that have clocks. */
  follow(change: ToolChange, changed: ToolsChanged): void {
    this.#table.follow(change, changed);
  }

  /** Load what reads clocks, where there is one. */
  async prepare(): Promise<void> {
    if (this.nextAt !== null) this.#look ??= await this.#parts.engine?.loadLook();
  }

  /** Record the runs of clocks that have come: one for each, whatever it has missed. */
  take(now: number): void {
    const { nextAt } = this;
    if (nextAt === null || nextAt > now) return;
    const { engine, tenant, tools, runs, outbox, onReady } = this.#parts;
    if (this.#look === undefined) {
      // A clock that was put while the alarm was under way.
      void attempt(() => this.prepare()).then(onReady);
      return;
    }
    this.#table.take(now, this.#look, (flow, at, keep) => {
      const tool = tools.read(flow);
      const cause = `cron ${at}`;
      if (tool === null || runs.causedBy(now, { flow, cause }) !== null) return keep();
      const spec = engine!.makeRun({ tenant, toolJson: tool.json, newId: () => crypto.randomUUID() });
      const beside = (): void => {
        runs.keepCause(now, { flow, cause, jobId: spec.id });
        keep();
      };
      // So many may wait that this time is as good as missed.
      if (outbox.recordOne(now, { spec, takes: null, beside }) === null) keep();
    });
  }
}
