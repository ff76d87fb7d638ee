import { MESSAGES_MODELS_ERRORS, MODELS_ERRORS, SERVER_ENDPOINTS } from "./http/routes.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/** `GET /v1/models` and `POST /v1/messages/count_tokens`: the lists and counts of the model's server, for clients that ask for them. */
export function models(): Feature {
  return {
    name: "models",
    needs: ["discovery", "agent"],
    router: routerOf("any key", SERVER_ENDPOINTS),
    dialects: [MESSAGES_MODELS_ERRORS, MODELS_ERRORS],
    load: () => import("./http/ask-server.ts"),
  };
}
