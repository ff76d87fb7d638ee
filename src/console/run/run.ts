import type { Problem } from "../kit/api.ts";
import type { WireEnvelope, WirePlan } from "../kit/wire.ts";
import type { NamedAction } from "./name-actions.ts";
import type { Arrival } from "./time-line.ts";

/** A run while it goes on and when it is over. */
export interface Run {
  readonly phase: "running" | "ended" | "stopped" | "cancelled";
  readonly startedAt: number;
  readonly actions: readonly NamedAction[];
  /** The answer of `dry_run` to the same batch: which action waits for which. Asked for beside the run, so that it costs no time. */
  readonly plan: WirePlan | null;
  readonly arrivals: ReadonlyMap<number, Arrival>;
  readonly envelope: WireEnvelope | null;
  readonly problem: Problem | null;
  /** How often it was sent again. */
  readonly resent: number;
  readonly lengthMs: number | null;
  readonly cancel: () => void;
}

/** A run of which nothing is known but its actions. */
export function begunRun(actions: readonly NamedAction[], cancel: () => void): Run {
  return {
    phase: "running",
    startedAt: performance.now(),
    actions,
    plan: null,
    arrivals: new Map(),
    envelope: null,
    problem: null,
    resent: 0,
    lengthMs: null,
    cancel,
  };
}
