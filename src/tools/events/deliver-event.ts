import * as z from "zod/mini";

import { defineTool, PUBLIC_HOSTS } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import type { Failure } from "../../core/contract/failure.ts";
import { attempt } from "../../core/kit/result.ts";
import { EVENT_SECRET, eventFields, eventUrl, signEvent, toEventBody } from "./sign-event.ts";

/** Its receiver wants no more events, ever. */
const GONE = 410;

/**
 * Send an event to one webhook as a job, which goes on for three days while its receiver does not take it.
 *
 * A receiver's answer tells its own state and nothing about the event, so whatever is no 2xx is repeated, a refusal as well; only
 * 410 ends it. The id of the delivery is the job's idempotency key: the same on every attempt, so a receiver that remembers ids
 * takes the event once. Its body is the same too: what it says of the event's time is when it was asked for, and not when it got
 * through.
 *
 * Source: Standard Webhooks 1.0.0, "Deliverability and reliability",
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const deliverEvent = defineTool({
  name: "deliver_event",
  summary: "Deliver one signed event to one webhook URL, retried for days",
  description:
    "POST an event to one public https URL in the background, as JSON {type, timestamp, data} with a Standard Webhooks " +
    "signature. The answer is a job: whatever is no 2xx is repeated, ten times in three days; 410 ends it at once. Use it " +
    "when the event has to arrive, with for_each over subscribers, each with a job of its own; dispatch_event when the " +
    "answer has to say now who got it. The job's data: {url, status}. Size: about 30 tokens.",
  category: "events",
  actions: ["send"],
  isWrite: true,
  execution: "fire-and-forget",
  input: () => z.strictObject({ ...eventFields(), url: eventUrl().check(z.describe("Where to.")) }),
  hosts: PUBLIC_HOSTS,
  secrets: [EVENT_SECRET],
  // The least that Standard Webhooks recommends for an attempt, all of it for an endpoint that works before it answers.
  timeoutMs: 15_000,
  headersTimeoutMs: 15_000,
  typicalTokens: 30,
  idempotent: "with-key",
  retries: "standard-webhooks",
  orchestration: {
    // No cap: the jobs of a capped tool stay in one object, and those of a wide fan-out are spread.
    mode: "parallel-safe",
    // For what is not the receiver's doing; its own failures have the schedule.
    backoff: { strategy: "exponential", initial_ms: 5_000 },
    on_error: "partial-success",
  },
  run: async ({ url, ...event }, ctx) => {
    const body = toEventBody(event, ctx.time.askedAt());
    const headers = await signEvent(ctx.idempotencyKey, body, ctx);
    const sent = await attempt(() => ctx.fetch(url, { method: "POST", headers, body, reads: "status" }));
    if (sent.ok) return { url, status: sent.value.status };
    if (!(sent.error instanceof ToolFailure)) throw sent.error;
    const { failure } = sent.error;
    throw failure.upstreamStatus === undefined ? sent.error : new ToolFailure(failure.code, judge(failure));
  },
});

/** Say what an answer that is no 2xx means for the delivery. */
function judge(failure: Failure): Failure {
  const { upstreamStatus } = failure;
  return upstreamStatus === GONE
    ? {
        ...failure,
        retryable: false,
        hint: "The endpoint answered 410: it wants no more events, so forget it.",
      }
    : { ...failure, retryable: true, hint: `The endpoint answered ${upstreamStatus}, which takes no event.` };
}
