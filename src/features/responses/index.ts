import { defineFeature } from "../../feature/define.ts";
import { createResponse, RESPONSES_ERRORS } from "./http/routes.ts";

/**
 * `POST /v1/responses`: the agent loop for clients whose default is OpenAI's Responses, at servers that have them and at servers of Chat
 * Completions.
 */
export function responses() {
  return defineFeature({
    name: "responses",
    needs: ["discovery", "agent"],
    routes: [{ for: "any key", paths: [createResponse] }],
    dialects: [RESPONSES_ERRORS],
  });
}
