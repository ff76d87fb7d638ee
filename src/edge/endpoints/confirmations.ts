import type { Catalog } from "../../catalog/catalog.ts";
import {
  type ConfirmationRecord,
  decisionSchema,
  type Island,
  ISLAND_FORMAT,
  NO_CONFIRMATION,
  refuseClaim,
} from "../../contract/gate/confirmation.ts";
import { parseRequest } from "../../contract/parse-request.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import { toWireConfirmation } from "../../contract/gate/wire-confirmation.ts";
import { executeApproved } from "../../executor.ts";
import { err, ok, type Result } from "../../kit/result.ts";
import { hashArgs, hashDeclaration } from "../../approve/confirmation-digests.ts";
import { toRejectionJson } from "../../approve/rejection.ts";
import { readRequestBody } from "../http/read-request-body.ts";
import { type RequestContext, toExecution } from "../http/request-context.ts";
import { respondJson, respondProblem } from "../http/respond.ts";
import { respondDocument } from "../http/respond-run.ts";

/** A confirmation with what it is about. */
interface Found {
  readonly record: ConfirmationRecord;
  readonly island: Island;
}

/** `GET /v1/confirmations/{id}`: what a yes would run. */
export async function showConfirmation(id: string, context: RequestContext): Promise<Response> {
  const found = await find(id, context);
  if (!found.ok) return respondProblem(found.error, context.requestId);
  const { record, island } = found.value;
  return respondJson(JSON.stringify(toWireConfirmation(record, island)), context.requestId);
}

/**
 * `POST /v1/confirmations/{id}`: a person's yes runs exactly what was parked, a no runs nothing; either is final and
 * answers an envelope of the parked actions.
 *
 * The key may be another than the one that asked: the same tenant's, and allowed every tool involved.
 */
export async function decideConfirmation(
  id: string,
  request: Request,
  context: RequestContext,
): Promise<Response> {
  const { requestId } = context;
  const body = await readRequestBody(request);
  if (!body.ok) return respondProblem(body.error, requestId);
  const parsed = parseRequest(decisionSchema(), body.value.value);
  if (!parsed.ok) return respondProblem(parsed.error, requestId);
  const found = await find(id, context);
  if (!found.ok) return respondProblem(found.error, requestId);
  const { record, island } = found.value;

  const { decision, args_hash: shownHash } = parsed.value;
  const refusal =
    refuseStatus(record) ??
    refuseShown(shownHash, island) ??
    (decision === "approve" ? await refuseChanged(island, context) : null);
  if (refusal !== null) return respondProblem(refusal, requestId);

  const claim = { id, by: context.ports.newId() };
  if (decision === "reject") return reject(claim, island, context);
  return respondDocument(
    async ({ signal }) => {
      const answer = await executeApproved(island, claim, toExecution(context, signal));
      if (!answer.ok) return answer;
      const { envelopeJson, quota } = answer.value;
      return ok({ json: envelopeJson, quota, replayed: false });
    },
    request,
    context,
  );
}

async function reject(
  claim: { readonly id: string; readonly by: string },
  island: Island,
  { gate, catalog, ports, requestId }: RequestContext,
): Promise<Response> {
  try {
    const refused = await gate.reject(claim);
    if (refused !== null) return respondProblem(refuseClaim(refused), requestId);
  } catch {
    return respondProblem(unreadable("The no could not be recorded; say it again."), requestId);
  }
  return respondJson(toRejectionJson(island, catalog, { claim, batchId: ports.newId() }), requestId);
}

/**
 * Find a confirmation of the caller's tenant. One that holds a tool which the key may not call does not exist for it, as
 * the tool does not.
 */
async function find(id: string, { gate, caller, catalog }: RequestContext): Promise<Result<Found, Refusal>> {
  let record: ConfirmationRecord | null;
  try {
    record = await gate.confirmation(id);
  } catch {
    return err(unreadable("The confirmation could not be read; ask again."));
  }
  if (record === null) return err(NO_CONFIRMATION);
  const island = JSON.parse(record.islandJson) as Island;
  // One that another version recorded is not guessed at.
  if (island.format !== ISLAND_FORMAT) return err(NO_CONFIRMATION);
  const hidden = missingTool(island, catalog) !== null && !caller.tools.includes("*");
  return hidden ? err(NO_CONFIRMATION) : ok({ record, island });
}

function unreadable(hint: string): Refusal {
  return makeRefusal("UNAVAILABLE", hint, { retryAfterMs: 1_000 });
}

function missingTool({ actions }: Island, catalog: Catalog): string | null {
  return actions.find(({ tool }) => catalog.get(tool) === undefined)?.tool ?? null;
}

function refuseStatus({ status }: ConfirmationRecord): Refusal | null {
  return status === "pending" ? null : refuseClaim(status);
}

function refuseShown(shownHash: string | undefined, { argsHash }: Island): Refusal | null {
  if (shownHash === undefined || shownHash === argsHash) return null;
  return invalid(
    "'args_hash' is not that of this confirmation: what was shown is not what would run. Look at it again.",
  );
}

/** Refuse what would not do what was said yes to: a tool that is gone or declared otherwise, or arguments that are others. */
async function refuseChanged(island: Island, { catalog, ports }: RequestContext): Promise<Refusal | null> {
  const missing = missingTool(island, catalog);
  if (missing !== null)
    return invalid(
      `The tool '${missing}' is no longer deployed; nothing ran. Ask for the other actions again.`,
    );
  for (const [name, hash] of island.declarations) {
    if ((await hashDeclaration(catalog.get(name)!, ports.sha256)) !== hash)
      return invalid(
        `The declaration of '${name}' has changed since it was asked about; nothing ran. Ask for the actions again.`,
      );
  }
  if ((await hashArgs(island.actions, ports.sha256)) !== island.argsHash)
    return invalid("The recorded arguments are not those that were asked about; nothing ran.");
  return null;
}

function invalid(hint: string): Refusal {
  return makeRefusal("CONFIRMATION_INVALID", hint);
}
