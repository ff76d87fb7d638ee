/** Paths: reading a request, answering it, and describing both in the document of the API. */

export { openRoutersOf, routersOf } from "../cloudflare/app.ts";
export { answerPreflight, isPreflight } from "../cloudflare/http/answer-preflight.ts";
export { askGate } from "../cloudflare/http/ask-gate.ts";
export { holdingBytes } from "../cloudflare/http/hold-bytes.ts";
export { digestKey, toHash } from "../cloudflare/http/key-ring.ts";
export { readRequest } from "../cloudflare/http/read-request-body.ts";
export type { RequestContext } from "../cloudflare/http/request-context.ts";
export { respondList } from "../cloudflare/http/respond-list.ts";
export { respondHeld } from "../cloudflare/http/respond-run.ts";
export { respondJson } from "../cloudflare/http/respond.ts";
export type { Endpoint } from "../cloudflare/openapi/endpoint.ts";
