import * as z from "zod/mini";
import { makeReseal } from "../../../cloudflare/routes/make-reseal.ts";
import type { Route } from "../../../feature/route.ts";
import { pageFields, strictSchema } from "../../../feature/schema.ts";
import { DELIVERY_STATUSES } from "../delivery.ts";
import { deliverySchema, wholeEndpointSchema } from "../endpoint-json.ts";
import { endpointSchema } from "../endpoint-schema.ts";
import { ENDPOINT_STATES } from "../endpoint.ts";
import { deliveryPageSchema, listDeliveries, resendDelivery, showDelivery } from "./delivery-actions.ts";
import {
  deleteEndpoint,
  recoverEndpoint,
  recoverSchema,
  rotateEndpoint,
  rotationSchema,
  showEndpoint,
  testEndpoint,
  testSchema,
  endpointPageSchema,
  listEndpoints,
} from "./endpoint-actions.ts";
import { patchEndpoint, putEndpoint } from "./put-endpoint.ts";
import { routeOf } from "./scope.ts";
import { openDirectory } from "../objects/endpoint-objects.ts";

const testedSchema = strictSchema(() => ({ event_id: z.string() }));
const recoveredSchema = strictSchema(() => ({ deliveries: z.int() }));
const resentSchema = strictSchema(() => ({ delivery_id: z.string(), status: z.literal("pending") }));

