import * as z from "zod/mini";

import {
  callConfirmations,
  type Claim,
  type ConfirmationRecord,
  decisionSchema,
  GROUP_FORMAT,
  listAsked,
  NO_CONFIRMATION,
  refuseClaim,
} from "../confirmation.ts";
import { hashArgs, hashDeclaration } from "../confirmation-digests.ts";
import { LISTED_STATUSES, parseConfirmationQuery } from "./confirmation-query.ts";
import { toRejectionJson } from "../rejection.ts";
import {
  confirmationSchema,
  type Knows,
  listedConfirmationSchema,
  toWireConfirmation,
  toWireListed,
} from "../wire-confirmation.ts";
import { envelopeSchema } from "../../../core/answer/result-schema.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { Caller } from "../../../core/contract/gate/caller.ts";
import { toCursor } from "../../../core/contract/gate/job-query.ts";
import type { ParkedGroup } from "../../../core/contract/gate/parked-group.ts";
import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { toConfirmationUrl } from "../../../core/contract/outcome.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { executeApproved } from "../execute-approved.ts";
import { withCurrentTools } from "../../../core/run/execute/executor.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { escapeUnseen, toJsonEscape } from "../../../core/kit/visible-text.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import type { Run } from "../../../core/edge/http/event-stream.ts";
import { readIdempotencyKey } from "../../../core/edge/http/read-idempotency-key.ts";
import { readRequest } from "../../../core/edge/http/read-request-body.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import { respondCounted } from "../../../core/edge/http/respond-counted.ts";
import { respondDocument } from "../../../core/edge/http/respond-run.ts";
import { answerCounted } from "../../../core/edge/http/count-lists.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";

/** A confirmation with what it is about. */
interface Found {
  readonly record: ConfirmationRecord;
  readonly group: ParkedGroup;
  /** The caller's tools, as they are by now where the group holds one that may have changed. */
  readonly catalog: Catalog;
}

/**
 * `GET /v1/confirmations?status=&limit=&cursor=`: the tenant's confirmations, newest first, without their arguments and
 * results. One that holds a tool which the key may not call is not listed, as it does not exist for it.
 */
export const listConfirmations: Endpoint = {
  route: "GET /v1/confirmations",
  runsNothing: true,
  async handle(request, { gate, caller, catalog }) {
    const { origin, searchParams } = new URL(request.url);
    const query = parseConfirmationQuery(searchParams);
    if (!query.ok) return query;
    const { limit } = query.value;
    const tools = caller.tools.includes("*") ? undefined : [...catalog.names];
    // One more than is shown tells whether there is another page.
    const asked = { ...query.value, tools, limit: limit + 1 };
    const found = await askGate(
      () => callConfirmations(gate, "confirmations", asked),
      "The tenant's confirmations could not be read; ask again.",
    );
    if (!found.ok) return found;
    const confirmations = found.value.slice(0, limit);
    const last = confirmations.at(-1);
    const answer = {
      confirmations: confirmations.map((one) =>
        toWireListed(one, { url: toConfirmationUrl(one.id, origin), knows: knownTo(caller, catalog) }),
      ),
      next_cursor: found.value.length > limit && last !== undefined ? toCursor(last) : null,
    };
    return ok(respondJson(JSON.stringify(answer)));
  },
  describe: () => ({
    id: "listConfirmations",
    summary: "List what waits, or waited, for a person's yes, newest first",
    tag: "Confirmations",
    query: z.strictObject({
      status: z
        .optional(z.enum(LISTED_STATUSES))
        .check(z.describe("`waiting` is another word for `pending`")),
      limit: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxJobPage))),
      cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier page")),
    }),
    answer: {
      description: "One page of confirmations, without their arguments and results",
      schema: z
        .strictObject({
          confirmations: z.array(listedConfirmationSchema()),
          next_cursor: z.nullable(z.string()),
        })
        .register(z.globalRegistry, { id: "ConfirmationPage" }),
    },
  }),
};

