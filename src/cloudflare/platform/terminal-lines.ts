import type { Outcome } from "../../core/contract/outcome.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { visibleText } from "../../core/kit/visible-text.ts";
import type { Plan, Step } from "../../core/plan/step.ts";

/** Actions of a batch that a line shows; more do not fit a terminal. */
const SHOWN = 12;

/** Characters of a line that a tool wrote. */
const LONGEST = 4_000;

const MARKS = {
  success: "✓",
  error: "✗",
  initiated: "→",
  skipped: "–",
  pending_confirmation: "?",
  unknown: "!",
} as const satisfies Record<Outcome["status"], string>;

/**
 * Draw a batch as one line for the terminal of a development server, such as `✓ get_weather 249 ms  ✗ recalls INVALID_ARGS
 * /args/year`. An action has its own id, or its tool's name where it was given none. Only here a line has words of the caller.
 */
export function drawBatch({ steps }: Plan, outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return `· planned: ${steps.map(nameOf).slice(0, SHOWN).join(", ")}`;
  const drawn = outcomes.slice(0, SHOWN).map((outcome, at) => drawOutcome(steps[at]!, outcome));
  const left = outcomes.length - drawn.length;
  return [...drawn, ...(left > 0 ? [`… and ${left} more`] : [])].join("  ");
}

function drawOutcome(step: Step, outcome: Outcome): string {
  const words = [MARKS[outcome.status], nameOf(step)];
  if (outcome.status === "pending_confirmation") words.push("waits for a person's yes");
  if (outcome.status === "initiated") words.push("goes on as a job");
  if ("error" in outcome) words.push(outcome.error.code);
  const path = "error" in outcome ? outcome.error.issues?.[0]?.path : undefined;
  if (path !== undefined) words.push(visibleText(path, 80));
  if (outcome.meta.durationMs !== undefined) words.push(`${outcome.meta.durationMs} ms`);
  return words.join(" ");
}

function nameOf({ id, index, toolName }: Step): string {
  return visibleText(id === `a${index}` && toolName !== null ? toolName : id);
}

/** A line of the log, as far as it is drawn. */
interface Line {
  readonly event?: string;
  readonly tool?: string;
  readonly message?: unknown;
  readonly [field: string]: unknown;
}

/** Draw another line of the log: its message, without its tenant and key. Text that is no such line stays as it is. */
export function drawLine(json: string): string {
  const drawn = drawKnown(json);
  return drawn === null ? json : visibleText(drawn, LONGEST);
}

/** Null where the line is none of those that are drawn. */
function drawKnown(json: string): string | null {
  const read = attemptNow(() => JSON.parse(json) as Line);
  if (!read.ok) return null;
  const line = read.value;
  switch (line.event) {
    case "request_refused":
      return `✗ ${line["status"]} ${line["code"]} ${line["route"]}`;
    case "job_attempt":
      return `${line["end"] === "succeeded" ? "✓" : "✗"} job ${line.tool} ${line["end"]}${line["code"] === undefined ? "" : ` ${line["code"]}`}, attempt ${line["attempt"]} of ${line["max_attempts"]}, ${line["duration_ms"]} ms`;
    case "tool_log": {
      const fields = line["fields"] === undefined ? "" : ` ${JSON.stringify(line["fields"])}`;
      return `· ${line.tool}: ${typeof line.message === "string" ? line.message : JSON.stringify(line.message)}${fields}`;
    }
    case "tool_failed":
      // Its stack follows, with the same words and the lines of the sources.
      return `✗ ${line.tool} threw`;
    default:
      return null;
  }
}
