/**
 * Find where each answer ends on a keep-alive connection: enough of HTTP/1.1 for a load generator.
 *
 * Knows `content-length` and chunked bodies that end in an empty chunk without trailers. Bodies are not kept.
 */
export class HttpResponseReader {
  readonly #onResponse: (status: number) => void;
  #pending: Buffer = Buffer.alloc(0);
  /** Bytes still to come of the answer being read, or null while its headers are incomplete. */
  #left: number | null = null;
  #chunked = false;
  #status = 0;

  constructor(onResponse: (status: number) => void) {
    this.#onResponse = onResponse;
  }

  push(chunk: Buffer): void {
    if (this.#left !== null && !this.#chunked) return this.#skip(chunk.length);
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    if (this.#left === null && !this.#readHeaders()) return;
    if (!this.#chunked) {
      const { length } = this.#pending;
      this.#pending = Buffer.alloc(0);
      this.#skip(length);
    } else if (this.#pending.subarray(-5).toString("latin1") === "0\r\n\r\n") {
      this.#pending = Buffer.alloc(0);
      this.#finish();
    } else {
      this.#pending = Buffer.from(this.#pending.subarray(-5));
    }
  }

  #readHeaders(): boolean {
    const end = this.#pending.indexOf("\r\n\r\n");
    if (end === -1) return false;
    const head = this.#pending.toString("latin1", 0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#chunked = length === undefined;
    if (this.#chunked && !/\r\ntransfer-encoding: *chunked/i.test(head))
      throw new Error(`Cannot read the response: it has no length: ${head}`);
    this.#left = Number(length ?? 0);
    this.#pending = this.#pending.subarray(end + 4);
    return true;
  }

  #skip(bytes: number): void {
    this.#left = (this.#left ?? 0) - bytes;
    if (this.#left <= 0) this.#finish();
  }

  #finish(): void {
    this.#left = null;
    this.#chunked = false;
    this.#onResponse(this.#status);
  }
}
