import type { Problem } from "../kit/api.ts";
import { keepTold, type WireEnvelope, type WirePlan } from "../kit/wire.ts";
import type { RunFacts } from "./time-line.ts";

/** A run while it goes on and when it is over. */
export interface Run extends RunFacts {
  /** Sent under this key again, it is the same run. */
  readonly sent: { readonly body: string; readonly idempotencyKey: string };
  readonly startedAt: number;
  /** The answer to a batch that says `dry_run` itself. */
  readonly plan: WirePlan | null;
  readonly envelope: WireEnvelope | null;
  readonly problem: Problem | null;
  /** How often it was sent again. */
  readonly resent: number;
  readonly lengthMs: number | null;
  readonly cancel: () => void;
}

const NOTHING = { plan: null, envelope: null, problem: null, resent: 0, lengthMs: null, cancel: () => {} };

/** A run of which nothing is known but its actions. */
export function begunRun({ sent, actions }: Pick<Run, "sent" | "actions">): Run {
  const begun = { sent, actions, phase: "running", startedAt: performance.now() } as const;
  return { ...begun, starts: new Map(), arrivals: new Map(), ...NOTHING };
}

/** The part of a run that its answer is: what was told before it was sent again stands in it. */
export function withAnswer(answer: WireEnvelope | WirePlan, told: Run["arrivals"]): Partial<Run> {
  if ("plan" in answer) return { plan: answer };
  return { envelope: keepTold(answer, (index) => told.get(index)?.result) };
}
