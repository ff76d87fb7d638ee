import { connect, type Socket } from "node:net";

import { HttpResponseReader } from "./http-response-reader.ts";
import { type LoadOptions, type LoadRequest, makeRequestBytes } from "./load.ts";

/** When tokens came, after the model had written them. */
export interface StreamLoadResult {
  readonly requests: number;
  /** Milliseconds from the moment at which the model wrote the first token of a stream to its arrival, of every stream, sorted. */
  readonly firstMs: Float64Array;
  /** The same of every token, sorted. */
  readonly tokensMs: Float64Array;
  readonly failed: number;
}

/** A token is the time at which it was written, in microseconds of the clock that all processes share. */
const TOKEN = /@(\d{15})@/g;
const TOKEN_LENGTH = 17;

/**
 * Keep so many streams open for a while, and time every token of them. They begin one after the other within the first
 * `staggerMs`, as callers do.
 */
export async function runStreams(
  options: Omit<LoadOptions, "request"> & { readonly request: LoadRequest; readonly staggerMs?: number },
): Promise<StreamLoadResult> {
  const target = new URL(options.url);
  const bytes = makeRequestBytes(target.host, options.request);
  const first: number[] = [];
  const tokens: number[] = [];
  let requests = 0;
  let failed = 0;
  const endsAt = performance.now() + options.durationMs;
  const converse = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let isFirst = true;
      let rest = "";
      const send = (): void => {
        isFirst = true;
        rest = "";
        socket.write(bytes);
      };
      const reader = new HttpResponseReader((status) => {
        requests += 1;
        if (status !== 200) failed += 1;
        if (performance.now() < endsAt) return send();
        socket.destroy();
        resolve();
      });
      const hear = (chunk: Buffer): void => {
        const now = Number(process.hrtime.bigint() / 1000n);
        const text = rest + chunk.toString("latin1");
        let end = 0;
        for (const found of text.matchAll(TOKEN)) {
          const delayMs = (now - Number(found[1])) / 1000;
          tokens.push(delayMs);
          if (isFirst) first.push(delayMs);
          isFirst = false;
          end = found.index + TOKEN_LENGTH;
        }
        // The text in which a token may have begun.
        rest = text.slice(Math.max(end, text.length - TOKEN_LENGTH));
        reader.push(chunk);
      };
      socket.setNoDelay(true);
      socket.on("data", hear);
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("Cannot finish the load: the server closed a connection")));
      socket.on("connect", send);
    });

  const { staggerMs = 0, connections } = options;
  const sockets: Socket[] = [];
  const begin = async (at: number): Promise<void> => {
    await new Promise((resolve) => void setTimeout(resolve, (at * staggerMs) / connections));
    const socket = connect(Number(target.port), target.hostname);
    sockets.push(socket);
    return converse(socket);
  };
  try {
    await Promise.all(Array.from({ length: connections }, (_, at) => begin(at)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return {
    requests,
    firstMs: Float64Array.from(first).sort(),
    tokensMs: Float64Array.from(tokens).sort(),
    failed,
  };
}
