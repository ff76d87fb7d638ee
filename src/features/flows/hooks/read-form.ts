import * as LIMITS from "../limits.ts";
import type {
  Algorithm,
  BodyKind,
  Encoding,
  EventPlace,
  Handshake,
  KeyForm,
  Parts,
  Place,
  Preset,
  PresetFields,
  SignedQuestion,
  TimeUnit,
  WrittenForm,
} from "./hook-form.ts";
import type { HookTrigger } from "./hook-trigger.ts";
import { type PresetName, PRESETS } from "./presets.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";

/** One way in which deliveries prove who sent them, with nothing left unsaid. */
export interface HookForm {
  /** The preset's name, or the form's. */
  readonly sender: string;
  readonly proof: SignedProof | TokenProof;
  /** Null where no time is looked at. */
  readonly time: { readonly at: Place | { readonly part: string }; readonly unit: TimeUnit } | null;
  readonly toleranceMs: number;
  readonly id: Place | "digest" | "none";
  /** A delivery without its id has the digest, rather than none. */
  readonly orDigest: boolean;
  /** Where the event's name may stand. */
  readonly eventAt: readonly EventPlace[];
  readonly status: 200 | 202 | 204;
  /** The body of its answers: as ours are where it is left out, none where it is null. */
  readonly says?: object | null | undefined;
  readonly questions: readonly SignedQuestion[];
  /** Bodies that are otherwise. */
  readonly kinds: readonly BodyKind[];
}

export interface SignedProof {
  readonly kind: "hmac" | "ed25519";
  readonly algorithm: Algorithm;
  /** One of them must fit. */
  readonly headers: readonly string[];
  readonly encoding: Encoding;
  readonly prefix: string;
  /** A signature without its prefix is as good. */
  readonly isPrefixOptional: boolean;
  readonly parts: Parts | null;
  /** Signatures stand with blanks between them. */
  readonly listed: boolean;
  readonly key: KeyForm;
  readonly payload: readonly Piece[];
  /** Some sign the address with the default port in it. */
  readonly ports: boolean;
  /** Some sign the address with these escapes decoded. */
  readonly decoded: RegExp | null;
  readonly bodyInQuery: string | null;
}

export interface TokenProof {
  readonly kind: "token";
  readonly at: Place | { readonly query: string } | "basic";
}

/** The forms of a trigger, the first whose header came decides. */
export function formsOf(trigger: HookTrigger): readonly HookForm[] {
  const { tolerance_s, answer } = trigger;
  if (isForm(trigger)) return [readForm(trigger, trigger.verify === "hmac-sha256" ? "hmac" : trigger.verify)];
  return presetOf(trigger).forms.map((form) => {
    const own = { ...form, tolerance_s: tolerance_s ?? form.tolerance_s, answer: answer ?? form.answer };
    return readForm(own, trigger.verify);
  });
}

/** The questions of a trigger's sender that it does not sign. */
export function handshakesOf(trigger: HookTrigger): readonly Handshake[] {
  return isForm(trigger) ? [] : (presetOf(trigger).handshakes ?? []);
}

/** Whether a trigger's sender brings the secret itself before it signs anything. */
export function bringsToken(trigger: HookTrigger): boolean {
  return handshakesOf(trigger).some(({ method, token }) => method === "POST" && token !== undefined);
}

/** Whether a trigger spells its form out, rather than naming a sender. */
export function isForm(
  trigger: HookTrigger,
): trigger is Exclude<HookTrigger, { readonly verify: PresetName }> {
  return !Object.hasOwn(PRESETS, trigger.verify);
}

function presetOf({ verify }: { readonly verify: PresetName }): Preset {
  return PRESETS[verify];
}

function readForm(form: WrittenForm & PresetFields, sender: string): HookForm {
  const { timestamp, tolerance_s = LIMITS.deliveryAgeMs / 1_000, answer = 202, event } = form;
  const idHeader = form.verify === "token" || form.verify === "ed25519" ? undefined : form.id_header;
  return {
    sender,
    proof: form.verify === "token" ? readToken(form) : readSigned(form),
    time: readTime(form, timestamp),
    toleranceMs: tolerance_s * 1_000,
    id: readId(form.id ?? idHeader),
    orDigest: form.or_digest === true,
    eventAt: form.events_at ?? (event === undefined ? [] : [toPlace(event)]),
    status: answer,
    says: form.says,
    questions: form.questions ?? [],
    kinds: form.kinds ?? [],
  };
}

