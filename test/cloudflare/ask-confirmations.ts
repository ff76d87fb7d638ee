import type { AdmissionAnswer, AdmissionRequest } from "../../src/core/contract/gate/admission.ts";
import type { Gate } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import {
  callConfirmations,
  type Claim,
  type ClaimRefusal,
  type ConfirmationMethods,
  type ParkAnswer,
  refuseClaim,
} from "../../src/features/confirmations/confirmation.ts";

const REFUSALS: readonly ClaimRefusal[] = ["unknown", "running", "done", "rejected", "expired", "link"];

type Approval =
  | { readonly refused: ClaimRefusal | undefined }
  | { readonly refused: null; readonly admission: AdmissionAnswer };

/** The confirmations of a tenant's object, as the feature asks for them. */
export interface Confirmations {
  park(...args: Parameters<ConfirmationMethods["park"]>): Promise<ParkAnswer>;
  confirmation(id: string): Promise<ReturnType<ConfirmationMethods["confirmation"]>>;
  confirmations(
    ...args: Parameters<ConfirmationMethods["confirmations"]>
  ): Promise<ReturnType<ConfirmationMethods["confirmations"]>>;
  reject(claim: Claim, answerJson?: string): Promise<ClaimRefusal | null>;
  conclude(claim: Claim, answerJson?: string): Promise<void>;
  /** Claim one and admit what it runs; a refusal is told by what the confirmation is instead of pending. */
  approve(claim: Claim, request: AdmissionRequest): Promise<Approval>;
}

/** Ask a tenant's object about its confirmations. */
export function ask(gate: Pick<Gate, "call" | "admitClaimed">): Confirmations {
  return {
    park: async (...args) => (await callConfirmations(gate, "park", ...args)) ?? [],
    confirmation: (id) => callConfirmations(gate, "confirmation", id),
    confirmations: (query) => callConfirmations(gate, "confirmations", query),
    reject: (...args) => callConfirmations(gate, "reject", ...args),
    conclude: (...args) => callConfirmations(gate, "conclude", ...args),
    async approve(claim, request) {
      const answer = await gate.admitClaimed({ part: "confirmations", value: claim }, request);
      if (answer.refused === null) return answer;
      const { code, hint } = answer.refused;
      return {
        refused: REFUSALS.find((one) => refuseClaim(one).code === code && refuseClaim(one).hint === hint),
      };
    },
  };
}