/** `GET /v1/confirmations/{id}`: what a yes would run. */
export const showConfirmation: Endpoint = {
  route: "GET /v1/confirmations/:id",
  runsNothing: true,
  async handle({ url }, context, id) {
    const found = await find(id, context);
    if (!found.ok) return found;
    const { record, group, catalog } = found.value;
    const shown = toWireConfirmation(record, group, {
      url: toConfirmationUrl(record.id, new URL(url).origin),
      knows: knownTo(context.caller, catalog),
    });
    // The same values for a program; a person who reads the text sees what would hide or turn the rest around.
    const json = escapeUnseen(JSON.stringify(shown), { escape: toJsonEscape });
    return respondCounted(json, context);
  },
  describe: () => ({
    id: "getConfirmation",
    summary: "Show what a person's yes would run",
    tag: "Confirmations",
    answer: { description: "The parked actions with their arguments", schema: confirmationSchema() },
    refusals: ["NOT_FOUND"],
  }),
};

/**
 * `POST /v1/confirmations/{id}`: a person's yes runs exactly what was parked, a no runs nothing; either is final and
 * answers an envelope of the parked actions. The same decision under the same `Idempotency-Key` has the same answer again.
 *
 * The key has the flag `approve`. It may be another than the one that asked: the same tenant's, and allowed every tool
 * involved.
 */
export const decideConfirmation: Endpoint = {
  route: "POST /v1/confirmations/:id",
  async handle(request, context, id) {
    const key = readIdempotencyKey(request);
    if (!key.ok) return key;
    const body = await readRequest(request, decisionSchema());
    if (!body.ok) return body;
    const { decision, args_hash: shownHash } = body.value.parsed;
    const asked = { id, decision, shownHash, key: key.value };
    return decision === "approve"
      ? approve(request, context, asked)
      : ok(await answerCounted(context, () => reject(context, asked)));
  },
  describe: () => ({
    id: "decideConfirmation",
    summary: "Say a person's yes, which runs what was parked, or no",
    tag: "Confirmations",
    body: { schema: decisionSchema().check(z.meta({ id: "Decision" })), example: { decision: "approve" } },
    answer: { description: "One result for every parked action", schema: envelopeSchema() },
    refusals: ["NOT_FOUND", "CONFIRMATION_INVALID", "INVALID_REQUEST"],
    counted: "always",
    keyed: true,
  }),
};

/** A decision on a confirmation, by somebody who may have been shown its arguments. */
interface Asked {
  readonly id: string;
  readonly decision: "approve" | "reject";
  readonly shownHash: string | undefined;
  /** The idempotency key of the decision; null without one. */
  readonly key: string | null;
}

async function approve(
  request: Request,
  context: RequestContext,
  asked: Asked,
): Promise<Result<Response, Refusal>> {
  const found = await findDecision(asked, context);
  if (!found.ok) return found;
  if (found.value.kind === "repeated") return replay(found.value.answerJson, context);
  const { claim, group, catalog } = found.value;
  const run: Run = (listener) =>
    withCurrentTools({ ...context, catalog, ...listener }, async (current) => {
      const changed = await refuseChanged(group, current);
      return changed === null
        ? executeApproved(group, claim, current)
        : err({ refusal: changed, quota: null });
    });
  return respondDocument(run, request, context);
}

async function reject(context: RequestContext, asked: Asked): Promise<Result<Response, Refusal>> {
  const found = await findDecision(asked, context);
  if (!found.ok) return found;
  if (found.value.kind === "repeated") return replay(found.value.answerJson, context);
  const { claim, group, catalog } = found.value;
  const { gate, ports } = context;
  const json = toRejectionJson(group, catalog, { claim, batchId: ports.newId() });
  const refused = await askGate(
    () => callConfirmations(gate, "reject", claim, json),
    "The no could not be recorded; say it again.",
  );
  if (!refused.ok) return refused;
  return refused.value === null ? ok(respondJson(json)) : err(refuseClaim(refused.value));
}

function replay(answerJson: string, context: RequestContext): Promise<Result<Response, Refusal>> {
  return respondCounted(answerJson, context, { "idempotency-replayed": "true" });
}

/** The status that a decision, once it is answered, gives its confirmation. */
const ENDS = { approve: "done", reject: "rejected" } as const;

