import { showObject } from "./http/endpoints.ts";
import type { Feature } from "../../edge/feature.ts";

/** `GET /v1/objects/{key}`: files that tools have made, for their tenant only. */
export function objects(): Feature {
  return { name: "objects", endpoints: [showObject] };
}
