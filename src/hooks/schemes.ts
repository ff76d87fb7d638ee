import type { JsonObject } from "../contract/json.ts";
import { parseWebhookSecrets } from "../egress/webhook-secret.ts";
import type { HookTrigger } from "./hook-trigger.ts";

/** The value of a header, empty where it did not come. Of one that came twice it is both, with `, ` between them. */
export type Header = (name: string) => string;

/** What one kind of sender signs, and where it says which delivery it is. */
export interface Scheme {
  /** The keys that a secret's text holds; null where it is not written as it must be. */
  readonly keysOf: (secret: string) => readonly Uint8Array[] | null;
  /** What the headers say of the signature. */
  readonly signatureOf: (header: Header) => Signature;
  /** What stands where the delivery's id must be; null in place of the function where the body itself is the id. */
  readonly idOf: ((header: Header, input: JsonObject) => unknown) | null;
  /** What a sender that first asks whether anybody is there wants to hear again; undefined for every other delivery. */
  readonly challengeOf?: (input: JsonObject) => unknown;
}

/** What a delivery says of its signature; nothing of it is known to be true. */
export interface Signature {
  /** What is signed before the body. */
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
 * Of every header but the two that are lists, a value that came twice fits nothing here, and so the delivery is refused: what
 * is checked may not be another than what is used. In a list of signatures it does no harm, because each is tried on one and the
 * same text.
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

/** The whole text as it stands, prefixes such as Stripe's `whsec_` included. */
function wholeText(secret: string): readonly Uint8Array[] {
  return [new TextEncoder().encode(secret)];
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
