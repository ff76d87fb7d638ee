import { countO200k } from "./count-o200k.ts";
import type { Feature } from "../../cloudflare/feature.ts";

/** Budgets of tokens to within 15 %: without it `max_tokens` counts roughly, mostly more than there are. */
export function tokens(): Feature {
  return { name: "tokens", tokenCounter: countO200k };
}
