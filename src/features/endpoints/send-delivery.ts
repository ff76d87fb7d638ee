import { CallClock, guardPublicUrl, markHeaders, type Ports } from "../../feature/outside.ts";
import { ToolFailure } from "../../feature/tool.ts";
import { type SocketFault, findSocketFault } from "../../core/egress/upstream-failure.ts";
import { HeaderSlots } from "../../core/egress/header-slots.ts";
import { MARK } from "../../core/egress/redact.ts";
import { parseRetryAfter } from "../../core/egress/retry-after.ts";
import { parseWebhookSecrets } from "../../core/egress/webhook-secret.ts";
import { attempt } from "../../feature/refuse.ts";
import type { Semaphore } from "../../core/kit/semaphore.ts";
import { escapeUnseen } from "../../feature/schema.ts";
import type { AttemptAnswer } from "./delivery.ts";
import type { KeptEndpoint } from "./endpoint.ts";
import * as LIMITS from "./limits.ts";

export interface SendScope {
  readonly ports: Pick<Ports, "clock" | "fetch" | "sign">;
  readonly trustedOrigins: ReadonlySet<string>;
  /** Calls that may wait for response headers at once. */
  readonly slots: Semaphore;
}

export interface Message {
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/**
 * Make one attempt to deliver: signed as Standard Webhooks with each of its secrets, to an address that is guarded anew,
 * no redirect followed. Time and the part of the answer that is read are bounded; it never rejects.
 */
export async function sendDelivery(
  endpoint: KeptEndpoint,
  message: Message,
  { ports, trustedOrigins, slots }: SendScope,
): Promise<AttemptAnswer> {
  const at = ports.clock.now();
  const failed = (code: string): AttemptAnswer => toUnanswered(code, at, ports.clock.now() - at);
  const url = guardPublicUrl(endpoint.url, trustedOrigins);
  if (!url.ok) return failed("EGRESS_DENIED");
  const secrets = parseWebhookSecrets(message.secrets.join(" ")) ?? [];
  const clock = new CallClock(ports.clock, LIMITS.deliveryTimeoutMs);
  const turn = new HeaderSlots(slots, clock);
  const post = async (): Promise<AttemptAnswer> => {
    const timestamp = String(Math.floor(ports.clock.now() / 1_000));
    const text = `${message.id}.${timestamp}.${message.body}`;
    const signatures = await Promise.all(
      secrets.map(async (secret) => `v1,${await ports.sign(secret, text)}`),
    );
    const headers = markHeaders({
      ...endpoint.headers,
      "content-type": "application/json",
      "webhook-id": message.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" "),
    });
    const init = {
      method: "POST",
      headers,
      body: message.body,
      redirect: "manual",
      signal: clock.signal,
    } as const;
    const response = await clock.orEnd(ports.fetch(url.value.href, init), discard);
    const { status, headers: answered } = response;
    const read = await attempt(() => clock.orEnd(readBeginning(response)));
    const beginning = read.ok ? read.value : "";
    const shown = conceal(beginning, endpoint);
    const code = sayStatus(status, beginning);
    return {
      attempt: {
        at,
        durationMs: ports.clock.now() - at,
        status,
        ...(code !== undefined && { code }),
        ...(shown !== "" && { response: shown }),
      },
      retryAfterMs:
        parseRetryAfter(answered.get("retry-after"), ports.clock.now(), LIMITS.deliveryRetryAfterMs) ?? null,
      wantsNoMore: answered.get("webhook-delivery")?.trim().toLowerCase() === "disable",
    };
  };
  const posted = await attempt(() => turn.run(() => turn.holding(post)));
  clock.stop();
  if (posted.ok) return posted.value;
  return failed(posted.error instanceof ToolFailure ? posted.error.failure.code : sayFault(posted.error));
}

/** An attempt to which no answer came, or for which none was asked. */
export function toUnanswered(code: string, at: number, durationMs = 0): AttemptAnswer {
  return { attempt: { at, durationMs, code }, retryAfterMs: null, wantsNoMore: false };
}

/** Read the beginning of an answer as text; the rest is left, so that an endless one costs nothing. */
async function readBeginning(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  let [text, left] = ["", LIMITS.deliveryResponse];
  while (left > 0) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value.subarray(0, 4 * LIMITS.deliveryResponse), { stream: true });
    left -= value.length;
  }
  void attempt(() => reader.cancel());
  return text;
}

/** Show an answer's text: what cannot be seen made visible, and without what its request said of the endpoint's own headers. */
function conceal(text: string, { headers = {} }: Pick<KeptEndpoint, "headers">): string {
  let shown = text;
  for (const value of Object.values(headers))
    if (value.length >= MIN_CONCEALED) shown = shown.replaceAll(value, MARK);
  return cutBytes(escapeUnseen(shown), LIMITS.deliveryResponse);
}

/** The beginning of a text, of so many bytes as UTF-8 at most: no character is cut in two. */
function cutBytes(text: string, most: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most));
  return text.slice(0, read);
}

/** A shorter header, such as `prod`, is no secret, and stands in many answers. */
const MIN_CONCEALED = 8;

function discard(response: Response): void {
  void attempt(() => response.body?.cancel());
}

/** The codes of attempts that no connection was made for. */
const CODES: Readonly<Record<SocketFault, string>> = {
  name: "NAME_NOT_FOUND",
  refused: "CONNECTION_REFUSED",
  tls: "TLS_FAILED",
};

/** Say why no answer came, as the code of an attempt. A runtime that says one sentence of every cause leaves it open. */
export function sayFault(error: unknown): string {
  const fault = findSocketFault(error);
  return fault === null ? "UPSTREAM_ERROR" : CODES[fault];
}

/** The statuses of Cloudflare's network for a server that it could not connect to. */
const STATUSES: ReadonlyMap<number, string> = new Map([
  [521, CODES.refused],
  [522, "TIMEOUT"],
  [525, CODES.tls],
  [526, CODES.tls],
]);

/**
 * Say why Cloudflare's network answered for a server, as the code of an attempt; undefined for every other answer. A deployed Worker's
 * `fetch` gets these answers where another runtime's throws.
 *
 * Source: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 *
 * @param text the beginning of the answer: a name that is not found is error 1016 of several behind 530
 */
export function sayStatus(status: number, text: string): string | undefined {
  if (status === 530) return /\b1016\b/.test(text) ? CODES.name : undefined;
  return STATUSES.get(status);
}
