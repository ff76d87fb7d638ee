import { defineFeature } from "../../feature/define.ts";
import { MODEL_DIALECTS, MODEL_ENDPOINTS } from "./http/routes.ts";

/** The agent loop: `POST /v1/chat/completions` and `POST /v1/messages` ask a model and run the tools that it calls. */
export function agent() {
  return defineFeature({
    name: "agent",
    needs: ["discovery"],
    variables: { LLM_BASE_URL: {}, ANTHROPIC_BASE_URL: {} },
    routes: [{ for: "any key", paths: MODEL_ENDPOINTS }],
    dialects: MODEL_DIALECTS,
  });
}
