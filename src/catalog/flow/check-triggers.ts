import { checkClock } from "../../clock/check-clock.ts";
import { isJsonObject } from "../../contract/json.ts";
import type { Problems } from "../declared/problems.ts";

export interface TriggerRules {
  /** Whether the operator has bound a secret to the tenant. */
  readonly isBound: (secret: string) => boolean;
  readonly nowMs: number;
}

/**
 * Find what is wrong with triggers beyond their shape: a secret that is not the tenant's, a clock that never comes.
 *
 * @param takesNothing whether the flow can be run with `{}`, which is all that a clock gives; null where nobody can say
 */
export function checkTriggers(
  triggers: unknown,
  takesNothing: boolean | null,
  { isBound, nowMs }: TriggerRules,
  problems: Problems,
): void {
  if (!isJsonObject(triggers)) return;
  const { webhook, cron, timezone } = triggers;
  if (webhook === undefined && cron === undefined)
    problems.add(["triggers"], "'webhook', 'cron' or both", triggers, {
      hint: "Say what runs the flow, or leave 'triggers' out.",
    });
  const secret = isJsonObject(webhook) ? webhook["secret"] : undefined;
  if (typeof secret === "string" && !isBound(secret))
    problems.add(["triggers", "webhook", "secret"], "a secret that is bound to the tenant", secret, {
      hint: "The operator binds it in VOLLEY_TOOL_SECRETS: its name, with this tenant among its 'tenants'.",
    });
  if (cron === undefined) {
    for (const field of ["timezone", "paused"])
      if (triggers[field] !== undefined)
        problems.add(["triggers", field], "nothing where there is no 'cron'", triggers[field], {
          hint: `'${field}' belongs to a clock; add 'cron', or leave it out.`,
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
