import { toEventJson } from "../contract/gate/job-json.ts";
import type { CallbackClaim, CallbackEnd, CallbackTarget } from "../contract/gate/job.ts";
import type { OutgoingEvent } from "../contract/gate/outgoing-event.ts";
import * as LIMITS from "../contract/limits.ts";
import { attempt } from "../kit/result.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import { CallClock } from "./call-clock.ts";
import { guardCallback } from "./guard-callback.ts";
import { markHeaders } from "./guard-headers.ts";
import { HeaderSlots } from "./header-slots.ts";
import type { Ports, RunOptions } from "./ports.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { parseWebhookSecrets } from "./webhook-secret.ts";

export interface CallbackScope {
  readonly ports: Pick<Ports, "clock" | "fetch" | "secret" | "sign">;
  readonly options: Pick<RunOptions, "trustedOrigins">;
  /** Calls that may wait for response headers at once, shared with the attempts of jobs. */
  readonly slots: Semaphore;
}

/**
 * Try once to deliver the event about a job's end (Standard Webhooks 1.0.0): signed, to a guarded address, no redirect
 * followed, the answer's body not read. Time is bounded; it never rejects.
 *
 * A secret or an address that the deployment does not accept any more is no answer: it is tried again, since it may be
 * set right.
 */
export async function sendCallback(
  { eventId: id, target, also, job }: CallbackClaim,
  scope: CallbackScope,
): Promise<CallbackEnd> {
  const event = { id, json: toEventJson(job) };
  const own = await sendEvent(event, target, scope);
  if (also === undefined) return own;
  // Both hear of it again until both have it, or want nothing more.
  const other = await sendEvent(event, also, scope);
  const isOver = other.kind === "answered" && (other.status < 300 || other.status === 410);
  return isOver ? own : other;
}

/** Try once to deliver any event, in the same way. */
export async function sendEvent(
  event: OutgoingEvent,
  target: CallbackTarget,
  scope: CallbackScope,
): Promise<CallbackEnd> {
  const { ports, options, slots } = scope;
  const url = guardCallback(target.url, options.trustedOrigins);
  const secrets = parseWebhookSecrets(ports.secret(target.secretName));
  if (!url.ok || secrets === null) return { kind: "unanswered" };

  const clock = new CallClock(ports.clock, LIMITS.callbackTimeoutMs);
  const turn = new HeaderSlots(slots, clock);
  const receiver = { href: url.value.href, secrets, clock };
  const posted = await attempt(() => turn.run(() => turn.holding(() => post(event, receiver, scope))));
  clock.stop();
  return posted.ok ? posted.value : { kind: "unanswered" };
}

interface Receiver {
  readonly href: string;
  readonly secrets: readonly Uint8Array[];
  readonly clock: CallClock;
}

async function post(
  { id, json: body }: OutgoingEvent,
  { href, secrets, clock }: Receiver,
  { ports }: CallbackScope,
): Promise<CallbackEnd> {
  const timestamp = String(Math.floor(ports.clock.now() / 1_000));
  const signatures = await Promise.all(
    secrets.map(async (secret) => `v1,${await ports.sign(secret, `${id}.${timestamp}.${body}`)}`),
  );
  const headers = markHeaders({
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  });
  const sent = ports.fetch(href, { method: "POST", headers, body, signal: clock.signal, redirect: "manual" });
  const { status, headers: answered } = await clock.orEnd(sent.then(discardBody), () => {});
  const retryAfterMs = parseRetryAfter(answered.get("retry-after"), ports.clock.now()) ?? null;
  return { kind: "answered", status, retryAfterMs };
}

/** The answer besides its status is not read; a body left open would keep its socket. */
function discardBody(response: Response): Response {
  void attempt(() => response.body?.cancel());
  return response;
}