function readSigned(form: Exclude<WrittenForm, { readonly verify: "token" }> & PresetFields): SignedProof {
  const { header, encoding = "hex", prefix, key, payload = "{body}" } = form;
  const algorithm = form.verify === "ed25519" ? "sha256" : (form.algorithm ?? "sha256");
  const pieces = parsePayload(payload);
  if (!pieces.ok) throw new Error(`Cannot read a form: its payload needs ${pieces.error.expected}`);
  const parts = partsOf(form);
  return {
    kind: form.verify === "ed25519" ? "ed25519" : "hmac",
    algorithm,
    headers: typeof header === "string" ? [header] : header,
    encoding,
    // Many put the hash's name before it, as GitHub does.
    prefix: parts === null ? (prefix ?? `${algorithm}=`) : "",
    isPrefixOptional: prefix === undefined,
    parts,
    listed: form.listed === true,
    key: key ?? (form.verify === "ed25519" ? "hex" : "text"),
    payload: pieces.value,
    ports: form.ports === true,
    decoded: form.decoded ?? null,
    bodyInQuery: form.body_in_query ?? null,
  };
}

/** The parts of a form's header: as it says them, or by its prefix, of which a time in a part makes the name of one. */
export function partsOf({
  parts,
  prefix,
  timestamp,
}: Pick<Exclude<WrittenForm, { readonly verify: "token" }>, "parts" | "prefix" | "timestamp">): Parts | null {
  if (parts !== undefined) return parts;
  if (timestamp?.part === undefined || prefix === undefined) return null;
  return { separator: ",", timestamp: timestamp.part, signature: prefix.replace(/=$/, "") };
}

function readToken({
  header,
  query,
  pointer,
}: Extract<WrittenForm, { readonly verify: "token" }>): TokenProof {
  if (header !== undefined) return { kind: "token", at: { header } };
  if (query !== undefined) return { kind: "token", at: { query } };
  return { kind: "token", at: pointer === undefined ? "basic" : { pointer } };
}

function readTime(form: WrittenForm, timestamp: WrittenForm["timestamp"]): HookForm["time"] {
  const { header, pointer, unit = "s" } = timestamp ?? {};
  if (header !== undefined) return { at: { header }, unit };
  if (pointer !== undefined) return { at: { pointer }, unit };
  const part = timestamp?.part ?? (form.verify === "token" ? undefined : form.parts?.timestamp);
  return part === undefined ? null : { at: { part }, unit };
}

function readId(id: string | Place | undefined): HookForm["id"] {
  if (id === undefined) return "digest";
  return id === "digest" || id === "none" ? id : toPlace(id);
}

function toPlace(written: string | Place): Place {
  if (typeof written !== "string") return written;
  return written.startsWith("/") ? { pointer: written } : { header: written };
}

/** A piece of the text that is signed: as it stands, or the name of what stands for it. */
export type Piece =
  | string
  | { readonly name: "body" | "timestamp" | "id" | "url" | "method" | "form" }
  | { readonly name: "header"; readonly header: string };

/** A payload in which something is wrong, and what. */
interface PayloadFlaw {
  readonly expected: string;
  readonly hint: string;
}

const NAMES = ["body", "timestamp", "id", "url", "method", "form"] as const;
const HEADER = /^header:([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100})$/;

/** Parse what a form says is signed, such as `v0:{timestamp}:{body}`. */
export function parsePayload(payload: string): Result<readonly Piece[], PayloadFlaw> {
  const pieces: Piece[] = [];
  // With a group in it the pattern gives the names in every other place.
  for (const [at, text] of payload.split(/\{([^{}]*)\}/).entries()) {
    if (at % 2 === 0) {
      if (text !== "") pieces.push(text);
      continue;
    }
    const name = NAMES.find((one) => one === text);
    const [, header] = HEADER.exec(text) ?? [];
    if (name !== undefined) pieces.push({ name });
    else if (header !== undefined) pieces.push({ name: "header", header: header.toLowerCase() });
    else return err({ expected: "text that names what there is", hint: `There is no {${text}}; ${KNOWN}` });
  }
  if (pieces.filter((piece) => names(piece, "body") || names(piece, "form")).length !== 1)
    return err({
      expected: "text that names {body} or {form} once",
      hint: "The signature has to cover the delivery's body, else anybody could send another one with it.",
    });
  return ok(pieces);
}

const KNOWN = "it may name {body}, {timestamp}, {id}, {url}, {method}, {form} and {header:NAME}.";

/** Whether a piece is this one. */
export function names(piece: Piece, name: Exclude<Piece, string>["name"]): boolean {
  return typeof piece !== "string" && piece.name === name;
}
