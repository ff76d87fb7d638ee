import type { Configured } from "../../../feature/define.ts";
import type { AttemptEnd, CallbackEnd, JobSpec } from "../../../core/contract/gate/job.ts";
import { makeFailure } from "../../../core/contract/failure.ts";
import { type CallbackScope, sendEvent, sendJson } from "../../../core/egress/send-callback.ts";
import { attempt } from "../../../feature/refuse.ts";
import { failedAttempt } from "../../../core/run/run-attempt.ts";
import { type Notice, toMail, toSlackMessage } from "../approvers.ts";
import { MAIL_FROM, readApprovers } from "../http/read-approvers.ts";

interface Mailer {
  send(mail: {
    readonly to: string;
    readonly from: string;
    readonly subject: string;
    readonly text: string;
  }): Promise<unknown>;
}

/** Try once to ask an approver where they are. One who has left the configuration is not asked any more. */
export async function tellApprover(
  { id, argsJson, toolJson }: Pick<JobSpec, "id" | "argsJson" | "toolJson">,
  { env, scope }: { readonly env: Configured["env"]; readonly scope: CallbackScope },
): Promise<CallbackEnd | AttemptEnd> {
  const notice = JSON.parse(toolJson!) as Notice;
  const approver = readApprovers(env).find(({ name }) => name === notice.approver);
  if (approver === undefined)
    return failedAttempt(makeFailure("NOT_FOUND", { hint: "The approver is in VOLLEY_APPROVERS no more." }));
  const { slack, email, webhook } = approver;
  if (webhook !== undefined) {
    const { data, ...event } = JSON.parse(argsJson) as { readonly data: object };
    const json = JSON.stringify({ ...event, data: { ...data, approver: approver.name, link: notice.link } });
    return sendEvent(
      { id: `confirmation-requested-${id}`, json },
      { url: webhook.url, secretName: webhook.secret },
      scope,
    );
  }
  if (slack !== undefined) {
    const url = String(scope.ports.secret(slack.secret));
    return sendJson({ url, json: JSON.stringify(toSlackMessage(notice)) }, scope);
  }
  const from = String(env[MAIL_FROM]);
  const sent = await attempt(() => (env["EMAIL"] as Mailer).send({ to: email!, from, ...toMail(notice) }));
  return sent.ok ? { kind: "answered", status: 200, retryAfterMs: null } : { kind: "unanswered" };
}
