import type { Caller } from "../contract/gate/caller.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { CallbackTarget } from "../contract/gate/job.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Plan, Task } from "../plan/step.ts";
import { guardCallback } from "../egress/guard-callback.ts";
import type { Ports, RunOptions } from "../egress/ports.ts";
import { parseWebhookSecrets, WEBHOOK_SECRET } from "../egress/webhook-secret.ts";

export interface CallbackRules {
  readonly caller: Caller;
  readonly ports: Pick<Ports, "secret">;
  readonly options: Pick<RunOptions, "trustedOrigins">;
}

/**
 * Give every task that asked for a callback its target, or turn it away before it costs anything: only background work
 * ends after its batch, events go to public https addresses only, and without a secret nobody could tell them from
 * forged ones.
 */
export function bindCallbacks(plan: Plan, rules: CallbackRules): Plan {
  if (!plan.steps.some(({ task }) => task.ok && task.value.callbackUrl !== undefined)) return plan;
  const steps = plan.steps.map((step) => {
    if (!step.task.ok || step.task.value.callbackUrl === undefined) return step;
    const target = makeTarget(step.task.value, step.task.value.callbackUrl, rules);
    return { ...step, task: target.ok ? ok(withCallback(step.task.value, target.value)) : err(target.error) };
  });
  return { ...plan, steps };
}

function makeTarget(
  { tool }: Task,
  text: string,
  { caller, ports, options }: CallbackRules,
): Result<CallbackTarget, Failure> {
  if (tool.execution !== "fire-and-forget") {
    const hint = `'${tool.name}' answers in this batch; 'callback_url' is for background tools only, so leave it out.`;
    return err(makeFailure("INVALID_ACTION", { hint }));
  }
  const url = guardCallback(text, options.trustedOrigins);
  if (!url.ok) return url;
  const secretName = caller.webhookSecret ?? WEBHOOK_SECRET;
  if (parseWebhookSecrets(ports.secret(secretName)) === null) {
    const hint = `The deployment has no valid secret ${secretName} to sign callbacks with; its operator has to set it. Leave 'callback_url' out and ask for the job instead.`;
    return err(makeFailure("MISCONFIGURED", { hint }));
  }
  return ok({ url: url.value.href, secretName });
}

function withCallback(task: Task, callback: CallbackTarget): Task {
  return { ...task, callback, call: task.call === null ? null : { ...task.call, callback } };
}
