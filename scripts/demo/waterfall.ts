import { styleText } from "node:util";

import type { Result } from "./volley-client.ts";

/** With these and the longest note a line has 80 columns. */
const BAR_WIDTH = 22;
const NAME_WIDTH = 19;

/** Lines are scaled before the batch has ended; the stand-ins answer well within this. */
export const SCALE_MS = 550;

type Style = Parameters<typeof styleText>[0];
export const STYLES: Readonly<Record<string, Style>> = {
  success: "green",
  error: "red",
  initiated: "cyan",
  skipped: "yellow",
  pending_confirmation: "magenta",
};

/** Colour only for a terminal that wants it (`NO_COLOR`, `FORCE_COLOR` and pipes are respected); words carry the meaning. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

export interface Line {
  readonly name: string;
  /** When the result arrived, since the request was sent. */
  readonly elapsedMs: number;
  readonly note: string;
}

/** Draw one line of the waterfall: when the action ran within the batch, how long it took and what became of it. */
export function drawLine({ status, meta }: Result, { name, elapsedMs, note }: Line): string {
  const durationMs = meta.duration_ms ?? 0;
  const column = (ms: number): number =>
    Math.max(0, Math.min(BAR_WIDTH, Math.round((ms / SCALE_MS) * BAR_WIDTH)));
  const from = Math.min(column(elapsedMs - durationMs), BAR_WIDTH - 1);
  const length = Math.max(1, column(elapsedMs) - from);
  const bar = `${"·".repeat(from)}${"█".repeat(length)}`.padEnd(BAR_WIDTH, "·");
  const time = meta.duration_ms === undefined ? "" : `${meta.duration_ms} ms`;
  const word = paint(STYLES[status] ?? "white", status.padEnd(9));
  return `  ${name.padEnd(NAME_WIDTH)} ${bar} ${time.padStart(6)}  ${word} ${note}`.trimEnd();
}
