import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { HttpResponseReader } from "./http-response-reader.ts";
import { type LoadRequest, makeRequestBytes } from "./load.ts";

/**
 * Connections to one server that stay open between slices, each with one request at a time. A new connection costs the server as much
 * as a small batch, and that cost would be the batches' of the slice that opens it.
 */
export class Connections implements Disposable {
  readonly #sockets: readonly Socket[];
  /** Where the answer that a socket waits for ends; null between slices. */
  readonly #answered = new Map<Socket, (status: number) => void>();

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
    for (const socket of sockets) {
      const reader = new HttpResponseReader((status) => this.#answered.get(socket)?.(status));
      socket.on("data", (chunk) => reader.push(chunk));
    }
  }

  static async open(url: string, count: number): Promise<Connections> {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).setNoDelay(true));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Connections(sockets);
  }

  /** Send a request so many times, the next one on the first connection that is free; ends with the last answer. */
  async send(host: string, request: LoadRequest, times: number): Promise<void> {
    const bytes = makeRequestBytes(host, request);
    let left = times;
    const converse = (socket: Socket): Promise<void> =>
      new Promise((resolve, reject) => {
        const lose = (): void => reject(new Error("Cannot finish the slice: the server closed a connection"));
        const end = (): void => {
          this.#answered.delete(socket);
          socket.off("close", lose);
        };
        const next = (): void => {
          if (left === 0) {
            end();
            return resolve();
          }
          left -= 1;
          socket.write(bytes);
        };
        socket.once("close", lose);
        this.#answered.set(socket, (status) => {
          if (status === 200) return next();
          end();
          reject(new Error(`Cannot finish the slice: a batch was answered with ${status}`));
        });
        next();
      });
    await Promise.all(this.#sockets.map(converse));
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
