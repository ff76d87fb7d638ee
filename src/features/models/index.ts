import { defineFeature } from "../../feature/define.ts";
import { MESSAGES_MODELS_ERRORS, MODELS_ERRORS, SERVER_ENDPOINTS } from "./http/routes.ts";

/** `GET /v1/models` and `POST /v1/messages/count_tokens`: the lists and counts of the model's server, for clients that ask for them. */
export function models() {
  return defineFeature({
    name: "models",
    needs: ["discovery", "agent"],
    routes: [{ for: "any key", paths: SERVER_ENDPOINTS }],
    dialects: [MESSAGES_MODELS_ERRORS, MODELS_ERRORS],
    load: () => import("./http/ask-server.ts"),
  });
}
