import { askGate, respondJson } from "../../../feature/answer.ts";
import { readRequestBody } from "../../../cloudflare/http/read-request-body.ts";
import { vaultOf } from "../../../cloudflare/vault.ts";
import type { Issue } from "../../../core/contract/failure.ts";
import { describe, isJsonObject, type JsonObject, utf8Length, visibleText } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { parseWebhookSecrets } from "../../../core/egress/webhook-secret.ts";
import type { EndpointAsked, KeepRefusal } from "../directory-methods.ts";
import { toSettingsJson } from "../endpoint-json.ts";
import { ENDPOINT_ID, parseEndpoint, ENDPOINT_ID_IN_WORDS, refuseEndpoint } from "../endpoint-schema.ts";
import type { EndpointSettings } from "../endpoint-schema.ts";
import type { SeenEndpoint } from "../endpoint-shard-methods.ts";
import { checkVia } from "./check-via.ts";
import { portalSettingsOf } from "./portal-page.ts";
import { noEndpoint, refuseFields, type Answered, type Scope, toShownEndpoint, UNREADABLE } from "./scope.ts";
import * as LIMITS from "../limits.ts";
import { SecretBox } from "../objects/secret-box.ts";

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
  return putUnder(id, request, scope, { isNew });
}

/** Make an endpoint of a customer under an id of ours: those that the customer chose would tell which ones others have. */
export function postEndpoint(request: Request, scope: Scope): Answered {
  return putUnder(`ep_${crypto.randomUUID().replaceAll("-", "")}`, request, scope, { isNew: true });
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
  const found = ENDPOINT_ID.test(id)
    ? []
    : [{ path: "/id", expected: ENDPOINT_ID_IN_WORDS, received: describe(id) }];
  const settings = await parse(sent, scope, { change: sent, found });
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
    const known = await findEndpoint(id, scope);
    if (!known.ok) return known;
    const { endpoint } = known.value;
    const before = toSettingsJson(endpoint);
    const after = { ...before, ...change };
    const bytes = sizeOf(after);
    // One that was kept before there was a bound may shrink.
    if (bytes > LIMITS.endpointBytes && bytes > sizeOf(before)) return err(refuseSize(bytes));
    const settings = await parse(after, scope, { change });
    if (!settings.ok) return settings;
    const enables = change["paused"] === false;
    const asked = { id, settings: settings.value, enables, seen: endpoint.updatedAt };
    const kept = await keep(asked, scope);
    if (kept.ok || kept.error !== CHANGED || tries === PATCH_TRIES) return kept;
  }
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

export async function findEndpoint(id: string, scope: Scope): Promise<Result<SeenEndpoint, Refusal>> {
  const found = await askGate(() => scope.directory.get(id, scope.customer), UNREADABLE);
  if (!found.ok) return found;
  return found.value === null ? err(noEndpoint(id)) : ok(found.value);
}

/** Parse an endpoint. In a customer's own hands it is that customer's, whatever is said. */
async function parse(
  value: unknown,
  scope: Scope,
  /** The fields that are new, and what is wrong besides. */
  { change, found }: { readonly change: unknown; readonly found?: readonly Issue[] },
): Promise<Result<EndpointSettings, Refusal>> {
  const { context, customer } = scope;
  const parsed = parseEndpoint(value, context.configured.trustedOrigins, found);
  if (!parsed.ok) return parsed;
  const { via } = parsed.value;
  const isChosen = via !== undefined && isJsonObject(change) && change["via"] !== undefined;
  const refused = isChosen ? await checkVia(via, scope) : null;
  if (refused !== null) return err(refused);
  return customer === undefined ? parsed : ok({ ...parsed.value, customer });
}

export function boxOf({ context: { configured, caller } }: Scope): SecretBox {
  return new SecretBox(vaultOf(configured), caller.tenant);
}

/** Make a secret that signs, as Standard Webhooks writes one. */
export function makeSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** Take the secret out of an endpoint that brings its own, as one does that moves here. It is never shown again. */
function takeSecret(value: unknown): Result<{ settings: unknown; ownSecret?: string }, Refusal> {
  if (!isJsonObject(value)) return ok({ settings: value });
  const { secret = null, ...settings }: JsonObject = value;
  if (secret === null) return ok({ settings });
  const parsed = typeof secret === "string" ? parseWebhookSecrets(secret) : null;
  return parsed?.length === 1 ? ok({ settings, ownSecret: (secret as string).trim() }) : err(BAD_SECRET);
}

const BAD_SECRET = refuseEndpoint(
  {
    path: "/secret",
    expected: "'whsec_' and 24 to 64 bytes as base64",
    received: "something else",
  },
  "/secret must be one Standard Webhooks secret, 'whsec_' and 24 to 64 bytes as base64; leave it out to have one made.",
);

async function readEndpoint(request: Request): Promise<Result<unknown, Refusal>> {
  const body = await readRequestBody(request);
  if (!body.ok) return body;
  const { value, bytes } = body.value;
  return bytes > LIMITS.endpointBytes ? err(refuseSize(bytes)) : ok(value);
}

function sizeOf(settings: object): number {
  return utf8Length(JSON.stringify(settings));
}

function refuseSize(bytes: number): Refusal {
  return refuseBound(
    { expected: `at most ${LIMITS.endpointBytes} bytes`, received: `${bytes} bytes` },
    `An endpoint has at most ${LIMITS.endpointBytes} bytes as JSON; ask for fewer types, or take a shorter filter.`,
  );
}

function refuseBound(bound: Omit<Issue, "path">, hint: string): Refusal {
  return refuseEndpoint({ path: "", ...bound }, hint);
}

const CHANGED = makeRefusal(
  "NAME_TAKEN",
  "The endpoint was changed by somebody else just now; look at it and ask again.",
);

function refuseKept(
  refusal: KeepRefusal,
  { id, most }: { readonly id: string; readonly most: number },
): Refusal {
  switch (refusal) {
    case "changed":
      return CHANGED;
    case "taken":
      return makeRefusal(
        "NAME_TAKEN",
        `There is an endpoint '${visibleText(id)}' already; nothing was changed.`,
      );
    case "unknown":
      return makeRefusal(
        "NOT_FOUND",
        `There is no endpoint '${visibleText(id)}'; POST /v1/portal/endpoints makes one, and its id.`,
      );
    case "too-many":
      return refuseBound(
        { expected: `at most ${LIMITS.endpoints} endpoints of a tenant`, received: "another one" },
        `The tenant has as many endpoints as it may (${LIMITS.endpoints}); delete some first.`,
      );
    case "too-many-of-customer":
      return refuseBound(
        { expected: `at most ${most} endpoints of a customer`, received: "another one" },
        `There are as many endpoints as there may be (${most}); delete one first.`,
      );
  }
}
