import { decideConfirmation, listConfirmations, showConfirmation } from "./http/endpoints.ts";
import { checkDescribable } from "../../core/catalog/check-describable.ts";
import { createGroupParking } from "./park-groups.ts";
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
    // A yes is to what the tool declares, its schema among it.
    checkTool: checkDescribable,
  };
}
