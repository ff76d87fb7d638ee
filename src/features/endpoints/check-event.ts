import type { Publishing, PublishRefusal } from "./publishing.ts";
import * as z from "zod/mini";

import type { Issue } from "../../core/contract/failure.ts";
import { toHint } from "../../core/contract/issues.ts";
import { isJsonObject, type JsonObject, parseExact, toIssues, utf8Length } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import type { EventType } from "./directory-methods.ts";
import { isOwn } from "./match-event.ts";
import { customerField, EVENT_TYPE, TYPE_IN_WORDS } from "./endpoint-schema.ts";
import { toInput } from "../added-tools/json-schema/to-input.ts";
import { checkSchema } from "../added-tools/json-schema/check-schema.ts";

/** An id stands in a header, so it is visible ASCII. */
const EVENT_ID = /^[\x21-\x7e]+$/;

export const typeField = () =>
  z
    .string()
    .check(
      z.maxLength(LIMITS.eventTypeLength),
      z.regex(EVENT_TYPE, TYPE_IN_WORDS),
      z.describe("Such as `order.paid`"),
    );

/** The fields of an event as it is published. */
export const eventFields = () => ({
  type: typeField(),
  data: z.record(z.string(), z.unknown()).check(z.describe("The event's own fields")),
  customer: z.optional(customerField()).check(z.describe("Only this customer's endpoints get it")),
  id: z
    .optional(z.string().check(z.minLength(1), z.maxLength(LIMITS.eventIdLength), z.regex(EVENT_ID)))
    .check(z.describe("Its id: the same id and content is the same event for a day")),
});

/** Check an event as far as its described type does not; its data is kept as it came, every digit of it. */
export function checkEvent(
  sent: { readonly type: string; readonly customer?: string | undefined },
  data: unknown,
): Result<Publishing, Refusal> {
  const { type, customer } = sent;
  if (isOwn(type))
    return err(
      refuse({
        path: "/type",
        expected: "a type that does not begin with 'volley.', which are ours",
        received: type,
      }),
    );
  const text = JSON.stringify(data);
  if (utf8Length(text) > LIMITS.eventDataBytes)
    return err(
      refuse({
        path: "/data",
        expected: `at most ${LIMITS.eventDataBytes} bytes as JSON`,
        received: `${utf8Length(text)} bytes`,
      }),
    );
  return ok({ type, data: text, customer: customer ?? null });
}

/** Say what of an event's data does not fit its described type; null where all does. */
export async function findMisfit(described: EventType | null, data: string): Promise<PublishRefusal | null> {
  if (described === null || described.schema === null) return null;
  const issues = await findMisfits(described.schema, parseExact(data));
  if (issues.length === 0) return null;
  const hint = `${toHint(issues)} So says the schema of '${described.type}'.`;
  return { kind: "misfit", hint, issue: issues[0]! };
}

/** Find what does not fit a JSON Schema. A number that no double is fits as the nearest one does; it is kept digit for digit. */
export async function findMisfits(schema: string, exact: unknown): Promise<readonly Issue[]> {
  const value = JSON.parse(JSON.stringify(exact)) as unknown;
  const checked = z.safeParse(toInput(JSON.parse(schema) as JsonObject), value);
  return checked.success ? [] : toIssues(checked.error, value, { base: ["data"] });
}

/** Find what is wrong with a schema; the sentences say what to do. */
export async function findSchemaFlaws(
  schema: unknown,
): Promise<readonly (Issue & { readonly hint: string })[]> {
  if (!isJsonObject(schema)) {
    const issue = { path: "/schema", expected: "a JSON Schema of an object", received: "something else" };
    return [{ ...issue, hint: toHint([issue]) }];
  }
  const flaws: (Issue & { readonly hint: string })[] = [];
  checkSchema(schema, (path, expected, _, said) => {
    const isTop = path.length === 1 && path[0] === "type";
    const issue = {
      path: ["/schema", ...path.map(String)].join("/"),
      expected,
      received: said?.received ?? "something else",
    };
    flaws.push({ ...issue, hint: isTop ? NO_OBJECT : (said?.hint ?? toHint([issue])) });
  });
  return flaws.slice(0, LIMITS.issues);
}

const NO_OBJECT = `The data of an event is an object: write "type": "object" at the top of 'schema'.`;

function refuse(issue: Issue): Refusal {
  return makeRefusal("INVALID_REQUEST", toHint([issue]), { issue });
}
