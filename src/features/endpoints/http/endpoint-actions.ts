import * as z from "zod/mini";

import { isJsonObject } from "../../../core/contract/json.ts";
import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import * as LIMITS from "../limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import { readRequest } from "../../../cloudflare/http/read-request-body.ts";
import { respondJson } from "../../../cloudflare/http/respond.ts";
import { vaultOf } from "../../../cloudflare/vault-of.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { INSTANT_EXPECTED, parseInstant } from "../../../core/kit/rfc3339.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import type { EndpointAsked } from "../directory-methods.ts";
import type { EndpointSettings, KeptEndpoint } from "../endpoint.ts";
import { toDayJson, toSettingsJson } from "../endpoint-json.ts";
import { typeField } from "../check-event.ts";
import { ENDPOINT_ID, parseEndpoint } from "../endpoint-schema.ts";
import { fitsPattern } from "../match-event.ts";
import { SecretBox } from "../objects/secret-box.ts";
import { checkVia } from "./check-via.ts";
import { badName, CHANGED, readEndpoint, refuseKept, refuseSize, sizeOf } from "./refuse-endpoint.ts";
import { portalSettingsOf } from "./portal-page.ts";
import { takeSecret } from "../take-secret.ts";
import { makeEndpointId, makeSecret } from "./make-secret.ts";
import { noEndpoint, refuseFields, type Scope, toShownEndpoint, UNREADABLE } from "./scope.ts";

type Answered = Promise<Result<Response, Refusal>>;

const UNCERTAIN = "Whether the endpoint was kept is not certain; look at it before you ask again.";
/** A change that others make at the same time is made again on what they left. */
const PATCH_TRIES = 3;

/**
 * Keep an endpoint under an id, or replace the one that has it. In a customer's hands it replaces one of the customer's own: its flow
 * stays, and its secret is ours. With `If-None-Match: *` none is replaced.
 */
export async function putEndpoint(request: Request, id: string, scope: Scope): Answered {
  // A customer would be told which ids others have.
  const isNew = scope.customer === undefined && request.headers.get("if-none-match")?.trim() === "*";
  return ENDPOINT_ID.test(id) ? putUnder(id, request, scope, { isNew }) : err(badName(id));
}

/** Make an endpoint of a customer under an id of ours: those that the customer chose would tell which ones others have. */
export function postEndpoint(request: Request, scope: Scope): Answered {
  return putUnder(makeEndpointId(), request, scope, { isNew: true });
}

async function putUnder(
  id: string,
  request: Request,
  scope: Scope,
  more: Pick<EndpointAsked, "isNew"> = {},
): Answered {
  const body = await readEndpoint(request);
  if (!body.ok) return body;
  const { value } = body;
  const other = refuseFields(value, scope);
  if (other !== null) return err(other);
  const own = takeSecret(value);
  if (!own.ok) return own;
  const { settings: sent, ...secret } = own.value;
  const settings = await parse(sent, scope, sent);
  if (!settings.ok) return settings;
  return keep({ id, settings: settings.value, enables: !settings.value.paused, ...secret, ...more }, scope);
}

/** Change fields of an endpoint; null takes one away. */
export async function patchEndpoint(request: Request, id: string, scope: Scope): Answered {
  const body = await readEndpoint(request);
  if (!body.ok) return body;
  const change = body.value;
  if (!isJsonObject(change))
    return err(makeRefusal("INVALID_ENDPOINT", "The body must be an object with the fields that change."));
  const other = refuseFields(change, scope);
  if (other !== null) return err(other);
  for (let tries = 1; ; tries += 1) {
    const known = await read(id, scope);
    if (!known.ok) return known;
    const { endpoint } = known.value;
    const before = toSettingsJson(endpoint);
    const after = { ...before, ...change };
    const bytes = sizeOf(after);
    // One that was kept before there was a bound may shrink.
    if (bytes > LIMITS.endpointBytes && bytes > sizeOf(before)) return err(refuseSize(bytes));
    const settings = await parse(after, scope, change);
    if (!settings.ok) return settings;
    const enables = change["paused"] === false;
    const asked = { id, settings: settings.value, enables, seen: endpoint.updatedAt };
    const kept = await keep(asked, scope);
    if (kept.ok || kept.error !== CHANGED || tries === PATCH_TRIES) return kept;
  }
}

export async function showEndpoint(id: string, scope: Scope): Answered {
  const known = await read(id, scope);
  if (!known.ok) return known;
  const { endpoint, day } = known.value;
  return ok(respondJson(JSON.stringify({ ...toShownEndpoint(endpoint, scope), last_24h: toDayJson(day) })));
}

export async function deleteEndpoint(id: string, scope: Scope): Answered {
  const hint = "Whether the endpoint was deleted is not certain; send the same request again.";
  const removed = await askGate(() => scope.directory.remove(id, scope.customer), hint);
  if (!removed.ok) return removed;
  return removed.value ? ok(new Response(null, { status: 204 })) : err(noEndpoint(id));
}

export const rotationSchema = lazySchema(() =>
  z.strictObject({
    overlap_s: z
      .optional(z.int().check(z.minimum(0), z.maximum(LIMITS.secretOverlapS)))
      .check(z.describe("How long both secrets sign; a day unless said")),
  }),
);

/** Put another secret in the place of an endpoint's. */
export async function rotateEndpoint(request: Request, id: string, scope: Scope): Answered {
  const body = await readRequest(request, rotationSchema());
  if (!body.ok) return body;
  const { overlap_s: overlapS = 86_400 } = body.value.parsed;
  const secret = makeSecret();
  const sealed = await boxOf(scope).seal(id, secret);
  const asked = { id, secret: sealed, overlapMs: overlapS * 1_000, ...only(scope) };
  const hint = "Whether the secret was changed is not certain; rotate again, with an overlap.";
  const rotated = await askGate(() => scope.directory.rotate(asked), hint);
  if (!rotated.ok) return rotated;
  if (rotated.value === null) return err(noEndpoint(id));
  return ok(respondJson(JSON.stringify({ ...toShownEndpoint(rotated.value, scope), secret })));
}

