import { setTimeout as sleep } from "node:timers/promises";

import { type EndpointRig, openEndpointRig } from "./endpoint-rig.ts";
import { median, quantile } from "./statistics.ts";

/** Objects that a tenant's endpoints are dealt out to, one after another. */
const OBJECTS = 16;
const ENDPOINTS = 32;
/** So long they take, or up to half as long again or half less: receivers do not answer in step. */
const TAKES_MS = 100;
/** Just below the 15 s after which an attempt is given up. */
const SLOW_MS = 14_500;
/** Events that are under way at once where the object is to make as many deliveries as it can. */
const AHEAD = 4;
const LOOK_MS = 10;
/** The most that the others may take of what they take without the slow one. */
const MOST = 1.2;
/** Two measurements of the same lie no further apart, or none counts. */
const SAME: readonly [number, number] = [0.9, 1.1];
/** The type that 32 quick endpoints ask for; the others name the slow one that gets them too. */
const QUICK = "bench.quick";

export interface SlowEndpointOptions {
  /** Turns with the slow endpoint, each after one without. */
  readonly pairs: number;
  readonly seconds: number;
}

/** How one slow endpoint delays the 31 others of its object. */
export interface SlowEndpoint {
  /** Deliveries a second that the object makes where there are always more. */
  readonly bears: number;
  /** Without the slow one, twice before anything else. */
  readonly same: readonly [Turn, Turn];
  readonly without: readonly Turn[];
  readonly with: readonly Turn[];
}

/** From when an event was to be sent until a delivery of it arrived. */
interface Turn {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/**
 * Send events to the 32 endpoints of one object, at half of the load that it bears: in turns with one of them that answers just
 * below its timeout, and with one in its place that answers as the others do.
 */
export async function measureSlowEndpoint({ pairs, seconds }: SlowEndpointOptions): Promise<SlowEndpoint> {
  let onArrived = (_place: number, _n: number): void => {};
  const held = new Set<() => void>();
  await using rig = await openEndpointRig("Volley", ({ path, body }, response) => {
    const place = Number(path.slice(1)) / OBJECTS;
    const { n } = (JSON.parse(body) as { readonly data: { readonly n: number } }).data;
    const answer = (): void => {
      held.delete(answer);
      if (!response.writableEnded) response.writeHead(204).end();
    };
    setTimeout(answer, place < ENDPOINTS ? TAKES_MS / 2 + ((7 * place + 13 * n) % TAKES_MS) : SLOW_MS);
    if (place >= ENDPOINTS) held.add(answer);
    onArrived(place, n);
  });
  await putInOneObject(rig, pairs);

  const bears = await measureLoad();
  const everyMs = (1_000 * ENDPOINTS) / (bears / 2);
  const same: readonly [Turn, Turn] = [await turn(QUICK), await turn(QUICK)];
  const measured = { without: [] as Turn[], with: [] as Turn[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    measured.without.push(await turn(QUICK));
    measured.with.push(await turn(slowTypeOf(pair)));
    await rig.deleteEndpoint(OBJECTS * (ENDPOINTS + pair));
    for (const answer of held) answer();
  }
  return { bears, same, ...measured };

  /** Keep deliveries waiting, and count what arrives once a fifth of the time is over. */
  async function measureLoad(): Promise<number> {
    let [seen, events, startedAt] = [0, 0, performance.now()];
    onArrived = () => void (seen += 1);
    const publishUntil = async (until: number): Promise<void> => {
      for (; performance.now() < until; await sleep(LOOK_MS))
        for (; events * ENDPOINTS - seen < AHEAD * ENDPOINTS; events += 1) await publish(QUICK, events, rig);
    };
    await publishUntil(startedAt + seconds * 200);
    const before = seen;
    startedAt = performance.now();
    await publishUntil(startedAt + seconds * 800);
    const rate = ((seen - before) * 1_000) / (performance.now() - startedAt);
    const isLeft = (): boolean => seen < events * ENDPOINTS;
    while (isLeft()) await sleep(LOOK_MS);
    return rate;
  }

  async function turn(type: string): Promise<Turn> {
    const events = Math.floor((seconds * 1_000) / everyMs);
    const startedAt = performance.now();
    const delays: number[] = [];
    onArrived = (place, n) => {
      if (place < ENDPOINTS - 1) delays.push(performance.now() - startedAt - n * everyMs);
    };
    for (let n = 0; n < events; n += 1) {
      await sleep(Math.max(0, startedAt + n * everyMs - performance.now()));
      await publish(type, n, rig);
    }
    while (delays.length < events * (ENDPOINTS - 1)) await sleep(LOOK_MS);
    // The last answer is seen too, and the next turn finds every place free but the slow one's.
    await sleep(2 * TAKES_MS);
    const sorted = delays.toSorted((a, b) => a - b);
    return { p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
  }
}

function slowTypeOf(pair: number): string {
  return `bench.slow${pair}`;
}

/** Make 31 endpoints for every event and one for each type, in the object of every sixteenth; none is left in the others. */
async function putInOneObject(rig: EndpointRig, pairs: number): Promise<void> {
  const all = OBJECTS * (ENDPOINTS + pairs);
  for (let n = 0; n < all; n += 1) {
    const place = n / OBJECTS;
    const type = place < ENDPOINTS ? QUICK : slowTypeOf(place - ENDPOINTS);
    await rig.putEndpoint(n, place < ENDPOINTS - 1 ? "bench.*" : type);
  }
  for (let n = 0; n < all; n += 1) if (n % OBJECTS !== 0) await rig.deleteEndpoint(n);
}

async function publish(type: string, n: number, rig: EndpointRig): Promise<void> {
  const published = await rig.send("POST", "/v1/events", { type, data: { n } });
  if (published.status !== 202 || !published.text.includes(`"endpoints":${ENDPOINTS}`))
    throw new Error(`Cannot measure a slow endpoint: ${published.text}`);
}

/** Write the table of it. */
export function makeSlowEndpointTable({ bears, same, ...measured }: SlowEndpoint): string[] {
  const p95 = (turns: readonly Turn[]): number => median(turns.map(({ p95Ms }) => p95Ms));
  const between = same[1].p95Ms / same[0].p95Ms;
  const ratio = p95(measured.with) / p95(measured.without);
  const row = (says: string, turns: readonly Turn[]): string =>
    `| ${says} | ${turns.map(({ p50Ms }) => p50Ms.toFixed(0)).join(", ")} | ${turns.map(({ p95Ms }) => p95Ms.toFixed(0)).join(", ")} |`;
  const counts = between >= SAME[0] && between <= SAME[1];
  return [
    `Events to ${ENDPOINTS} endpoints of one object that take ${TAKES_MS} ms, at half of the ${bears.toFixed(0)} deliveries a second that it bears`,
    "",
    "| deliveries to the 31 others | p50 of each turn, ms | p95, ms |",
    "|---|---:|---:|",
    row("none is slow, twice", same),
    row("none is slow", measured.without),
    row(`one answers after ${SLOW_MS / 1_000} s`, measured.with),
    "",
    `p95 twice without it: ${between.toFixed(2)} × (${SAME.join(" to ")}, ${counts ? "so it counts" : "so NOTHING COUNTS"}); ` +
      `with it: ${ratio.toFixed(2)} × (≤ ${MOST} ${ratio <= MOST ? "met" : "MISSED"})`,
  ];
}
