import { isFlow } from "../../../feature/tool.ts";
import type { ToolChange, ToolsChanged } from "../../added-tools/stored-tools.ts";
import type { Outbox } from "../../../cloudflare/durable/stored-outbox.ts";
import type { ToolTable } from "../../added-tools/index.ts";
import type { KeptFlow } from "../declaration/flow-schema.ts";
import { makeRun } from "../run/make-run.ts";
import { ClockTable } from "./clock-table.ts";
import type { RunTable } from "./stored-runs.ts";

/** The parts of an object that its clocks need. */
export interface FlowClocksParts {
  readonly tenant: string;
  readonly tools: ToolTable;
  readonly runs: RunTable;
  readonly outbox: Outbox;
}

/** The clocks of a tenant's flows: when the next comes, and the runs of those that have. */
export class FlowClocks {
  readonly #table: ClockTable;
  readonly #parts: FlowClocksParts;

  constructor(sql: SqlStorage, parts: FlowClocksParts) {
    this.#table = new ClockTable(sql);
    this.#parts = parts;
  }

  /** When the next clock strikes; null when there is none. */
  get nextAt(): number | null {
    return this.#table.nextAt;
  }

  /** Take over what changed of the flows that have clocks. */
  follow(change: ToolChange, changed: ToolsChanged): void {
    this.#table.follow(change, changed);
  }

  /** Record the runs of clocks that have come: one for each, whatever it has missed. */
  take(now: number): void {
    const { nextAt } = this;
    if (nextAt === null || nextAt > now) return;
    const { tenant, tools, runs, outbox } = this.#parts;
    this.#table.take(now, (flow, at, keep) => {
      const tool = tools.read(flow);
      const cause = `cron ${at}`;
      // Its name may be another's by now, where the Worker was without flows for a while.
      if (tool === null || !isFlow(tool) || runs.causedBy(now, { flow, cause }) !== null) return keep();
      const spec = makeRun({
        tenant,
        trigger: "cron",
        kept: JSON.parse(tool.json) as KeptFlow,
        toolJson: tool.json,
        inputJson: "{}",
        newId: () => crypto.randomUUID(),
      });
      const beside = (): void => {
        runs.keepCause(now, { flow, cause, jobId: spec.id });
        keep();
      };
      // So many may wait that this time is as good as missed.
      if (outbox.recordOne(now, { spec, takes: null, beside }) === null) keep();
    });
  }
}
