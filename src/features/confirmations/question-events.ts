import { makeEvent, type OutgoingEvent, toIso } from "../../core/contract/gate/outgoing-event.ts";
import { type Decision, toWireDeciders } from "./decision.ts";
import type { ListedConfirmation } from "./confirmation.ts";
import type { Told } from "./confirmation-rules.ts";

/**
 * Tell of a question that waits for a person.
 *
 * @param url where a person decides who needs no key
 */
export function toRequestedEvent(tenant: string, question: ListedConfirmation, url?: string): OutgoingEvent {
  // Its arguments are for who may decide, and not for everybody who may hear of it.
  const says = question.head.actions.flatMap((action) => action.says ?? []);
  return makeEvent(
    "confirmation.requested",
    { atMs: question.createdAt, of: question.id },
    {
      ...toQuestion(tenant, question),
      says: url === undefined || says.length === 0 ? undefined : says,
      expires_at: toIso(question.expiresAt),
      url,
    },
  );
}

/** Tell that a question ends soon, when three quarters of its time are over, or that it has ended without a decision. */
export function toEndEvent(
  tenant: string,
  question: ListedConfirmation,
  { told, at }: { readonly told: Told; readonly at: number },
): OutgoingEvent {
  return makeEvent(
    `confirmation.${told}`,
    { atMs: at, of: question.id },
    { ...toQuestion(tenant, question), expires_at: toIso(question.expiresAt) },
  );
}

/** Tell of a decision, and who made it. */
export function toDecidedEvent(
  tenant: string,
  question: ListedConfirmation,
  told: {
    readonly decision: "approve" | "reject";
    readonly decided: Decision | undefined;
    readonly at: number;
  },
): OutgoingEvent {
  const { decision, decided: said, at } = told;
  return makeEvent(
    "confirmation.decided",
    { atMs: at, of: question.id },
    {
      ...toQuestion(tenant, question),
      decision,
      decided_by: said && toWireDeciders(said),
      reason: said?.reason,
      edited: said?.args === undefined ? undefined : true,
    },
  );
}

function toQuestion(tenant: string, { id, createdAt, head }: ListedConfirmation): object {
  return {
    tenant,
    confirmation_id: id,
    requested_by: head.requestedBy,
    tools: [...new Set(head.actions.map(({ tool }) => tool))],
    created_at: toIso(createdAt),
  };
}
