import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Endpoints that other people run: 200, of which six are dead, each in its own way. */
export interface Subscribers {
  /** Every address, in order. */
  readonly urls: readonly string[];
  /** The origins that may be reached on this machine. */
  readonly origins: readonly string[];
  /** How many never answer. */
  readonly hanging: number;
  /** When each that took the event first did, on the clock of `performance.now()`, by its address. */
  readonly takenAt: ReadonlyMap<string, number>;
  /** How many events were taken, repeated ones included. */
  taken(): number;
  close(): Promise<void>;
}

const COUNT = 200;
/** The others take every request; port 1 has no listener. */
const BROKEN: ReadonlySet<number> = new Set([6, 112]);
const CLOSED: ReadonlySet<number> = new Set([13, 87]);
const GONE = 20;
const HANGS = 149;
const CLOSED_ORIGIN = "http://127.0.0.1:1";
/** Some are quick and some are not. */
const LATENCY_MS = { least: 20, step: 37, most: 160 };

/** Start them on a port of this machine. */
export async function startSubscribers(): Promise<Subscribers> {
  const takenAt = new Map<string, number>();
  let taken = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const place = Number(path.split("/").at(-1)) - 1;
    const status = BROKEN.has(place) ? 500 : place === GONE ? 410 : 204;
    const { least, step, most } = LATENCY_MS;
    request.resume();
    if (place === HANGS) return;
    setTimeout(
      () => {
        if (status === 204) {
          taken += 1;
          if (!takenAt.has(path)) takenAt.set(path, performance.now());
        }
        response.writeHead(status).end();
      },
      least + ((place * step) % most),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pathOf = (place: number): string => `/hooks/${place + 1}`;
  const urls = Array.from(
    { length: COUNT },
    (_, place) => (CLOSED.has(place) ? CLOSED_ORIGIN : origin) + pathOf(place),
  );
  return {
    urls,
    origins: [origin, CLOSED_ORIGIN],
    hanging: 1,
    get takenAt() {
      return new Map(Array.from(takenAt, ([path, at]) => [origin + path, at]));
    },
    taken: () => taken,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
