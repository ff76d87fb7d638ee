import { openEndpointRig, type Sender } from "./endpoint-rig.ts";

/** A receiver takes so long, but for one in a hundred that is dead and one that hangs. */
const TAKES_MS = 50;
const HANGS_MS = 20_000;

/** One event that went to many endpoints. Times are from the first byte of its request, in milliseconds. */
export interface FanOut {
  readonly sender: Sender;
  readonly endpoints: number;
  readonly answeredMs: number;
  /** When the last endpoint got its first attempt. */
  readonly lastAttemptMs: number;
  readonly cpuMsPerDelivery: number;
}

/** Publish an event to so many endpoints, whose receivers are this process. */
export async function measureFanOut(sender: Sender, endpoints: number): Promise<FanOut> {
  const first = new Map<string, number>();
  let onSeen = (): void => {};
  await using rig = await openEndpointRig(sender, ({ path }, response) => {
    if (!first.has(path)) first.set(path, performance.now());
    const kind = Number(path.slice(1)) % 100;
    const answer = (): void => void response.writeHead(kind === 1 ? 500 : 204).end();
    setTimeout(answer, kind === 0 ? HANGS_MS : TAKES_MS);
    onSeen();
  });
  await rig.putEndpoints(endpoints);

  const cpuBefore = rig.cpuMs();
  const all = new Promise<void>((resolve) => {
    onSeen = () => first.size === endpoints && resolve();
  });
  const startedAt = performance.now();
  const data = { order_id: "o_1", total: 120 };
  const published = await rig.send("POST", "/v1/events", { type: "bench", data });
  if (published.status !== 202 || !published.text.includes(`"endpoints":${endpoints}`))
    throw new Error(`Cannot measure a fan-out: ${published.text}`);
  await all;
  const lastAttemptMs = Math.max(...first.values()) - startedAt;
  const cpuMsPerDelivery = (rig.cpuMs() - cpuBefore) / endpoints;
  return { sender, endpoints, answeredMs: published.ms, lastAttemptMs, cpuMsPerDelivery };
}

/** Write the table of some fan-outs. */
export function makeFanOutTable(measured: readonly FanOut[]): string[] {
  const rows = measured.map(
    ({ sender, endpoints, answeredMs, lastAttemptMs, cpuMsPerDelivery }) =>
      `| ${endpoints} | ${sender} | ${answeredMs.toFixed(0)} ms | ${(lastAttemptMs / 1_000).toFixed(1)} s | ${cpuMsPerDelivery.toFixed(2)} ms |`,
  );
  return [
    `One event to many endpoints that take ${TAKES_MS} ms; one in a hundred is dead, and one hangs`,
    "",
    "| endpoints | sender | 202 after | last first attempt after | CPU a delivery |",
    "|---:|---|---:|---:|---:|",
    ...rows,
    ...measured.flatMap(sayRatio),
  ];
}

/** The most that a delivery may cost of one by hand. */
const MOST = 1.6;

/** Say the CPU of a delivery beside that of the same one by hand. */
function sayRatio(
  { sender, endpoints, cpuMsPerDelivery }: FanOut,
  _: number,
  all: readonly FanOut[],
): string[] {
  const hand = all.find((other) => other.sender === "written by hand" && other.endpoints === endpoints);
  if (hand === undefined || sender === "written by hand") return [];
  const ratio = cpuMsPerDelivery / hand.cpuMsPerDelivery;
  return [
    "",
    `${endpoints} deliveries: ${ratio.toFixed(2)} × by hand (≤ ${MOST} ${ratio <= MOST ? "met" : "MISSED"})`,
  ];
}
