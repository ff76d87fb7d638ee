import { err, ok, type Result } from "../../../feature/refuse.ts";
import { claimedOf, type SignedText, signedTexts, toMs } from "./signed-text.ts";
import {
  type DeliveryBody,
  isRightToken,
  type OpenedDelivery,
  readBody,
  textAt,
  tokenOf,
} from "./verify-token.ts";
import { type HookForm, names, type SignedProof, type TokenProof } from "./read-form.ts";
import { areSame, type HookWorld, join, type OpenMac, type SentDelivery, toHex } from "./proofs.ts";
import { keysOf } from "./webhook-secret.ts";

/** A delivery that has proved who sent it. */
export interface Proven {
  readonly form: HookForm;
  readonly body: DeliveryBody | null;
  /** SHA-256 of what is signed, in hex. */
  readonly digest: () => Promise<string>;
  /** The HMAC of a text under the key that fitted, in hex. */
  readonly sign: (text: string) => Promise<string>;
}

/** A delivery without its body, which may be too large to be held. */
type Head = Omit<SentDelivery, "body">;

/** The form that decides about a delivery: the first whose header came; undefined where none did. */
export function chooseForm(forms: readonly HookForm[], sent: Head): HookForm | undefined {
  return forms.find(({ proof }) =>
    proof.kind === "token"
      ? "pointer" in Object(proof.at) || tokenOf(proof.at, withoutBody(sent)) !== null
      : proof.headers.some((name) => sent.headers.get(name) !== null),
  );
}

/**
 * Find out whether a delivery is signed with the secret that is configured, and at a time that is near enough to now where the
 * form names one; why not, in words for the operator.
 *
 * The cost is bounded: each of a few keys makes one MAC, and none is made where the delivery came too late. No part of the body but
 * those that the form itself names is read before that. It never rejects, unless a port does.
 */
export async function proveDelivery(
  sent: SentDelivery,
  form: HookForm,
  world: HookWorld,
): Promise<Result<Proven, string>> {
  const { proof } = form;
  let read: DeliveryBody | null | undefined;
  const body = (): DeliveryBody | null =>
    read === undefined ? (read = readBody(sent.body, sent.headers)) : read;
  const opened = { ...sent, body, bytes: sent.body };
  if (proof.kind === "token") {
    const refused = await refuseToken({ form, proof }, opened, world);
    if (refused !== null) return err(refused);
    const own = formOf(form, opened);
    const sign = () => Promise.resolve("");
    return ok({ form: own, body: body(), digest: () => digest(world, sent.body), sign });
  }

  const prepared = await prepare({ form, proof }, opened, world);
  if (!prepared.ok) return prepared;
  const { keys, signatures, texts, time } = prepared.value;
  for (const text of texts) {
    const signed = join([text.before, text.fields ?? sent.body, text.after]);
    for (const key of keys) {
      if (!(await fits(proof, { key, signed, signatures }, world))) continue;
      const late = refuseTime(form, time ?? timeOf(form, opened), world.nowMs);
      if (late !== null) return err(late);
      const sign = async (said: string): Promise<string> =>
        toHex(await world.proofs.hmac(proof.algorithm, key, new TextEncoder().encode(said)));
      const own = formOf(form, opened);
      return ok({ form: own, body: body(), digest: () => digest(world, signed), sign });
    }
  }
  return err(WRONG);
}

function withoutBody(sent: Head): OpenedDelivery {
  return { ...sent, body: () => null, bytes: null };
}

/** Say why a delivery with a token is refused; null where it is not. */
async function refuseToken(
  { form, proof }: { readonly form: HookForm; readonly proof: TokenProof },
  opened: OpenedDelivery,
  world: HookWorld,
): Promise<string | null> {
  const token = tokenOf(proof.at, opened);
  const isRight = token !== null && (await isRightToken(token, proof.at, world));
  return isRight ? refuseTime(form, timeOf(form, opened), world.nowMs) : "it has not the right token";
}

/** The form as it is for a body, once that has proved who sent it. */
function formOf(form: HookForm, opened: OpenedDelivery): HookForm {
  const kind = form.kinds.find(({ where }) => {
    if (where === "fields") return (opened.body()?.fields ?? null) !== null;
    const said = textAt(where.at, opened);
    const isIt = where.is === undefined ? said !== null : said === where.is;
    return isIt && (where.not === undefined || textAt(where.not, opened) === null);
  });
  if (kind === undefined) return form;
  const { id = form.id, events_at: eventAt = form.eventAt, answer: status = form.status } = kind;
  return { ...form, ...kind, id, eventAt, status };
}

/**
 * Find out the same of a delivery whose body is too large to be held, while the body goes by: only where the form needs nothing of
 * it.
 */