type Decision =
  | ({ readonly kind: "open"; readonly claim: Claim } & Pick<Found, "group" | "catalog">)
  /** It was made before, under the same key, and this is what was answered then. */
  | { readonly kind: "repeated"; readonly answerJson: string };

/** Find what is to be decided, and make the claim on it. */
async function findDecision(
  { id, decision, shownHash, key }: Asked,
  context: RequestContext,
): Promise<Result<Decision, Refusal>> {
  const found = await find(id, context);
  if (!found.ok) return found;
  const { record, group, catalog } = found.value;
  const { answerJson } = record;
  const isRepeated = key !== null && key === record.key && record.status === ENDS[decision];
  const isOpen = record.status === "pending" || (isRepeated && answerJson !== null);
  const refusal = (isOpen ? null : refuseClaim(record.status)) ?? refuseShown(shownHash, group);
  if (refusal !== null) return err(refusal);
  if (isRepeated) return ok({ kind: "repeated", answerJson: answerJson! });
  const decidedBy = context.caller.name;
  const claim = { id, by: context.ports.newId(), decidedBy, ...(key !== null && { key }) };
  return ok({ kind: "open", claim, group, catalog });
}

/**
 * Find a confirmation of the caller's tenant. One that holds a tool which the key may not call does not exist for it, as
 * the tool does not.
 */
async function find(id: string, context: RequestContext): Promise<Result<Found, Refusal>> {
  const { gate, caller } = context;
  const asked = await askGate(
    () => callConfirmations(gate, "confirmation", id),
    "The confirmation could not be read; ask again.",
  );
  if (!asked.ok) return asked;
  const record = asked.value;
  if (record === null) return err(NO_CONFIRMATION);
  const group = parseExact(record.groupJson) as ParkedGroup;
  // One that another version recorded is not guessed at.
  if (group.format !== GROUP_FORMAT) return err(NO_CONFIRMATION);
  const mayHaveChanged = group.actions.some(({ tool }) => context.catalog.mayChange(tool));
  const catalog = mayHaveChanged
    ? await askGate(() => context.currentCatalog(), "The tenant's tools could not be read; ask again.")
    : ok(context.catalog);
  if (!catalog.ok) return catalog;
  const hidden = missingTool(group, catalog.value) !== null && !caller.tools.includes("*");
  return hidden ? err(NO_CONFIRMATION) : ok({ record, group, catalog: catalog.value });
}

/** Which tools a caller may know of; one that is gone by now a caller of all tools may. */
function knownTo({ tools }: Pick<Caller, "tools">, catalog: Catalog): Knows {
  return (tool) => tools.includes("*") || catalog.get(tool) !== undefined;
}

function missingTool({ actions }: ParkedGroup, catalog: Catalog): string | null {
  return listAsked(actions).find(({ tool }) => catalog.get(tool) === undefined)?.tool ?? null;
}

function refuseShown(shownHash: string | undefined, { argsHash }: ParkedGroup): Refusal | null {
  if (shownHash === undefined || shownHash === argsHash) return null;
  return invalid(
    "'args_hash' is not that of this confirmation: what was shown is not what would run. Look at it again.",
  );
}

/** Refuse what would not do what was said yes to: a tool that is gone or declared otherwise, or arguments that are others. */
async function refuseChanged(
  group: ParkedGroup,
  { catalog, ports }: Pick<RequestContext, "catalog" | "ports">,
): Promise<Refusal | null> {
  const missing = missingTool(group, catalog);
  if (missing !== null)
    return invalid(
      `The tool '${missing}' is no longer deployed; nothing ran. Ask for the other actions again.`,
    );
  for (const [name, hash] of group.declarations) {
    if ((await hashDeclaration(catalog.get(name)!, ports.sha256)) !== hash)
      return invalid(
        `The declaration of '${name}' has changed since it was asked about; nothing ran. Ask for the actions again.`,
      );
  }
  if ((await hashArgs(group.actions, ports.sha256)) !== group.argsHash)
    return invalid("The recorded arguments are not those that were asked about; nothing ran.");
  return null;
}

function invalid(hint: string): Refusal {
  return makeRefusal("CONFIRMATION_INVALID", hint);
}
