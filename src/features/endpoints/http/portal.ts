import type { Context } from "hono";

import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import { answerCounted } from "../../../core/edge/http/count-lists.ts";
import { respondJson, respondRefusal } from "../../../core/edge/http/respond.ts";
import { createRouter, type Router, type RouterTypes } from "../../../core/edge/http/router.ts";
import { createSlot } from "../../../core/edge/slot.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import type { PortalLink } from "../directory-methods.ts";
import { toTime } from "../endpoint-json.ts";
import { tenantOfToken } from "../portal-token.ts";
import { listDeliveries, resendDelivery } from "./delivery-actions.ts";
import {
  deleteEndpoint,
  patchEndpoint,
  postEndpoint,
  putEndpoint,
  rotateEndpoint,
  showEndpoint,
  testEndpoint,
} from "./endpoint-actions.ts";
import { endpointDeskOf } from "./endpoint-desk.ts";
import { listEventTypes } from "./event-types.ts";
import { listEndpoints } from "./list-endpoints.ts";
import { portalSettingsOf, respondPortalPage } from "./portal-page.ts";
import { type Scope, UNREADABLE } from "./scope.ts";
import { showOwnDelivery } from "./show-own-delivery.ts";

type Answer = (
  scope: Scope & { readonly link: PortalLink },
  request: Request,
  id: string,
) => Promise<Result<Response, Refusal>>;

const query = (request: Request): URLSearchParams => new URL(request.url).searchParams;

/** The things that a customer may do, by method and path below `/v1/portal`. All but what begins with GET is refused to a link that only reads. */
const PATHS: readonly (readonly [method: string, path: string, answer: Answer])[] = [
  ["GET", "", async ({ link }) => ok(respondJson(JSON.stringify(toLinkJson(link))))],
  ["GET", "/endpoints", (scope, request) => listEndpoints(query(request), scope)],
  ["POST", "/endpoints", (scope, request) => postEndpoint(request, scope)],
  ["GET", "/endpoints/:id", (scope, _, id) => showEndpoint(id, scope)],
  ["PUT", "/endpoints/:id", (scope, request, id) => putEndpoint(request, id, scope)],
  ["PATCH", "/endpoints/:id", (scope, request, id) => patchEndpoint(request, id, scope)],
  ["DELETE", "/endpoints/:id", (scope, _, id) => deleteEndpoint(id, scope)],
  ["POST", "/endpoints/:id/test", (scope, request, id) => testEndpoint(request, id, scope)],
  ["POST", "/endpoints/:id/rotate", (scope, request, id) => rotateEndpoint(request, id, scope)],
  ["GET", "/deliveries", (scope, request) => listDeliveries(query(request), scope)],
  ["GET", "/deliveries/:id", (scope, _, id) => showOwnDelivery(id, scope)],
  ["POST", "/deliveries/:id/resend", (scope, _, id) => resendDelivery(id, scope)],
  ["GET", "/event_types", (scope) => listEventTypes(scope)],
];

/**
 * Create the router of `/portal`, the page for customers, and of `/v1/portal`: what a portal link's customer may do with its own endpoints, and nothing else of the tenant. The
 * link's token stands where a key would; it is no key, so no other path takes it.
 */
export function createPortal(): Router {
  const router = createRouter();
  router.get("/portal", (c) => respondPortalPage(portalSettingsOf(c.get("deployment").configured)));
  for (const [method, path, answer] of PATHS)
    router.on(method, `/v1/portal${path}`, (c) => answerPortal(c, answer));
  return router;
}

async function answerPortal(c: Context<RouterTypes>, answer: Answer): Promise<Response> {
  const request = c.req.raw;
  const { requestId } = c.get("watch");
  const refusing = { requestId, dialect: null };
  const deployment = c.get("deployment");
  const token = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const tenant = tenantOfToken(token);
  const runner = tenant === null ? null : deployment.runnerOf(tenant);
  if (runner === null) return respondRefusal(NO_LINK, refusing);
  const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const hash = await deployment.configured.ports.sha256(token);
  const good = goodLinksOf(deployment.configured);
  const name = `portal:${good.get(hash) ?? ""}`;
  const context = deployment.contextOf({ ...runner, name }, { requestId, defer });
  return answerCounted(context, async (counted) => {
    const opened = endpointDeskOf(counted.configured).open(counted.caller);
    if (!opened.ok) return opened;
    const found = await askGate(() => opened.value((directory) => directory.link(hash)), UNREADABLE);
    if (!found.ok) return found;
    const link = found.value;
    if (link === null) {
      good.delete(hash);
      return err(NO_LINK);
    }
    if (!good.has(hash)) remember(good, hash, await counted.ports.sha256(link.customer));
    if (link.readOnly && request.method !== "GET") return err(ONLY_READS);
    return answer(
      { ask: opened.value, context: counted, customer: link.customer, link },
      request,
      c.req.param("id") ?? "",
    );
  });
}

/**
 * The allowance of each link that was good here lately. Links of a tenant draw from allowances of their own, not from those of its keys: one
 * that is known here draws from its customer's, so that no customer takes another's; all others, forged ones among them, draw from one.
 * Whether a link is still good is asked each time.
 */
const goodLinksOf = createSlot(() => new Map<string, string>());

/** Links that an isolate remembers; one that is forgotten is counted with the unknown ones once. */
const MOST_GOOD = 1_000;

/** @param customer the digest of its name: some customers share an allowance, so that a tenant has no more than 256 */
function remember(good: Map<string, string>, hash: string, customer: string): void {
  if (good.size >= MOST_GOOD) good.delete(good.keys().next().value!);
  good.set(hash, customer.slice(0, 2));
}

function toLinkJson({ customer, readOnly, expiresAt }: PortalLink) {
  return { customer, read_only: readOnly, expires_at: toTime(expiresAt) };
}

const NO_LINK = makeRefusal("UNAUTHORIZED", "The link is not good, or not any more; ask for another one.");
const ONLY_READS = makeRefusal("FORBIDDEN", "The link shows everything and changes nothing.");