export async function proveLarge(
  sent: Head,
  form: HookForm,
  { world, chunks }: { readonly world: HookWorld; readonly chunks: AsyncIterable<Uint8Array> },
): Promise<boolean> {
  const { proof } = form;
  const opened = withoutBody(sent);
  if (proof.kind === "token") return (await refuseToken({ form, proof }, opened, world)) === null;
  if (proof.kind !== "hmac" || !canStream(form, proof)) return false;
  const prepared = await prepare({ form, proof }, opened, world);
  if (!prepared.ok) return false;
  const { keys, signatures, texts, time } = prepared.value;
  if (refuseTime(form, time, world.nowMs) !== null) return false;
  const macs: { readonly mac: OpenMac; readonly after: Uint8Array }[] = [];
  for (const { before, after } of texts)
    for (const key of keys) {
      const mac = await world.proofs.openHmac(proof.algorithm, key);
      await mac.write(before);
      macs.push({ mac, after });
    }
  for await (const chunk of chunks) for (const { mac } of macs) await mac.write(chunk);
  let isRight = false;
  for (const { mac, after } of macs) {
    await mac.write(after);
    const made = await mac.end();
    if (signatures.some((signature) => areSame(signature, made))) isRight = true;
  }
  return isRight;
}

const WRONG = "its signature is not right";

interface Prepared {
  readonly keys: readonly Uint8Array[];
  readonly signatures: readonly Uint8Array[];
  readonly texts: readonly SignedText[];
  /** The sender's time as it came; null where it is not known yet, or none. */
  readonly time: string | null;
}

/** Read what a signed form needs before anything is computed. */
async function prepare(
  { form, proof }: { readonly form: HookForm; readonly proof: SignedProof },
  opened: OpenedDelivery,
  world: HookWorld,
): Promise<Result<Prepared, string>> {
  const keys = keysOf(world.secret ?? "", proof.key);
  const { signatures, time: beside } = claimedOf(proof, opened.headers);
  if (keys.length === 0) return err("its secret holds no key");
  if (signatures.length === 0) return err("it has no signature that could be one");
  const isNamed = (name: "timestamp" | "id"): boolean => proof.payload.some((piece) => names(piece, name));
  // A time in the body is looked at once the body is known to be the sender's.
  const isInBody = form.time !== null && "pointer" in form.time.at;
  const time = isInBody && !isNamed("timestamp") ? null : timeOf(form, opened, beside);
  const late = refuseTime(form, time, world.nowMs);
  if (late !== null) return err(late);
  const isOfFields = proof.payload.some((piece) => names(piece, "form"));
  const fields = isOfFields ? (opened.body()?.fields ?? null) : null;
  if (isOfFields && fields === null && !(await isInQuery(proof, opened, world)))
    return err("it is no form, and its address does not sign its body");
  const { id } = form;
  const place = typeof id === "string" || !isNamed("id") ? null : id;
  const said = place === null ? "" : (textAt(place, opened) ?? "");
  const texts = signedTexts(proof, { ...opened, time: time ?? "", id: said, fields: fields ?? [] });
  return ok({ keys, signatures, texts, time });
}

/** Whether the address, which is signed, has the body's hash. */
async function isInQuery(
  { bodyInQuery }: SignedProof,
  { url, bytes }: OpenedDelivery,
  world: HookWorld,
): Promise<boolean> {
  const hash = bodyInQuery === null ? null : new URL(url).searchParams.get(bodyInQuery);
  if (hash === null || bytes === null) return false;
  const text = new TextEncoder();
  return areSame(text.encode(hash.toLowerCase()), text.encode(await digest(world, bytes)));
}

async function fits(
  { kind, algorithm }: SignedProof,
  { key, signed, signatures }: Readonly<Record<"key" | "signed", Uint8Array>> & Pick<Prepared, "signatures">,
  { proofs }: HookWorld,
): Promise<boolean> {
  if (kind === "hmac") {
    const made = await proofs.hmac(algorithm, key, signed);
    return signatures.some((signature) => areSame(signature, made));
  }
  for (const signature of signatures) if (await proofs.verifyEd25519(key, signed, signature)) return true;
  return false;
}

/** Whether a form needs nothing of the body but its bytes. */
function canStream({ time, id }: HookForm, { payload }: SignedProof): boolean {
  const isInBody = (place: object | string | null | undefined): boolean =>
    typeof place === "object" && place !== null && "pointer" in place;
  const needsId = payload.some((piece) => names(piece, "id"));
  return payload.some((piece) => names(piece, "body")) && !isInBody(time?.at) && !(needsId && isInBody(id));
}

/** The sender's time as it came; null where the form names none. */
function timeOf({ time }: HookForm, opened: OpenedDelivery, beside: string | null = null): string | null {
  if (time === null) return null;
  if ("part" in time.at) return beside ?? "";
  return textAt(time.at, opened) ?? "";
}

function refuseTime({ time, toleranceMs }: HookForm, said: string | null, nowMs: number): string | null {
  if (time === null || said === null) return null;
  const at = toMs(said, time.unit);
  const isNear = at !== null && Math.abs(nowMs - at) <= toleranceMs;
  return isNear ? null : "its time is not near enough to now";
}

async function digest({ proofs }: HookWorld, data: Uint8Array): Promise<string> {
  return toHex(await proofs.sha256(data));
}
