import { createHmac } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";

import { eventually } from "../../test/support/eventually.ts";
import { startRawSandbox } from "../../test/support/sandbox.ts";
import { quantile } from "./statistics.ts";

/** Deliveries one after the other, and in a burst over so many connections. */
const ALONE = 300;
const FAN_OUT = 30;
const SUBSCRIBERS = 25;
const BURST = 1_000;
const CONNECTIONS = 50;
const WARMUP = 50;
const SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";
const FLOW = "bench_hook";
const FAN_OUT_FLOW = "bench_fan_out";

/** From a delivery's first byte to its 202, sorted, in milliseconds. */
export interface WebhookTimes {
  readonly alone: readonly number[];
  /** The same to a flow whose run sends 25 events. */
  readonly fanOut: readonly number[];
  readonly burst: readonly number[];
  /** From the first delivery of the burst to the end of its last run. */
  readonly burstMs: number;
}

/** Time signed deliveries to a flow of one read, whose upstream is next to it: alone, and 1,000 at once. */
export async function measureWebhooks(upstreamUrl: string): Promise<WebhookTimes> {
  await using volley = await startRawSandbox({ vars: { PROBE_ORIGIN: upstreamUrl } });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const send = (path: string, body: string, headers: Record<string, string>, method = "POST") =>
    new Promise<{ status: number; text: string; ms: number }>((resolve, reject) => {
      const startedAt = performance.now();
      const outgoing = httpRequest(
        `${volley.url}${path}`,
        { agent, method, headers: { "content-type": "application/json", ...headers } },
        (incoming) => {
          let text = "";
          incoming.setEncoding("utf8");
          incoming.on("data", (chunk: string) => (text += chunk));
          incoming.on("end", () =>
            resolve({ status: incoming.statusCode ?? 0, text, ms: performance.now() - startedAt }),
          );
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  const admin = { authorization: "Bearer sandbox-admin-key" };
  const keep = async (name: string, action: object): Promise<void> => {
    const flow = {
      summary: "For the bench",
      input_schema: { type: "object" },
      actions: [action],
      triggers: { webhook: { verify: "github", secret: "SANDBOX_SECRET" } },
    };
    const kept = await send(`/v1/flows/${name}`, JSON.stringify(flow), admin, "PUT");
    if (kept.status !== 201) throw new Error(`Cannot measure webhooks: ${kept.text}`);
  };
  const data = { $ref: "input#" };
  await keep(FLOW, { id: "read", tool: "probe-echo", args: { n: { $ref: "input#/n" } } });
  await keep(FAN_OUT_FLOW, {
    id: "tell",
    tool: "deliver_event",
    for_each: Array.from({ length: SUBSCRIBERS }, (_, n) => `${upstreamUrl}/echo?n=${n}`),
    args: { event: "bench", data, url: { $ref: "item#" } },
  });

  let sent = 0;
  const deliver = async (flow = FLOW): Promise<number> => {
    sent += 1;
    const body = JSON.stringify({ n: sent });
    const mac = createHmac("sha256", SECRET).update(body).digest("hex");
    const { status, text, ms } = await send(`/hooks/sandbox-admin/${flow}`, body, {
      "x-github-delivery": `delivery-${sent}`,
      "x-hub-signature-256": `sha256=${mac}`,
    });
    if (status !== 202) throw new Error(`Cannot measure webhooks: ${text}`);
    return ms;
  };
  const drained = () =>
    eventually(
      "the runs to end",
      async () => {
        const { text } = await send(`/v1/jobs?status=running&limit=1`, "", admin, "GET");
        return text.includes('"jobs":[]') ? true : undefined;
      },
      { withinMs: 120_000, everyMs: 50 },
    );

  for (let n = 0; n < WARMUP; n += 1) await deliver();
  await drained();
  const alone: number[] = [];
  for (let n = 0; n < ALONE; n += 1) alone.push(await deliver());
  await drained();
  const fanOut: number[] = [];
  for (let n = 0; n < FAN_OUT; n += 1) {
    fanOut.push(await deliver(FAN_OUT_FLOW));
    await drained();
  }
  const startedAt = performance.now();
  const burst: number[] = [];
  const worker = async (): Promise<void> => {
    for (let n = 0; n < BURST / CONNECTIONS; n += 1) burst.push(await deliver());
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  await drained();
  const burstMs = performance.now() - startedAt;
  agent.destroy();
  return { alone: sorted(alone), fanOut: sorted(fanOut), burst: sorted(burst), burstMs };
}

/** The row of a table: the middle, the 99th percentile and the slowest. */
export function quantilesOf(times: readonly number[]): readonly [p50: number, p99: number, max: number] {
  return [quantile(times, 0.5), quantile(times, 0.99), times.at(-1) ?? Number.NaN];
}

function sorted(times: readonly number[]): readonly number[] {
  return times.toSorted((a, b) => a - b);
}
