/** Paths: routers, and what stands behind them. */

export { listRoutesOf } from "../cloudflare/app.ts";
export { createGateClient } from "../cloudflare/gate-client/gate-client.ts";
export { createRouter, type Router, type RouterTypes } from "../cloudflare/http/router.ts";
export { visitorRatesOf } from "../cloudflare/http/visitor-rates.ts";
export { describedRoutesOf } from "../cloudflare/described-routes.ts";
export type { Dialect } from "../cloudflare/http/dialect.ts";
export type { Route } from "../cloudflare/openapi/route.ts";
export type { DocumentWriter } from "../cloudflare/openapi/operation.ts";
