import type { JsonObject } from "../../../core/contract/json.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { parseWebhookSecrets } from "../../../core/egress/webhook-secret.ts";
import type { HookTrigger } from "./hook-trigger.ts";

/** The value of a header, empty where it did not come. A header that came twice has both values, with `, ` between them. */
export type Header = (name: string) => string;

/** The scheme of one kind of sender: the text it signs, and the header with the delivery's id. */
export interface Scheme {
  /** The keys that a secret's text holds; null where it is not written as it must be. */
  readonly keysOf: (secret: string) => readonly Uint8Array[] | null;
  /** The signature in the headers. */
  readonly signatureOf: (header: Header) => Signature;
  /** The value in the place of the delivery's id; null in place of the function where the body itself is the id. */
  readonly idOf: ((header: Header, input: JsonObject) => unknown) | null;
  /** The text that a sender wants back which first asks whether the address answers; undefined for every other delivery. */
  readonly challengeOf?: (input: JsonObject) => unknown;
}

/** The signature that a delivery claims; nothing of it is known to be true. */
export interface Signature {
  /** The text that is signed before the body. */
  readonly before: string;
  /** The signed time in Unix seconds, as it came; null where the scheme signs none. */
  readonly time: string | null;
  /** One of them must be right; null for each that is none. */
  readonly macs: readonly (Uint8Array | null)[];
}

export function schemeOf(trigger: HookTrigger): Scheme {
  return trigger.verify === "hmac-sha256"
    ? bodyAlone(trigger.header, trigger.id_header)
    : SCHEMES[trigger.verify];
}

/**
 * A value that came twice fits no header but the two that are lists, and so the delivery is refused: the checked value may not be
 * another than the used one. In a list of signatures it does no harm, because each is tried on one and the same text.
 */
const SCHEMES: Readonly<Record<Exclude<HookTrigger["verify"], "hmac-sha256">, Scheme>> = {
  "standard-webhooks": {
    keysOf: parseWebhookSecrets,
    signatureOf(header) {
      const id = header("webhook-id");
      const time = header("webhook-timestamp");
      const signatures = header("webhook-signature").split(/,? +/);
      // With a full stop in the id the same text could be signed for another id, another time and the rest of the body.
      const macs = id.includes(".") ? [] : signatures.map(parseBase64Mac);
      return { before: `${id}.${time}.`, time, macs };
    },
    idOf: (header) => header("webhook-id"),
  },
  github: bodyAlone("x-hub-signature-256", "x-github-delivery"),
  stripe: {
    keysOf: wholeText,
    signatureOf(header) {
      const parts = header("stripe-signature")
        .split(",")
        .map((part) => part.trim());
      const valuesOf = (name: string): string[] =>
        parts.flatMap((part) => (part.startsWith(name) ? [part.slice(name.length)] : []));
      // Two times are none: the signed one and the late one could be two.
      const time = valuesOf("t=").join();
      return { before: `${time}.`, time, macs: valuesOf("v1=").map(parseHexMac) };
    },
    idOf: (_, input) => input["id"],
  },
  slack: {
    keysOf: wholeText,
    signatureOf(header) {
      const time = header("x-slack-request-timestamp");
      const [, hex = ""] = /^v0=(.*)$/.exec(header("x-slack-signature")) ?? [];
      return { before: `v0:${time}:`, time, macs: [parseHexMac(hex)] };
    },
    idOf: (_, input) => input["event_id"],
    challengeOf: (input) => (input["type"] === "url_verification" ? input["challenge"] : undefined),
  },
};

/** One header with the HMAC of the body, as GitHub sends it and many others do; its time is not signed, nor is its id. */
function bodyAlone(signatureHeader: string, idHeader: string | undefined): Scheme {
  return {
    keysOf: wholeText,
    signatureOf(header) {
      const hex = header(signatureHeader).replace(/^sha256=/, "");
      return { before: "", time: null, macs: [parseHexMac(hex)] };
    },
    idOf: idHeader === undefined ? null : (header) => header(idHeader),
  };
}

/**
 * The whole text as it stands, prefixes such as Stripe's `whsec_` included; and while one secret replaces another, each of several
 * with white space between them, which may be left when only one is. A secret may be words itself, of which none may open
 * anything, so each has to be as long as no word is.
 */
function wholeText(secret: string): readonly Uint8Array[] {
  const words = secret.split(/\s+/).filter((word) => word !== "");
  const isList = words.every((word) => word.length >= LIMITS.listedSecretCharacters);
  return [...new Set([secret, ...(isList ? words : [])])].map((text) => new TextEncoder().encode(text));
}

/** The 32 bytes in hex, in either case. */
function parseHexMac(text: string): Uint8Array | null {
  if (!/^[0-9a-f]{64}$/i.test(text)) return null;
  return Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
  );
}

/** The 32 bytes in base64, in the one way to write them: of the last letter before the `=`, two bits are zero. */
const V1 = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/;

function parseBase64Mac(text: string): Uint8Array | null {
  const base64 = V1.exec(text)?.[1];
  return base64 === undefined ? null : Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
