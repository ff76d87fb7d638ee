import { describe, isJsonObject, type JsonObject, visibleText } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { attemptNow, makeRefusal, type Refusal } from "../../feature/refuse.ts";
import { parseRetryAfter } from "../../core/egress/retry-after.ts";
import { type Reading, readText } from "./read-answer.ts";

/** Why one attempt has no answer. */
export interface Trouble {
  readonly refusal: Refusal;
  /** Another attempt may help, and the caller has heard nothing of this one. */
  readonly isPassing: boolean;
}

/** Codes and types of both providers that say what a caller can do, and that no text or secret looks like. */
const KNOWN = new Set([
  "api_error",
  "authentication_error",
  "billing_error",
  "context_length_exceeded",
  "insufficient_quota",
  "invalid_api_key",
  "invalid_request_error",
  "invalid_value",
  "missing_required_parameter",
  "model_not_found",
  "not_found_error",
  "overloaded_error",
  "permission_error",
  "rate_limit_error",
  "rate_limit_exceeded",
  "request_too_large",
  "unknown_parameter",
  "unsupported_parameter",
  "unsupported_value",
]);

/**
 * Say why a model's server refused a request: by its status, and its code where that is a well-known one, never by its text.
 *
 * @returns also whether the server does not know the model: then it has the API
 */
export async function explainStatus(
  response: Response,
  reading: Reading,
  origin: Origin,
): Promise<Trouble & { readonly isOfModel: boolean }> {
  const { status, headers } = response;
  const text = await readText(response, reading, LIMITS.modelErrorBytes);
  const said = text === null ? null : attemptNow((): unknown => JSON.parse(text));
  const value = said?.ok === true ? said.value : null;
  const error = isJsonObject(value) ? value["error"] : undefined;
  const { code, type } = isJsonObject(error) ? error : {};
  const known = [code, type].find((word) => typeof word === "string" && KNOWN.has(word)) as
    | string
    | undefined;
  const isOfModel = known === "model_not_found";
  const why = `with status ${status}${known === undefined ? "" : ` (${known})`}`;
  const isPassing = isPassingStatus(status, headers);
  if (isPassing || status === 429 || status >= 500) {
    const retryAfterMs = parseRetryAfter(headers.get("retry-after"), reading.clock.now());
    const what = status === 429 ? `is too busy and refused ${why}` : `failed ${why}`;
    return { refusal: unavailable(what, retryAfterMs), isPassing, isOfModel };
  }
  const isAboutPart = status === 400 || status === 422;
  const blamed = isAboutPart ? blamePart(value, origin, why) : null;
  return { refusal: blamed ?? refused(status, why), isPassing: false, isOfModel };
}

/** The key and the address are the operator's, so a refusal of them is no fault of the caller. */
function refused(status: number, why: string): Refusal {
  const isOurs = status === 401 || status === 403 || status < 400;
  const hint = isOurs
    ? `The model's server refused this deployment ${why}: its operator looks at the address and the key of the model.`
    : `The model's server refused the request ${why}: look at the body's own fields, such as model and messages.`;
  return makeRefusal("MODEL_UNAVAILABLE", hint);
}

