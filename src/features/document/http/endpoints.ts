import * as z from "zod/mini";

import type { Declared } from "../../../cloudflare/configured.ts";
import { respondCounted } from "../../../cloudflare/http/respond-counted.ts";
import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";
import type { Surface } from "../make-document.ts";

/**
 * `GET /openapi.json`: what this surface takes and answers, for generators and people. The document is made when it is
 * first asked for, once per isolate: no other request pays for its schemas.
 */
export function describeEndpoints(surface: (declared: Declared) => Surface): Endpoint {
  let json: string | undefined;
  return {
    route: "GET /openapi.json",
    runsNothing: true,
    async handle(_, context) {
      if (json === undefined) {
        const { makeOpenApiDocument } = await import("../make-document.ts");
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
