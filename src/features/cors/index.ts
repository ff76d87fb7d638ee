import { defineFeature } from "../../feature/define.ts";
import { answerPages } from "./http/answer-pages.ts";
import { readPageOrigins } from "./http/page-origins.ts";

/** Pages of the origins in `VOLLEY_ORIGINS` may call from the browser, with a key. Without it, and for every other origin, there is no CORS. */
export function cors() {
  return defineFeature({
    name: "cors",
    around: answerPages,
    variables: { VOLLEY_ORIGINS: { read: readPageOrigins, isShared: true } },
  });
}
