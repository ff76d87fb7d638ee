import * as z from "zod/mini";

import { lazySchema, strictSchema, type Written } from "../../feature/schema.ts";
import { DELIVERY_STATUSES, type Attempt, toDeliveryId } from "./delivery.ts";
import type { EventType, FoundDelivery, KeptEvent } from "./directory-methods.ts";
import { DISABLED_BECAUSE, ENDPOINT_STATES, type KeptEndpoint, stateOf } from "./endpoint.ts";
import { endpointSchema } from "./endpoint-schema.ts";
import type { DayCounts } from "./endpoint-shard-methods.ts";

const count = () => z.int().check(z.minimum(0));

/** The answer to an event that is published. */
export const publishedSchema = strictSchema("Published", () => ({
  event_id: z.optional(z.string()),
  endpoints: z.union([
    z.int().check(z.describe("How many endpoints it is for")),
    z
      .array(z.strictObject({ endpoint: z.string(), matched: z.boolean(), because: z.optional(z.string()) }))
      .check(z.describe("With `dry_run`: each endpoint")),
  ]),
  matched: z.optional(z.int()),
}));

/** An endpoint as it is shown, without its secret. */
export const shownEndpointSchema = lazySchema("Endpoint", () =>
  z.extend(endpointSchema(), {
    id: z.string(),
    ordered: z.boolean(),
    paused: z.boolean(),
    state: z.enum(ENDPOINT_STATES),
    failing_since: z.optional(z.string()),
    disabled_because: z
      .optional(z.enum(DISABLED_BECAUSE))
      .check(
        z.describe(
          "`gone`: it answered 410; `asked`: `webhook-delivery: disable`; `failing`: five days of failures",
        ),
      ),
    created_at: z.string(),
    updated_at: z.string(),
  }),
);

/** The same with what is shown once, or asked for alone. */
export const wholeEndpointSchema = lazySchema("WholeEndpoint", () =>
  z.extend(shownEndpointSchema(), {
    secret: z.optional(z.string()).check(z.describe("Its signing secret, shown this once")),
    last_24h: z.optional(
      z.strictObject({
        delivered: count(),
        failed: count().check(z.describe("Deliveries that are tried no more")),
        failed_attempts: count(),
        pending: count(),
        p95_ms: z.nullable(z.number()),
      }),
    ),
  }),
);

const attemptSchema = strictSchema(() => ({
  at: z.string(),
  duration_ms: z.number(),
  status: z.optional(z.int()).check(z.describe("The HTTP status that came")),
  code: z.optional(z.string()).check(z.describe("Why none came")),
  response: z.optional(z.string()).check(z.describe("The beginning of the answer's text")),
}));

export const deliverySchema = strictSchema("Delivery", () => ({
  delivery_id: z.string(),
  endpoint: z.string(),
  event_id: z.string(),
  type: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.array(attemptSchema()),
  next_attempt_at: z.nullable(z.string()),
  created_at: z.string(),
  run_id: z.optional(z.string()).check(z.describe("The run that published it")),
}));

/** The fields of an endpoint as they were sent. */
export function toSettingsJson(endpoint: KeptEndpoint) {
  const { url, customer, events, filter, description, headers, rateLimit, via, ordered, paused } = endpoint;
  const rate = rateLimit && { limit: rateLimit.limit, window_s: rateLimit.windowS };
  return { url, customer, events, filter, description, headers, rate_limit: rate, via, ordered, paused };
}

export function toEndpointJson(endpoint: KeptEndpoint): Written<typeof shownEndpointSchema> {
  const { id, failingSince, disabled, createdAt, updatedAt } = endpoint;
  return {
    id,
    ...toSettingsJson(endpoint),
    state: stateOf(endpoint),
    failing_since: failingSince === null ? undefined : toTime(failingSince),
    disabled_because: disabled?.because,
    created_at: toTime(createdAt),
    updated_at: toTime(updatedAt),
  };
}

export function toDayJson({ delivered, failed, missed, pending, p95Ms }: DayCounts) {
  return { delivered, failed, failed_attempts: missed, pending, p95_ms: p95Ms };
}

export function toDeliveryJson(delivery: FoundDelivery): Written<typeof deliverySchema> {
  const { endpoint, eventId, type, status, attempts, dueAt, createdAt, run } = delivery;
  return {
    delivery_id: toDeliveryId(delivery),
    endpoint,
    event_id: eventId,
    type,
    status,
    attempts: attempts.map(toAttemptJson),
    next_attempt_at: dueAt === null ? null : toTime(dueAt),
    created_at: toTime(createdAt),
    run_id: run,
  };
}

function toAttemptJson({ at, durationMs, ...rest }: Attempt) {
  return { at: toTime(at), duration_ms: durationMs, ...rest };
}

/** Write an event; its data keeps every digit. */
export function toEventText({ id, type, customer, at, data, run }: KeptEvent, more: object = {}): string {
  const head = JSON.stringify({
    event_id: id,
    type,
    customer: customer ?? undefined,
    at: toTime(at),
    run_id: run ?? undefined,
    ...more,
  });
  return `${head.slice(0, -1)},"data":${data}}`;
}

export function toTypeText({ type, description, schema, example, updatedAt }: EventType): string {
  const head = JSON.stringify({ type, description, updated_at: toTime(updatedAt) });
  const schemaText = schema === null ? "" : `,"schema":${schema}`;
  const exampleText = example === null ? "" : `,"example":${example}`;
  return `${head.slice(0, -1)}${schemaText}${exampleText}}`;
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
