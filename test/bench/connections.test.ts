import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";

import { Connections } from "./connections.ts";
import { trimmedMean } from "./statistics.ts";

/** A server that counts what comes to it. */
async function startCounter(status: number) {
  const seen = { connections: 0, requests: 0 };
  const server = createServer((_, response) => {
    seen.requests += 1;
    response.writeHead(status).end("{}");
  });
  server.on("connection", () => (seen.connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, host, [Symbol.dispose]: () => void server.close() };
}

const REQUEST = { path: "/", headers: {}, body: "{}" };

describe("Connections", () => {
  test("send exactly as many requests as asked, over the same connections in every slice", async () => {
    using server = await startCounter(200);
    using connections = await Connections.open(`http://${server.host}`, 3);
    for (const times of [1, 7, 30]) await connections.send(server.host, REQUEST, times);
    expect(server.seen).toEqual({ connections: 3, requests: 38 });
  });

  test("end a slice by an error when an answer is a refusal", async () => {
    using server = await startCounter(429);
    using connections = await Connections.open(`http://${server.host}`, 2);
    await expect(connections.send(server.host, REQUEST, 4)).rejects.toThrow("answered with 429");
  });
});

test("trimmedMean() takes the values between two quantiles only", () => {
  const values = [100, 1, 2, 3, 4, 5, 6, 7, 8, 200];
  expect(trimmedMean(values, { from: 0.1, to: 0.7 })).toBe(4.5);
  expect(trimmedMean([5], { from: 0.05, to: 0.7 })).toBe(5);
});
