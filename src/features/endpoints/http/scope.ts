import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { ok, type Result } from "../../../core/kit/result.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import { type AskDirectory, endpointDeskOf } from "./endpoint-desk.ts";

/** The part of a tenant's endpoints that a request may see. */
export interface Scope {
  readonly ask: AskDirectory;
  readonly context: Pick<RequestContext, "ports" | "configured" | "currentCatalog">;
  /** As if there were no endpoints but this customer's; absent for the tenant itself. */
  readonly customer?: string;
}

/** Open everything of a caller's tenant. */
export function openScope(context: RequestContext): Result<Scope, Refusal> {
  const opened = endpointDeskOf(context.configured).open(context.caller);
  return opened.ok ? ok({ ask: opened.value, context }) : opened;
}

export const UNREADABLE = "The tenant's endpoints could not be read; ask again.";

export function noEndpoint(id: string): Refusal {
  return makeRefusal("NOT_FOUND", `There is no endpoint '${visibleText(id)}'.`);
}

export const NO_DELIVERY = makeRefusal(
  "NOT_FOUND",
  "There is no delivery of that id; they are kept for 30 days.",
);
