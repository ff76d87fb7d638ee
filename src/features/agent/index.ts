import { MODEL_DIALECTS, MODEL_ENDPOINTS } from "./http/endpoints.ts";
import type { Feature } from "../../core/edge/feature.ts";
import { routerOf } from "../../core/edge/openapi/endpoint.ts";

/** The agent loop: `POST /v1/chat/completions` and `POST /v1/messages` ask a model and run the tools that it calls. */
export function agent(): Feature {
  const router = routerOf("any key", MODEL_ENDPOINTS);
  return { name: "agent", needs: ["discovery"], router, dialects: MODEL_DIALECTS };
}
