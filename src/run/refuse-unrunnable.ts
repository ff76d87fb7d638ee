import { type Failure, makeFailure } from "../contract/failure.ts";
import { err } from "../kit/result.ts";
import type { Call, Plan } from "../plan/make-plan.ts";
import type { Ports } from "./ports.ts";
import { missingSecret } from "./run-action.ts";

/**
 * Turn away what cannot run on this deployment before it costs anyone's quota: a tool whose secret is not set, a tool
 * that needs a person's yes.
 */
export function refuseUnrunnable(plan: Plan, ports: Ports): Plan {
  let changed = false;
  const steps = plan.steps.map((step) => {
    const failure = step.call.ok ? findObstacle(step.call.value, ports) : null;
    if (failure === null) return step;
    changed = true;
    return { ...step, call: err(failure) };
  });
  return changed ? { ...plan, steps } : plan;
}

function findObstacle({ tool }: Call, ports: Ports): Failure | null {
  const missing = tool.secrets.find((name) => ports.secret(name) === undefined);
  if (missing !== undefined) return makeFailure("MISCONFIGURED", missingSecret(missing));
  if (tool.confirm) {
    return makeFailure("CONFIRMATION_INVALID", {
      hint: `'${tool.name}' runs only after a person's confirmation, which cannot be asked for yet; nothing was sent.`,
    });
  }
  return null;
}
