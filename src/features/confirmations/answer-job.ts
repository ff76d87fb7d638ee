import type { JobSpec } from "../../core/contract/gate/job.ts";
import { toIso } from "../../core/contract/gate/outgoing-event.ts";
import type { ParkedGroup } from "./parked-group.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { WEBHOOK_ATTEMPTS } from "../../core/kit/webhook-schedule.ts";
import { type ConfirmationRecord, GROUP_FORMAT } from "./confirmation.ts";
import { toWireDeciders } from "./decision.ts";

/** The name of the kind of job, and of its backlog. */
export const ANSWERS = "answers";

/** The names that stand in the place of a tool's, which no tool can have. */
const DECIDED = "confirmation.decided";
const EXPIRED = "confirmation.expired";
export const REQUESTED = "confirmation.requested";

/** Make the job that asks one approver where they are. The link stands in the place of a callback's address, which no answer shows. */
export function makeNoticeJob(id: string, eventJson: string, notice: object): JobSpec {
  return makeJob(id, { type: REQUESTED, eventJson, to: notice });
}

/** Make the job of an event. A receiver's address may hold secrets: it stands where a job keeps its tool, which no answer shows, and goes on with that. */
function makeJob(
  id: string,
  { type, eventJson, to }: { readonly type: string; readonly eventJson: string; readonly to: object },
): JobSpec {
  return {
    id,
    tool: type,
    argsJson: eventJson,
    toolJson: JSON.stringify(to),
    idempotencyKey: id,
    maxAttempts: WEBHOOK_ATTEMPTS,
    backoffInitialMs: LIMITS.jobBackoffInitialMs,
    delivery: "at-least-once",
    retries: "standard-webhooks",
    kind: ANSWERS,
  };
}

/**
 * Make the job that tells a batch's address what became of its question: who decided, and the result of every action; or that its
 * time is over. Null where the batch named no address. Its id is the question's, which ends once.
 *
 * @param members more of what it tells of one whose time is over, as JSON with a comma before each
 */
export function makeAnswerJob(
  record: Omit<ConfirmationRecord, "told">,
  nowMs: number,
  members = "",
): JobSpec | null {
  const { format, callback, asker } = JSON.parse(record.groupJson) as ParkedGroup;
  const { id, status, answerJson, decided } = record;
  const type = status === "expired" ? EXPIRED : DECIDED;
  if (format !== GROUP_FORMAT || callback === undefined) return null;
  const isSmall = answerJson !== null && answerJson.length <= LIMITS.jobDataBytes / 3;
  const facts = JSON.stringify({
    confirmation_id: id,
    ...(asker !== undefined && { batch_id: asker.runId }),
    ...(decided !== null && {
      decision: decided.decision,
      decided_by: toWireDeciders(decided),
      ...(decided.reason !== undefined && { reason: decided.reason }),
      ...(decided.args !== undefined && { edited: true }),
    }),
    ...(!isSmall && status !== "expired" && { results_left_out: true }),
  });
  // The digits of an answer stay as they are: its text is taken over, not read.
  const answer = isSmall ? `,"answer":${answerJson}` : "";
  const data = `${facts.slice(0, -1)}${answer}${members}}`;
  const eventJson = `{"type":"${type}","timestamp":"${toIso(nowMs)}","data":${data}}`;
  return makeJob(id, { type, eventJson, to: callback });
}
