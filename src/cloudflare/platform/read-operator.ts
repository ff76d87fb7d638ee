import type { DataPoint, LogLevel, Operator } from "../../core/egress/ports.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { batchDrawing } from "./development.ts";
import { ConfigurationError } from "./configuration-error.ts";

const LINES = ["all", "errors", "off"] as const;

/** A dataset of Analytics Engine, as far as it is used. */
interface Dataset {
  writeDataPoint(point: DataPoint): void;
}

/**
 * Read what an operator wants to see: `VOLLEY_LOG`, and the dataset that is bound as `METRICS`. Throws naming which of them cannot
 * be read: a slip there would only be found when the line is needed.
 */
export function readOperator(
  env: Readonly<Record<string, unknown>>,
  log: (level: LogLevel, json: string) => void,
): Operator {
  const wanted = env["VOLLEY_LOG"] ?? "";
  const lines = wanted === "" ? "all" : LINES.find((known) => known === wanted);
  if (lines === undefined)
    throw new ConfigurationError("VOLLEY_LOG", "it must be 'all', 'errors', 'off' or empty");
  const dataset = env["METRICS"] ?? null;
  const draw = batchDrawing();
  const told = { lines, log, ...(draw !== null && { draw }) };
  if (dataset === null || dataset === "") return { ...told, writePoint: null };
  if (!isDataset(dataset))
    throw new ConfigurationError("METRICS", "it must be bound to a dataset of Analytics Engine");
  // A failed count must not cost a caller its answer.
  const writePoint = (point: DataPoint): void => void attemptNow(() => dataset.writeDataPoint(point));
  return { ...told, writePoint };
}

function isDataset(value: unknown): value is Dataset {
  return typeof (value as Partial<Dataset>).writeDataPoint === "function";
}
