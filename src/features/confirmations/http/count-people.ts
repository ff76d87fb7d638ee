import { callConfirmations, type Claim, refuseClaim } from "../confirmation.ts";
import { toWireDecider } from "../decision.ts";
import type { ParkedGroup } from "../parked-group.ts";
import { countYes, withoutEnded, type Yeses } from "../yeses.ts";
import { askGate } from "../../../feature/answer.ts";
import { attempt, err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { countRequest, type Refused } from "../../../core/gate/admit-plan.ts";
import type { Answer } from "../../../core/run/execute/answer.ts";
import { type Deciding, UNREAD } from "./follow-accounts.ts";
import { stillCounts } from "./read-approvers.ts";

/**
 * Count a yes where several people are wanted: the answer while others are missing, else the claim with which it runs. A yes counts
 * for as long as the key that gave it, or made its link, may decide.
 */
export async function countPeople(
  { people }: Pick<ParkedGroup, "people">,
  { claim, yeses }: { readonly claim: Claim; readonly yeses: Yeses },
  execution: Deciding,
): Promise<Result<Answer | { readonly claim: Claim }, Refused>> {
  if (people === undefined || claim.yes === undefined) return ok({ claim });
  const { configured, origin, gate } = execution;
  const refused = (refusal: Refusal) => err({ refusal, quota: null });
  const looked = await attempt(() =>
    Promise.all(
      yeses.given.map(async (yes) =>
        (await stillCounts(
          { ...yes.decider, isApprover: yes.decider.via === "approver", hash: yes.hash },
          origin.tenant,
          configured,
        ))
          ? []
          : [yes.voter],
      ),
    ),
  );
  if (!looked.ok) return refused(UNREAD);
  const own: Claim = { ...claim, ended: looked.value.flat() };
  const standing = withoutEnded(yeses, ({ voter }) => own.ended!.includes(voter));
  const expected = countYes(standing, claim.yes, claim.decided?.args);
  if (expected.given.length >= people) return ok({ claim: own });
  const paid = await countRequest(execution);
  if (!paid.ok) return paid;
  const counted = await askGate(
    () => callConfirmations(gate, "countYes", own),
    "Whether the yes was counted is not certain; say it again: it counts once.",
  );
  if (!counted.ok) return refused(counted.error);
  if (counted.value === null) return ok({ claim: own });
  if ("refused" in counted.value) return refused(refuseClaim(counted.value.refused));
  const { approved, needs } = counted.value;
  const json = JSON.stringify({ status: "waiting", approved, needs });
  return ok({ json, quota: paid.value.quota, replayed: false });
}

/** Everybody who has said yes with the last one. */
export function sayAll({ given }: Yeses, { yes, ended = [] }: Claim): object {
  const others = given.filter(({ voter }) => voter !== yes!.voter && !ended.includes(voter));
  return [...others, yes!].map(({ decider }) => toWireDecider(decider));
}
