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
  const secrets = parseWebhookSecrets(scope.ports.secret(target.secretName));
  if (secrets === null) return { kind: "unanswered" };
  return sendJson({ url: target.url, json: event.json, sign: () => sign(event, secrets, scope) }, scope);
}

/** Try once to send JSON, in the same way and unsigned unless `sign` gives more headers. */
export async function sendJson(
  { url: address, json, sign: headersOf = unsigned }: SentJson,
  scope: CallbackScope,
): Promise<CallbackEnd> {
  const { ports, options, slots } = scope;
  const url = guardCallback(address, options.trustedOrigins);
  if (!url.ok) return { kind: "unanswered" };
  const clock = new CallClock(ports.clock, LIMITS.callbackTimeoutMs);
  const turn = new HeaderSlots(slots, clock);
  const receiver = { href: url.value.href, sign: headersOf, clock };
  const posted = await attempt(() => turn.run(() => turn.holding(() => post(json, receiver, scope))));
  clock.stop();
  return posted.ok ? posted.value : { kind: "unanswered" };
}

interface SentJson extends Partial<Pick<Receiver, "sign">> {
  readonly url: string;
  readonly json: string;
}

const unsigned = async (): Promise<Readonly<Record<string, string>>> => ({});

interface Receiver {
  readonly href: string;
  readonly sign: () => Promise<Readonly<Record<string, string>>>;
  readonly clock: CallClock;
}

async function sign(
  { id, json }: OutgoingEvent,
  secrets: readonly Uint8Array[],
  { ports }: CallbackScope,
): Promise<Readonly<Record<string, string>>> {
  const timestamp = String(Math.floor(ports.clock.now() / 1_000));
  const signatures = await Promise.all(
    secrets.map(async (secret) => `v1,${await ports.sign(secret, `${id}.${timestamp}.${json}`)}`),
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

async function post(
  body: string,
  { href, sign: headersOf, clock }: Receiver,
  { ports }: CallbackScope,
): Promise<CallbackEnd> {
  const headers = markHeaders({ "content-type": "application/json", ...(await headersOf()) });
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
