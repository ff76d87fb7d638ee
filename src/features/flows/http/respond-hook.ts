import { respondJson } from "../../../cloudflare/http/respond.ts";
import type { QuestionAnswer } from "../hooks/accept-delivery.ts";
import type { HookForm } from "../hooks/read-form.ts";
import type { Algorithm } from "../hooks/hook-form.ts";
import { join, type OpenMac, type Proofs } from "../hooks/proofs.ts";

/** Answer a delivery whose run is recorded, now or before. */
export function respondAccepted({ status, says }: HookForm, jobId: string): Response {
  return respond(status, says === undefined ? { job_id: jobId } : says, { "volley-job-id": jobId });
}

/** Answer one that starts nothing: all is well, so that the sender goes on sending. */
export function respondUnwanted({ status, says }: HookForm, reason: string): Response {
  return respond(status === 204 ? 204 : 200, says === undefined ? { accepted: false, reason } : says);
}

function respond(status: number, body: object | null, headers: Record<string, string> = {}): Response {
  return status === 204 || body === null
    ? new Response(null, { status, headers })
    : respondJson(JSON.stringify(body), { status, headers });
}

/** Answer a sender's signed question. */
export function respondQuestion({ status, json, text }: QuestionAnswer): Response {
  if (text !== undefined) return respondText(text);
  // Discord wants a type even where there is nothing of one.
  const headers = { "content-type": "application/json" };
  return json === undefined
    ? new Response(null, { status, headers })
    : respondJson(JSON.stringify(json), { status });
}

/** Answer with text that a browser shows as nothing else. */
export function respondText(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
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
