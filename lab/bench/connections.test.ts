import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";

import { Connections } from "./connections.ts";
import { makeRequestBytes } from "./load.ts";
import { intervalOfMedian, trimmedMean } from "./statistics.ts";

/** A server that counts its requests; without a status it never answers. */
async function startCounter(status: number | null) {
  const seen = { connections: 0, requests: 0 };
  const server = createServer((_, response) => {
    seen.requests += 1;
    if (status !== null) response.writeHead(status).end("{}");
  });
  server.on("connection", () => (seen.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { seen, host, [Symbol.dispose]: close };
}

const requestsTo = (host: string): readonly Buffer[] => [
  makeRequestBytes(host, { path: "/", headers: {}, body: "{}" }),
];

describe("Connections", () => {
  test("send exactly as many requests as asked, over the same connections in every slice", async () => {
    using server = await startCounter(200);
    using connections = await Connections.open(`http://${server.host}`, 3);
    for (const times of [1, 7, 30]) {
      const { latenciesMs, failed, missing } = await connections.send({
        requests: requestsTo(server.host),
        times,
      });
      expect([latenciesMs.length, failed, missing]).toEqual([times, 0, 0]);
    }
    expect(server.seen).toEqual({ connections: 3, requests: 38 });
  });

  test("count answers that are refusals", async () => {
    using server = await startCounter(429);
    using connections = await Connections.open(`http://${server.host}`, 2);
    const slice = { requests: requestsTo(server.host), times: 4 };
    expect(await connections.send(slice)).toMatchObject({ failed: 4, missing: 0 });
  });

  test("count answers that do not come in time as missing, and are not whole any more", async () => {
    using server = await startCounter(null);
    using connections = await Connections.open(`http://${server.host}`, 2);
    const slice = { requests: requestsTo(server.host), times: 9, patienceMs: 1 };
    expect(await connections.send(slice)).toEqual({ latenciesMs: [], failed: 0, missing: 2 });
    expect(connections.isWhole).toBe(false);
  });
});

test("trimmedMean() takes the values between two quantiles only", () => {
  const values = [100, 1, 2, 3, 4, 5, 6, 7, 8, 200];
  expect(trimmedMean(values, { from: 0.1, to: 0.7 })).toBe(4.5);
  expect(trimmedMean([5], { from: 0.05, to: 0.7 })).toBe(5);
});

test("intervalOfMedian() is that of order statistics: the second of nine, the sixth of twenty, all of five", () => {
  const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1);
  expect(intervalOfMedian(upTo(9))).toEqual([2, 8]);
  expect(intervalOfMedian(upTo(20))).toEqual([6, 15]);
  expect(intervalOfMedian([3, 1, 2, 5, 4])).toEqual([1, 5]);
});
