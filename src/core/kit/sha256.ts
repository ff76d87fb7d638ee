/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const K = Int32Array.from(firstPrimes(64), (prime) => fractionOf(Math.cbrt(prime)));

/** The same of the square roots of the first eight (5.3.3). */
const INITIAL = Int32Array.from(firstPrimes(8), (prime) => fractionOf(Math.sqrt(prime)));

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return primes;
}

function fractionOf(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

/**
 * SHA-256 of a text's UTF-8, as hex (FIPS 180-4).
 *
 * The platform's own answers with a promise only, and what is declared when a Worker starts cannot wait for one.
 */
export function sha256(text: string): string {
  const state = Int32Array.from(INITIAL);
  const words = new Int32Array(64);
  const message = pad(new TextEncoder().encode(text));
  for (let at = 0; at < message.byteLength; at += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = message.getInt32(at + 4 * i);
    mix(state, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The message, a bit, zeros and the message's length in bits, in whole blocks of 64 bytes (5.1.1). */
function pad(bytes: Uint8Array): DataView {
  const padded = new Uint8Array((bytes.length + 9 + 63) & ~63);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return view;
}

/** Mix a block, whose 16 words are the first of `words`, into the state (6.2.2). */
function mix(state: Int32Array, words: Int32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const early = words[i - 15]!;
    const late = words[i - 2]!;
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16]! + first + words[i - 7]! + second;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const chosen = (e & f) ^ (~e & g);
    const added = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + K[i]! + words[i]!) | 0;
    const most = (a & b) ^ (a & c) ^ (b & c);
    const sum = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + most;
    h = g;
    g = f;
    f = e;
    e = (d + added) | 0;
    d = c;
    c = b;
    b = a;
    a = (added + sum) | 0;
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at]! += word;
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
