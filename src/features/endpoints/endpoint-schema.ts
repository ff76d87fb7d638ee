import * as z from "zod/mini";

import { conditionSchema, conditionTests, parseCondition } from "../../core/contract/condition.ts";
import { suggestFields, toHint } from "../../core/contract/issues.ts";
import { isJsonObject, strictSchema, toIssues, type Written } from "../../feature/schema.ts";
import { subjectField } from "../../feature/caller.ts";
import type { Issue } from "../../core/contract/failure.ts";
import { withoutNulls } from "../../core/contract/json.ts";
import * as LIMITS from "./limits.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { guardHeaders } from "../../core/egress/guard-headers.ts";
import { guardPublicUrl } from "../../feature/outside.ts";
import type { GcraRate } from "../../core/kit/gcra.ts";

/** The form of an endpoint's id, which stands in paths. */
export const ENDPOINT_ID = /^[A-Za-z0-9_.@:-]{1,128}$/;
export const ENDPOINT_ID_IN_WORDS = "1 to 128 letters, digits, '_', '.', '@', ':' or '-'";
/** A type: words parted by dots. */
export const EVENT_TYPE = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
/** A type and a pattern of types, in words. */
export const TYPE_IN_WORDS = "a type such as 'order.paid'";
export const PATTERN_IN_WORDS = `${TYPE_IN_WORDS}, a prefix such as 'order.*', or '*'`;
export const PATTERN = /^(?:\*|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*(?:\.\*)?)$/;

/** Headers of a delivery that are ours. */
const OURS = /^(?:content-|webhook-|user-agent$|accept-encoding$)/i;
const HEADER_BYTES = 4_096;

export const customerField = () => subjectField("The tenant's word for who receives");

/** The fields of an endpoint as they are sent. */
export const endpointSchema = strictSchema(() => ({
  url: z.string().check(z.maxLength(LIMITS.callbackUrlLength), z.describe("A public https address")),
  customer: z.optional(customerField()),
  events: z
    .array(z.string().check(z.maxLength(LIMITS.eventTypeLength), z.regex(PATTERN, PATTERN_IN_WORDS)))
    .check(
      z.minLength(1),
      z.maxLength(LIMITS.endpointEvents),
      z.describe("Types such as `order.paid`, prefixes such as `invoice.*`, or `*`"),
    ),
  filter: z
    .optional(conditionSchema())
    .check(z.describe("A condition on `data`, by JSON pointer: all of its tests are required")),
  description: z.optional(z.string().check(z.maxLength(1_000))),
  headers: z
    .optional(z.record(z.string(), z.string()))
    .check(z.describe("Headers that each delivery has besides ours")),
  rate_limit: z.optional(
    z.strictObject({
      limit: z.int().check(z.minimum(1), z.maximum(100_000)),
      window_s: z.int().check(z.minimum(1), z.maximum(3_600)),
    }),
  ),
  via: z
    .optional(z.string().check(z.minLength(1), z.maxLength(64)))
    .check(z.describe("A flow of reads: the event is its input, its answer the body")),
  ordered: z.optional(z.boolean()).check(z.describe("One delivery at a time, in the order of publishing")),
  paused: z.optional(z.boolean()),
}));

/** The part of an endpoint that the tenant chooses. */
export type EndpointSettings = Omit<Written<typeof endpointSchema>, "rate_limit" | "ordered" | "paused"> & {
  readonly rateLimit?: GcraRate | undefined;
  readonly ordered: boolean;
  readonly paused: boolean;
};

const OPTIONAL = ["customer", "filter", "description", "headers", "rate_limit", "via", "ordered", "paused"];

/** Parse an endpoint, or say all that is wrong with it. @param found what is wrong besides */
export function parseEndpoint(
  value: unknown,
  trustedOrigins: ReadonlySet<string>,
  found: readonly Issue[] = [],
): Result<EndpointSettings, Refusal> {
  const sent = withoutNulls(value, OPTIONAL);
  const schema = endpointSchema();
  const parsed = schema.safeParse(sent);
  const fields = isJsonObject(sent) ? sent : {};
  // Zod passes `__proto__` over, and a filter without that test would let everything through.
  const condition = fields["filter"] === undefined ? ok([]) : parseCondition(fields["filter"], ["filter"]);
  const url = schema.shape.url.safeParse(fields["url"]);
  const guarded = url.success ? guardPublicUrl(url.data, trustedOrigins) : null;
  const headers = schema.shape.headers.safeParse(fields["headers"]);
  const issues: Issue[] = [...found];
  if (guarded?.ok === false)
    issues.push({
      path: "/url",
      expected: "a public https address, on port 443, without user name",
      received: sayOther(guarded.error.hint),
    });
  if (!parsed.success) issues.push(...toIssues(parsed.error, sent));
  else if (!condition.ok) issues.push(...condition.error);
  if (headers.data !== undefined) issues.push(...findHeaderIssues(headers.data));
  if (issues.length > 0 || !parsed.success || !guarded?.ok) return refuse(issues);
  const { rate_limit: rate, ordered = false, paused = false, ...rest } = parsed.data;
  const rateLimit = rate && { limit: rate.limit, windowS: rate.window_s };
  return ok({ ...rest, rateLimit, url: guarded.value.href, ordered, paused });
}

function suggest(issue: Issue): string {
  const parent = issue.path.slice(0, issue.path.lastIndexOf("/"));
  if (parent === "") return suggestFields([issue], Object.keys(endpointSchema().shape));
  return /^\/filter\/[^/]*$/.test(parent) ? suggestFields([issue], conditionTests(), parent) : "";
}

function findHeaderIssues(headers: Readonly<Record<string, string>>): Issue[] {
  const checked = guardHeaders(headers);
  const names = Object.keys(headers);
  const size = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const ours = names.find((name) => OURS.test(name));
  const refused = (expected: string, received: string): Issue[] => [{ path: "/headers", expected, received }];
  if (!checked.ok) return refused("headers that a request may have", sayOther(checked.error.hint));
  if (ours !== undefined) return refused("headers besides those of each delivery", `'${ours}'`);
  if (names.length > LIMITS.endpointHeaders || size > HEADER_BYTES)
    return refused(
      `at most ${LIMITS.endpointHeaders} headers of ${HEADER_BYTES} characters together`,
      "more",
    );
  return [];
}

/** Say what came, by the sentence of the guard that refused it. */
const sayOther = (hint = ""): string => `another one (${hint.replace(/\.$/, "")})`;

/** Refuse an endpoint for one thing that is wrong with it. */
export function refuseEndpoint(issue: Issue, hint: string): Refusal {
  return makeRefusal("INVALID_ENDPOINT", hint, { issue, issues: [{ ...issue, hint }] });
}

function refuse(issues: readonly Issue[]): Result<never, Refusal> {
  const told = issues.map((issue) => ({ ...issue, hint: `${toHint([issue])} ${suggest(issue)}`.trim() }));
  return err(makeRefusal("INVALID_ENDPOINT", told[0]!.hint, { issue: issues[0]!, issues: told }));
}
