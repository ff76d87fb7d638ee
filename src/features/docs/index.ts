import type { Feature } from "../../core/edge/feature.ts";
import { answerMissing } from "./http/answer-missing.ts";

/**
 * The documentation as a site at `/docs`, and as text at `/llms.txt` and `/llms-full.txt`: files beside the Worker, which `npm run docs` of a checkout puts into
 * the folder that `[assets]` in wrangler.toml names. The front page leads there.
 */
export function docs(): Feature {
  return { name: "docs", around: answerMissing };
}
