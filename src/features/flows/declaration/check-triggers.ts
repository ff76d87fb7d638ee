import { checkHook } from "./check-hook.ts";
import { checkClock } from "../clock/check-clock.ts";
import { follow, isJsonObject } from "../../../feature/schema.ts";
import { SECRET_FLAWS, type SecretFlaw } from "../hooks/webhook-secret.ts";
import type { Problems } from "../../added-tools/declared/problems.ts";

export interface TriggerRules {
  /** Why no delivery can be verified by a secret, by its name; null where one can. */
  readonly flawOf: (secret: string) => SecretFlaw | null;
  readonly nowMs: number;
  /** Whether tools can use accounts of subjects here. */
  readonly hasAccounts: boolean;
}

/**
 * Find what is wrong with triggers beyond their shape: a secret that verifies nothing, a subject without accounts, a clock that never comes.
 *
 * @param takesNothing whether the flow can be run with `{}`, which is all that a clock gives; null where that is unknown
 */
export function checkTriggers(
  triggers: unknown,
  takesNothing: boolean | null,
  { flawOf, nowMs, hasAccounts }: TriggerRules,
  problems: Problems,
): void {
  if (!isJsonObject(triggers)) return;
  const { webhook, cron, timezone } = triggers;
  if (webhook === undefined && cron === undefined)
    problems.add(["triggers"], "'webhook', 'cron' or both", triggers, {
      hint: "Say what runs the flow, or leave 'triggers' out.",
    });
  const secret = isJsonObject(webhook) ? webhook["secret"] : undefined;
  const flaw = typeof secret === "string" ? flawOf(secret) : null;
  for (const { path, expected, hint } of checkHook(webhook))
    problems.add(
      ["triggers", "webhook", ...path],
      expected,
      path.length === 0 ? webhook : valueAt(webhook, path),
      { hint },
    );
  // One that is bound may be set later: a sender may tell it only once it has the address.
  if (flaw !== null && flaw !== "unset") {
    const { expected, hint } = SECRET_FLAWS[flaw];
    problems.add(["triggers", "webhook", "secret"], expected, secret, { hint });
  }
  const subject = isJsonObject(webhook) ? webhook["subject"] : undefined;
  if (subject !== undefined && !hasAccounts)
    problems.add(["triggers", "webhook", "subject"], "nothing where there are no connections", subject, {
      hint: "This deployment has no accounts of subjects: leave 'subject' out, or have its operator add the feature connections.",
    });
  if (cron === undefined) {
    if (timezone !== undefined)
      problems.add(["triggers", "timezone"], "nothing where there is no 'cron'", timezone, {
        hint: "'timezone' belongs to a clock; add 'cron', or leave it out.",
      });
    return;
  }
  for (const { path, expected, hint } of checkClock({ cron, timezone }, nowMs))
    problems.add(["triggers", ...path], expected, triggers[path[0]!], { hint });
  if (takesNothing === false)
    problems.add(["triggers", "cron"], "an 'input_schema' without required arguments", cron, {
      hint: "A clock runs the flow with {} as its input; give what 'input_schema' requires in the actions instead.",
    });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const found = follow(value, path);
  return found.found ? found.value : undefined;
}
