import { defineFeature } from "../../feature/define.ts";
import { countO200k } from "./count-o200k.ts";

/** Budgets of tokens to within 15 %: without it `max_tokens` counts roughly, mostly more than there are. */
export function tokens() {
  return defineFeature({ name: "tokens", tokenCounter: countO200k });
}
