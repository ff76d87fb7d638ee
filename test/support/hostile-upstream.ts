import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { answerProbe } from "../sandbox/upstreams/probe.ts";
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
  readonly #holds = new Set<(request: SeenRequest) => Promise<void> | undefined>();
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
   * Answer no request of a path, or none of those that are `meant`, before the returned function is called: whatever
   * happens until then did not wait for it, however slow the machine is.
   */
  hold(path: string, meant: (request: SeenRequest) => boolean = () => true): () => void {
    const released = Promise.withResolvers<void>();
    const hold = (request: SeenRequest): Promise<void> | undefined =>
      request.path === path && meant(request) ? released.promise : undefined;
    this.#holds.add(hold);
    return () => {
      this.#holds.delete(hold);
      released.resolve();
    };
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
    const seen: SeenRequest = { method, path, query, headers, body, at, end };
    this.requests.push(seen);
    for (const hold of this.#holds) await hold(seen);

    const answer = this.#scripts.get(path) ?? HOSTILE_ANSWERS[path.replace(/(?<=^\/status)\/.*$/, "")];
    if (answer !== undefined) return answer(query, response, path);
    const { status, text } = await answerWell(`${this.url}${request.url}`, { method, headers, body });
    // The other side may send its next request before "close" comes.
    leave();
    response.writeHead(status, { "content-type": "application/json" }).end(text);
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

interface Sent {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answer as the sandbox's own probe upstream does. */
async function answerWell(url: string, { method, headers, body }: Sent) {
  const key = headers["idempotency-key"];
  const request = new Request(url, {
    method,
    headers: typeof key === "string" ? { "idempotency-key": key } : {},
    ...(body !== "" && { body }),
  });
  const response = await answerProbe(request);
  return { status: response.status, text: await response.text() };
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
