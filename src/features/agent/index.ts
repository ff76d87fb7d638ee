import { MODEL_DIALECTS, MODEL_ENDPOINTS } from "./http/routes.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/** The agent loop: `POST /v1/chat/completions` and `POST /v1/messages` ask a model and run the tools that it calls. */
export function agent(): Feature {
  return {
    name: "agent",
    needs: ["discovery"],
    variables: { LLM_BASE_URL: {}, ANTHROPIC_BASE_URL: {} },
    router: routerOf("any key", MODEL_ENDPOINTS),
    dialects: MODEL_DIALECTS,
    load: () => Promise.all([import("./http/answer-model-request.ts"), import("./http/find-server.ts")]),
  };
}
