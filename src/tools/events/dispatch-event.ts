import * as z from "zod/mini";

import { defineTool, PUBLIC_HOSTS, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import type { Failure } from "../../core/contract/failure.ts";
import { attempt } from "../../core/kit/result.ts";
import { EVENT_SECRET, eventFields, eventUrl, signEvent, toEventBody } from "./sign-event.ts";

const MAX_URLS = 25;
/** The first, and two more: a receiver that is down for longer is for the caller to try again. */
const ATTEMPTS = 3;
/** An endpoint that takes an event says so at once; six that hang leave the others half of the time. */
const ATTEMPT_MS = 4_000;
const FIRST_PAUSE_MS = 500;
/** The answer is written before the call's time is over, whatever is still under way. */
const MARGIN_MS = 500;

const RETRIED: ReadonlySet<number> = new Set([408, 425, 429]);

/** How a delivery stands: the last status that came, or why none did. */
interface Delivery {
  readonly url: string;
  status: number | "unreachable" | "not_allowed";
  attempts: number;
}

/** An event on its way, the same for everybody. */
interface Event {
  readonly body: string;
  /** When nothing more is sent, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/**
 * Send an event to webhooks, each delivery signed and repeated by itself, so that an endpoint that is down costs its own
 * entry only.
 *
 * The id of a delivery is the call's idempotency key and its place: the same on every attempt, on ours as on those of a call
 * that is made again, so a receiver that remembers ids takes the event once. So the write may be repeated.
 *
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const dispatchEvent = defineTool({
  name: "dispatch_event",
  summary: "Send one signed event to many webhook URLs",
  description:
    "POST one event to 1 to 25 public https URLs, all side by side, as JSON {type, timestamp, data} with a Standard Webhooks " +
    "signature. Gives for each URL its last HTTP status and how many attempts were made (at most 3: 408, 425, 429, 5xx and no " +
    "answer are repeated). status 'unreachable': no answer in time, it may have arrived; 'not_allowed': no public https " +
    "address, nothing was sent. It gives up within 14 s; deliver_event goes on for days. Size: about 30 tokens per URL.",
  category: "events",
  actions: ["send"],
  isWrite: true,
  input: () =>
    z.strictObject({
      ...eventFields(),
      urls: z
        .array(eventUrl())
        .check(z.minLength(1), z.maxLength(MAX_URLS), z.describe("Where to, at most 25.")),
    }),
  hosts: PUBLIC_HOSTS,
  secrets: [EVENT_SECRET],
  // Within the 15 s that most batches have.
  timeoutMs: 14_000,
  typicalTokens: 100,
  idempotent: "with-key",
  orchestration: {
    mode: "fan-out-bounded",
    max_concurrency: MAX_URLS,
    // For what breaks before a delivery was made: those are repeated one by one.
    backoff: { strategy: "exponential", initial_ms: 1_000 },
    on_error: "partial-success",
  },
  run: async ({ event, data, urls }, ctx) => {
    const now = ctx.time.now();
    const body = toEventBody({ event, data }, now);
    const leftMs = Math.max(0, ctx.time.leftMs() - MARGIN_MS);
    const deliveries = urls.map((url): Delivery => ({ url, status: "unreachable", attempts: 0 }));
    const sending = Promise.all(
      deliveries.map((delivery, index) => deliver(delivery, index, { body, endsAt: now + leftMs }, ctx)),
    );
    const refusals = await Promise.race([sending, ctx.time.sleep(leftMs).then(() => [null])]);
    const [first] = refusals;
    // Nothing at all was sent, which is the call's failure and not an endpoint's.
    if (first && !refusals.includes(null)) throw new ToolFailure(first.code, first);
    // A delivery that is still under way goes on changing.
    return { deliveries: deliveries.map((delivery) => ({ ...delivery })) };
  },
});

/** Deliver an event to one URL. Gives why it may not be called at all, or null. */
async function deliver(
  delivery: Delivery,
  index: number,
  event: Event,
  ctx: ToolContext,
): Promise<Failure | null> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const headers = await signEvent(`${ctx.idempotencyKey}:${index}`, event.body, ctx);
    delivery.attempts += 1;
    const request = {
      method: "POST",
      headers,
      body: event.body,
      reads: "status",
      timeoutMs: ATTEMPT_MS,
    } as const;
    const sent = await attempt(() => ctx.fetch(delivery.url, request));
    if (sent.ok) {
      delivery.status = sent.value.status;
      return null;
    }
    if (!(sent.error instanceof ToolFailure)) throw sent.error;
    const { failure } = sent.error;
    if (failure.code === "EGRESS_DENIED") {
      Object.assign(delivery, { status: "not_allowed", attempts: 0 });
      return failure;
    }
    delivery.status = failure.upstreamStatus ?? "unreachable";
    if (delivery.attempts === ATTEMPTS || !mayPass(delivery.status)) return null;
    const waitMs = Math.max(pauseMs, failure.retryAfterMs ?? 0);
    if (ctx.time.now() + waitMs >= event.endsAt) return null;
    await ctx.time.sleep(waitMs);
  }
}

/** Whether what went wrong may be right the next time. */
function mayPass(status: Delivery["status"]): boolean {
  return typeof status !== "number" || status >= 500 || RETRIED.has(status);
}
