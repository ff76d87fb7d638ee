/**
 * Serves a Worker on a development server: `import { develop } from "volley/dev"`. An entry of its own imports it, such as the one that `volley dev` writes, so the Worker that is deployed contains nothing of it.
 */
export { develop } from "../cloudflare/develop.ts";

export type { Served } from "../cloudflare/develop.ts";
