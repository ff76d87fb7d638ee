import * as LIMITS from "../../../src/features/endpoints/limits.ts";
import { ATTEMPT, pick, PRICES, zipf } from "./workload.ts";

/** Chosen: a customer has two endpoints; of ten events nine name a customer, and one is for all endpoints of its tenant. */
const CUSTOMER_HAS = 2;
const TO_ALL = 0.1;
/** Chosen: how long a receiver takes. */
const TAKES_MS = 50;

/**
 * Rows that the objects write, as `test/cloudflare/endpoints.test.ts` counts them: the event; in each object that takes it the event and its
 * alarm; one for each delivery. A first attempt that fails is in an index too, and the second takes it out again, in an alarm of its own.
 */
const ROWS = { event: 1, object: 2, delivery: 1, failure: 4 } as const;

export interface FanOutOptions {
  readonly tenants: number;
  readonly endpoints: number;
  readonly events: number;
  /** The part of the events that is for all endpoints. */
  readonly toAll?: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** The deliveries of many tenants' events, counted. */
export interface FanOuts {
  readonly endpoints: number;
  readonly largest: number;
  readonly deliveries: number;
  /** Calls of objects for each delivery, alarms among them. */
  readonly calls: number;
  readonly rows: number;
  /** The most that one object made of the deliveries of an event to 160 endpoints or more. */
  readonly largestShare: number;
  /** When the last first attempt of the widest event was made, with no other event beside it. */
  readonly widestMs: number;
  readonly dollarsPerMillion: number;
}

/** Deal endpoints out to tenants by Zipf, none above the limit and none without one. */
export function dealEndpoints({
  tenants,
  endpoints,
}: Pick<FanOutOptions, "tenants" | "endpoints">): number[] {
  const shares = Array.from({ length: tenants }, (_, rank) => 1 / (rank + 1));
  let factor = endpoints / shares.reduce((sum, share) => sum + share, 0);
  const dealt = (): number[] =>
    shares.map((share) => Math.min(LIMITS.endpoints, Math.max(1, Math.round(share * factor))));
  // The rest of those that are above the limit goes to the others.
  for (let sizes = dealt(); ; sizes = dealt()) {
    const sum = sizes.reduce((total, size) => total + size, 0);
    if (sum >= endpoints * 0.999) return sizes;
    factor *= Math.max(1.001, endpoints / sum);
  }
}

/** Publish events and count what that takes. An endpoint lies in the object that had fewest, so the next sixteen in sixteen. */
export function simulateFanOuts({
  tenants,
  endpoints,
  events,
  toAll = TO_ALL,
  random,
}: FanOutOptions): FanOuts {
  const sizes = dealEndpoints({ tenants, endpoints });
  const sums = zipf(tenants);
  let [deliveries, calls, rows, largestShare, widest] = [0, 0, 0, 0, 0];
  for (let event = 0; event < events; event += 1) {
    const size = sizes[pick(sums, random())]!;
    const count = random() < toAll ? size : Math.min(size, CUSTOMER_HAS);
    // A customer's lie together, while its tenant has few.
    const isTogether = count <= CUSTOMER_HAS && size <= LIMITS.endpointShards * LIMITS.endpointsTogether;
    const objects = isTogether ? 1 : Math.min(count, LIMITS.endpointShards);
    const most = Math.ceil(count / objects);
    const failed = count * ATTEMPT.fails;
    deliveries += count;
    // The directory, each object and its alarm; and an alarm for each failure.
    calls += 1 + 2 * objects + failed;
    rows += ROWS.event + ROWS.object * objects + ROWS.delivery * count + ROWS.failure * failed;
    if (count >= 10 * LIMITS.endpointShards) largestShare = Math.max(largestShare, most / count);
    widest = Math.max(widest, most);
  }
  const places = Math.min(6, LIMITS.deliveriesAtOnce);
  return {
    endpoints: sizes.reduce((sum, size) => sum + size, 0),
    largest: Math.max(...sizes),
    deliveries,
    calls: calls / deliveries,
    rows: rows / deliveries,
    largestShare,
    widestMs: Math.ceil(widest / places) * TAKES_MS,
    dollarsPerMillion: (calls * PRICES.calls + rows * PRICES.rows) / deliveries,
  };
}

/** The figures as lines of a table. */
export function reportFanOuts(figures: FanOuts): string[] {
  const { endpoints, largest, deliveries, calls, rows, largestShare, widestMs, dollarsPerMillion } = figures;
  return [
    `| ${endpoints.toLocaleString("en-US")} endpoints | |`,
    "|---|---:|",
    `| most of one tenant | ${largest.toLocaleString("en-US")} |`,
    `| deliveries simulated | ${deliveries.toLocaleString("en-US")} |`,
    `| calls of objects a delivery | ${calls.toFixed(3)} |`,
    `| rows a delivery | ${rows.toFixed(3)} |`,
    `| most that one object makes of a wide event | ${(100 * largestShare).toFixed(2)} % |`,
    `| the widest event: last first attempt after | ${(widestMs / 1_000).toFixed(1)} s |`,
    `| objects, dollars a million deliveries | ${dollarsPerMillion.toFixed(2)} |`,
  ];
}
