import { showObject } from "./http/endpoints.ts";
import type { Feature } from "../../core/edge/feature.ts";
import { routerOf } from "../../core/edge/openapi/endpoint.ts";

/** `GET /v1/objects/{key}`: files that tools have made, for their tenant only. */
export function objects(): Feature {
  return { name: "objects", router: routerOf("any key", [showObject]) };
}
