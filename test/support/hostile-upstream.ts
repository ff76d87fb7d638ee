import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { answerProbe, ProbeMemory } from "../sandbox/upstreams/probe.ts";
import { type Answer, HOSTILE_ANSWERS } from "./hostile-answers.ts";

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly at: number;
  /** `answered` when all of the response was handed over, `torn` when the connection was gone before that. */
  readonly end: Promise<"answered" | "torn">;
}

/**
 * A real HTTP server on 127.0.0.1 that misbehaves on the paths of `HOSTILE_ANSWERS`, answers like the sandbox's probe
 * upstream on all others, and keeps a record of what it saw.
 *
 * @example
 * await using upstream = await HostileUpstream.start();
 * await using volley = await startSandbox({ vars: { PROBE_ORIGIN: upstream.url } });
 */
export class HostileUpstream implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  readonly #sockets = new Set<Socket>();
  readonly #scripts = new Map<string, Answer>();
  readonly #holds: Hold[] = [];
  readonly #memory = new ProbeMemory();
  readonly #waiting = new Map<string, { now: number; peak: number }>();

  private constructor() {
    this.#server.keepAliveTimeout = 60_000;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      // A reset by the other side is what these tests are about.
      socket.on("error", () => {});
    });
  }

  static async start(): Promise<HostileUpstream> {
    const upstream = new HostileUpstream();
    await new Promise<void>((resolve) => void upstream.#server.listen(0, "127.0.0.1", resolve));
    return upstream;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Connections that are open at this moment, idle ones included. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  /** The most requests of a path that were waiting for their headers at one moment. */
  peakOf(path: string): number {
    return this.#waiting.get(path)?.peak ?? 0;
  }

  /** The requests of a path, in the order they arrived. */
  requestsTo(path: string): SeenRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Answer a path by hand from now on. */
  script(path: string, answer: Answer): void {
    this.#scripts.set(path, answer);
  }

  /**
   * Keep the answers to a path, or to its requests with these numbers as `n`, until the function that is returned is called: what
   * was seen before that did not wait for them, however slow the machine is. A request has had its effect when it arrives.
   */
  hold(path: string, ...numbers: readonly number[]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#holds.push({
      isHeld: (seen) => seen.path === path && (numbers.length === 0 || numbers.includes(numberOf(seen))),
      isOver: promise,
    });
    return resolve;
  }

  /**
   * Keep the answers to a path, or to what matches, until so many more of these requests have arrived: that they are
   * answered proves that they ran at once.
   */
  gather(which: string | ((request: SeenRequest) => boolean), count: number): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    let missing = count;
    const arrive = (): void => {
      missing -= 1;
      if (missing === 0) resolve();
    };
    const isHeld = typeof which === "string" ? ({ path }: SeenRequest) => path === which : which;
    this.#holds.push({ isHeld, isOver: promise, arrive });
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", this.url);
    const end = new Promise<"answered" | "torn">((resolve) => {
      response.once("close", () => resolve(response.writableFinished ? "answered" : "torn"));
    });
    const leave = this.#enter(path);
    response.once("close", leave);
    const at = performance.now();
    const body = await readText(request);
    const { method = "GET", headers } = request;
    const seen = { method, path, query, headers, body, at, end };
    this.requests.push(seen);
    const holds = this.#holds.filter(({ isHeld }) => isHeld(seen));
    for (const { arrive } of holds) arrive?.();
    const isOver = Promise.all(holds.map((hold) => hold.isOver));

    const answer = this.#scripts.get(path) ?? HOSTILE_ANSWERS[path.replace(/(?<=^\/status)\/.*$/, "")];
    if (answer !== undefined) {
      if (holds.length > 0) await isOver;
      return answer(query, response, path, seen);
    }
    const { status, text } = await this.answerWell(`${this.url}${request.url}`, { method, headers, body });
    await isOver;
    // The other side may send its next request before "close" comes.
    leave();
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  }

  /** Answer as the sandbox's own probe upstream does, of what this server was asked alone. */
  async answerWell(url: string, { method, headers, body }: Sent): Promise<{ status: number; text: string }> {
    const key = headers["idempotency-key"];
    const request = new Request(url, {
      method,
      headers: typeof key === "string" ? { "idempotency-key": key } : {},
      ...(body !== "" && { body }),
    });
    const response = await answerProbe(request, undefined, this.#memory);
    return { status: response.status, text: await response.text() };
  }

  /** Count a request that waits for its headers; gives what ends the waiting, once. */
  #enter(path: string): () => void {
    let count = this.#waiting.get(path);
    if (count === undefined) this.#waiting.set(path, (count = { now: 0, peak: 0 }));
    const { peak } = count;
    count.now += 1;
    count.peak = Math.max(peak, count.now);
    let waiting = true;
    return () => {
      if (waiting) count.now -= 1;
      waiting = false;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

interface Hold {
  readonly isHeld: (request: SeenRequest) => boolean;
  readonly isOver: Promise<void>;
  readonly arrive?: () => void;
}

/** The `n` that a probe was given. */
function numberOf({ query, body }: SeenRequest): number {
  return Number(query.get("n") ?? /"n":(-?\d+)/.exec(body)?.[1]);
}

interface Sent {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  try {
    for await (const chunk of request) text += String(chunk);
  } catch {
    // Hung up while sending; what came is what was sent.
  }
  return text;
}
