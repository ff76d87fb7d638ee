import { hasReservedKey } from "../../../core/contract/check-value.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { parseJson } from "../../../core/contract/parse-json.ts";
import type { Ports } from "../../../core/egress/ports.ts";
import { checkSignature, type SentDelivery, type SignatureWorld } from "./check-signature.ts";
import type { HookTrigger } from "./hook-trigger.ts";
import { schemeOf } from "./schemes.ts";

/**
 * The kind of a delivery: an event to run with, or a question whether the address answers, which wants its text back. A signed
 * delivery that is neither is for the operator to know of.
 */
export type Delivery =
  | { readonly kind: "event"; readonly id: string; readonly input: JsonObject }
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "unusable"; readonly why: "its body is no JSON object" | "it has no usable id" };

export interface DeliveryWorld extends SignatureWorld {
  readonly sha256: Ports["sha256"];
}

/**
 * Make of a delivery the input of a run and its id; null where it is not signed, too old or too large: a sender that cannot sign
 * is told nothing.
 *
 * Nothing of the body is read before its signature is known to be right. A sender repeats the id when it tries again, so a
 * receiver that remembers it runs a delivery once.
 *
 * It never rejects, unless a port does.
 */
export async function verifyDelivery(
  sent: SentDelivery,
  trigger: HookTrigger,
  world: DeliveryWorld,
): Promise<Delivery | null> {
  if (sent.body.length > LIMITS.bodyBytes) return null;
  const scheme = schemeOf(trigger);
  if (!(await checkSignature(sent, scheme, world))) return null;

  const input = parseInput(sent.body);
  if (input === null) return { kind: "unusable", why: "its body is no JSON object" };
  const challenge = scheme.challengeOf?.(input);
  if (typeof challenge === "string") return { kind: "challenge", challenge };

  const id =
    scheme.idOf === null
      ? await world.sha256(EXACT.decode(sent.body))
      : scheme.idOf((name) => sent.headers.get(name) ?? "", input);
  return typeof id === "string" && ID.test(id)
    ? { kind: "event", id, input }
    : { kind: "unusable", why: "it has no usable id" };
}

/** Text whose UTF-8 is the bytes again: a byte order mark stays. */
const EXACT = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

const ID = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.deliveryIdCharacters}}$`);

/**
 * The object that a body is. A sender's numbers keep their digits, however many: what a flow makes of one is for its action to
 * refuse.
 */
function parseInput(body: Uint8Array): JsonObject | null {
  const parsed = parseJson(body, LIMITS.nesting, { parse: parseExact });
  return parsed.ok && isJsonObject(parsed.value) && !hasReservedKey(parsed.value) ? parsed.value : null;
}
