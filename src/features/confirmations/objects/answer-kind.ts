import { type Failure, makeFailure } from "../../../core/contract/failure.ts";
import type { AttemptEnd, CallbackEnd, CallbackTarget, JobSpec } from "../../../core/contract/gate/job.ts";
import type { OutgoingEvent } from "../../../core/contract/gate/outgoing-event.ts";
import * as LIMITS from "../limits.ts";
import { DELIVERIES } from "../../../cloudflare/durable/core-kinds.ts";
import type { JobKind } from "../../../cloudflare/durable/job-kind.ts";
import { failedAttempt } from "../../../core/run/run-attempt.ts";
import { ANSWERS, REQUESTED } from "../answer-job.ts";

/** Try once to ask an approver. */
export type TellApprover = (spec: JobSpec) => Promise<CallbackEnd | AttemptEnd>;

/** Try once to deliver an event. */
export type SendEvent = (event: OutgoingEvent, target: CallbackTarget) => Promise<CallbackEnd>;

/**
 * Make the kind of job that tells a batch's address of a decision. It waits beside other deliveries. After three days
 * without an answer it is dead, like any job: listed, told to the operator, and redriven.
 */
export function createAnswerKind(send: SendEvent, tell?: TellApprover): JobKind {
  return {
    name: ANSWERS,
    placeOf: () => ({ lane: DELIVERIES, backlog: ANSWERS }),
    // As many as there may be questions and approvers: none of them is lost.
    hasRoom: (backlog) =>
      backlog.sizeOf(ANSWERS) < LIMITS.confirmationsKept + LIMITS.questionsPending * LIMITS.approvers,
    hasRoomAgain: () => true,
    // The owner of an address that refuses an event mends it, and redrives the event.
    mayMend: "always",
    limitOf: () => null,
    async attempt({ spec }) {
      if (spec.tool === REQUESTED && tell !== undefined) return toAttemptEnd(await tell(spec));
      const event = { id: `${spec.tool.replace(".", "-")}-${spec.id}`, json: spec.argsJson };
      const end = await send(event, JSON.parse(spec.toolJson!) as CallbackTarget);
      return toAttemptEnd(end);
    },
  };
}

function toAttemptEnd(end: CallbackEnd | AttemptEnd): AttemptEnd {
  if (end.kind !== "answered" && end.kind !== "unanswered") return end;
  const status = end.kind === "answered" ? end.status : null;
  if (status !== null && status >= 200 && status < 300) return { kind: "succeeded", dataJson: "null" };
  return failedAttempt(toFailure(end));
}

/** An address that wants nothing more is not asked again. */
function toFailure(end: CallbackEnd): Failure {
  const hint = "The address did not take the event.";
  if (end.kind === "unanswered") return makeFailure("UPSTREAM_ERROR", { retryable: true, hint });
  const { status: upstreamStatus, retryAfterMs } = end;
  const retryable = upstreamStatus !== 410;
  return makeFailure("UPSTREAM_ERROR", {
    retryable,
    upstreamStatus,
    hint,
    ...(retryAfterMs !== null && { retryAfterMs }),
  });
}
