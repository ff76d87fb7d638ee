import * as z from "zod/mini";
import { openRoutersOf, routersOf } from "../../cloudflare/app.ts";
import type { Declared } from "../../cloudflare/configured.ts";
import { CORE_ENDPOINTS } from "../../cloudflare/endpoints/execute-actions.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { respondCounted } from "../../cloudflare/http/respond-counted.ts";
import { descriptionsOf, type Endpoint } from "../../cloudflare/openapi/endpoint.ts";
import { defineFeature } from "../../feature/define.ts";
import { CORE_OPERATIONS } from "./http/core-operations.ts";
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

/**
 * `GET /openapi.json`: what this surface takes and answers, for generators and people. The document is made when it is
 * first asked for, once per isolate: no other request pays for its schemas.
 */
function describeEndpoints(surface: (declared: Declared) => Surface): Endpoint {
  let json: string | undefined;
  return {
    route: "GET /openapi.json",
    runsNothing: true,
    async handle(_, context) {
      if (json === undefined) {
        const { makeOpenApiDocument } = await import("./make-document.ts");
        json = JSON.stringify(makeOpenApiDocument(surface(context.configured.declared)));
      }
      return respondCounted(json, context);
    },
    describe: () => ({
      id: "getOpenApi",
      summary: "This document",
      tag: "About",
      answer: {
        description: "OpenAPI 3.1",
        schema: z.looseObject({}).register(z.globalRegistry, { id: "OpenApiDocument" }),
      },
    }),
  };
}
