import type { DocumentWriter, Dialect, Route } from "../../../feature/route.ts";
import { problemSchema, type RefusalCode, statusOf } from "../../../feature/refuse.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import type { Components } from "./components.ts";

/** One path and method, as its feature describes it. */
export type Operation = ReturnType<Route["describe"]>;

/** Refusals that every path may meet, before and after it is counted, every one with a query or a body, and every counted one. */
const BEFORE_COUNTING: readonly RefusalCode[] = ["UNAUTHORIZED", "LOOP_DETECTED", "METHOD_NOT_ALLOWED"];
const OF_A_PATH = [...BEFORE_COUNTING, "UNAVAILABLE"] as const;
const OF_A_QUERY = ["INVALID_QUERY"] as const;
const OF_A_BODY = ["MALFORMED_JSON", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "INVALID_BATCH"] as const;
const OF_A_KEY = ["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_CONFLICT"] as const;
const OF_A_FLAG = ["FORBIDDEN"] as const;
const OF_A_QUOTA = ["QUOTA_EXCEEDED"] as const;

const EVENTS =
  "With `Accept: text/event-stream`: an `event: result` with the result of each action or call, then `event: done` with what the JSON answer is; with `progress` also an `event: started` for each call that leaves its queues";

const text = (description: string, required?: true): JsonObject => ({
  description,
  ...(required && { required }),
  schema: { type: "string" },
});
const REQUEST_ID = { "x-request-id": text("Names this answer in the log", true) };
const QUOTA = {
  "RateLimit-Policy": text(
    'The allowance: `"requests";q=120;w=60` is 120 requests in 60 seconds, `"lists";q=600;w=60` 600 that run nothing',
  ),
  RateLimit: text(
    'What is left of it: `"requests";r=7;t=30` is 7 requests, the next of the others in 30 seconds',
  ),
};
const REPLAYED = {
  "idempotency-replayed": {
    description: "This Idempotency-Key's request ran before, and this is what it answered",
    schema: { type: "string", const: "true" },
  },
};
const ETAG = { ETag: text("Names these bytes, for `If-None-Match`", true) };
const RECORDED = {
  Location: text("The path of the job", true),
  "Preference-Applied": text("`respond-async`, where the header `Prefer` asked for it"),
};
const RETRY_AFTER = { description: "Seconds to wait", schema: { type: "integer", minimum: 0 } };

/** Headers of an answer whose own words say that a quota is used up. */
const COUNTED_HEADERS: JsonObject = { ...QUOTA, "Retry-After": RETRY_AFTER };

/** Headers that only some refusals have. */
const OF_A_REFUSAL: Partial<Record<RefusalCode, JsonObject>> = {
  UNAUTHORIZED: { "WWW-Authenticate": text("How to say who is calling", true) },
  METHOD_NOT_ALLOWED: { Allow: text("The methods that this path answers", true) },
  IDEMPOTENCY_IN_PROGRESS: { "Retry-After": RETRY_AFTER },
  QUOTA_EXCEEDED: { ...QUOTA, "Retry-After": { ...RETRY_AFTER, required: true } },
  UNAVAILABLE: { "Retry-After": RETRY_AFTER },
};

/** Write parts of the document, of which those with a name stand among its components. */
export function writeTo(components: Components): DocumentWriter {
  return {
    schema: (schema, io) => components.schema(schema, io),
    query: (schema) => components.query(schema),
    answer: (description, content, headers = []) =>
      toResponse(description, content, headers === "counted" ? COUNTED_HEADERS : headersOf(headers)),
    problem: (codes) => toProblem(codes, components),
  };
}

