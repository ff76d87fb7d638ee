import type { Clock } from "../../core/kit/clock.ts";
import { attempt } from "../../core/kit/result.ts";
import type { ToolGates } from "../../core/egress/ports.ts";
import type { ToolGateMethods } from "../durable/tool-gate.ts";
import { type ObjectNamespace, openObject } from "../object-client.ts";

/** The binding of the tools' gates. */
export type ToolGateNamespace = ObjectNamespace<ToolGateMethods>;

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
  const gateOf = (tool: string, waitMs = 0) =>
    openObject(namespace, tool, { clock, timeoutMs: waitMs + timeoutMs, once: ["release"] });
  return {
    acquire: (tool, request) => gateOf(tool, request.waitMs).acquire({ ...request, tenant }),
    release(tool, id, retryAfterMs) {
      defer(attempt(() => gateOf(tool).release(id, retryAfterMs)));
    },
  };
}
