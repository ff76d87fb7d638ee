import { expect } from "vitest";

import type { ObjectOptions } from "../../../../src/cloudflare/feature.ts";
import type { EndpointShardMethods } from "../../../../src/features/endpoints/endpoint-shard-methods.ts";
import * as LIMITS from "../../../../src/features/endpoints/limits.ts";
import { createEndpointShard } from "../../../../src/features/endpoints/objects/endpoint-shard.ts";
import { createMemoryObjects } from "../../../../src/package/testing/memory-objects.ts";
import { VirtualClock } from "../../../../src/package/testing/virtual-clock.ts";
import { trial } from "../../../support/trial.ts";

const ENDPOINTS = 32;
const SLOW = 0;
/** So long the others take, or up to half as long again or half less: receivers do not answer in step. */
const TAKES_MS = 100;
/** Events to all 32 come at half of the load that the object bears. */
const EVERY_MS = Math.round((2 * TAKES_MS * ENDPOINTS) / LIMITS.headerSlots);
const EVENTS = 60;
/** So many come until the first attempt at the slow one is given up. */
const UNTIL_KNOWN = Math.ceil(LIMITS.deliveryTimeoutMs / EVERY_MS);

interface Turn {
  /** Whether the one endpoint has answered quickly before, so that it has to be found out. */
  readonly wasQuick: boolean;
  /** Whether it answers nothing from then on. */
  readonly isSlow: boolean;
}

/** Publish events to the 32 endpoints of one object, in virtual time. @returns how long deliveries to the 31 others took to arrive, p95 */
async function measure({ wasQuick, isSlow }: Turn): Promise<number> {
  const first = wasQuick ? UNTIL_KNOWN : 0;
  const clock = new VirtualClock();
  const publishedAt: number[] = [];
  const delays: number[] = [];
  const fetch = async (url: string, { body }: { readonly body: string }): Promise<Response> => {
    const no = Number(new URL(url).pathname.slice(1));
    const { n } = (JSON.parse(body) as { readonly data: { readonly n: number } }).data;
    if (no !== SLOW && n > first) delays.push(clock.now() - publishedAt[n]!);
    const takesMs = TAKES_MS / 2 + ((7 * no + 13 * n) % TAKES_MS);
    await clock.sleep(no === SLOW && isSlow && n > 0 ? LIMITS.deliveryTimeoutMs : takesMs);
    return new Response(null, { status: 204 });
  };
  const ports = { clock, fetch, sign: async () => "signature", random: () => 0.5 };
  const deployment = { ports, configured: { ports, env: {}, trustedOrigins: new Set() } };
  const deploymentOf = (() => deployment) as unknown as ObjectOptions["deploymentOf"];
  const objects = createMemoryObjects(createEndpointShard({ clock, deploymentOf }), clock, () => ({}));
  const shard = objects.get(objects.idFromName("acme/0")) as EndpointShardMethods;
  for (let no = 0; no < ENDPOINTS; no += 1) {
    const events = no === SLOW && !wasQuick ? ["order.*"] : ["*"];
    const settings = { url: `https://shop.acme.dev/${no}`, events, ordered: false, paused: false };
    const secret = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
    shard.put({ id: `shop-${no}`, no, settings, secret, enables: false });
  }
  for (let n = 0; n <= first + EVENTS; n += 1) {
    publishedAt.push(clock.now());
    const type = n === 0 ? "shop.opened" : "order.paid";
    const event = { seq: n + 1, id: `evt_${n}`, type, customer: null, at: clock.now() };
    shard.accept({ ...event, data: JSON.stringify({ n }) }, false);
    await clock.advance(EVERY_MS);
  }
  await clock.advance(2 * EVERY_MS);
  expect(delays).toHaveLength(EVENTS * (ENDPOINTS - 1));
  return delays.toSorted((a, b) => a - b)[Math.ceil(delays.length * 0.95) - 1]!;
}

trial.each([
  ["has never answered", false],
  ["answered quickly before, from its first timeout on", true],
])(
  "F35 T62 31 endpoints get theirs within 1.2 times as long, p95, beside one that hangs and %s, at half of what their object bears",
  async (_, wasQuick) => {
    const without = await measure({ wasQuick, isSlow: false });
    const beside = await measure({ wasQuick, isSlow: true });
    expect(beside / without, `${beside} ms beside it, ${without} ms without`).toBeLessThanOrEqual(1.2);
  },
);
