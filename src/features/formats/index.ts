import { defineFeature } from "../../feature/define.ts";
import { TURNS } from "./http/routes.ts";

/** A provider's answer is run as it came, and answered in the provider's own form: OpenAI, Anthropic, Gemini. */
export function formats() {
  return defineFeature({ name: "formats", routes: [{ for: "any key", paths: TURNS }] });
}
