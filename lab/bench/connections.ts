import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { HttpResponseReader } from "./http-response-reader.ts";

/** A slice of load: a fixed number of requests. */
export interface Slice {
  /** The bytes of the requests to send, each in its turn. */
  readonly requests: readonly Buffer[];
  /** The requests of the slice, over all connections. */
  readonly times: number;
  /** Is given every answer as it came over the socket, and which of the requests it answers. */
  readonly onAnswer?: (request: number, bytes: readonly Buffer[]) => void;
  /** The time after which answers that are still missing are taken for lost; without it they are waited for. */
  readonly patienceMs?: number;
}

export interface SliceResult {
  /** Milliseconds from a request to its answer's last byte. */
  readonly latenciesMs: readonly number[];
  /** Answers whose status was not 200. */
  readonly failed: number;
  /** Requests without an answer. */
  readonly missing: number;
}

/**
 * Connections to one server that stay open between slices, each with one request at a time. A new connection costs the server as much
 * as a small batch, and that cost would be the batches' of the slice that opens it.
 */
export class Connections implements Disposable {
  readonly #lines: readonly Line[];

  private constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  static async open(url: string, count: number): Promise<Connections> {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).setNoDelay(true));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Connections(sockets.map((socket) => new Line(socket)));
  }

  /** Whether all are open: after a slice with missing answers some are not. */
  get isWhole(): boolean {
    return this.#lines.every(({ isOpen }) => isOpen);
  }

  /** Send the requests of a slice, the next one on the first connection that is free; ends with the last answer. */
  async send({ requests, times, onAnswer, patienceMs }: Slice): Promise<SliceResult> {
    const latenciesMs: number[] = [];
    let [sent, failed, missing] = [0, 0, 0];
    const converse = async (line: Line): Promise<void> => {
      while (sent < times) {
        const request = sent % requests.length;
        sent += 1;
        const sentAt = performance.now();
        const answer = await line.ask(requests[request]!);
        if (answer === null) {
          missing += 1;
          return;
        }
        latenciesMs.push(performance.now() - sentAt);
        if (answer.status !== 200) failed += 1;
        onAnswer?.(request, answer.bytes);
      }
    };
    const timer = patienceMs === undefined ? undefined : setTimeout(() => this[Symbol.dispose](), patienceMs);
    await Promise.all(this.#lines.map(converse));
    clearTimeout(timer);
    return { latenciesMs, failed, missing };
  }

  [Symbol.dispose](): void {
    for (const line of this.#lines) line.close();
  }
}

interface Answer {
  readonly status: number;
  readonly bytes: readonly Buffer[];
}

/** One connection. */
class Line {
  readonly #socket: Socket;
  #bytes: Buffer[] = [];
  #answered: ((answer: Answer | null) => void) | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    const reader = new HttpResponseReader((status) => this.#end({ status, bytes: this.#bytes }));
    socket.on("data", (chunk) => {
      this.#bytes.push(chunk);
      reader.push(chunk);
    });
    socket.on("error", () => this.#end(null));
    socket.on("close", () => this.#end(null));
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Send a request; null when the connection ends before its answer. */
  ask(request: Buffer): Promise<Answer | null> {
    if (!this.isOpen) return Promise.resolve(null);
    this.#bytes = [];
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(answer: Answer | null): void {
    const answered = this.#answered;
    this.#answered = null;
    answered?.(answer);
  }
}
