import { env } from "cloudflare:workers";

import { type Forgetting, forgetSooner } from "../../src/core/contract/limits.ts";

const { SOAK_LIMITS: given = "{}" } = env as unknown as { readonly SOAK_LIMITS?: string };

const asked = JSON.parse(given) as Partial<Forgetting>;

/** The limits that `SOAK_LIMITS` names, which are set before anybody has read them. */
export const shortened: readonly string[] = Object.keys(asked);

if (shortened.length > 0) forgetSooner(asked as Forgetting);
