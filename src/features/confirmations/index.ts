import { mayDo } from "../../feature/caller.ts";
import { checkAtStart, type Configured, defineFeature } from "../../feature/define.ts";
import type { BeforeStep } from "../../core/gate/execution.ts";
import { logWarning } from "../../cloudflare/platform/log-bug.ts";
import {
  decideConfirmation,
  dropLinks,
  linkConfirmation,
  listConfirmations,
  makeShowConfirmation,
} from "./http/routes.ts";
import { forgetRemembered, listRemembered, REMEMBERED_OF_TENANT } from "./http/remembered-routes.ts";
import { createApprovalPages } from "./http/approval-pages.ts";
import { withdraw } from "./http/decide.ts";
import { checkConfirm, holdsCall } from "./conditions.ts";
import { CONFIRMATION_LIMITS, type ConfirmationLimits } from "./confirmation-rules.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { sendEvent } from "../../core/egress/send-callback.ts";
import { Semaphore } from "../../core/kit/semaphore.ts";
import { APPROVERS, MAIL_FROM, readApprovers } from "./http/read-approvers.ts";
import { tellApprover } from "./objects/tell-approver.ts";
import { createAnswerKind } from "./objects/answer-kind.ts";
import { createConfirmationsPart } from "./objects/confirmations-part.ts";
import { createBeforeStep } from "./before-step.ts";
import { createRecall } from "./recall.ts";
import { readPositive } from "../../cloudflare/configuration.ts";
import { accountsOf, givenBy } from "../../feature/gives.ts";

/** Actions that wait for a person's yes: they are listed, shown and decided. */
export function confirmations() {
  return defineFeature({
    name: "confirmations",
    meets: ["approval"],
    flags: {
      approve: "Can approve",
      skip_approval: "Can skip approval",
    },
    variables: { [TTL]: { read: readLimits }, [APPROVERS]: { read: readApprovers }, [MAIL_FROM]: {} },
    routes: (features) => {
      const sayReach = givenBy(features, "sayReach");
      return [
        { for: "any key", paths: [listConfirmations, makeShowConfirmation(sayReach)] },
        {
          for: ["approve"],
          paths: [decideConfirmation, linkConfirmation, dropLinks, listRemembered, forgetRemembered],
        },
        { for: "anyone", router: createApprovalPages(sayReach) },
      ];
    },
    beforeStep,
    holds: holdsCall,
    tenantPart: REMEMBERED_OF_TENANT,
    gives: { withdraw },
    objectPart: (deploymentOf) =>
      createConfirmationsPart(readLimits, ({ env, slots = new Semaphore(LIMITS.headerSlots) }) =>
        createAnswerKind(
          (event, target) => {
            const { ports, configured } = deploymentOf(env);
            return sendEvent(event, target, { ports, options: configured, slots });
          },
          (spec) => {
            const { ports, configured } = deploymentOf(env);
            return tellApprover(spec, { env: configured.env, scope: { ports, options: configured, slots } });
          },
        ),
      ),
    // A yes is to what the tool declares, its schema among it.
    checks: [checkConfirm, checkAtStart],
  });
}

const TTL = "VOLLEY_CONFIRMATION_TTL_S";

/** The limits of a deployment: a variable says how long a question waits. */
function readLimits(env: Record<string, unknown>): ConfirmationLimits {
  const ttlS = readPositive(env, TTL, CONFIRMATION_LIMITS.ttlMs / 1_000);
  return { ...CONFIRMATION_LIMITS, ttlMs: 1_000 * ttlS };
}

/** Open what has actions wait, and say in the log which of its tenants have no key that may decide. */
function beforeStep(configured: Configured): BeforeStep {
  const { declared, keys } = configured;
  const decides = (tenant: string): boolean =>
    keys.callers.some((caller) => caller.tenant === tenant && mayDo(caller, "approve"));
  // One that calls nothing asks nothing.
  const tenants = new Set(keys.callers.flatMap(({ tenant, tools }) => tools.map(() => tenant)));
  const undecided = [...tenants].filter((tenant) => !decides(tenant));
  if (undecided.length > 0)
    logWarning("No key of these tenants in VOLLEY_KEYS has the flag 'approve', so none of them can decide", {
      tenants: undecided,
    });
  return createBeforeStep({
    accounts: accountsOf(configured),
    hasPage: declared.features.includes("console"),
    recall: createRecall(configured),
    approvers: readApprovers(configured.env),
    isDecided: (caller) => mayDo(caller, "approve") || decides(caller.tenant),
  });
}
