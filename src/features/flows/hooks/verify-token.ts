import * as LIMITS from "../limits.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import { findText, type Place } from "./hook-form.ts";
import { areSame, type HookWorld, type SentDelivery } from "./proofs.ts";
import type { TokenProof } from "./read-form.ts";
import { textsOf } from "./webhook-secret.ts";
import { fromBase64 } from "../../../core/kit/base64.ts";
import { dropReservedKeys } from "../../../core/contract/check-value.ts";
import { isJsonObject, parseExact, parseJson } from "../../../feature/schema.ts";

/** A delivery whose body is read when something of it is asked for: null where it cannot be, or is too large to be held. */
export interface OpenedDelivery extends Omit<SentDelivery, "body"> {
  readonly body: () => DeliveryBody | null;
  readonly bytes: Uint8Array | null;
}

export function textAt(place: Place, { headers, body }: OpenedDelivery): string | null {
  return findText(place, { headers, body: () => body()?.value ?? null });
}

/** The token that a delivery has in a place; null if it has none. `user:password` where that is the place. */
export function tokenOf(at: TokenProof["at"], opened: OpenedDelivery): string | null {
  if (at === "basic") {
    const [, base64 = ""] = /^Basic +(\S+) *$/i.exec(opened.headers.get("authorization") ?? "") ?? [];
    const decoded = attemptNow(() => new TextDecoder().decode(fromBase64(base64)));
    return decoded.ok && decoded.value.includes(":") ? decoded.value : null;
  }
  return "query" in at ? new URL(opened.url).searchParams.get(at.query) : textAt(at, opened);
}

/** Whether a token is one of the secrets, in a time that says nothing of them. */
export async function isRightToken(
  token: string,
  at: TokenProof["at"],
  { secret = "", proofs }: Pick<HookWorld, "secret" | "proofs">,
): Promise<boolean> {
  const hash = (text: string): Promise<Uint8Array> => proofs.sha256(new TextEncoder().encode(text));
  let isRight = false;
  for (const text of textsOf(secret)) {
    // The password alone, unless the secret has the user too.
    const claimed = at === "basic" && !text.includes(":") ? token.slice(token.indexOf(":") + 1) : token;
    if (areSame(await hash(claimed), await hash(text))) isRight = true;
  }
  return isRight;
}

/** A body that could be read: an object or a list. */
export interface DeliveryBody {
  readonly value: object;
  /** Its fields in the order in which they came; null where it is JSON. */
  readonly fields: readonly (readonly [name: string, value: string])[] | null;
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Read a delivery's body: JSON, whatever type it says, or fields of a form where it says so. Null where it is neither, or too deep.
 *
 * A sender's numbers keep their digits, however many: what a flow makes of one is for its action to refuse.
 */
export function readBody(body: Uint8Array, headers: Pick<Headers, "get">): DeliveryBody | null {
  if (FORM_TYPE.test(headers.get("content-type") ?? "")) return readFields(body);
  const value = parse(body);
  return value === null ? null : { value, fields: null };
}

/** The fields of a form as an object. `payload` is JSON where it can be, and the whole where it is alone, as GitHub and Slack send it. */
function readFields(body: Uint8Array): DeliveryBody | null {
  const text = attemptNow(() => STRICT.decode(body));
  if (!text.ok) return null;
  const fields = [...new URLSearchParams(text.value)];
  if (fields.length === 0 || fields.length > LIMITS.hookFields) return null;
  const byName = Map.groupBy(fields, ([name]) => name);
  const values = Array.from(byName, ([name, all]): [string, unknown] => {
    const written = all.map(([, value]) => value);
    return [name, written.length === 1 ? readField(name, written[0]!) : written];
  });
  const [[first, only] = []] = values;
  const isWhole = values.length === 1 && first === "payload" && typeof only === "object" && only !== null;
  const value = isWhole ? only : Object.fromEntries(values);
  dropReservedKeys(value);
  return { value, fields };
}

function readField(name: string, text: string): unknown {
  return (name === "payload" ? parse(new TextEncoder().encode(text)) : null) ?? text;
}

export const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parse(bytes: Uint8Array): object | null {
  const options = { parse: parseExact, values: LIMITS.hookValues };
  const parsed = parseJson(bytes, LIMITS.nesting, options);
  if (!parsed.ok) return null;
  // Flows read a body by name and need none of these; for one of them a whole delivery would be lost.
  dropReservedKeys(parsed.value);
  return isJsonObject(parsed.value) || Array.isArray(parsed.value) ? parsed.value : null;
}
