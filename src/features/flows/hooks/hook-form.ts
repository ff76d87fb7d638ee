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

export interface Ed25519Form extends SignedFields {
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

/** Fields of a form that only presets have. */
export interface PresetFields {
  /** Signatures stand in their header with blanks between them. */
  readonly listed?: true;
  /** Some of its senders sign the address with the default port in it. */
  readonly ports?: true;
  /** The parameter of the address with the SHA-256 of a body that has no fields to sign. */
  readonly body_in_query?: string;
  /** Where the event's name may stand, the first place that has one. */
  readonly events_at?: readonly Place[];
  /** A delivery without an id has the digest. */
  readonly or_digest?: true;
  /** Bodies of fields have no id, and their answer no body. */
  readonly fields_alone?: true;
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
  | { readonly method: "HEAD" }
  | { readonly method: "POST"; readonly fields: readonly string[] };

/** A sender: its forms, of which the first decides whose header came, and its questions that are not signed. */
export interface Preset {
  readonly forms: readonly (WrittenForm & PresetFields)[];
  readonly handshakes?: readonly Handshake[];
}
