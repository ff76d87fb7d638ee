import type { Notice } from "../../feature/gives.ts";
import { decideDelivery } from "../../core/gate/state/callback.ts";
import { type AttemptAnswer, type Delivery, toDeliveryId } from "./delivery.ts";
import type { DisabledBecause, EndpointHealth, KeptEndpoint } from "./endpoint.ts";
import * as LIMITS from "./limits.ts";

/** An answer that says of its endpoint, not of the event, that it cannot take more now. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 504]);

const FIRST_SLOW_MS = 5_000;

/** The delivery and its endpoint after an attempt. */
export interface Settled {
  readonly delivery: Delivery;
  readonly health: EndpointHealth;
  /** The endpoint's other deliveries wait for so long; 0 where nothing slows them down. */
  readonly slowMs: number;
}

/**
 * Settle an attempt: a 2xx delivers; 410 and the header `webhook-delivery: disable` disable the endpoint; everything else is
 * tried again on the schedule of Standard Webhooks, no sooner than a `Retry-After` asks.
 *
 * @param command.failures failed attempts at the endpoint in a row before this one
 * @param command.random uniform in [0, 1)
 */
export function settleAttempt(
  [delivery, health]: readonly [Delivery, EndpointHealth],
  nowMs: number,
  {
    answer,
    failures,
    random,
  }: { readonly answer: AttemptAnswer; readonly failures: number; readonly random: number },
): Settled {
  const { attempt, retryAfterMs, wantsNoMore } = answer;
  const { status } = attempt;
  const tries = delivery.tries + 1;
  const end =
    status === undefined
      ? { kind: "unanswered" as const }
      : { kind: "answered" as const, status, retryAfterMs };
  const decided = decideDelivery(tries, end, random);
  const attempts = [...delivery.attempts, attempt].slice(-LIMITS.deliveryAttempts);
  const tried = { ...delivery, tries, attempts };
  const disable = (because: DisabledBecause): EndpointHealth["disabled"] => ({ at: nowMs, because });
  const over = (ended: "delivered" | "failed", after: EndpointHealth, slowMs = 0): Settled => ({
    delivery: { ...tried, status: ended, dueAt: null },
    health: after,
    slowMs,
  });
  if (decided.kind === "delivered") {
    const disabled = health.disabled ?? (wantsNoMore ? disable("asked") : null);
    return over("delivered", { failingSince: null, failedLast: null, disabled });
  }
  const failing = noteFailure(health, nowMs);
  if (decided.kind === "disabled" || wantsNoMore) {
    const disabled = health.disabled ?? disable(wantsNoMore ? "asked" : "gone");
    return over("failed", { ...failing, disabled });
  }
  const slow = status !== undefined && OVERLOADED.has(status);
  const usualMs = Math.min(LIMITS.endpointSlowMs, FIRST_SLOW_MS * 2 ** Math.min(failures, 10));
  const slowMs = slow ? Math.max(retryAfterMs ?? 0, usualMs) : 0;
  if (decided.kind !== "again") return over("failed", failing, slowMs);
  const again: Delivery = { ...tried, status: "retrying", dueAt: nowMs + decided.pauseMs };
  return { delivery: again, health: failing, slowMs };
}

/**
 * Note a failure. The first one is written down, and one that is far enough from it to disable the endpoint later; all between
 * them would cost a row each and decide nothing.
 */
function noteFailure(health: EndpointHealth, nowMs: number): EndpointHealth {
  const { failingSince, failedLast } = health;
  if (failingSince === null) return { ...health, failingSince: nowMs, failedLast: nowMs };
  const isApart = nowMs - failingSince >= LIMITS.endpointFailedApartMs;
  const wasApart = (failedLast ?? failingSince) - failingSince >= LIMITS.endpointFailedApartMs;
  return isApart && !wasApart ? { ...health, failedLast: nowMs } : health;
}

/** When an endpoint is disabled unless something gets through before; null where nothing speaks for it. */
export function disabledAt({ failingSince, failedLast, disabled }: EndpointHealth): number | null {
  if (failingSince === null || failedLast === null || disabled !== null) return null;
  return failedLast - failingSince >= LIMITS.endpointFailedApartMs
    ? failingSince + LIMITS.endpointFailingMs
    : null;
}

/** Tell of a delivery that was given up, to all but its own endpoint. */
export function toFailedNotice(
  { no, seq, eventId, type, attempts }: Delivery,
  { id, customer }: KeptEndpoint,
  shard: number,
): Notice {
  const { at, status, code } = attempts.at(-1)!;
  const delivery = toDeliveryId({ shard, no, seq });
  const told = { customer, event_id: eventId, event_type: type, status, code };
  return {
    id: `delivery-failed-${delivery}-${at}`,
    type: "volley.delivery.failed",
    about: id,
    data: JSON.stringify({ delivery_id: delivery, endpoint: id, ...told }),
  };
}

/** Tell of an endpoint that was disabled, to all others. */
export function toDisabledNotice(
  { id, no, customer, failingSince }: KeptEndpoint,
  { at, because }: NonNullable<KeptEndpoint["disabled"]>,
): Notice {
  return {
    id: `endpoint-disabled-${no}-${at}`,
    type: "volley.endpoint.disabled",
    about: id,
    data: JSON.stringify({
      endpoint: id,
      customer,
      because,
      failing_since: failingSince === null ? null : new Date(failingSince).toISOString(),
    }),
  };
}
