import { Agent, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

import { startRawSandbox } from "../support/sandbox.ts";
import { readCpuMicros } from "./cpu-time.ts";

/** A receiver takes so long, but for one in a hundred that is dead and one that hangs. */
const TAKES_MS = 50;
const HANGS_MS = 20_000;
const CONNECTIONS = 20;

/** One event that went to many endpoints. Times are from the first byte of its request, in milliseconds. */
export interface FanOut {
  readonly endpoints: number;
  readonly answeredMs: number;
  /** When the last endpoint got its first attempt. */
  readonly lastAttemptMs: number;
  readonly cpuMsPerDelivery: number;
}

/** Publish an event to so many endpoints, whose receivers are this process. */
export async function measureFanOut(endpoints: number): Promise<FanOut> {
  const first = new Map<string, number>();
  let onSeen = (): void => {};
  const receiver = createServer((request, response) => {
    const name = request.url ?? "";
    if (!first.has(name)) first.set(name, performance.now());
    request.resume();
    const kind = Number(name.slice(1)) % 100;
    const answer = (): void => void response.writeHead(kind === 1 ? 500 : 204).end();
    setTimeout(answer, kind === 0 ? HANGS_MS : TAKES_MS);
    onSeen();
  });
  await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  await using volley = await startRawSandbox({ vars: { PROBE_ORIGIN: origin } });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = (
    method: string,
    path: string,
    body: object,
  ): Promise<{ status: number; text: string; ms: number }> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const headers = { authorization: "Bearer sandbox-admin-key", "content-type": "application/json" };
      const outgoing = httpRequest(`${volley.url}${path}`, { agent, method, headers }, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => (text += chunk));
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, text, ms: performance.now() - startedAt }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end(JSON.stringify(body));
    });
  const put = async (n: number): Promise<void> => {
    const made = await send("PUT", `/v1/endpoints/e${n}`, { url: `${origin}/${n}`, events: ["bench"] });
    if (made.status !== 201) throw new Error(`Cannot measure a fan-out: ${made.text}`);
  };
  for (let n = 0; n < endpoints; n += CONNECTIONS)
    await Promise.all(
      Array.from({ length: Math.min(CONNECTIONS, endpoints - n) }, (_, index) => put(n + index)),
    );

  const cpuBefore = readCpuMicros(volley.pid);
  const all = new Promise<void>((resolve) => {
    onSeen = () => first.size === endpoints && resolve();
  });
  const startedAt = performance.now();
  const published = await send("POST", "/v1/events", {
    type: "bench",
    data: { order_id: "o_1", total: 120 },
  });
  if (published.status !== 202 || !published.text.includes(`"endpoints":${endpoints}`))
    throw new Error(`Cannot measure a fan-out: ${published.text}`);
  await all;
  const lastAttemptMs = Math.max(...first.values()) - startedAt;
  const cpuMsPerDelivery = (readCpuMicros(volley.pid) - cpuBefore) / 1_000 / endpoints;
  receiver.closeAllConnections();
  receiver.close();
  agent.destroy();
  return { endpoints, answeredMs: published.ms, lastAttemptMs, cpuMsPerDelivery };
}

/** Write the table of some fan-outs. */
export function makeFanOutTable(measured: readonly FanOut[]): string[] {
  const rows = measured.map(
    ({ endpoints, answeredMs, lastAttemptMs, cpuMsPerDelivery }) =>
      `| ${endpoints} | ${answeredMs.toFixed(0)} ms | ${(lastAttemptMs / 1_000).toFixed(1)} s | ${cpuMsPerDelivery.toFixed(2)} ms |`,
  );
  return [
    `One event to many endpoints that take ${TAKES_MS} ms; one in a hundred is dead, and one hangs`,
    "",
    "| endpoints | 202 after | last first attempt after | CPU a delivery |",
    "|---:|---:|---:|---:|",
    ...rows,
  ];
}
