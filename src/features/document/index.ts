import * as z from "zod/mini";
import { respondCounted } from "../../feature/answer.ts";
import { defineFeature, type Feature } from "../../feature/define.ts";
import { describedRoutesOf, type Route } from "../../feature/route.ts";
import { makeOpenApiDocument } from "./http/make-document.ts";

/** `GET /openapi.json`: every path that this Worker answers. */
export function document() {
  return defineFeature({
    name: "document",
    routes: (features) => [{ for: "any key", paths: [showDocument(features)] }],
  });
}

/**
 * `GET /openapi.json`: what this surface takes and answers, for generators and people. The document is made when it is
 * first asked for, once per isolate: no other request pays for its schemas.
 */
function showDocument(features: readonly Feature[]): Route {
  let json: string | undefined;
  return {
    route: "GET /openapi.json",
    async handle(_, context) {
      const answers = features.map((feature) => feature.answers);
      const declared = { ...context.configured.declared, answers };
      json ??= JSON.stringify(makeOpenApiDocument(describedRoutesOf(features), declared));
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
