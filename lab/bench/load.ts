import { connect, type Socket } from "node:net";
import { HttpResponseReader } from "./http-response-reader.ts";

export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LoadOptions {
  readonly url: string;
  /** The request to send; several are sent each in its turn. */
  readonly request: LoadRequest | readonly LoadRequest[];
  /** Keep-alive connections, each with one request in flight. */
  readonly connections: number;
  readonly durationMs: number;
  /** So many requests at most, however much time is left. */
  readonly most?: number;
  /** Is given every answer as it came over the socket, and which of the requests it answers. */
  readonly onAnswer?: (request: number, bytes: readonly Buffer[]) => void;
  /**
   * How long after the load answers may still come. With it, requests that were never answered are counted; without it, a
   * connection that closes is an error, and one that stays silent is waited for.
   */
  readonly patienceMs?: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Milliseconds from the last byte sent to the last byte received, of every answer, sorted. */
  readonly latenciesMs: Float64Array;
  /** Answers whose status was not 200. */
  readonly failed: number;
  /** Requests that were sent and never answered. */
  readonly missing: number;
}

/**
 * Send the same request over keep-alive connections for a while and time every answer.
 *
 * Written on bare sockets because the generator shares two cores with what it measures: here a request costs one
 * write of prepared bytes and one look at the answer's headers, several times less than an HTTP client.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { connections, durationMs, most = Number.POSITIVE_INFINITY, onAnswer, patienceMs } = options;
  const target = new URL(options.url);
  const requests = [options.request].flat().map((request) => makeRequestBytes(target.host, request));
  const latencies: number[] = [];
  let sent = 0;
  let failed = 0;
  let missing = 0;

  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  const converse = (socket: Socket, connection: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0;
      let turn = connection;
      let over = false;
      let answer: Buffer[] = [];
      const send = (): void => {
        sent += 1;
        sentAt = performance.now();
        socket.write(requests[turn % requests.length]!);
      };
      const reader = new HttpResponseReader((status) => {
        const now = performance.now();
        latencies.push(now - sentAt);
        if (status !== 200) failed += 1;
        onAnswer?.(turn % requests.length, answer);
        answer = [];
        turn += connections;
        if (now < endsAt && sent < most) return send();
        over = true;
        socket.destroy();
        resolve();
      });
      const lose = (cause: Error): void => {
        if (over) return;
        if (patienceMs === undefined) return reject(cause);
        over = true;
        missing += 1;
        resolve();
      };
      socket.setNoDelay(true);
      socket.on("data", (chunk) => {
        if (onAnswer !== undefined) answer.push(chunk);
        reader.push(chunk);
      });
      socket.on("error", lose);
      socket.on("close", () => lose(new Error("Cannot finish the load: the server closed a connection")));
      socket.on("connect", send);
    });

  const sockets = Array.from({ length: connections }, () => connect(Number(target.port), target.hostname));
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const timer = patienceMs === undefined ? undefined : setTimeout(drop, durationMs + patienceMs);
  try {
    await Promise.all(sockets.map(converse));
  } finally {
    clearTimeout(timer);
    drop();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    requestsPerSecond: latencies.length / seconds,
    latenciesMs: Float64Array.from(latencies).sort(),
    failed,
    missing,
  };
}

/** Write a request as it goes over a socket. */
export function makeRequestBytes(host: string, request: LoadRequest): Buffer {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(request.body);
  const head = `POST ${request.path} HTTP/1.1\r\nhost: ${host}\r\n${headers.join("")}content-length: ${length}\r\n\r\n`;
  return Buffer.from(head + request.body);
}
