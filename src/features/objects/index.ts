import { showObject } from "./http/endpoints.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/** `GET /v1/objects/{key}`: files that tools have made, for their tenant only. */
export function objects(): Feature {
  return { name: "objects", bindings: ["OBJECTS"], router: routerOf("any key", [showObject]) };
}
