import { defineFeature } from "../../feature/define.ts";
import { CORE_ENDPOINTS } from "../../cloudflare/endpoints/endpoints.ts";
import { CORE_OPERATIONS } from "./http/core-operations.ts";
import { describeEndpoints } from "./http/endpoints.ts";
import type { Declared } from "../../cloudflare/configured.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { openRoutersOf, routersOf } from "../../cloudflare/app.ts";
import { descriptionsOf } from "../../cloudflare/openapi/describe-route.ts";
import type { Surface } from "./make-document.ts";

/** `GET /openapi.json`: every path that this Worker answers. */
export function document() {
  return defineFeature({
    name: "document",
    routes: (features) => [
      { for: "any key", paths: [describeEndpoints((declared) => surfaceOf(features, declared))] },
    ],
    load: () => import("./make-document.ts"),
  });
}

/** Collect what a Worker with some features answers. */
function surfaceOf(features: readonly Feature[], declared: Declared): Surface {
  const routers = [...routersOf(features), ...openRoutersOf(features)];
  const core = CORE_ENDPOINTS.map((endpoint) => ({ ...endpoint, describe: CORE_OPERATIONS[endpoint.route] }));
  const described = [...core, ...routers.flatMap(descriptionsOf)];
  return {
    endpoints: described.filter((one) => "route" in one),
    routes: described.filter((one) => "path" in one),
    declared,
  };
}
