import { showUsage } from "./http/endpoints.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/** `GET /v1/usage`: what a key has left of its quota, what of its tenant waits or fails, and which features there are. */
export function usage(): Feature {
  return {
    name: "usage",
    router: routerOf("any key", [showUsage]),
  };
}
