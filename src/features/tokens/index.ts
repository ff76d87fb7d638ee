import { FITTED_TABLES } from "../../core/answer/token-weights.ts";
import type { Feature } from "../../cloudflare/feature.ts";

/** Budgets of tokens to within 15 %: without it `max_tokens` counts roughly, mostly more than there are. */
export function tokens(): Feature {
  return { name: "tokens", tokenTables: FITTED_TABLES };
}
