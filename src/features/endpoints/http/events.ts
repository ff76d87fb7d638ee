import * as z from "zod/mini";
import { askGate, respondJson, respondList } from "../../../feature/answer.ts";
import { readIdempotencyKey } from "../../../cloudflare/http/read-request-body.ts";
import { quotaHeaders, respondRefused } from "../../../cloudflare/http/respond.ts";
import type { Route } from "../../../feature/route.ts";
import type { Publishing, PublishRefusal } from "../publishing.ts";
import { looseSchema, pageFields, parseList, strictSchema } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { countRequest } from "../../../core/gate/admit-plan.ts";
import { checkEvent, eventFields } from "../check-event.ts";
import { DELIVERY_STATUSES } from "../delivery.ts";
import { publishedSchema, toEventText } from "../endpoint-json.ts";
import { followEvents } from "./follow-events.ts";
import { readExactBody } from "./event-types.ts";
import { openScope, parseNumberCursor, routeOf, type Scope, UNREADABLE } from "./scope.ts";

const TAG = "Endpoints";

const publishSchema = strictSchema(() => ({
  ...eventFields(),
  dry_run: z
    .optional(z.boolean())
    .check(z.describe("Say of each endpoint whether the event is for it, and send nothing")),
}));

/** `POST /v1/events`: publish an event. It is recorded before the 202. */
const publishEvent: Route = {
  route: "POST /v1/events",
  runs: true,
  async handle(request, context) {
    const scope = openScope(context);
    if (!scope.ok) return scope;
    const body = await readExactBody(request, publishSchema());
    if (!body.ok) return body;
    const key = readIdempotencyKey(request);
    if (!key.ok) return key;
    // Zod's copy of it would lose `__proto__`; the body itself was checked for that.
    const { data } = body.value.value as { readonly data: unknown };
    const event = checkEvent(body.value.parsed, data);
    if (!event.ok) return event;
    const counted = await countRequest(context);
    if (!counted.ok) return ok(respondRefused(counted.error, context));
    const { id, dry_run: isDry } = body.value.parsed;
    const asked = { ...event.value, id, key: id === undefined ? (key.value ?? undefined) : undefined };
    const answered = isDry === true ? await explain(asked, scope.value) : await publish(asked, scope.value);
    if (!answered.ok) return answered;
    for (const [name, value] of Object.entries(quotaHeaders(context.caller, counted.value.quota)))
      answered.value.headers.set(name, value);
    return answered;
  },
  describe: () => ({
    id: "publishEvent",
    summary: "Publish an event to the endpoints that ask for it",
    tag: TAG,
    keyed: true,
    counted: true,
    body: {
      schema: publishSchema().check(z.meta({ id: "PublishRequest" })),
      example: { type: "order.paid", data: { order_id: "o_1", total: 120 } },
    },
    answer: {
      description: "It is recorded; 200 for a dry run",
      schema: publishedSchema(),
      statuses: [200, 202],
    },
    refusals: ["INVALID_REQUEST", "IDEMPOTENCY_CONFLICT", "MISCONFIGURED"],
  }),
};

async function publish(asked: Publishing, { directory }: Scope): Promise<Result<Response, Refusal>> {
  const published = await askGate(
    () => directory.publish(asked),
    "Whether the event was published is not certain; send it again with the same id, or Idempotency-Key, and it is published once.",
  );
  if (!published.ok) return published;
  if (!published.value.ok) return err(refusalOf(published.value.error));
  const { eventId, endpoints } = published.value.value;
  return ok(respondJson(JSON.stringify({ event_id: eventId, endpoints }), { status: 202 }));
}

async function explain(asked: Publishing, { directory }: Scope): Promise<Result<Response, Refusal>> {
  const found = await askGate(() => directory.explain(asked), UNREADABLE);
  if (!found.ok) return found;
  if (!found.value.ok) return err(refusalOf(found.value.error));
  const { explained, endpoints: matched } = found.value.value;
  const endpoints = explained.map(({ endpoint, mismatch }) => ({
    endpoint,
    matched: mismatch === null,
    because: mismatch ?? undefined,
  }));
  return ok(respondJson(JSON.stringify({ endpoints, matched })));
}

export function refusalOf(refusal: PublishRefusal): Refusal {
  return refusal.kind === "conflict"
    ? CONFLICT
    : makeRefusal("INVALID_REQUEST", refusal.hint, { issue: refusal.issue });
}

const CONFLICT = makeRefusal(
  "IDEMPOTENCY_CONFLICT",
  "An event of this id, or Idempotency-Key, was published with other content; take another id.",
);

const countsSchema = () =>
  z.strictObject(Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, z.int()])));

const keptEventSchema = looseSchema("PublishedEvent", () => ({
  event_id: z.string(),
  type: z.string(),
  customer: z.optional(z.string()),
  at: z.string(),
  run_id: z.optional(z.string()),
  data: z.unknown(),
  deliveries: z.optional(countsSchema()).check(z.describe("Of one event: how many have each status")),
}));

const listEvents = routeOf(
  "GET /v1/events",
  async (scope, { query }) => {
    const fields = { type: "text", customer: "text", since: "time", until: "time" } as const;
    const asked = parseList(query, parseNumberCursor, fields);
    if (!asked.ok) return asked;
    const { after: before, ...wanted } = asked.value;
    const found = await askGate(() => scope.directory.events({ ...wanted, before }), UNREADABLE);
    if (!found.ok) return found;
    const { events, next } = found.value;
    return respondList("events", events, {
      limit: wanted.limit,
      toJson: (event) => toEventText(event),
      toCursor: ({ seq }) => String(seq),
      next: next === null ? null : String(next),
    });
  },
  () => ({
    id: "listEvents",
    summary: "List published events, the latest first",
    query: z.strictObject({
      type: z.optional(z.string()),
      customer: z.optional(z.string()),
      since: z.optional(z.iso.datetime({ offset: true })),
      until: z.optional(z.iso.datetime({ offset: true })),
      ...pageFields(),
    }),
    answer: {
      description: "One page",
      schema: z.strictObject({ events: z.array(keptEventSchema()), next_cursor: z.nullable(z.string()) }),
    },
    refusals: ["INVALID_QUERY"],
  }),
);

const showEvent = routeOf(
  "GET /v1/events/:id",
  async (scope, { id }) => {
    const found = await askGate(() => scope.directory.event(id), UNREADABLE);
    if (!found.ok) return found;
    if (found.value === null)
      return err(makeRefusal("NOT_FOUND", "There is no event of that id; they are kept for 30 days."));
    return ok(respondJson(toEventText(found.value.event, { deliveries: found.value.counts })));
  },
  () => ({
    id: "getEvent",
    summary: "Show an event, and how many of its deliveries have each status",
    answer: { description: "The event", schema: keptEventSchema() },
    refusals: ["NOT_FOUND"],
  }),
);

// The stream comes before the event of a name.
export const EVENT_ENDPOINTS: readonly Route[] = [publishEvent, listEvents, followEvents, showEvent];
