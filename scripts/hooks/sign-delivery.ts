import { createHmac } from "node:crypto";

import type { HookTrigger } from "../../src/features/flows/hooks/hook-trigger.ts";
import { formsOf, type HookForm, type SignedProof } from "../../src/features/flows/hooks/read-form.ts";
import { signedTexts } from "../../src/features/flows/hooks/signed-text.ts";
import { keysOf } from "../../src/features/flows/hooks/webhook-secret.ts";

/** A delivery as its sender would send it, without its proof. */
interface Unsigned {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the fields of a form. */
  readonly body: object | string;
  readonly secret: string;
  readonly nowMs: number;
  /** The delivery's own, which stands where its sender writes it. */
  readonly id: string;
}

/** A delivery that its receiver takes. */
export interface SignedDelivery {
  readonly headers: Headers;
  readonly body: string;
}

/**
 * Sign a delivery as the sender of a trigger does, by the first of its forms for which the secret is a key. Null where there is none:
 * a public key verifies only.
 */
export function signDelivery(trigger: HookTrigger, sent: Unsigned): SignedDelivery | null {
  for (const form of formsOf(trigger)) {
    const signed = signBy(form, sent);
    if (signed !== null) return signed;
  }
  return null;
}

function signBy(form: HookForm, sent: Unsigned): SignedDelivery | null {
  const { proof, time, id } = form;
  const stamp = writeTime(form, sent.nowMs);
  const isForm = typeof sent.body === "string";
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const headers = new Headers({ "content-type": type, ...sent.headers });
  if (time !== null && "header" in time.at) headers.set(time.at.header, stamp);
  if (typeof id === "object" && "header" in id) headers.set(id.header, sent.id);
  const body = writeBody(form, sent, Number(stamp));
  if (proof.kind === "token") {
    if (typeof proof.at === "string" || !("header" in proof.at)) return null;
    headers.set(proof.at.header, sent.secret);
    return { headers, body };
  }
  const [key] = keysOf(sent.secret, proof.key);
  const facts = { method: "POST", url: sent.url, headers, time: stamp, id: sent.id };
  const [text] = signedTexts(proof, { ...facts, fields: isForm ? [...new URLSearchParams(body)] : [] });
  if (proof.kind !== "hmac" || key === undefined || text === undefined) return null;
  const signature = createHmac(proof.algorithm, key)
    .update(text.before)
    .update(text.fields ?? body)
    .update(text.after)
    .digest(proof.encoding);
  headers.set(proof.headers[0]!, writeSignature(proof, signature, stamp));
  return { headers, body };
}

function writeTime({ time }: HookForm, nowMs: number): string {
  if (time?.unit === "rfc3339") return new Date(nowMs).toISOString();
  return String(time?.unit === "ms" ? nowMs : Math.floor(nowMs / 1_000));
}

/** The body, with the time and the id where its sender has them there. */
function writeBody({ time, id }: HookForm, { body, id: own }: Unsigned, stamp: number): string {
  if (typeof body === "string") return body;
  if (Array.isArray(body)) return JSON.stringify(body);
  const timed = time !== null && "pointer" in time.at ? { [time.at.pointer.slice(1)]: stamp } : {};
  const named = typeof id === "object" && "pointer" in id ? { [id.pointer.slice(1)]: own } : {};
  return JSON.stringify({ ...body, ...named, ...timed });
}

function writeSignature(
  { parts, prefix, isPrefixOptional }: SignedProof,
  signature: string,
  stamp: string,
): string {
  if (parts !== null) {
    const time = parts.timestamp === undefined ? [] : [`${parts.timestamp}=${stamp}`];
    return [...time, `${parts.signature}=${signature}`].join(parts.separator);
  }
  return isPrefixOptional ? signature : prefix + signature;
}
