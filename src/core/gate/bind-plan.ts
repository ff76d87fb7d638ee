import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { CallbackTarget } from "../contract/gate/job.ts";
import { KEEPER, type RefusalCode } from "../contract/failure-codes.ts";
import * as LIMITS from "../contract/limits.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { type Plan, type Task, turnAway } from "../plan/step.ts";
import { guardCallback } from "../egress/guard-callback.ts";
import { missingBinding, missingSecret } from "../egress/tool-secrets.ts";
import { parseWebhookSecrets, WEBHOOK_SECRET } from "../egress/webhook-secret.ts";
import type { Execution } from "./execution.ts";

/**
 * Give a plan what it needs of this deployment, or turn away what cannot run here, before it costs anyone's quota.
 */
export function bindPlan(plan: Plan, execution: Execution): Plan {
  const steps = plan.steps.map((step) => {
    if (!step.task.ok) return step;
    const task = bindTask(step.task.value, execution);
    return task.ok ? { ...step, task } : turnAway(step, task.error);
  });
  return { ...plan, steps };
}

/** Give a request the address that its batch names. Refused whole: what comes after the answer would reach no caller. */
export function bindCallback<E extends Callable>(
  url: string,
  execution: E,
  code: RefusalCode = "INVALID_BATCH",
): Result<E & Pick<Execution, "callback">, Refusal> {
  const target = makeTarget(url, execution);
  return target.ok
    ? ok({ ...execution, callback: target.value })
    : err(makeRefusal(code, target.error.hint ?? "", { issue: target.error.issues?.[0] }));
}

type Callable = Pick<Execution, "caller" | "ports" | "options">;

function bindTask(task: Task, execution: Execution): Result<Task, Failure> {
  const { ports, origin } = execution;
  const { tool, callbackUrl, runAt } = task;
  // The account of a subject takes the place of the deployment's.
  const mayConnect = tool.accounts?.isOptional === true && origin.account !== undefined;
  const missing =
    ports.secretOf || mayConnect
      ? undefined // Whose it is, and whether there is one, is only known when the tool is called.
      : tool.secrets.find((name) => ports.secret(name) === undefined);
  if (missing !== undefined) return err(makeFailure("MISCONFIGURED", missingSecret(missing)));
  const absent = tool.bindings.find((name) => ports.binding(name) === undefined);
  if (absent !== undefined) return err(makeFailure("MISCONFIGURED", missingBinding(absent)));
  if (callbackUrl === undefined && runAt === undefined) return ok(task);
  const field = callbackUrl === undefined ? "run_at" : "callback_url";
  // Only background work begins or ends without its batch.
  if (tool.execution !== "fire-and-forget") return err(notInBackground(tool, field));
  if (runAt !== undefined && runAt > ports.clock.now() + LIMITS.jobDelayMs) return err(TOO_LATE);
  const target = callbackUrl === undefined ? ok(task.callback) : makeTarget(callbackUrl, execution);
  if (!target.ok) return target;
  const callback = target.value;
  return ok({ ...task, callback, call: task.call === null ? null : { ...task.call, callback, runAt } });
}

function notInBackground({ name }: Tool, field: string): Failure {
  const hint = `'${name}' answers in this batch; '${field}' is for background tools only, so leave it out.`;
  const issue = { path: `/${field}`, expected: "a background tool", received: `'${name}'` };
  return makeFailure("INVALID_ACTION", { issues: [issue], hint });
}

const TOO_LATE = makeFailure("INVALID_ACTION", {
  hint: `'run_at' may be at most ${LIMITS.jobDelayMs / 86_400_000} days from now; ask again nearer to the time.`,
});

/**
 * Make the target of the event about a job's end: events go to public https addresses only, and without a secret they could not
 * be told from forged ones.
 */
function makeTarget(text: string, { caller, ports, options }: Callable): Result<CallbackTarget, Failure> {
  const url = guardCallback(text, options.trustedOrigins);
  if (!url.ok) return url;
  const secretName = caller.webhookSecret ?? WEBHOOK_SECRET;
  if (parseWebhookSecrets(ports.secret(secretName)) === null) {
    const hint = `The deployment has no valid secret ${secretName} to sign callbacks with; its ${KEEPER} has to set it. Leave 'callback_url' out and ask for the job instead.`;
    return err(makeFailure("MISCONFIGURED", { hint }));
  }
  return ok({ url: url.value.href, secretName });
}
