/** Paths: routers, and what stands behind them. */

export { openRoutersOf, routersOf } from "../cloudflare/app.ts";
export { createGateClient } from "../cloudflare/gate-client/gate-client.ts";
export { createRouter, type Router, type RouterTypes } from "../cloudflare/http/router.ts";
export { visitorRatesOf } from "../cloudflare/http/visitor-rates.ts";
export type { Endpoint } from "../cloudflare/openapi/endpoint.ts";
