import * as z from "zod/mini";
import { askGate, respondJson, respondList } from "../../../feature/answer.ts";
import { readRequestBody } from "../../../cloudflare/http/read-request-body.ts";
import type { Route } from "../../../feature/route.ts";
import { toHint } from "../../../core/contract/issues.ts";
import {
  looseSchema,
  pageFields,
  parseExact,
  parseList,
  parseRequest,
  strictSchema,
  visibleText,
} from "../../../feature/schema.ts";
import { bodyBytes, nesting } from "../../../core/contract/limits.ts";
import { pageSchema } from "../../../core/contract/list-query.ts";
import type { ParsedRequest } from "../../../core/contract/parse-request.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { checkEvent, findMisfits, findSchemaFlaws, typeField } from "../check-event.ts";
import { toTypeText } from "../endpoint-json.ts";
import { routeOf, type Scope, UNREADABLE } from "./scope.ts";
import * as LIMITS from "../limits.ts";
import { isOwn } from "../match-event.ts";

const typeSchema = strictSchema(() => ({
  description: z.string().check(z.minLength(1), z.maxLength(1_000)),
  schema: z.optional(z.record(z.string(), z.unknown())).check(z.describe("JSON Schema that `data` must fit")),
  example: z
    .optional(z.record(z.string(), z.unknown()))
    .check(z.describe("Data as `test` sends it; it fits the schema")),
}));

const shownTypeSchema = looseSchema("EventType", () => ({
  type: z.string(),
  description: z.string(),
  updated_at: z.string(),
}));

const putType = routeOf(
  "PUT /v1/event_types/:id",
  async (scope, { request, context, id: type }) => {
    const body = await readExactBody(request, typeSchema());
    if (!body.ok) return body;
    if (!typeField().safeParse(type).success)
      return err(
        makeRefusal(
          "INVALID_REQUEST",
          `'${visibleText(type)}' is no type: words of letters, digits, _ and -, parted by dots.`,
        ),
      );
    if (isOwn(type)) return err(OURS);
    const { schema, example } = body.value.value as { readonly schema?: unknown; readonly example?: unknown };
    const flaws = schema === undefined ? [] : await findSchemaFlaws(schema);
    const [flaw] = flaws;
    if (flaw !== undefined) {
      const { hint, ...issue } = flaw;
      return err(makeRefusal("INVALID_REQUEST", hint, { issue, issues: flaws }));
    }
    if (example !== undefined) {
      const event = checkEvent({ type }, example);
      if (!event.ok) return event;
    }
    const schemaText = schema === undefined ? null : JSON.stringify(schema);
    const misfits =
      schemaText === null || example === undefined ? [] : await findMisfits(schemaText, example);
    if (misfits.length > 0) {
      const issues = misfits.map((one) => ({ ...one, path: one.path.replace(/^\/data/, "/example") }));
      return err(makeRefusal("INVALID_REQUEST", toHint(issues), { issue: issues[0]! }));
    }
    const exampleText = example === undefined ? null : JSON.stringify(example);
    const { description } = body.value.parsed;
    const kept = { type, description, schema: schemaText, example: exampleText };
    const hint = "Whether the type was kept is not certain; send the same request again.";
    const put = await askGate(() => scope.directory.putType(kept), hint);
    if (!put.ok) return put;
    if (put.value === "too-many")
      return err(
        makeRefusal(
          "INVALID_REQUEST",
          `A tenant describes at most ${LIMITS.eventTypes} types; delete some first.`,
        ),
      );
    const shown = toTypeText({ ...kept, updatedAt: context.ports.clock.now() });
    return ok(respondJson(shown, { status: put.value === "created" ? 201 : 200 }));
  },
  () => ({
    id: "putEventType",
    summary: "Describe a type of events; what is published under it must fit its schema",
    body: {
      schema: typeSchema().check(z.meta({ id: "EventTypeRequest" })),
      example: {
        description: "An order was paid",
        schema: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
        example: { order_id: "o_1" },
      },
    },
    answer: { description: "The type", schema: shownTypeSchema(), statuses: [200, 201] },
    refusals: ["INVALID_REQUEST"],
  }),
);

const listTypes = routeOf(
  "GET /v1/event_types",
  (scope, { query }) => listEventTypes(query, scope),
  () => ({
    id: "listEventTypes",
    summary: "List the described types of events",
    query: z.strictObject(pageFields()),
    answer: {
      description: "One page, by name",
      schema: pageSchema("event_types", shownTypeSchema(), "EventTypePage"),
    },
    refusals: ["INVALID_QUERY"],
  }),
);

/** List the described types, as the tenant and its customers see them. */
export async function listEventTypes(
  query: URLSearchParams,
  { directory, customer }: Scope,
): Promise<Result<Response, Refusal>> {
  const asked = parseList(query, (cursor) => (typeField().safeParse(cursor).success ? cursor : null), {});
  if (!asked.ok) return asked;
  const wanted = { ...asked.value, isForCustomer: customer !== undefined };
  const found = await askGate(() => directory.types(wanted), UNREADABLE);
  if (!found.ok) return found;
  const { types, next } = found.value;
  const { limit } = wanted;
  return respondList("event_types", types, { limit, toJson: toTypeText, toCursor: ({ type }) => type, next });
}

const showType = routeOf(
  "GET /v1/event_types/:id",
  async (scope, { id: type }) => {
    const found = await askGate(() => scope.directory.type(type), UNREADABLE);
    if (!found.ok) return found;
    return found.value === null ? err(noType(type)) : ok(respondJson(toTypeText(found.value)));
  },
  () => ({
    id: "getEventType",
    summary: "Show a described type",
    answer: { description: "The type", schema: shownTypeSchema() },
    refusals: ["NOT_FOUND"],
  }),
);

const deleteType = routeOf(
  "DELETE /v1/event_types/:id",
  async (scope, { id: type }) => {
    const hint = "Whether the type was deleted is not certain; send the same request again.";
    const deleted = await askGate(() => scope.directory.deleteType(type), hint);
    if (!deleted.ok) return deleted;
    return deleted.value ? ok(new Response(null, { status: 204 })) : err(noType(type));
  },
  () => ({
    id: "deleteEventType",
    summary: "Forget a type's description; events of it stay free",
    answer: { description: "It is gone", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND"],
  }),
);

const OURS = makeRefusal(
  "INVALID_REQUEST",
  "Types that begin with 'volley.' are ours, and described in docs/endpoints.md; take another name.",
  {
    issue: {
      path: "/id",
      expected: "a type that does not begin with 'volley.', which are ours",
      received: "one of ours",
    },
  },
);

function noType(type: string) {
  return makeRefusal(
    "NOT_FOUND",
    `The type '${visibleText(type)}' is not described; undescribed types can be published all the same.`,
  );
}

export const EVENT_TYPE_ENDPOINTS: readonly Route[] = [putType, listTypes, showType, deleteType];

/** Read a body whose data goes on to others as it came. */
export async function readExactBody<Schema extends z.ZodMiniObject>(
  request: Request,
  schema: Schema,
): Promise<Result<ParsedRequest<Schema>, Refusal>> {
  const body = await readRequestBody(request, {
    bodyBytes,
    nesting,
    parse: parseExact,
  });
  return body.ok ? parseRequest(schema, body.value.value) : body;
}
