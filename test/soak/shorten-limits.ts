import { env } from "cloudflare:workers";

import { LIMITS } from "../../src/core/contract/limits.ts";

const { SOAK_LIMITS: given = "{}" } = env as unknown as { readonly SOAK_LIMITS?: string };

/** The limits that `SOAK_LIMITS` names, which are set before anybody has read them. */
export const shortened: readonly string[] = Object.entries(JSON.parse(given) as Record<string, number>).map(
  ([name, value]) => {
    if (!(name in LIMITS)) throw new Error(`Cannot shorten limits: there is no '${name}'`);
    (LIMITS as Record<string, number>)[name] = value;
    return name;
  },
);
