import type { Context } from "hono";
import { createRouter, type Router, type RouterTypes } from "../../../feature/route.ts";
import { askGate, respondJson, respondRefusal } from "../../../feature/answer.ts";
import { linkVisitsOf } from "../../../cloudflare/http/visitor-rates.ts";
import { respondResult } from "../../../cloudflare/http/respond.ts";
import { makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { PortalLink } from "../directory-methods.ts";
import { toTime } from "../endpoint-json.ts";
import { listDeliveries, resendDelivery, showOwnDelivery } from "./delivery-actions.ts";
import {
  deleteEndpoint,
  recoverEndpoint,
  rotateEndpoint,
  showEndpoint,
  testEndpoint,
  listEndpoints,
} from "./endpoint-actions.ts";
import { listEventTypes } from "./event-types.ts";
import { portalSettingsOf, respondPortalPage } from "./portal-page.ts";
import { patchEndpoint, postEndpoint, putEndpoint } from "./put-endpoint.ts";
import { type Scope, UNREADABLE } from "./scope.ts";
import { openDirectory } from "../objects/endpoint-objects.ts";
import { tenantOfToken } from "./portal-links.ts";

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
  ["POST", "/endpoints/:id/recover", (scope, request, id) => recoverEndpoint(request, id, scope)],
  ["POST", "/endpoints/:id/rotate", (scope, request, id) => rotateEndpoint(request, id, scope)],
  ["GET", "/deliveries", (scope, request) => listDeliveries(query(request), scope)],
  ["GET", "/deliveries/:id", (scope, _, id) => showOwnDelivery(id, scope)],
  ["POST", "/deliveries/:id/resend", (scope, _, id) => resendDelivery(id, scope)],
  ["GET", "/event_types", (scope, request) => listEventTypes(query(request), scope)],
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
  const { configured } = deployment;
  const { clock, sha256 } = configured.ports;
  const hash = await sha256(token);
  const visits = linkVisitsOf(configured);
  const visit = { request, digest: hash };
  const waitMs = visits.draw(visit, clock.now());
  if (waitMs > 0) return respondRefusal(tooOften(waitMs), refusing);
  const runner = tenant === null ? null : deployment.runnerOf(tenant);
  if (runner === null) return respondRefusal(NO_LINK, refusing);
  const defer = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
  const context = deployment.contextOf({ ...runner, name: "portal:" }, { requestId, defer });
  const opened = openDirectory(context.caller, configured);
  if (!opened.ok) return respondRefusal(opened.error, refusing);
  const found = await askGate(() => opened.value.link(hash), UNREADABLE);
  if (!found.ok) return respondRefusal(found.error, refusing);
  const link = found.value;
  if (link === null) {
    visits.gone(visit);
    return respondRefusal(NO_LINK, refusing);
  }
  visits.found(visit, clock.now());
  if (link.readOnly && request.method !== "GET") return respondRefusal(ONLY_READS, refusing);
  const scope = { directory: opened.value, context, customer: link.customer, link };
  return respondResult(await answer(scope, request, c.req.param("id") ?? ""), context);
}

function tooOften(waitMs: number): Refusal {
  return makeRefusal(
    "QUOTA_EXCEEDED",
    "More requests come by this link, or from where you are, than are answered; wait.",
    { retryAfterMs: waitMs },
  );
}

function toLinkJson({ customer, readOnly, expiresAt }: PortalLink) {
  return { customer, read_only: readOnly, expires_at: toTime(expiresAt) };
}

const NO_LINK = makeRefusal("UNAUTHORIZED", "The link is not good, or not any more; ask for another one.");
const ONLY_READS = makeRefusal("FORBIDDEN", "The link shows everything and changes nothing.");