/** A tenant's endpoints, and the deliveries to them. */
export const ENDPOINT_ENDPOINTS: readonly Route[] = [
  routeOf(
    "PUT /v1/endpoints/:id",
    (scope, { request, id }) => putEndpoint(request, id, scope),
    () => ({
      id: "putEndpoint",
      summary: "Keep an endpoint under an id, or replace the one that has it",
      body: {
        schema: z
          .extend(endpointSchema(), {
            secret: z
              .optional(z.string())
              .check(
                z.describe("The secret that it signs with, `whsec_…`, where it has one already; never shown"),
              ),
          })
          .check(z.meta({ id: "EndpointRequest" })),
        example: EXAMPLE,
      },
      answer: {
        description: "The endpoint; 201 with its secret where it is new",
        schema: wholeEndpointSchema(),
        statuses: [200, 201],
      },
      refusals: ["INVALID_ENDPOINT", "NAME_TAKEN"],
    }),
  ),
  routeOf(
    "GET /v1/endpoints",
    (scope, { query }) => listEndpoints(query, scope),
    () => ({
      id: "listEndpoints",
      summary: "List endpoints, the newest first",
      query: z.strictObject({
        customer: z.optional(z.string()),
        state: z.optional(z.enum(ENDPOINT_STATES)),
        ...pageFields(),
      }),
      answer: { description: "One page", schema: endpointPageSchema() },
      refusals: ["INVALID_QUERY"],
    }),
  ),
  routeOf(
    "GET /v1/endpoints/:id",
    (scope, { id }) => showEndpoint(id, scope),
    () => ({
      id: "getEndpoint",
      summary: "Show an endpoint, and how its last day went",
      answer: { description: "The endpoint", schema: wholeEndpointSchema() },
      refusals: ["NOT_FOUND"],
    }),
  ),
  routeOf(
    "PATCH /v1/endpoints/:id",
    (scope, { request, id }) => patchEndpoint(request, id, scope),
    () => ({
      id: "patchEndpoint",
      summary: "Change fields of an endpoint; `paused: false` makes a disabled one active",
      body: {
        schema: z.partial(endpointSchema()).check(z.meta({ id: "EndpointChange" })),
        example: { paused: false },
      },
      answer: { description: "The endpoint", schema: wholeEndpointSchema() },
      refusals: ["INVALID_ENDPOINT", "NAME_TAKEN", "NOT_FOUND"],
    }),
  ),
  routeOf(
    "DELETE /v1/endpoints/:id",
    (scope, { id }) => deleteEndpoint(id, scope),
    () => ({
      id: "deleteEndpoint",
      summary: "Delete an endpoint; what waits for it is discarded",
      answer: { description: "It is gone", schema: null, statuses: [204] },
      refusals: ["NOT_FOUND"],
    }),
  ),
  routeOf(
    "POST /v1/endpoints/:id/rotate",
    (scope, { request, id }) => rotateEndpoint(request, id, scope),
    () => ({
      id: "rotateEndpoint",
      summary: "Give an endpoint another secret; both sign for a while",
      body: { schema: rotationSchema(), example: { overlap_s: 86_400 }, optional: true },
      answer: { description: "The endpoint with its new secret", schema: wholeEndpointSchema() },
      refusals: ["INVALID_REQUEST", "NOT_FOUND"],
    }),
  ),
  routeOf(
    "POST /v1/endpoints/:id/test",
    (scope, { request, id }) => testEndpoint(request, id, scope),
    () => ({
      id: "testEndpoint",
      summary: "Send an example to one endpoint",
      body: { schema: testSchema(), example: {}, optional: true },
      answer: { description: "The event", schema: testedSchema(), statuses: [202] },
      refusals: ["INVALID_REQUEST", "NOT_FOUND"],
    }),
  ),
  routeOf(
    "POST /v1/endpoints/:id/recover",
    (scope, { request, id }) => recoverEndpoint(request, id, scope),
    () => ({
      id: "recoverEndpoint",
      summary: "Deliver again what failed in a time",
      body: { schema: recoverSchema(), example: { since: "2026-01-01T00:00:00Z" } },
      answer: {
        description: "How many deliveries are made again",
        schema: recoveredSchema(),
        statuses: [202],
      },
      refusals: ["INVALID_REQUEST", "NOT_FOUND"],
    }),
  ),
  routeOf(
    "GET /v1/deliveries",
    (scope, { query }) => listDeliveries(query, scope),
    () => ({
      id: "listDeliveries",
      summary: "List deliveries, the latest event first",
      query: z.strictObject({
        endpoint: z.optional(z.string()),
        event: z.optional(z.string()),
        run: z.optional(z.string()).check(z.describe("The run that published it")),
        status: z.optional(z.enum(DELIVERY_STATUSES)),
        ...pageFields(),
      }),
      answer: { description: "One page", schema: deliveryPageSchema() },
      refusals: ["INVALID_QUERY"],
    }),
  ),
  routeOf(
    "GET /v1/deliveries/:id",
    (scope, { id }) => showDelivery(id, scope),
    () => ({
      id: "getDelivery",
      summary: "Show a delivery with its attempts",
      answer: { description: "The delivery", schema: deliverySchema() },
      refusals: ["NOT_FOUND"],
    }),
  ),
  routeOf(
    "POST /v1/deliveries/:id/resend",
    (scope, { id }) => resendDelivery(id, scope),
    () => ({
      id: "resendDelivery",
      summary: "Deliver an event to its endpoint once more, to its present address",
      answer: { description: "It is on its way", schema: resentSchema(), statuses: [202] },
      refusals: ["INVALID_REQUEST", "NOT_FOUND"],
    }),
  ),
];

const EXAMPLE = {
  url: "https://shop.example.com/hooks",
  customer: "c_42",
  events: ["order.paid", "invoice.*"],
};

/** `POST /v1/endpoints/reseal`: seal the secrets of every tenant's endpoints under the vault's first key. */
export const resealEndpoints = /* @__PURE__ */ makeReseal({
  route: "POST /v1/endpoints/reseal",
  id: "resealEndpoints",
  schemaId: "ResealedEndpoints",
  tag: "Endpoints",
  summary: "Seal the secrets of all endpoints under the vault's first key",
  sealed: "Endpoints whose secrets are now under the first key",
  unreadable: "Those with a secret that no key opens: rotate it, or put the key back",
  partsOf(owner, configured) {
    const directory = openDirectory(owner, configured);
    return directory.ok ? [() => directory.value.reseal()] : [];
  },
});
