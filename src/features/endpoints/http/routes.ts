import * as z from "zod/mini";
import { makeReseal } from "../../../cloudflare/routes/make-reseal.ts";
import type { Route, Handler } from "../../../cloudflare/openapi/route.ts";
import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import { pageFields } from "../../../core/contract/list-query.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import type { Result } from "../../../core/kit/result.ts";
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
import { openScope, type Scope } from "./scope.ts";
import { openDirectory } from "../objects/endpoint-objects.ts";

const TAG = "Endpoints";

/** Handle a request of the tenant itself. */
function of(
  handle: (scope: Scope, request: Request, id: string) => Promise<Result<Response, Refusal>>,
): Handler {
  return async (request, context, id) => {
    const scope = openScope(context);
    return scope.ok ? handle(scope.value, request, id) : scope;
  };
}

const queryOf = (request: Request): URLSearchParams => new URL(request.url).searchParams;

const testedSchema = lazySchema(() => z.strictObject({ event_id: z.string() }));
const recoveredSchema = lazySchema(() => z.strictObject({ deliveries: z.int() }));
const resentSchema = lazySchema(() =>
  z.strictObject({ delivery_id: z.string(), status: z.literal("pending") }),
);

/** A tenant's endpoints, and the deliveries to them. */
export const ENDPOINT_ENDPOINTS: readonly Route[] = [
  {
    route: "PUT /v1/endpoints/:id",
    runsNothing: true,
    handle: of((scope, request, id) => putEndpoint(request, id, scope)),
    describe: () => ({
      id: "putEndpoint",
      summary: "Keep an endpoint under an id, or replace the one that has it",
      tag: TAG,
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
      refusals: ["INVALID_ENDPOINT", "NAME_TAKEN", "MISCONFIGURED"],
    }),
  },
  {
    route: "GET /v1/endpoints",
    runsNothing: true,
    handle: of((scope, request) => listEndpoints(queryOf(request), scope)),
    describe: () => ({
      id: "listEndpoints",
      summary: "List endpoints, the newest first",
      tag: TAG,
      query: z.strictObject({
        customer: z.optional(z.string()),
        state: z.optional(z.enum(ENDPOINT_STATES)),
        ...pageFields(),
      }),
      answer: { description: "One page", schema: endpointPageSchema() },
      refusals: ["INVALID_QUERY", "MISCONFIGURED"],
    }),
  },
  {
    route: "GET /v1/endpoints/:id",
    runsNothing: true,
    handle: of((scope, _, id) => showEndpoint(id, scope)),
    describe: () => ({
      id: "getEndpoint",
      summary: "Show an endpoint, and how its last day went",
      tag: TAG,
      answer: { description: "The endpoint", schema: wholeEndpointSchema() },
      refusals: ["NOT_FOUND", "MISCONFIGURED"],
    }),
  },
  {
    route: "PATCH /v1/endpoints/:id",
    runsNothing: true,
    handle: of((scope, request, id) => patchEndpoint(request, id, scope)),
    describe: () => ({
      id: "patchEndpoint",
      summary: "Change fields of an endpoint; `paused: false` makes a disabled one active",
      tag: TAG,
      body: {
        schema: z.partial(endpointSchema()).check(z.meta({ id: "EndpointChange" })),
        example: { paused: false },
      },
      answer: { description: "The endpoint", schema: wholeEndpointSchema() },
      refusals: ["INVALID_ENDPOINT", "NAME_TAKEN", "NOT_FOUND", "MISCONFIGURED"],
    }),
  },
  {
    route: "DELETE /v1/endpoints/:id",
    runsNothing: true,
    handle: of((scope, _, id) => deleteEndpoint(id, scope)),
    describe: () => ({
      id: "deleteEndpoint",
      summary: "Delete an endpoint; what waits for it is discarded",
      tag: TAG,
      answer: { description: "It is gone", schema: null, statuses: [204] },
      refusals: ["NOT_FOUND", "MISCONFIGURED"],
    }),
  },
  {
    route: "POST /v1/endpoints/:id/rotate",
    runsNothing: true,
    handle: of((scope, request, id) => rotateEndpoint(request, id, scope)),
    describe: () => ({
      id: "rotateEndpoint",
      summary: "Give an endpoint another secret; both sign for a while",
      tag: TAG,
      body: { schema: rotationSchema(), example: { overlap_s: 86_400 }, optional: true },
      answer: { description: "The endpoint with its new secret", schema: wholeEndpointSchema() },
      refusals: ["INVALID_REQUEST", "NOT_FOUND", "MISCONFIGURED"],
    }),
  },
  {
    route: "POST /v1/endpoints/:id/test",
    runsNothing: true,
    handle: of((scope, request, id) => testEndpoint(request, id, scope)),
    describe: () => ({
      id: "testEndpoint",
      summary: "Send an example to one endpoint",
      tag: TAG,
      body: { schema: testSchema(), example: {}, optional: true },
      answer: { description: "The event", schema: testedSchema(), statuses: [202] },
      refusals: ["INVALID_REQUEST", "NOT_FOUND", "MISCONFIGURED"],
    }),
  },
  {
    route: "POST /v1/endpoints/:id/recover",
    runsNothing: true,
    handle: of((scope, request, id) => recoverEndpoint(request, id, scope)),
    describe: () => ({
      id: "recoverEndpoint",
      summary: "Deliver again what failed in a time",
      tag: TAG,
      body: { schema: recoverSchema(), example: { since: "2026-01-01T00:00:00Z" } },
      answer: {
        description: "How many deliveries are made again",
        schema: recoveredSchema(),
        statuses: [202],
      },
      refusals: ["INVALID_REQUEST", "NOT_FOUND", "MISCONFIGURED"],
    }),
  },
  {
    route: "GET /v1/deliveries",
    runsNothing: true,
    handle: of((scope, request) => listDeliveries(queryOf(request), scope)),
    describe: () => ({
      id: "listDeliveries",
      summary: "List deliveries, the latest event first",
      tag: TAG,
      query: z.strictObject({
        endpoint: z.optional(z.string()),
        event: z.optional(z.string()),
        run: z.optional(z.string()).check(z.describe("The run that published it")),
        status: z.optional(z.enum(DELIVERY_STATUSES)),
        ...pageFields(),
      }),
      answer: { description: "One page", schema: deliveryPageSchema() },
      refusals: ["INVALID_QUERY", "MISCONFIGURED"],
    }),
  },
  {
    route: "GET /v1/deliveries/:id",
    runsNothing: true,
    handle: of((scope, _, id) => showDelivery(id, scope)),
    describe: () => ({
      id: "getDelivery",
      summary: "Show a delivery with its attempts",
      tag: TAG,
      answer: { description: "The delivery", schema: deliverySchema() },
      refusals: ["NOT_FOUND", "MISCONFIGURED"],
    }),
  },
  {
    route: "POST /v1/deliveries/:id/resend",
    runsNothing: true,
    handle: of((scope, _, id) => resendDelivery(id, scope)),
    describe: () => ({
      id: "resendDelivery",
      summary: "Deliver an event to its endpoint once more, to its present address",
      tag: TAG,
      answer: { description: "It is on its way", schema: resentSchema(), statuses: [202] },
      refusals: ["INVALID_REQUEST", "NOT_FOUND", "MISCONFIGURED"],
    }),
  },
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
