import { makeFailure, toWireFailure } from "../../src/core/contract/failure.ts";
import type { RateLimit } from "../../src/core/contract/gate/admission.ts";
import type {
  AttemptEnd,
  CallbackClaim,
  CallbackEnd,
  JobClaim,
  JobSpec,
} from "../../src/core/contract/gate/job.ts";
import type { OnOpened } from "../../src/core/egress/upstream-health.ts";
import type { EventClaim } from "../../src/core/contract/gate/outgoing-event.ts";

/** The act of a scripted attempt, by its number: the arguments of its job are a list of these. */
export type Act = "succeed" | "fail" | "fail-for-good" | "lose" | "throw" | "hang" | "unknown-tool";

/** Every attempt that an alarm ran in this isolate, in order, as `id#attempt`. */
export const attemptsRun: string[] = [];

/** Whose work the objects of this isolate said they would do, in the order they were made. */
export const tenantsServed: string[] = [];

/** Every delivery that an alarm tried, in order. */
export const deliveriesTried: CallbackClaim[] = [];

/** Two at once, then one every half second. */
const TWO_A_SECOND: RateLimit = { bucket: "tool:limited", limit: 2, windowS: 1 };

/** Two at once, then one every half hour. */
export const TWO_AN_HOUR: RateLimit = { bucket: "runs", limit: 2, windowS: 3_600 };

/** The limits of attempts, by tool or flow. */
const LIMITS_OF: Readonly<Record<string, RateLimit>> = { limited: TWO_A_SECOND, rare: TWO_AN_HOUR };

/** Attempts and deliveries that do what their job, or their address, says. */
export const SCRIPTED = {
  attempt: runScript,
  // Its end is not reported, so it has its lease.
  run: async (claim: JobClaim): Promise<void> => void (await runScript(claim)),
  limitOf: ({ tool }: Pick<JobSpec, "tool">): RateLimit | null => LIMITS_OF[tool] ?? null,
  runLimit: ({ tool }: Pick<JobSpec, "tool">): RateLimit | null => LIMITS_OF[tool] ?? null,
  deliver: answerByPath,
  tell: answerEvent,
};

/** Answer a delivery with the status in its address, e.g. `https://hooks.example.com/503/204`: one for each attempt. */
async function answerByPath(claim: CallbackClaim): Promise<CallbackEnd> {
  deliveriesTried.push(claim);
  const statuses = new URL(claim.target.url).pathname.split("/").slice(1);
  const status = statuses[Math.min(claim.attempt, statuses.length) - 1];
  if (status === "hang") return new Promise(() => {});
  if (status === "throw") throw new Error("a bug in the sender");
  return { kind: "answered", status: Number(status), retryAfterMs: null };
}

/** The listeners of this isolate's objects that hear when an attempt opens a breaker, in the order they were made. */
export const openers: OnOpened[] = [];

/** Every event that an alarm tried to tell, in order. */
export const eventsTried: EventClaim[] = [];

/** The answer of the operator's endpoint, until a test says otherwise; null for nothing. */
export const operator: { answer: (claim: EventClaim) => number | null } = { answer: () => 204 };

async function answerEvent(claim: EventClaim): Promise<CallbackEnd> {
  eventsTried.push(claim);
  const status = operator.answer(claim);
  return status === null ? { kind: "unanswered" } : { kind: "answered", status, retryAfterMs: null };
}

/** Run an attempt by script; the last act repeats. */
async function runScript({ spec, attempt }: JobClaim): Promise<AttemptEnd> {
  attemptsRun.push(`${spec.id}#${attempt}`);
  const acts = JSON.parse(spec.argsJson) as Act[];
  const act = acts[Math.min(attempt, acts.length) - 1];
  switch (act) {
    case "fail":
      return { kind: "failed", error: toWireFailure(makeFailure("UPSTREAM_ERROR")) };
    case "fail-for-good":
      return { kind: "failed", error: toWireFailure(makeFailure("INVALID_ARGS")) };
    case "unknown-tool":
      return { kind: "failed", error: toWireFailure(makeFailure("UNKNOWN_TOOL")) };
    case "lose":
      return { kind: "lost", error: toWireFailure(makeFailure("TIMEOUT")) };
    case "throw":
      throw new Error("a bug in the runner");
    case "hang":
      return new Promise(() => {});
    default:
      return { kind: "succeeded", dataJson: JSON.stringify({ attempt }) };
  }
}
