import { createResponse, RESPONSES_ERRORS } from "./http/routes.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/**
 * `POST /v1/responses`: the agent loop for clients whose default is OpenAI's Responses, at servers that have them and at servers of Chat
 * Completions.
 */
export function responses(): Feature {
  return {
    name: "responses",
    needs: ["discovery", "agent"],
    router: routerOf("any key", [createResponse]),
    dialects: [RESPONSES_ERRORS],
    load: () => import("./dialect/responses-dialect.ts"),
  };
}