/** Describe everything that an operation may answer. */
export function toResponses(operation: Operation, components: Components): JsonObject {
  const { answer, recorded, counted, keyed } = operation;
  const headers = { ...(counted && QUOTA), ...(keyed && REPLAYED) };
  if ("file" in answer)
    return {
      200: toResponse(answer.description, { "*/*": { schema: {} } }, { ...headers, ...ETAG }),
      304: toResponse("The `If-None-Match` that came has its tag", undefined, { ...headers, ...ETAG }),
      ...toRefusals(operation, components),
    };
  const json = answer.schema && {
    "application/json": { schema: components.schema(answer.schema, "output") },
  };
  const events = answer.events && {
    "text/event-stream": {
      schema: { type: "string", description: answer.events === true ? EVENTS : answer.events },
    },
  };
  const { description, statuses = [200] } = answer;
  const answered = toResponse(description, json === null ? undefined : { ...json, ...events }, headers);
  return {
    ...Object.fromEntries(statuses.map((status) => [status, answered])),
    ...(recorded && {
      202: toResponse(
        recorded.description,
        { "application/json": { schema: components.schema(recorded.schema, "output") } },
        { ...headers, ...RECORDED },
      ),
    }),
    ...toRefusals(operation, components),
  };
}

/** Describe an answer of some content types, or one without content. */
function toResponse(description: string, content?: JsonObject, headers: JsonObject = {}): JsonObject {
  return { description, headers: { ...REQUEST_ID, ...headers }, ...(content && { content }) };
}

/**
 * Describe a problem document with one of some codes.
 *
 * @param more headers that the codes alone do not bring
 */
function toProblem(codes: readonly RefusalCode[], components: Components, more?: JsonObject): JsonObject {
  const problem = components.schema(problemSchema(), "output");
  const schema = {
    allOf: [problem, { type: "object", properties: { code: { type: "string", enum: codes } } }],
  };
  const content = { "application/problem+json": { schema } };
  const response = toResponse(codes.join(", "), content, { ...more, ...headersOf(codes) });
  return components.response(`${codes.join("_or_")}${more ? "_counted" : ""}`, response);
}

/** Describe how a dialect says the same. */
function toDialectError(
  codes: readonly RefusalCode[],
  { described }: Dialect,
  { components, more }: { readonly components: Components; readonly more: JsonObject | undefined },
): JsonObject {
  const headers = { ...more, ...headersOf(codes) };
  const response = toResponse(codes.join(", "), dialectContent(described, components), headers);
  return components.response(`${described.name}_${codes.join("_or_")}${more ? "_counted" : ""}`, response);
}

function toFault({ described }: Dialect, components: Components): JsonObject {
  const response = toResponse("Something failed on our side", dialectContent(described, components));
  return components.response(`${described.name}_bug`, response);
}

function dialectContent({ schema }: Dialect["described"], components: Components): JsonObject {
  return { "application/json": { schema: components.schema(schema(), "output") } };
}

/** The headers that refusals with one of some codes have. */
function headersOf(codes: readonly RefusalCode[]): JsonObject {
  return Object.assign({}, ...codes.map((code) => OF_A_REFUSAL[code])) as JsonObject;
}

function toRefusals(operation: Operation, components: Components): JsonObject {
  const { query, body, refusal, refusals = [], counted, keyed, flags = [] } = operation;
  const own = new Map(refusals.flatMap((one) => (typeof one === "string" ? [] : [[one.code, one] as const])));
  const codes = new Set<RefusalCode>([
    ...OF_A_PATH,
    ...(query ? OF_A_QUERY : []),
    ...(body ? OF_A_BODY : []),
    ...(keyed ? OF_A_KEY : []),
    ...(counted ? OF_A_QUOTA : []),
    ...(flags.length > 0 ? OF_A_FLAG : []),
    ...refusals.map((one) => (typeof one === "string" ? one : (one.code as RefusalCode))),
  ]);
  const byStatus = Map.groupBy(codes, (code) => statusOf({ code, own: own.get(code) }));
  const responses = [...byStatus].map(([status, of]) => {
    const told = counted === "always" && !of.every((code) => BEFORE_COUNTING.includes(code));
    const more = told ? QUOTA : undefined;
    const said = refusal
      ? toDialectError(of, refusal, { components, more })
      : toProblem(of, components, more);
    return [status, said];
  });
  return {
    ...(Object.fromEntries(responses) as JsonObject),
    ...(refusal?.fault && { [refusal.fault.status]: toFault(refusal, components) }),
  };
}
