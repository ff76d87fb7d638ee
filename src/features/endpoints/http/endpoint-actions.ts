import * as z from "zod/mini";
import { askGate, readRequest, respondJson, respondList } from "../../../feature/answer.ts";
import { lazySchema, parseList, strictSchema, visibleText } from "../../../feature/schema.ts";
import { pageSchema } from "../../../core/contract/list-query.ts";
import { err, makeRefusal, ok } from "../../../feature/refuse.ts";
import { INSTANT_EXPECTED, parseInstant } from "../../../core/kit/rfc3339.ts";
import { typeField } from "../check-event.ts";
import { toDayJson, shownEndpointSchema } from "../endpoint-json.ts";
import { ENDPOINT_STATES } from "../endpoint.ts";
import { makeSecret, boxOf, findEndpoint } from "./put-endpoint.ts";
import {
  noEndpoint,
  type Answered,
  type Scope,
  toShownEndpoint,
  UNREADABLE,
  parseNumberCursor,
} from "./scope.ts";
import * as LIMITS from "../limits.ts";
import { fitsPattern } from "../match-event.ts";

export async function showEndpoint(id: string, scope: Scope): Answered {
  const known = await findEndpoint(id, scope);
  if (!known.ok) return known;
  const { endpoint, day } = known.value;
  return ok(respondJson(JSON.stringify({ ...toShownEndpoint(endpoint, scope), last_24h: toDayJson(day) })));
}

export async function deleteEndpoint(id: string, scope: Scope): Answered {
  const hint = "Whether the endpoint was deleted is not certain; send the same request again.";
  const removed = await askGate(() => scope.directory.remove(id, scope.customer), hint);
  if (!removed.ok) return removed;
  return removed.value ? ok(new Response(null, { status: 204 })) : err(noEndpoint(id));
}

export const rotationSchema = strictSchema(() => ({
  overlap_s: z
    .optional(z.int().check(z.minimum(0), z.maximum(LIMITS.secretOverlapS)))
    .check(z.describe("How long both secrets sign; a day unless said")),
}));

/** Put another secret in the place of an endpoint's. */
export async function rotateEndpoint(request: Request, id: string, scope: Scope): Answered {
  const body = await readRequest(request, rotationSchema());
  if (!body.ok) return body;
  const { overlap_s: overlapS = 86_400 } = body.value.parsed;
  const secret = makeSecret();
  const sealed = await boxOf(scope).seal(id, secret);
  const asked = { id, secret: sealed, overlapMs: overlapS * 1_000, customer: scope.customer };
  const hint = "Whether the secret was changed is not certain; rotate again, with an overlap.";
  const rotated = await askGate(() => scope.directory.rotate(asked), hint);
  if (!rotated.ok) return rotated;
  if (rotated.value === null) return err(noEndpoint(id));
  return ok(respondJson(JSON.stringify({ ...toShownEndpoint(rotated.value, scope), secret })));
}

export const testSchema = strictSchema(() => ({
  type: z
    .optional(typeField())
    .check(z.describe("Whose example is sent; the first that the endpoint asks for by name unless said")),
}));

/** Send an example to an endpoint, as an event that is for it alone. */
export async function testEndpoint(request: Request, id: string, scope: Scope): Answered {
  const body = await readRequest(request, testSchema());
  if (!body.ok) return body;
  const known = await findEndpoint(id, scope);
  if (!known.ok) return known;
  const { endpoint } = known.value;
  const type = body.value.parsed.type ?? endpoint.events.find((one) => !one.includes("*")) ?? "endpoint.test";
  if (body.value.parsed.type !== undefined && !endpoint.events.some((pattern) => fitsPattern(pattern, type)))
    return err(
      makeRefusal("INVALID_REQUEST", `/type: the endpoint does not ask for '${visibleText(type)}'.`),
    );
  const described = await askGate(() => scope.directory.type(type), UNREADABLE);
  if (!described.ok) return described;
  const data = described.value?.example ?? '{"test":true}';
  const event = { type, data, customer: null, only: id };
  const published = await askGate(
    () => scope.directory.publish(event),
    "Whether the test was sent is not certain; look at the endpoint's deliveries.",
  );
  if (!published.ok) return published;
  if (!published.value.ok || published.value.value.endpoints === 0)
    return err(
      makeRefusal(
        "INVALID_REQUEST",
        "The endpoint is paused or disabled, so nothing was sent; send PATCH with paused: false first.",
      ),
    );
  return ok(respondJson(JSON.stringify({ event_id: published.value.value.eventId }), { status: 202 }));
}

export const recoverSchema = strictSchema(() => ({
  since: z.string().check(z.describe("Events published since")),
  until: z.optional(z.string()),
  all: z
    .optional(z.boolean())
    .check(z.describe("Also what was never tried, because it was paused or disabled")),
}));

/** Deliver to an endpoint what it should have got in a time and did not. */
export async function recoverEndpoint(request: Request, id: string, scope: Scope): Answered {
  const asked = await readRequest(request, recoverSchema());
  if (!asked.ok) return asked;
  const { since, until, all = false } = asked.value.parsed;
  const now = scope.context.ports.clock.now();
  const from = parseInstant(since);
  const to = until === undefined ? now : parseInstant(until);
  if (from === null || to === null) {
    const path = from === null ? "/since" : "/until";
    return err(makeRefusal("INVALID_REQUEST", `${path} must be ${INSTANT_EXPECTED}.`));
  }
  const query = { since: from, until: to, all };
  const recovered = await askGate(
    () => scope.directory.recover(id, query, scope.customer),
    "Whether everything is delivered again is not certain; send the same request again.",
  );
  if (!recovered.ok) return recovered;
  if (recovered.value === null) return err(noEndpoint(id));
  return ok(respondJson(JSON.stringify({ deliveries: recovered.value }), { status: 202 }));
}

export const endpointPageSchema = lazySchema(() =>
  pageSchema("endpoints", shownEndpointSchema(), "EndpointPage"),
);

export async function listEndpoints(query: URLSearchParams, scope: Scope): Answered {
  const own = scope.customer === undefined ? ({ customer: "text" } as const) : {};
  const asked = parseList(query, parseNumberCursor, { state: ENDPOINT_STATES, ...own });
  if (!asked.ok) return asked;
  const { limit, after: before, ...filters } = asked.value;
  const wanted = { customer: scope.customer, ...filters, before, limit };
  const found = await askGate(() => scope.directory.list(wanted), UNREADABLE);
  if (!found.ok) return found;
  const { endpoints, next } = found.value;
  return respondList("endpoints", endpoints, {
    limit,
    toJson: (one) => JSON.stringify(toShownEndpoint(one, scope)),
    toCursor: ({ no }) => String(no),
    next: next === null ? null : String(next),
  });
}
