import { setTimeout as sleep } from "node:timers/promises";

import { type EndpointRig, openEndpointRig, type Sender } from "./endpoint-rig.ts";
import { quantile } from "./statistics.ts";

const TAKES_MS = 50;
const LOOK_MS = 250;
/** Deliveries are waited for so long after the last event. */
const DRAIN_MS = 60_000;

export interface EventStreamOptions {
  readonly endpoints: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** Many events to the same endpoints, one after another. Times are from when an event was to be sent, in milliseconds. */
export interface EventStream extends EventStreamOptions {
  readonly sender: Sender;
  /** Answers of `POST /v1/events`. */
  readonly answeredP95Ms: number;
  /** Deliveries that had not arrived yet: the most at one moment, and at the end of the last second. */
  readonly backlogMost: number;
  readonly backlogLast: number;
  readonly deliveredP50Ms: number;
  readonly deliveredP95Ms: number;
  /** Deliveries that were never seen. */
  readonly missing: number;
  readonly cpuMsPerDelivery: number;
}

/** Publish so many events a second, whether the ones before are answered or not. */
export async function measureEventStream(sender: Sender, options: EventStreamOptions): Promise<EventStream> {
  const { endpoints, perSecond, seconds } = options;
  const events = perSecond * seconds;
  const dueAt = new Float64Array(events);
  const seen = new Set<string>();
  const delays: number[] = [];
  await using rig = await openEndpointRig(sender, ({ path, body }, response) => {
    const { data } = JSON.parse(body) as { readonly data: { readonly n: number } };
    setTimeout(() => void response.writeHead(204).end(), TAKES_MS);
    const name = `${path} ${data.n}`;
    if (seen.has(name)) return;
    seen.add(name);
    delays.push(performance.now() - dueAt[data.n]!);
  });
  await rig.putEndpoints(endpoints);

  const cpuBefore = rig.cpuMs();
  const startedAt = performance.now();
  const answered: Promise<number>[] = [];
  let [backlogMost, lookedAt] = [0, startedAt];
  for (let n = 0; n < events; n += 1) {
    dueAt[n] = startedAt + (n * 1_000) / perSecond;
    const early = dueAt[n]! - performance.now();
    if (early > 1) await sleep(early);
    answered.push(publish(n, dueAt[n]!, rig));
    if (performance.now() - lookedAt < LOOK_MS) continue;
    lookedAt = performance.now();
    backlogMost = Math.max(backlogMost, n * endpoints - seen.size);
  }
  const backlogLast = events * endpoints - seen.size;
  const answerMs = await Promise.all(answered);
  const until = performance.now() + DRAIN_MS;
  while (seen.size < events * endpoints && performance.now() < until) await sleep(LOOK_MS);
  const cpuMsPerDelivery = (rig.cpuMs() - cpuBefore) / seen.size;
  const sorted = Float64Array.from(delays).sort();
  return {
    sender,
    ...options,
    answeredP95Ms: quantile(Float64Array.from(answerMs).sort(), 0.95),
    backlogMost: Math.max(backlogMost, backlogLast),
    backlogLast,
    deliveredP50Ms: quantile(sorted, 0.5),
    deliveredP95Ms: quantile(sorted, 0.95),
    missing: events * endpoints - seen.size,
    cpuMsPerDelivery,
  };
}

async function publish(n: number, dueAt: number, rig: EndpointRig): Promise<number> {
  const published = await rig.send("POST", "/v1/events", { type: "bench", data: { n, order_id: "o_1" } });
  if (published.status !== 202) throw new Error(`Cannot measure a stream of events: ${published.text}`);
  return performance.now() - dueAt;
}

/** Write the table of some streams. */
export function makeEventStreamTable(measured: readonly EventStream[]): string[] {
  const rows = measured.map(
    ({ sender, endpoints, perSecond, seconds, answeredP95Ms, backlogMost, backlogLast, ...rest }) =>
      `| ${perSecond} a second to ${endpoints} for ${seconds} s | ${sender} | ${answeredP95Ms.toFixed(0)} ms | ${backlogMost} | ${backlogLast} | ` +
      `${rest.deliveredP50Ms.toFixed(0)} ms | ${rest.deliveredP95Ms.toFixed(0)} ms | ${rest.missing} | ${rest.cpuMsPerDelivery.toFixed(2)} ms |`,
  );
  return [
    `Events in a stream, to endpoints that take ${TAKES_MS} ms`,
    "",
    "| events | sender | 202 within, p95 | deliveries that wait, at most | at the end | delivered after, p50 | p95 | missing | CPU a delivery |",
    "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ...rows,
  ];
}
