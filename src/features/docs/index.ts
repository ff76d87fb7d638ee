import type { Feature } from "../../cloudflare/feature.ts";
import { answerMissing } from "./http/answer-missing.ts";

/**
 * The documentation as a site at `/docs`, and as text at `/llms.txt` and `/llms-full.txt`: files beside the Worker. `[assets]` in wrangler.toml names
 * their folder, `node_modules/volley/dist/console-and-docs`; in a clone `npm run docs` builds them. The front page leads there.
 */
export function docs(): Feature {
  return { name: "docs", around: answerMissing };
}
