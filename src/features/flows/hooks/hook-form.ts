import { follow, parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { attemptNow } from "../../../feature/refuse.ts";

/** Where in a delivery something stands. A pointer leads into its body. */
export type Place = { readonly header: string } | { readonly pointer: string };

export type Algorithm = "sha256" | "sha1" | "sha512";
export type Encoding = "hex" | "base64" | "base64url";
export type TimeUnit = "s" | "ms" | "rfc3339";

/** How a secret's text is a key. `whsec` is Standard Webhooks' own: base64, with `whsec_` before it or not. */
export type KeyForm = "text" | "hex" | "base64" | "whsec";

/** A header that is a list of `name=value`. */
export interface Parts {
  readonly separator: string;
  readonly timestamp?: string | undefined;
  readonly signature: string;
}

interface Fields {
  readonly timestamp?:
    | {
        readonly header?: string | undefined;
        readonly part?: string | undefined;
        readonly pointer?: string | undefined;
        readonly unit?: TimeUnit | undefined;
      }
    | undefined;
  readonly tolerance_s?: number | undefined;
  /** A header's name, a pointer, `digest` or `none`. */
  readonly id?: string | Place | undefined;
  readonly event?: string | Place | undefined;
  readonly answer?: 200 | 202 | 204 | undefined;
}

interface SignedFields extends Fields {
  readonly header: string | readonly string[];
  readonly encoding?: Encoding | undefined;
  readonly prefix?: string | undefined;
  readonly key?: KeyForm | undefined;
  readonly payload?: string | undefined;
  readonly parts?: Parts | undefined;
}

export interface HmacForm extends SignedFields {
  readonly verify: "hmac" | "hmac-sha256";
  readonly algorithm?: Algorithm | undefined;
  readonly id_header?: string | undefined;
}

interface Ed25519Form extends SignedFields {
  readonly verify: "ed25519";
}

export interface TokenForm extends Fields {
  readonly verify: "token";
  readonly header?: string | undefined;
  readonly query?: string | undefined;
  readonly pointer?: string | undefined;
  readonly basic?: true | undefined;
}

/** A form as a flow's author or a preset writes it, in the wire's names. */
export type WrittenForm = HmacForm | Ed25519Form | TokenForm;

/** A value that a sender's question wants back: one of its body, the HMAC of one in hex, or one that is always the same. */
export type AnswerValue =
  | { readonly pointer: string }
  | { readonly hmac: string }
  | { readonly value: unknown };

/** A signed delivery that is no event: the sender asks whether anybody is there, and wants this. */
export interface SignedQuestion {
  readonly at: Place;
  readonly is: string | number;
  /** The body of its answer: an object of such values, or the text at a pointer; null for none. Absent for a ping: nothing is wanted. */
  readonly json?: Readonly<Record<string, AnswerValue>>;
  readonly text?: string;
  readonly status?: 204;
}

/** Bodies of a sender that are not as its others are: fields of a form, or those with a value at a place. */
export interface BodyKind {
  readonly where:
    | "fields"
    | {
        readonly at: Place;
        /** Any text where it is left out. */
        readonly is?: string;
        /** Where such a body has nothing. */
        readonly not?: Place;
      };
  readonly id?: Place | "digest";
  readonly events_at?: readonly EventPlace[];
  readonly answer?: 200 | 204;
  /** The body of the answer; null for none. */
  readonly says?: object | null;
  readonly questions?: readonly SignedQuestion[];
}

/** Where an event's name may stand: in one place, or in each element of a list. */
export type EventPlace = Place | { readonly each: string };

/** Fields of a form that only presets have. */
export interface PresetFields {
  /** Signatures stand in their header with blanks between them. */
  readonly listed?: true;
  /** Some of its senders sign the address with the default port in it. */
  readonly ports?: true;
  /** The parameter of the address with the SHA-256 of a body that has no fields to sign. */
  readonly body_in_query?: string;
  /** Some of its senders sign the address with these escapes decoded. */
  readonly decoded?: RegExp;
  /** Where the event's name may stand, the first place that has one. */
  readonly events_at?: readonly EventPlace[];
  /** A delivery without an id has the digest. */
  readonly or_digest?: true;
  /** The body of the answer; null for none. */
  readonly says?: object | null;
  readonly kinds?: readonly BodyKind[];
  readonly questions?: readonly SignedQuestion[];
}

/** A question of a sender's that signs none: an echo of a parameter, nothing but an answer, or a body of known fields. */
export type Handshake =
  | {
      readonly method: "GET";
      readonly echo: string;
      /** The parameter that holds the flow's own token. */
      readonly token?: string;
      readonly where?: Readonly<Record<string, string>>;
    }
  | { readonly method: "HEAD"; readonly token?: undefined }
  | { readonly method: "POST"; readonly fields: readonly string[]; readonly token?: undefined }
  /** JSON with the secret itself at this name, which a person gives to the flow. */
  | { readonly method: "POST"; readonly token: string };

/** A sender: its forms, of which the first decides whose header came, and its questions that are not signed. */
export interface Preset {
  readonly forms: readonly (WrittenForm & PresetFields)[];
  readonly handshakes?: readonly Handshake[];
}

/** A delivery in which places are looked up. */
export interface Searched {
  readonly headers: Pick<Headers, "get">;
  /** The body's value; null where it could not be read. */
  readonly body: () => object | null;
}

/** The text in a place of a delivery; null where there is none. A number has the digits that the sender wrote. */
export function findText(place: Place, { headers, body }: Searched): string | null {
  if ("header" in place) return headers.get(place.header);
  const value = findValue(place.pointer, body());
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** The value that a pointer leads to; undefined where there is none. A list is also found as the input that it becomes. */
export function findValue(pointer: string, body: object | null): unknown {
  const tokens = parsePointer(pointer) ?? [];
  const found = follow(body, tokens);
  if (found.found) return found.value;
  const inInput = Array.isArray(body) ? follow(toInput(body), tokens) : found;
  return inInput.found ? inInput.value : undefined;
}

/** The input of a run: the body, or its list. */
export function toInput(body: object): Readonly<Record<string, unknown>> {
  return Array.isArray(body)
    ? { items: body as readonly unknown[] }
    : (body as Readonly<Record<string, unknown>>);
}

/** The bytes that a text writes; null where it is no such text. Base64 is read in the one way to write it. */
export function decodeBytes(text: string, encoding: Encoding): Uint8Array | null {
  if (encoding === "hex") return decodeHex(text);
  if (encoding === "base64") return decodeBase64(text);
  if (!/^[\w-]+={0,2}$/.test(text)) return null;
  const letters = text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  return decodeBase64(letters + "=".repeat((4 - (letters.length % 4)) % 4));
}

function decodeHex(text: string): Uint8Array | null {
  if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null;
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
}

function decodeBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const decoded = attemptNow(() => atob(text));
  // The last letter may have bits that no byte has: the same signature could be written otherwise.
  if (!decoded.ok || btoa(decoded.value) !== text) return null;
  return Uint8Array.from(decoded.value, (character) => character.charCodeAt(0));
}
