import { BATCH_TOOL } from "../../../core/catalog/alias.ts";
import type { ProgressReport } from "../../../core/catalog/define-tool.ts";
import type { JsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";
import type { Clock } from "../../../core/kit/clock.ts";
import type { BatchListener } from "../../../core/gate/execution.ts";

/** A call as the client sent it. */
export interface McpCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** The listener of a call, and the end of listening: later events are told to no client. */
export interface Followed {
  readonly listener: BatchListener;
  end(): void;
}

/**
 * Follow a call for a client that asked for its progress. A batch is told result by result; a single tool by what it
 * reports, or once, when it has ended, where it reports nothing.
 *
 * Whatever a tool does, what is told only grows, comes no faster than a client should have to read it, and ends with the
 * call: that is what the protocol asks for. A tool that is tried again begins anew, and is told once it is further.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/progress
 */
export function followCall(
  { name, args }: McpCall,
  clock: Clock,
  tell: (report: ProgressReport) => void,
): Followed {
  let last = Number.NEGATIVE_INFINITY;
  let quietUntil = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const say = (report: ProgressReport): void => {
    if (isOver) return;
    last = report.progress;
    tell(report);
  };
  const end = (): void => void (isOver = true);

  if (name === BATCH_TOOL) {
    const { actions } = args;
    const total = Array.isArray(actions) ? actions.length : 0;
    let results = 0;
    return { listener: { onOutcome: () => say({ progress: (results += 1), total }) }, end };
  }
  const onOutcome = (): void => {
    if (last === Number.NEGATIVE_INFINITY) say({ progress: 1, total: 1 });
  };
  const onReport = ({ progress, total, message }: ProgressReport): void => {
    const now = clock.now();
    if (now < quietUntil || !Number.isFinite(progress) || progress <= last) return;
    quietUntil = now + LIMITS.progressIntervalMs;
    say({
      progress,
      ...(Number.isFinite(total) && { total }),
      ...(message !== undefined && { message: message.slice(0, LIMITS.progressMessageChars) }),
    });
  };
  return { listener: { onOutcome, onReport }, end };
}
