import { TURNS } from "./http/routes.ts";
import type { Feature } from "../../cloudflare/feature.ts";
import { routerOf } from "../../cloudflare/openapi/endpoint.ts";

/** A provider's answer is run as it came, and answered in the provider's own form: OpenAI, Anthropic, Gemini. */
export function formats(): Feature {
  return { name: "formats", router: routerOf("any key", TURNS) };
}
