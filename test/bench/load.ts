import { connect, type Socket } from "node:net";
import { HttpResponseReader } from "./http-response-reader.ts";

export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LoadOptions {
  readonly url: string;
  readonly request: LoadRequest;
  /** Keep-alive connections, each with one request in flight. */
  readonly connections: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Milliseconds from the last byte sent to the last byte received, of every answer, sorted. */
  readonly latenciesMs: Float64Array;
  /** Answers whose status was not 200. */
  readonly failed: number;
}

/**
 * Send the same request over keep-alive connections for a while and time every answer.
 *
 * Written on bare sockets because the generator shares two cores with what it measures: here a request costs one
 * write of prepared bytes and one look at the answer's headers, several times less than an HTTP client.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const target = new URL(options.url);
  const bytes = makeRequestBytes(target.host, options.request);
  const latencies: number[] = [];
  let failed = 0;

  const startedAt = performance.now();
  const endsAt = startedAt + options.durationMs;
  const converse = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0;
      const send = (): void => {
        sentAt = performance.now();
        socket.write(bytes);
      };
      const reader = new HttpResponseReader((status) => {
        const now = performance.now();
        latencies.push(now - sentAt);
        if (status !== 200) failed += 1;
        if (now < endsAt) return send();
        socket.destroy();
        resolve();
      });
      socket.setNoDelay(true);
      socket.on("data", (chunk) => reader.push(chunk));
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("Cannot finish the load: the server closed a connection")));
      socket.on("connect", send);
    });

  const sockets = Array.from({ length: options.connections }, () =>
    connect(Number(target.port), target.hostname),
  );
  try {
    await Promise.all(sockets.map(converse));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    requestsPerSecond: latencies.length / seconds,
    latenciesMs: Float64Array.from(latencies).sort(),
    failed,
  };
}

/** Write a request as it goes over a socket. */
export function makeRequestBytes(host: string, request: LoadRequest): Buffer {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(request.body);
  const head = `POST ${request.path} HTTP/1.1\r\nhost: ${host}\r\n${headers.join("")}content-length: ${length}\r\n\r\n`;
  return Buffer.from(head + request.body);
}
