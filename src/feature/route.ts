/** Paths: reading a request, answering it, and describing both in the document of the API. */

export { openRoutersOf, routersOf } from "../cloudflare/app.ts";
export { createGateClient } from "../cloudflare/gate-client/gate-client.ts";
export { answerPreflight, isPreflight } from "../cloudflare/http/answer-preflight.ts";
export { askGate } from "../cloudflare/http/ask-gate.ts";
export { isAllowedOrigin } from "../cloudflare/http/guard-origin.ts";
export { holdingBytes } from "../cloudflare/http/hold-bytes.ts";
export { digestKey, toHash } from "../cloudflare/http/key-ring.ts";
export { readBytes, readRequest } from "../cloudflare/http/read-request-body.ts";
export type { RequestContext } from "../cloudflare/http/request-context.ts";
export { respondList } from "../cloudflare/http/respond-list.ts";
export { respondHeld } from "../cloudflare/http/respond-run.ts";
export { respondJson, respondRefusal } from "../cloudflare/http/respond.ts";
export { createRouter, type Router, type RouterTypes } from "../cloudflare/http/router.ts";
export { visitorRatesOf } from "../cloudflare/http/visitor-rates.ts";
export type { Endpoint } from "../cloudflare/openapi/endpoint.ts";