export const testSchema = lazySchema(() =>
  z.strictObject({
    type: z
      .optional(typeField())
      .check(z.describe("Whose example is sent; the first that the endpoint asks for by name unless said")),
  }),
);

/** Send an example to an endpoint, as an event that is for it alone. */
export async function testEndpoint(request: Request, id: string, scope: Scope): Answered {
  const body = await readRequest(request, testSchema());
  if (!body.ok) return body;
  const known = await read(id, scope);
  if (!known.ok) return known;
  const { endpoint } = known.value;
  const type = body.value.parsed.type ?? endpoint.events.find((one) => !one.includes("*")) ?? "endpoint.test";
  if (body.value.parsed.type !== undefined && !endpoint.events.some((pattern) => fitsPattern(pattern, type)))
    return err(
      makeRefusal("INVALID_REQUEST", `/type: the endpoint does not ask for '${visibleText(type)}'.`),
    );
  const described = await askGate(() => scope.directory.type(type), UNREADABLE);
  if (!described.ok) return described;
  const data = described.value?.example ?? '{"test":true}';
  const event = { type, data, customer: null, only: id };
  const published = await askGate(
    () => scope.directory.publish(event),
    "Whether the test was sent is not certain; look at the endpoint's deliveries.",
  );
  if (!published.ok) return published;
  if (!published.value.ok || published.value.value.endpoints === 0)
    return err(
      makeRefusal(
        "INVALID_REQUEST",
        "The endpoint is paused or disabled, so nothing was sent; send PATCH with paused: false first.",
      ),
    );
  return ok(respondJson(JSON.stringify({ event_id: published.value.value.eventId }), { status: 202 }));
}

export const recoverSchema = lazySchema(() =>
  z.strictObject({
    since: z.string().check(z.describe("Events published since")),
    until: z.optional(z.string()),
    all: z
      .optional(z.boolean())
      .check(z.describe("Also what was never tried, because it was paused or disabled")),
  }),
);

/** Deliver to an endpoint what it should have got in a time and did not. */
export async function recoverEndpoint(request: Request, id: string, scope: Scope): Answered {
  const asked = await readRequest(request, recoverSchema());
  if (!asked.ok) return asked;
  const { since, until, all = false } = asked.value.parsed;
  const now = scope.context.ports.clock.now();
  const from = parseInstant(since);
  const to = until === undefined ? now : parseInstant(until);
  if (from === null || to === null) {
    const path = from === null ? "/since" : "/until";
    return err(makeRefusal("INVALID_REQUEST", `${path} must be ${INSTANT_EXPECTED}.`));
  }
  const query = { since: from, until: to, all };
  const recovered = await askGate(
    () => scope.directory.recover(id, query, scope.customer),
    "Whether everything is delivered again is not certain; send the same request again.",
  );
  if (!recovered.ok) return recovered;
  if (recovered.value === null) return err(noEndpoint(id));
  return ok(respondJson(JSON.stringify({ deliveries: recovered.value }), { status: 202 }));
}

async function keep({ ownSecret, ...asked }: Omit<EndpointAsked, "secret">, scope: Scope): Answered {
  const secret = makeSecret();
  const { customer } = scope;
  const box = boxOf(scope);
  const sealed = {
    secret: await box.seal(asked.id, secret),
    ...(ownSecret !== undefined && { ownSecret: await box.seal(asked.id, ownSecret) }),
  };
  const put = { ...asked, ...sealed, keepsVia: customer !== undefined };
  const most = customer === undefined ? 0 : portalSettingsOf(scope.context.configured).maxEndpoints;
  const by = customer === undefined ? undefined : { customer, most };
  const kept = await askGate(() => scope.directory.put(put, by), UNCERTAIN);
  if (!kept.ok) return kept;
  if (!kept.value.ok) return err(refuseKept(kept.value.error, { id: asked.id, most }));
  const { created, endpoint } = kept.value.value;
  const isOurs = created && ownSecret === undefined;
  const shown = { ...toShownEndpoint(endpoint, scope), ...(isOurs && { secret }) };
  return ok(respondJson(JSON.stringify(shown), { status: created ? 201 : 200 }));
}

async function read(id: string, scope: Scope) {
  const found = await askGate(() => scope.directory.get(id, scope.customer), UNREADABLE);
  if (!found.ok) return found;
  return found.value === null
    ? err(noEndpoint(id))
    : ok(found.value as { endpoint: KeptEndpoint } & typeof found.value);
}

/** Parse an endpoint. In a customer's own hands it is that customer's, whatever is said. @param change the fields that are new */
async function parse(
  value: unknown,
  scope: Scope,
  change: unknown,
): Promise<Result<EndpointSettings, Refusal>> {
  const { context, customer } = scope;
  const parsed = parseEndpoint(value, context.configured.trustedOrigins);
  if (!parsed.ok) return parsed;
  const { via } = parsed.value;
  const isChosen = via !== undefined && isJsonObject(change) && change["via"] !== undefined;
  const refused = isChosen ? await checkVia(via, scope) : null;
  if (refused !== null) return err(refused);
  return customer === undefined ? parsed : ok({ ...parsed.value, customer });
}

function boxOf({ context: { configured, caller } }: Scope): SecretBox {
  return new SecretBox(vaultOf(configured), caller.tenant);
}

function only({ customer }: Scope): { customer?: string } {
  return customer === undefined ? {} : { customer };
}
