import { defineFeature } from "../../feature/define.ts";
import {
  decideConfirmation,
  dropLinks,
  linkConfirmation,
  listConfirmations,
  makeShowConfirmation,
} from "./http/endpoints.ts";
import { createApprovalPages } from "./http/approval-pages.ts";
import { withdraw } from "./http/decide.ts";
import { CONDITIONS } from "./conditions.ts";
import { checkDescribable } from "../../core/catalog/check-describable.ts";
import { CONFIRMATION_LIMITS, type ConfirmationLimits } from "./confirmation-book.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { sendEvent } from "../../core/egress/send-callback.ts";
import { Semaphore } from "../../core/kit/semaphore.ts";
import { createAnswerKind } from "./objects/answer-kind.ts";
import { createConfirmationsPart } from "./objects/confirmations-part.ts";
import { createGroupParking } from "./park-groups.ts";
import { readPositive, warnOfUndecided } from "../../cloudflare/configuration.ts";
import { mayDo } from "../../feature/caller.ts";
import { accountsOf, givenBy } from "../../feature/gives.ts";

/** Actions that wait for a person's yes: they are listed, shown and decided. */
export function confirmations() {
  return defineFeature({
    name: "confirmations",
    flags: {
      approve: "Can approve",
      skip_approval: "Can skip approval",
    },
    variables: { [TTL]: { read: readLimits } },
    routes: (features) => {
      const sayReach = givenBy(features, "sayReach");
      return [
        { for: "any key", paths: [listConfirmations, makeShowConfirmation(sayReach)] },
        { for: ["approve"], paths: [decideConfirmation, linkConfirmation, dropLinks] },
        { for: "anyone", router: createApprovalPages(sayReach) },
      ];
    },
    openAsking(configured) {
      const { declared, keys } = configured;
      warnOfUndecided(keys);
      const hasPage = declared.features.includes("console");
      return ({ caller, requestUrl }) => ({
        createParking: (plan, options) =>
          createGroupParking(plan, { ...options, accounts: accountsOf(configured) }),
        // The address of the page where a question is decided is made of it.
        requestUrl: hasPage ? requestUrl : undefined,
        undecidable: !keys.decides(caller.tenant) && !mayDo(caller, "approve"),
      });
    },
    conditions: CONDITIONS,
    gives: { withdraw },
    objectPart: (deploymentOf) =>
      createConfirmationsPart(readLimits, ({ env, slots = new Semaphore(LIMITS.headerSlots) }) =>
        createAnswerKind((event, target) => {
          const { ports, configured } = deploymentOf(env);
          return sendEvent(event, target, { ports, options: configured, slots });
        }),
      ),
    // A yes is to what the tool declares, its schema among it.
    checkTool: checkDescribable,
    load: () => import("./http/answer-link.ts"),
  });
}

const TTL = "VOLLEY_CONFIRMATION_TTL_S";

/** The limits of a deployment: a variable says how long a question waits. */
function readLimits(env: Record<string, unknown>): ConfirmationLimits {
  const ttlS = readPositive(env, TTL, CONFIRMATION_LIMITS.ttlMs / 1_000);
  return { ...CONFIRMATION_LIMITS, ttlMs: 1_000 * ttlS };
}
