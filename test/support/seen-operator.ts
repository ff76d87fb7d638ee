import type { DataPoint, Telemetry } from "../../src/core/egress/ports.ts";

/** An operator who reads every line and every point. */
export class SeenOperator implements Telemetry {
  readonly lines: Telemetry["lines"];
  readonly logged: string[] = [];
  readonly points: DataPoint[] = [];

  constructor(lines: Telemetry["lines"] = "all") {
    this.lines = lines;
  }

  readonly log: Telemetry["log"] = (_, json) => void this.logged.push(json);
  readonly writePoint = (point: DataPoint): void => void this.points.push(point);

  /** The lines of an event, as they are read. */
  told(event: string): Readonly<Record<string, unknown>>[] {
    return this.logged
      .map((json) => JSON.parse(json) as Record<string, unknown>)
      .filter((line) => line["event"] === event);
  }
}
