import type { Algorithm } from "../hooks/hook-form.ts";
import { join, type OpenMac, type Proofs } from "../hooks/proofs.ts";

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
