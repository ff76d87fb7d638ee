import * as LIMITS from "../limits.ts";
import { attempt } from "../../../feature/refuse.ts";
import { join } from "../hooks/proofs.ts";

/**
 * How many times what a body may take is read and thrown away: a client that is refused while it still writes finds its connection
 * broken, and never reads why.
 */
const READ_ON = 4;

/** Bytes of large bodies that the isolate's deliveries hold, whether their senders are known or not. */
const room = { left: LIMITS.hookRoomBytes };

/**
 * The body of a delivery whose sender is not known yet: no more of it is held than its flow takes, and no more than there is room
 * for beside others. The rest goes by, and is counted. Reading rejects where the body breaks off.
 */
export class IncomingBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #declared: number;
  #kept: Uint8Array[] = [];
  #size = 0;
  #held = 0;
  #isCrowded = false;
  #isBroken = false;

  constructor({ headers, body }: Request) {
    this.#declared = Number(headers.get("content-length") ?? 0);
    this.#reader = body?.getReader();
  }

  /** Whether it is too large for everybody, as far as that is known. */
  get isTooLarge(): boolean {
    return Math.max(this.#size, this.#declared) > LIMITS.hookBodyBytes;
  }

  /** Whether there was no room to hold it. */
  get isCrowded(): boolean {
    return this.#isCrowded;
  }

  /** Whether it broke off. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Read the whole body; null where it is over the bound, or there is no room for it. */
  async read(bound: number): Promise<Uint8Array | null> {
    if (this.#declared > bound) return null;
    for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) {
      this.#kept.push(chunk);
      if (this.#size > bound || !this.#hold(chunk.length)) return null;
    }
    return join(this.#kept);
  }

  /** Give the pieces that were read and those that come, each once and held no longer. It ends early where the body is too large. */
  async *chunks(): AsyncIterable<Uint8Array> {
    const kept = this.#kept;
    this.release();
    yield* kept;
    if (this.isTooLarge) return;
    for (let chunk = await this.#next(); chunk !== null && !this.isTooLarge; chunk = await this.#next())
      yield chunk;
  }

  /** Read what comes, and throw it away. */
  async drain(): Promise<void> {
    this.release();
    const most = READ_ON * LIMITS.hookBodyBytes;
    if (this.#declared > most) return;
    while (this.#size <= most && (await this.#next()) !== null);
  }

  /** Hold nothing of it any more. */
  release(): void {
    this.#kept = [];
    room.left += this.#held;
    this.#held = 0;
  }

  async #next(): Promise<Uint8Array | null> {
    const read = await attempt(async () => this.#reader?.read());
    if (!read.ok) {
      this.#isBroken = true;
      throw read.error;
    }
    const chunk = read.value?.value;
    this.#size += chunk?.length ?? 0;
    return chunk ?? null;
  }

  /** Take room for what is more than any request may hold. */
  #hold(bytes: number): boolean {
    if (this.#size <= LIMITS.bodyBytes) return true;
    const wanted = this.#held === 0 ? this.#size : bytes;
    this.#isCrowded = wanted > room.left;
    if (this.#isCrowded) return false;
    room.left -= wanted;
    this.#held += wanted;
    return true;
  }
}
