import * as z from "zod/mini";
import { askGate, readRun, respondJson } from "../../../feature/answer.ts";
import { readIdempotencyKey } from "../../../cloudflare/http/read-request-body.ts";
import { quotaHeaders, respondRefused } from "../../../cloudflare/http/respond.ts";
import type { Route } from "../../../feature/route.ts";
import { lazySchema, parseRequest, strictSchema } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { countRequest } from "../../../core/gate/admit-plan.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { sha256 } from "../../../feature/kit.ts";
import { checkEvent, eventFields } from "../check-event.ts";
import type { PublishAnswer } from "../directory-methods.ts";
import * as LIMITS from "../limits.ts";
import type { Publishing } from "../publishing.ts";
import { refusalOf } from "./events.ts";
import { openScope } from "./scope.ts";

const eventSchema = strictSchema(eventFields);

const someOf = <Schema extends z.ZodMiniType>(event: Schema) =>
  z.strictObject({ events: z.array(event).check(z.minLength(1), z.maxLength(LIMITS.eventsInBatch)) });

/** Each event is checked by itself. */
const batchSchema = lazySchema(() => someOf(z.unknown()));

const answerSchema = strictSchema("PublishedBatch", () => {
  const issue = z.strictObject({ path: z.string(), expected: z.string(), received: z.string() });
  const error = z.strictObject({ code: z.string(), message: z.string(), issues: z.optional(z.array(issue)) });
  const published = z.strictObject({ event_id: z.string(), endpoints: z.int() });
  return { events: z.array(z.union([published, z.strictObject({ error })])) };
});

/** `POST /v1/events/batch`: publish several events in their order. One that is wrong costs itself. */
export const publishBatch: Route = {
  route: "POST /v1/events/batch",
  runs: true,
  async handle(request, context) {
    const scope = openScope(context);
    if (!scope.ok) return scope;
    const body = await readRun(request, context, { bodyBytes: LIMITS.eventBatchBytes });
    if (!body.ok) return body;
    const read = parseRequest(batchSchema(), body.value.value);
    if (!read.ok) return read;
    const key = readIdempotencyKey(request);
    if (!key.ok) return key;
    const { events } = read.value.value as { readonly events: readonly unknown[] };
    const counted = await countRequest(context, { units: events.length });
    if (!counted.ok) return ok(respondRefused(counted.error, context));
    const checked = events.map(readEvent);
    const asked = checked.flatMap((one) => (one.ok ? [one.value] : []));
    const batch =
      key.value === null ? null : { key: sha256(key.value), content: sha256(canonicalJson(events)) };
    const published = await askGate(
      () => scope.value.directory.publishAll(asked, batch),
      "Whether the events were published is not certain; send them again with the same Idempotency-Key, and each is published once.",
    );
    if (!published.ok) return published;
    if (published.value === null) return err(CONFLICT);
    const answers = published.value.values();
    const said = checked.map((one, at) => {
      const answer: Result<object, Refusal> = one.ok ? toAnswer(answers.next().value!) : one;
      return answer.ok ? answer.value : { error: toError(answer.error, at) };
    });
    const headers = quotaHeaders(context.caller, counted.value.quota);
    return ok(respondJson(JSON.stringify({ events: said }), { status: 202, headers }));
  },
  describe: () => ({
    id: "publishEventBatch",
    summary: "Publish up to 100 events in their order; one that is wrong costs itself",
    tag: "Endpoints",
    keyed: true,
    counted: true,
    body: {
      schema: someOf(eventSchema()).check(z.meta({ id: "PublishBatchRequest" })),
      example: { events: [{ type: "order.paid", data: { order_id: "o_1", total: 120 } }] },
    },
    answer: {
      description: "They are recorded; one unit of the quota for each",
      schema: answerSchema(),
      statuses: [202],
    },
    refusals: ["INVALID_REQUEST", "IDEMPOTENCY_CONFLICT", "MISCONFIGURED"],
  }),
};

function readEvent(sent: unknown, at: number): Result<Publishing, Refusal> {
  const event = parseRequest(eventSchema(), sent, { base: ["events", String(at)] });
  if (!event.ok) return event;
  const { id } = event.value.parsed;
  // Zod's copy of it would lose `__proto__`.
  const checked = checkEvent(event.value.parsed, (event.value.value as { readonly data: unknown }).data);
  return checked.ok && id !== undefined ? ok({ ...checked.value, id }) : checked;
}

function toAnswer(answer: PublishAnswer): Result<object, Refusal> {
  if (!answer.ok) return err(refusalOf(answer.error));
  return ok({ event_id: answer.value.eventId, endpoints: answer.value.endpoints });
}

/** The failure of one event, at its place in the body. */
function toError({ code, hint, issue }: Refusal, at: number): object {
  if (issue === undefined) return { code, message: hint };
  const base = `/events/${at}`;
  const path = issue.path.startsWith(base) ? issue.path : `${base}${issue.path}`;
  return { code, message: hint.replace(issue.path, path), issues: [{ ...issue, path }] };
}

const CONFLICT = makeRefusal(
  "IDEMPOTENCY_CONFLICT",
  "Other events were published under this Idempotency-Key; take another key.",
);
