import type { AdmissionAnswer, AdmissionRequest } from "../../contract/gate/admission.ts";
import type { ApprovalAnswer, ClaimRefusal } from "../../contract/gate/confirmation.ts";
import { HOME } from "../../contract/gate/job-shard.ts";
import { admitSharded } from "./admit-sharded.ts";

export interface ApprovalCalls {
  /** Claim the confirmation and admit what home counts and records, in one turn of the home object. */
  readonly approve: (request: AdmissionRequest) => Promise<ApprovalAnswer>;
  /** Record jobs at another object. */
  readonly admit: (shard: number, request: AdmissionRequest) => Promise<AdmissionAnswer>;
}

/** What stops an admission at home: nothing is recorded anywhere of a claim that was refused. */
const STOPPED: AdmissionAnswer = {
  quota: { allowed: false, remaining: 0, resetMs: 0, retryAfterMs: 0 },
  denied: [],
  recorded: [],
  refusedJobs: [],
};

/** Approve an island whose jobs are kept in several objects: home claims, counts and records its own, then the others. */
export async function approveSharded(
  request: AdmissionRequest,
  { approve, admit }: ApprovalCalls,
): Promise<ApprovalAnswer> {
  const refusals: ClaimRefusal[] = [];
  const admission = await admitSharded(request, async (shard, part) => {
    if (shard !== HOME) return admit(shard, part);
    const answer = await approve(part);
    if (answer.refused === null) return answer.admission;
    refusals.push(answer.refused);
    return STOPPED;
  });
  const [refused] = refusals;
  return refused === undefined ? { refused: null, admission } : { refused };
}
