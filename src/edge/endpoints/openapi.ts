import * as z from "zod";

import { ok } from "../../kit/result.ts";
import { respondJson } from "../http/respond.ts";
import type { Endpoint } from "../openapi/endpoint.ts";

/**
 * `GET /openapi.json`: what this surface takes and answers, for generators and people. The document is made when it is
 * first asked for, once per isolate: no other request pays for its schemas.
 */
export function describeEndpoints(endpoints: () => readonly Endpoint[]): Endpoint {
  let json: string | undefined;
  return {
    route: "GET /openapi.json",
    runsNothing: true,
    async handle(_, { requestId }) {
      if (json === undefined) {
        const { makeOpenApiDocument } = await import("../openapi/make-document.ts");
        json = JSON.stringify(makeOpenApiDocument(endpoints()));
      }
      return ok(respondJson(json, requestId));
    },
    describe: () => ({
      id: "getOpenApi",
      summary: "This document",
      tag: "About",
      answer: { description: "OpenAPI 3.1", schema: z.looseObject({}).meta({ id: "OpenApiDocument" }) },
    }),
  };
}
