import { decideConfirmation, listConfirmations, showConfirmation } from "./http/endpoints.ts";
import { CONDITIONS } from "./conditions.ts";
import { checkDescribable } from "../../core/catalog/check-describable.ts";
import { CONFIRMATION_LIMITS, type ConfirmationLimits } from "./confirmation-book.ts";
import { createConfirmationsPart } from "./objects/confirmations-part.ts";
import { createGroupParking } from "./park-groups.ts";
import { readPositive } from "../../core/edge/configuration.ts";
import type { Feature } from "../../core/edge/feature.ts";
import { routerOf } from "../../core/edge/openapi/endpoint.ts";

/** Actions that wait for a person's yes: they are listed, shown and decided. */
export function confirmations(): Feature {
  return {
    name: "confirmations",
    router: [
      routerOf("any key", [listConfirmations, showConfirmation]),
      routerOf(["approve"], [decideConfirmation]),
    ],
    createParking: createGroupParking,
    conditions: CONDITIONS,
    objectPart: () => createConfirmationsPart(readLimits),
    checkEnv: readLimits,
    // A yes is to what the tool declares, its schema among it.
    checkTool: checkDescribable,
  };
}

/** The limits of a deployment: a variable says how long a question waits. */
function readLimits(env: Record<string, unknown>): ConfirmationLimits {
  const ttlS = readPositive(env, "VOLLEY_CONFIRMATION_TTL_S", CONFIRMATION_LIMITS.ttlMs / 1_000);
  return { ...CONFIRMATION_LIMITS, ttlMs: 1_000 * ttlS };
}