/** Say that a model's server did not answer. */
export function unavailable(what: string, retryAfterMs?: number): Refusal {
  const hint = `The model's server ${what}; try again later, or tell its operator.`;
  return makeRefusal("MODEL_UNAVAILABLE", hint, { ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

export const UNREADABLE = makeRefusal(
  "MODEL_UNAVAILABLE",
  "The model's server answered with something unreadable, or broke off; try again, or tell its operator.",
);

/** Refusals of a request that would be taken later: a timeout, a lock, a rate limit. */
const LATER = new Set([408, 409, 429]);

/**
 * Whether a model's server may answer the same request otherwise in a moment: the statuses after which the official clients send it
 * again, unless the server itself says in `x-should-retry` what to do.
 */
export function isPassingStatus(status: number, headers: Headers): boolean {
  const said = headers.get("x-should-retry");
  if (said === "true" || said === "false") return said === "true";
  return LATER.has(status) || status >= 500;
}

/** A request to a model, and the body that it was made of. */
export interface Origin {
  readonly request: JsonObject;
  readonly body: JsonObject;
  /** The request that it was translated from; absent where it was not. */
  readonly untranslated?:
    | {
        readonly request: JsonObject;
        readonly toOwnPath: (path: readonly string[], request: JsonObject) => readonly string[];
      }
    | undefined;
}

/**
 * Find out whose part of a request its refusal is about, as far as the model's server said: `error.param`, the `loc` of a
 * `detail`, or the path that a message begins with. None of its words is repeated: a path that is told is one of the request.
 * Null where nothing is known.
 *
 * @param why the status, and its code where that is well known
 */
export function blamePart(said: unknown, origin: Origin, why: string): Refusal | null {
  const { body, untranslated } = origin;
  const found = findPath(said, origin.request);
  if (found === null) return null;
  const request = untranslated?.request ?? origin.request;
  const path = untranslated?.toOwnPath(found, request) ?? found;
  const [field = "", at] = path;
  const part = request[field];
  if (!Array.isArray(part))
    return Object.hasOwn(body, field) || part === undefined
      ? blameCaller(path, origin, why)
      : blameUs(field, why);
  const own = body[field];
  const theirs: readonly unknown[] = Array.isArray(own) ? own : part.filter((one) => isTextOf(own, one));
  if (at === undefined) return blameList(field, { all: part, theirs }, why);
  const place = theirs.indexOf(part[Number(at)]);
  if (place >= 0) return blameCaller([field, String(place), ...path.slice(2)], origin, why);
  return blameUs(nameOf(field, part[Number(at)]), why);
}

/** Whether a message was made of a text that a body has in place of a list. */
function isTextOf(text: unknown, message: unknown): boolean {
  return typeof text === "string" && isJsonObject(message) && message["content"] === text;
}

function blameCaller(path: readonly string[], { body }: Origin, why: string): Refusal {
  let value: unknown = body;
  const known: string[] = [];
  for (const step of path) {
    if (typeof value !== "object" || value === null) break;
    if (known.length > 0 && !Object.hasOwn(value, step)) break;
    value = (value as JsonObject)[step];
    known.push(step);
  }
  const at = `/${known.join("/")}`;
  const issue = { path: at, expected: "what the model's server takes", received: describe(value) };
  const other = at === "/model" ? ", or LLM_MODEL of this deployment where it names none" : "";
  const hint = `The model's server refused the request ${why}: it is about ${at} of the body that was sent here${other}.`;
  return makeRefusal("MODEL_UNAVAILABLE", hint, { issue });
}

function blameUs(part: string, why: string): Refusal {
  const hint = `The model's server refused the request ${why}: it is about a part that Volley added (${part}), and about nothing in the body. Leave tools out with volley.tools, or tell this deployment's operator.`;
  return makeRefusal("MODEL_UNAVAILABLE", hint);
}

/** A refused list as a whole may be the fault of both parts. */
function blameList(
  field: string,
  { all, theirs }: { readonly all: readonly unknown[]; readonly theirs: readonly unknown[] },
  why: string,
): Refusal {
  const own = all.filter((one) => theirs.includes(one)).length;
  const less =
    field === "tools" ? ' Name those that are needed in volley.tools, or set volley.surface to "meta".' : "";
  const hint = `The model's server refused the request ${why}: it is about ${field}, of which ${all.length - own} are Volley's and ${own} those of the body.${less}`;
  return makeRefusal("MODEL_UNAVAILABLE", hint);
}

function nameOf(field: string, part: unknown): string {
  if (field !== "tools" || !isJsonObject(part)) return `in ${field}`;
  const { name } = isJsonObject(part["function"]) ? part["function"] : part;
  return typeof name === "string" ? `the tool '${visibleText(name)}'` : "a tool";
}

/** Fields that a server may miss; no other name is taken from its words. */
const NEEDED = new Set(["input", "max_output_tokens", "max_tokens", "messages", "model"]);

/** The longest path that is looked for. */
const STEPS = 12;
const PATH = /^[\s'"`*]*([a-z_]+)((?:\.?\[\d+\]|\.[\w-]+)*)['"`]?\s*:/i;

/** Steps from the request to what a refusal is about, as far as they are those of a field in it. */
function findPath(said: unknown, request: JsonObject): readonly string[] | null {
  const first: unknown = Array.isArray(said) ? said[0] : said;
  const { error, detail } = isJsonObject(first) ? first : {};
  const { param, message } = isJsonObject(error) ? error : {};
  const [{ loc = null } = {}] = (Array.isArray(detail) ? detail : []) as [{ loc?: unknown }?];
  const steps = [
    typeof param === "string" ? readPath(`${param}:`) : null,
    Array.isArray(loc) ? loc.map(String) : null,
    readPath(message),
  ]
    .map((path) => (path?.[0] === "body" ? path.slice(1) : path))
    .find((path) => path?.[0] !== undefined && (Object.hasOwn(request, path[0]) || NEEDED.has(path[0])));
  return steps === undefined || steps === null ? null : steps.slice(0, STEPS);
}

/** A message says more behind its path. */
function readPath(text: unknown): readonly string[] | null {
  const [, root, rest = ""] = typeof text === "string" ? (PATH.exec(text.slice(0, 500)) ?? []) : [];
  return root === undefined ? null : [root, ...rest.split(/[.[\]]+/).filter((step) => step !== "")];
}
