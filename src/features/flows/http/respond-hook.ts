import { respondJson } from "../../../cloudflare/http/respond.ts";
import type { QuestionAnswer } from "../hooks/accept-delivery.ts";
import type { HookForm } from "../hooks/read-form.ts";
import type { Algorithm } from "../hooks/hook-form.ts";
import { join, type OpenMac, type Proofs } from "../hooks/proofs.ts";

/** How a sender wants its answers. */
interface Answering {
  readonly form: HookForm;
  /** The delivery was fields of a form. */
  readonly isOfFields: boolean;
}

/** Answer a delivery whose run is recorded, now or before. */
export function respondAccepted(answering: Answering, jobId: string): Response {
  const { status, isEmpty } = wayOf(answering);
  const headers = { "volley-job-id": jobId };
  return isEmpty
    ? new Response(null, { status, headers })
    : respondJson(JSON.stringify({ job_id: jobId }), { status, headers });
}

/** Answer one that starts nothing: all is well, so that the sender goes on sending. */
export function respondUnwanted(answering: Answering, reason: string): Response {
  const { status, isEmpty } = wayOf(answering);
  return isEmpty ? new Response(null, { status }) : respondJson(JSON.stringify({ accepted: false, reason }));
}

/** Answer a sender's signed question. */
export function respondQuestion({ status, json, text }: QuestionAnswer): Response {
  if (text !== undefined) return respondText(text);
  return json === undefined ? new Response(null, { status }) : respondJson(JSON.stringify(json), { status });
}

/** Answer with text that a browser shows as nothing else. */
export function respondText(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** Slack shows a body to the person who typed the command. */
function wayOf({ form: { status, fieldsAlone }, isOfFields }: Answering): {
  readonly status: number;
  readonly isEmpty: boolean;
} {
  if (status === 204) return { status, isEmpty: true };
  return fieldsAlone && isOfFields ? { status: 200, isEmpty: true } : { status, isEmpty: false };
}

const HASHES = { sha1: "SHA-1", sha256: "SHA-256", sha512: "SHA-512" } as const;

/** The proofs of senders as Web Crypto computes them. */
export const WEB_PROOFS: Proofs = {
  async hmac(algorithm, key, data) {
    const imported = await crypto.subtle.importKey(
      "raw",
      key,
      { name: "HMAC", hash: HASHES[algorithm] },
      false,
      ["sign"],
    );
    return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
  },
  openHmac,
  async verifyEd25519(key, data, signature) {
    // The platform throws for others.
    if (key.length !== 32 || signature.length !== 64) return false;
    const imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, data);
  },
  sha256: (data) => hashOf("sha256", data),
};

/** Begin an HMAC (RFC 2104) whose data comes in pieces, none of which is kept: Web Crypto has no such thing. */
async function openHmac(algorithm: Algorithm, key: Uint8Array): Promise<OpenMac> {
  const blockBytes = algorithm === "sha512" ? 128 : 64;
  const padded = new Uint8Array(blockBytes);
  padded.set(key.length > blockBytes ? await hashOf(algorithm, key) : key);
  const inner = openHash(algorithm);
  await inner.write(padded.map((byte) => byte ^ 0x36));
  return {
    write: (bytes) => inner.write(bytes),
    end: async () => hashOf(algorithm, join([padded.map((byte) => byte ^ 0x5c), await inner.end()])),
  };
}

/** The platform's own, which standards do not have. */
interface Hashing {
  readonly DigestStream?: new (
    algorithm: string,
  ) => WritableStream<Uint8Array> & { readonly digest: Promise<ArrayBuffer> };
}

/** Workers has a stream that hashes what is written to it; elsewhere, as in tests in Node, the pieces are put together. */
function openHash(algorithm: Algorithm): OpenMac {
  const { DigestStream } = crypto as Hashing;
  if (DigestStream === undefined) {
    const pieces: Uint8Array[] = [];
    return {
      write: (bytes) => Promise.resolve(pieces.push(bytes)),
      end: () => hashOf(algorithm, join(pieces)),
    };
  }
  const stream = new DigestStream(HASHES[algorithm]);
  const writer = stream.getWriter();
  return {
    write: (bytes) => writer.write(bytes),
    async end() {
      await writer.close();
      return new Uint8Array(await stream.digest);
    },
  };
}

async function hashOf(algorithm: Algorithm, data: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(HASHES[algorithm], data));
}
