import { CORE_ENDPOINTS } from "../../edge/endpoints/endpoints.ts";
import { describeEndpoints } from "./http/endpoints.ts";
import { endpointsOf, type Feature } from "../../edge/feature.ts";
import type { Surface } from "./make-document.ts";

/** `GET /openapi.json`: every path that this Worker answers. */
export function document(): Feature {
  return { name: "document", endpoints: (features) => [describeEndpoints(() => surfaceOf(features))] };
}

/** Collect what a Worker with some features answers. */
function surfaceOf(features: readonly Feature[]): Surface {
  return {
    endpoints: [...CORE_ENDPOINTS, ...endpointsOf(features)],
    routes: features.flatMap(({ routes = [] }) => routes),
    features: features.map(({ name }) => name),
  };
}
