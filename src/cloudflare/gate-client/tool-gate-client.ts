import type { Clock } from "../../core/kit/clock.ts";
import { attempt } from "../../core/kit/result.ts";
import type { ToolGates } from "../../core/egress/ports.ts";
import { callBounded } from "./call-bounded.ts";
import type { ToolGateNamespace } from "../durable/tool-gate.ts";

export interface ToolGatesOptions {
  readonly clock: Clock;
  /** Whose calls these are. */
  readonly tenant: string;
  /** How much longer than its wait a question may take. */
  readonly timeoutMs: number;
  /** Keep a message alive that no request waits for. */
  readonly defer: (work: Promise<unknown>) => void;
}

/**
 * Create a client of the tools' gates. Each tool's name has one object, for all callers.
 *
 * A question that fails in a way the platform calls retryable is asked once more under the same id, so it never takes
 * two permits. A message that is lost gives nothing back: the permit then ends by its own time.
 */
export function createToolGates(namespace: ToolGateNamespace, options: ToolGatesOptions): ToolGates {
  const { clock, tenant, timeoutMs, defer } = options;
  const gateOf = (tool: string) => namespace.get(namespace.idFromName(tool));
  return {
    acquire: (tool, request) =>
      callBounded(() => gateOf(tool).acquire({ ...request, tenant }), {
        clock,
        timeoutMs: request.waitMs + timeoutMs,
      }),
    release(tool, id, retryAfterMs) {
      defer(attempt(() => gateOf(tool).release(id, retryAfterMs)));
    },
  };
}
