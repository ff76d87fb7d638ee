import { styleText } from "node:util";

import type { Result } from "./volley-client.ts";

const BAR_WIDTH = 34;
const NAME_WIDTH = 20;

type Style = Parameters<typeof styleText>[0];
const STYLES: Readonly<Record<string, Style>> = {
  success: "green",
  error: "red",
  initiated: "cyan",
  skipped: "yellow",
};

/** Colour only for a terminal that wants it (`NO_COLOR`, `FORCE_COLOR` and pipes are respected); words carry the meaning. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/**
 * Draw one line of the waterfall: when the action ran within the batch, how long it took and what became of it.
 *
 * @param elapsedMs when its result arrived, since the request was sent
 * @param scaleMs what the whole width stands for
 */
export function drawLine(result: Result, elapsedMs: number, scaleMs: number, note: string): string {
  const durationMs = result.meta.duration_ms ?? 0;
  const column = (ms: number): number =>
    Math.max(0, Math.min(BAR_WIDTH, Math.round((ms / scaleMs) * BAR_WIDTH)));
  const from = Math.min(column(elapsedMs - durationMs), BAR_WIDTH - 1);
  const length = Math.max(1, column(elapsedMs) - from);
  const bar = `${"·".repeat(from)}${"█".repeat(length)}`.padEnd(BAR_WIDTH, "·");
  const time = result.meta.duration_ms === undefined ? "" : `${result.meta.duration_ms} ms`;
  const style = STYLES[result.status] ?? "white";
  return `  ${result.tool.padEnd(NAME_WIDTH)} ${bar} ${time.padStart(7)}  ${paint(style, result.status.padEnd(9))} ${note}`;
}
