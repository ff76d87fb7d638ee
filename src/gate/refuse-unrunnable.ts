import { type Failure, makeFailure } from "../contract/failure.ts";
import { err } from "../kit/result.ts";
import type { Plan, Task } from "../plan/step.ts";
import type { Ports } from "../egress/ports.ts";
import { missingSecret } from "../egress/tool-secrets.ts";

/** Turn away tools whose secret is not set on this deployment, before they cost anyone's quota. */
export function refuseMisconfigured(plan: Plan, ports: Ports): Plan {
  return refuse(plan, ({ tool }) => {
    const missing = tool.secrets.find((name) => ports.secret(name) === undefined);
    return missing === undefined ? null : makeFailure("MISCONFIGURED", missingSecret(missing));
  });
}

function refuse(plan: Plan, obstacleOf: (task: Task) => Failure | null): Plan {
  let changed = false;
  const steps = plan.steps.map((step) => {
    const failure = step.task.ok ? obstacleOf(step.task.value) : null;
    if (failure === null) return step;
    changed = true;
    return { ...step, task: err(failure) };
  });
  return changed ? { ...plan, steps } : plan;
}
