import { defineFeature } from "../../feature/define.ts";
import { answerFront } from "./http/answer-front.ts";

/**
 * The pages for people, `/` and `/console`. The console is files beside the Worker: `[assets]` in wrangler.toml names their folder. With it an action
 * that waits for a yes has the address of the page where it is decided.
 */
export function console() {
  return defineFeature({ name: "console", needs: ["discovery", "usage"], around: answerFront });
}
