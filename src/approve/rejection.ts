import type { Catalog } from "../catalog/catalog.ts";
import type { Claim, Island } from "../contract/gate/confirmation.ts";
import { makeFailure } from "../contract/failure.ts";
import { makeApprovedPlan } from "./make-approved-plan.ts";
import { toEnvelopeJson } from "../answer/envelope.ts";
import { failIsland } from "./fail-island.ts";

const REJECTED = makeFailure("CONFIRMATION_REJECTED", {
  hint: "A person was asked and said no; nothing was sent. Ask for it again only when you are told to.",
});

/** Write the envelope of an island that a person said no to: every action has its result, and none of them ran. */
export function toRejectionJson(
  island: Island,
  catalog: Catalog,
  { claim, batchId }: { readonly claim: Claim; readonly batchId: string },
): string {
  const outcomes = failIsland(island.actions, REJECTED);
  const plan = makeApprovedPlan(island, catalog, claim);
  return toEnvelopeJson(batchId, plan, outcomes, { durationMs: 0, maxParallelism: 0 });
}
