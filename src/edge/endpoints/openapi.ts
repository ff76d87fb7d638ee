import type { RequestContext } from "../http/request-context.ts";
import { respondJson } from "../http/respond.ts";

/** Written once per isolate. */
let json: string | undefined;

/** `GET /openapi.json`: what this surface takes and answers, for generators and people. */
export async function showOpenApi({ requestId }: RequestContext): Promise<Response> {
  if (json === undefined) {
    // Loaded when it is asked for: no other request pays for its schemas.
    const { makeOpenApiDocument } = await import("../openapi/make-document.ts");
    json = JSON.stringify(makeOpenApiDocument());
  }
  return respondJson(json, requestId);
}
