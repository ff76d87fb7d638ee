import { isJsonObject } from "../../core/contract/json.ts";
import * as LIMITS from "./limits.ts";
import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import { parseRetryAfter } from "../../core/egress/retry-after.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { blamePart, type Origin } from "./blame-part.ts";
import { isPassingStatus } from "./passing-status.ts";
import { type Reading, readText } from "./read-pieces.ts";

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
