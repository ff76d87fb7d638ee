import type { WireEnvelope, WirePlan, WireResult } from "../kit/wire.ts";
import { sayDuration } from "../parts/say-duration.ts";
import { count } from "../parts/count.ts";

/** Say what a run took, as a person would tell it. */
export function sayRun({ summary, stats }: Pick<WireEnvelope, "summary" | "stats">): string {
  const { duration_ms: duration, sequential_ms: sequential, speedup = 0 } = stats;
  const actions = count(summary.total, "action");
  if (sequential < 1) return `${actions} in ${sayDuration(duration)}.`;
  const calls = `${actions}, ${sayDuration(sequential)} of calls in ${sayDuration(duration)}`;
  const isGain = speedup >= 1.1 && summary.ok > 0;
  return isGain ? `${calls}, ${round(speedup)} times as fast as one by one.` : `${calls}.`;
}

/** Say how a run's actions ended, for people who only listen. */
export function sayEnds({ summary, results }: Pick<WireEnvelope, "summary" | "results">): string {
  const { ok, error, skipped, initiated, pending_confirmation: pending, unknown } = summary;
  const parts: readonly (readonly [number, string])[] = [
    [ok, "succeeded"],
    [error, "failed"],
    [unknown, "unknown"],
    [skipped, "skipped"],
    [results.filter((one) => undoneOf(one) === true).length, "undone"],
    [initiated, "in the background"],
    [pending, "waiting for approval"],
  ];
  return parts.flatMap(([size, word]) => (size === 0 ? [] : [`${size} ${word}`])).join(", ");
}

/** Whether all that an action did was taken back since; undefined where that was not asked. */
export function undoneOf({ meta }: Pick<WireResult, "meta">): boolean | "unknown" | undefined {
  return (meta as { readonly undone?: boolean | "unknown" }).undone;
}

/** Write a batch as a command for a shell; the key is read from the environment and never stands in it. */
export function sayCurl(origin: string, body: string): string {
  return [
    `curl -sS ${origin}/v1/execute_actions`,
    `  -H "authorization: Bearer $VOLLEY_KEY"`,
    `  -H 'content-type: application/json'`,
    `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
  ].join(" \\\n");
}

function round(factor: number): string {
  return factor >= 10 ? String(Math.round(factor)) : String(Math.round(factor * 10) / 10);
}

/** Say what a plan would do, in a sentence or two. */
export function sayPlan({ plan, errors }: WirePlan): string {
  const { waves, confirmations, estimated_speedup: speedup, estimated_tokens: tokens } = plan;
  const runs = waves.flat().length;
  const said = [
    runs === 0 ? "Nothing will run" : `${count(runs, "action")} in ${count(waves.length, "step")}`,
    runs > 1 && speedup > 1 && `about ${speedup} times as fast as one by one`,
    runs > 0 && tokens > 0 && `about ${tokens.toLocaleString("en")} tokens of results`,
  ].filter((part) => typeof part === "string");
  const more = [
    errors.length > 0 && ` ${count(errors.length, "action is", "actions are")} wrong.`,
    confirmations.length > 0 &&
      ` ${count(confirmations.length, "action waits", "actions wait")} for approval.`,
  ].filter((part) => typeof part === "string");
  return `${said.join(", ")}.${more.join("")}`;
}
