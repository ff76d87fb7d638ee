import { makeEvent, type OperatorEvent, toIso } from "../../core/contract/gate/operator-event.ts";
import type { ListedConfirmation } from "./confirmation.ts";

/** Tell of a question that waits for a person. Its expiry is no event: no action causes that, and this says when it comes. */
export function toRequestedEvent(tenant: string, question: ListedConfirmation): OperatorEvent {
  return makeEvent(
    "confirmation.requested",
    { atMs: question.createdAt, of: question.id },
    {
      ...toQuestion(tenant, question),
      expires_at: toIso(question.expiresAt),
    },
  );
}

/** Tell of a decision, and whose key made it. */
export function toDecidedEvent(
  tenant: string,
  question: ListedConfirmation,
  decided: { readonly decision: "approve" | "reject"; readonly key: string | undefined; readonly at: number },
): OperatorEvent {
  const { decision, key, at } = decided;
  return makeEvent(
    "confirmation.decided",
    { atMs: at, of: question.id },
    {
      ...toQuestion(tenant, question),
      decision,
      decided_by: key,
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
