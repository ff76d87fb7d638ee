import type { Catalog, Outcome } from "../../feature/tool.ts";
import type { Claim } from "./confirmation.ts";
import type { ParkedGroup } from "./parked-group.ts";
import { sayReason } from "./decision.ts";
import { type Failure, makeFailure } from "../../core/contract/failure.ts";
import { makeApprovedPlan, planParked } from "./make-approved-plan.ts";
import { GROUP_FORMAT } from "./confirmation.ts";
import { parseExact } from "../../feature/schema.ts";
import { toEnvelopeJson } from "../../core/answer/envelope.ts";
import { failParkedGroup } from "../../core/run/fail-parked.ts";
import type { Plan } from "../../core/plan/step.ts";

const SAID_NO =
  "A person was asked and said no; nothing was sent. Ask for it again only when you are told to.";

/** The envelope of a group that a person said no to: every action has its result, and none of them ran. */
export interface Rejection {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  /** @param members more of them, as JSON with a comma before each */
  readonly toJson: (members?: string) => string;
}

/** Make that envelope. */
export function makeRejection(
  group: ParkedGroup,
  catalog: Catalog,
  { claim, batchId }: { readonly claim: Claim; readonly batchId: string },
): Rejection {
  const reason = sayReason(claim.decided?.reason);
  const rejected = makeFailure("CONFIRMATION_REJECTED", { hint: SAID_NO });
  const outcomes = failGroup(group.actions, rejected).map((outcome): Outcome => {
    if (outcome.status !== "error" || reason === "") return outcome;
    return { ...outcome, error: { ...outcome.error, hint: `${outcome.error.hint}${reason}` } };
  });
  const plan = makeApprovedPlan(group, catalog, claim);
  const measured = { batchId, durationMs: 0, maxParallelism: 0 };
  return {
    plan,
    outcomes,
    toJson: (members = "") => toEnvelopeJson(plan, outcomes, { ...measured, members }),
  };
}

/** Write the envelope of an approved group whose run is lost: any of it may have been sent. Null for a group of another version. */
export function writeLost(batchId: string, groupJson: string): string | null {
  const group = parseExact(groupJson) as ParkedGroup;
  if (group.format !== GROUP_FORMAT) return null;
  const error = makeFailure("INTERNAL", { retryable: false, hint: LOST });
  const outcomes = group.actions.map((): Outcome => ({ status: "unknown", error, meta: {} }));
  const plan = planParked(group, { get: () => undefined });
  return toEnvelopeJson(plan, outcomes, { batchId, durationMs: 0, maxParallelism: 0 });
}

const LOST =
  "A person agreed, and the run ended without a report: look whether it took effect before you repeat it.";

/** Say what becomes of a group's actions when the gated ones fail: nothing of it was sent, except before it was asked about. */
export function failGroup(
  actions: readonly Pick<ParkedGroup["actions"][number], "id" | "gated" | "needs" | "begun" | "doubted">[],
  failure: Failure,
): Outcome[] {
  return failParkedGroup(actions, failure).map((outcome, at): Outcome => {
    const { begun, doubted } = actions[at]!;
    if (outcome.status !== "error" || (begun ?? doubted) === undefined) return outcome;
    const error = { ...failure, retryable: false, hint: begun === undefined ? DOUBTED : BEGUN };
    return { status: "error", error, meta: doubted ? { inDoubt: doubted } : {} };
  });
}

const BEGUN =
  "It had begun: what it asked about was not sent, and what it had done before stays. Look what is there before you call it again.";
const DOUBTED =
  "It was not sent again, and may have taken effect in an earlier run: look what is there before you ask for it anew.";
