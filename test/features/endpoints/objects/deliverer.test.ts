import { describe, expect, test } from "vitest";

import { Semaphore } from "../../../../src/core/kit/semaphore.ts";
import type { PublishedEvent } from "../../../../src/features/endpoints/delivery.ts";
import { HEALTHY, type KeptEndpoint } from "../../../../src/features/endpoints/endpoint.ts";
import {
  Deliverer,
  type DelivererWorld,
  LEASE_MS,
} from "../../../../src/features/endpoints/objects/deliverer.ts";
import * as LIMITS from "../../../../src/features/endpoints/limits.ts";
import { ShardStore } from "../../../../src/features/endpoints/objects/shard-store.ts";
import { createMemoryStorage } from "../../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../../src/package/testing/virtual-clock.ts";

const NO = 1;
const SECOND = 1_000;

const ENDPOINT: KeptEndpoint = {
  id: "shop",
  no: NO,
  url: "https://shop.acme.dev/hooks",
  events: ["*"],
  ordered: false,
  paused: false,
  secrets: [{ secret: `whsec_${btoa("a secret of the test, 32 bytes..")}`, endsAt: null }],
  createdAt: 0,
  updatedAt: 0,
  ...HEALTHY,
};

/** The deliveries of one endpoint, in virtual time, with a method for each thing that happens to them. */
class Deliveries {
  readonly #clock = new VirtualClock();
  readonly #storage = createMemoryStorage(this.#clock, () => {}) as unknown as DurableObjectStorage;
  /** How many requests were sent. */
  sent = 0;
  /** Those that wait for their answer. */
  #open: ((answer: Response) => void)[] = [];
  #store = new ShardStore(this.#storage);
  #deliverer = this.#create();
  #ran: Promise<void>[] = [];

  constructor() {
    this.#store.write(ENDPOINT);
  }

  #create(): Deliverer {
    const clock = this.#clock;
    const fetch = (): Promise<Response> => {
      this.sent += 1;
      return new Promise((resolve) => void this.#open.push(resolve));
    };
    const ports = { clock, fetch, sign: async () => "signature", random: () => 0 };
    const deployment = { ports, configured: { trustedOrigins: new Set() } };
    return new Deliverer(this.#store, {
      clock,
      deployment: () => deployment as unknown as ReturnType<DelivererWorld["deployment"]>,
      box: () => ({ open: async (_: string, secret: string) => secret }),
      slots: new Semaphore(6),
      tenant: "acme",
      shard: 0,
    });
  }

  take(seq = 1): void {
    const event: PublishedEvent = {
      seq,
      id: `evt_${seq}`,
      type: "order.paid",
      customer: null,
      at: this.#clock.now(),
      data: "{}",
    };
    this.#store.take(event, [NO], this.#clock.now());
  }

  /** Begin what is due. */
  async begin(): Promise<void> {
    for (let claim = this.#deliverer.claim(this.#clock.now()); claim !== null;) {
      this.#ran.push(claim.run());
      claim = this.#deliverer.claim(this.#clock.now());
    }
    await this.#settled();
  }

  /** Answer the first request that waits for it. */
  async end(status: number): Promise<void> {
    this.#open.shift()?.(new Response(null, { status }));
    await this.#settled();
  }

  async answer(status: number): Promise<void> {
    await this.begin();
    await this.end(status);
  }

  #settled(): Promise<void> {
    return this.#clock.advance(0);
  }

  wait(ms: number): Promise<void> {
    return this.#clock.advance(ms);
  }

  /** The runtime is gone, with the requests that were under way. */
  restart(): void {
    this.#open = [];
    this.#store = new ShardStore(this.#storage);
    this.#deliverer = this.#create();
  }

  change(settings: Partial<KeptEndpoint>): void {
    this.#store.write({ ...this.#store.endpoints.byNo(NO)!, ...settings });
  }

  /** Another delivery finds the endpoint gone. */
  async disable(): Promise<void> {
    this.take(2);
    await this.begin();
    this.#open.pop()!(new Response(null, { status: 410 }));
    await this.#settled();
  }

  remove(): void {
    this.#store.remove(ENDPOINT, this.#clock.now());
  }

  resend(): void {
    const event = this.#store.batches.read(1)!;
    this.#store.reopen(ENDPOINT, [event], this.#clock.now());
  }

  /** The first delivery as it stands. */
  get seen() {
    const { status, attempts, dueAt } = this.#store.find({ no: NO, seq: 1 })!;
    const now = this.#clock.now();
    return {
      status,
      codes: attempts.map(({ status: answered, code }) => answered ?? code),
      dueIn: dueAt === null ? null : dueAt - now,
      sent: this.sent,
    };
  }

  /** How long the next attempt has before it is given up for lost. */
  get leaseMs(): number {
    const now = this.#clock.now();
    return this.#deliverer.claim(now)!.leaseEndsAt - now;
  }

  /** Have as many wait as may. */
  fill(): void {
    for (let seq = 100; seq < 100 + LIMITS.endpointBacklog; seq += 1)
      this.#store.queue.add(NO, { seq, dueAt: 4e12 });
  }

  get lastDay() {
    return this.#store.days.read(NO, this.#clock.now(), 0);
  }

  /** How long a delivery that comes now waits for those before it. */
  get othersIn(): number {
    this.take(9);
    const now = this.#clock.now();
    return this.#store.queue.turnAt({ no: NO, seq: 9 }, now)! - now;
  }
}

type Step = (deliveries: Deliveries) => unknown;
type Seen = Deliveries["seen"];
const take: Step = (one) => one.take();
const begin: Step = (one) => one.begin();
const restart: Step = (one) => one.restart();
const disable: Step = (one) => one.disable();
const remove: Step = (one) => one.remove();
const resend: Step = (one) => one.resend();
const answer =
  (status: number): Step =>
  (one) =>
    one.answer(status);
const end =
  (status: number): Step =>
  (one) =>
    one.end(status);
const wait =
  (ms: number): Step =>
  (one) =>
    one.wait(ms);
const change =
  (settings: Partial<KeptEndpoint>): Step =>
  (one) =>
    one.change(settings);

/** The states of a delivery, and the steps that lead to each. */
const FRESH: readonly Step[] = [take];
const UNDER_WAY: readonly Step[] = [take, begin];
/** The same beside others: an endpoint that has answered quickly has more than one place. */
const BESIDE: readonly Step[] = [(one) => one.take(3), answer(200), ...UNDER_WAY];
const RETRYING: readonly Step[] = [take, answer(500)];
const DELIVERED: readonly Step[] = [take, answer(200)];

const DUE = 5 * SECOND;
const GONE = { status: "discarded", dueIn: null } as const;

/** Each state with each thing that can happen in it, and what becomes of the delivery. */
const TABLE: readonly (readonly [of: string, steps: readonly Step[], seen: Seen])[] = [
  [
    "a fresh one that is answered 200",
    [...FRESH, answer(200)],
    { status: "delivered", codes: [200], dueIn: null, sent: 1 },
  ],
  [
    "a fresh one that is answered 500",
    [...FRESH, answer(500)],
    { status: "retrying", codes: [500], dueIn: DUE, sent: 1 },
  ],
  [
    "a fresh one that is answered 410",
    [...FRESH, answer(410)],
    { status: "failed", codes: [410], dueIn: null, sent: 1 },
  ],
  [
    "a fresh one after a restart",
    [...FRESH, restart, answer(200)],
    { status: "delivered", codes: [200], dueIn: null, sent: 1 },
  ],
  [
    "a fresh one of a paused endpoint",
    [...FRESH, change({ paused: true }), answer(200)],
    { status: "pending", codes: [], dueIn: 0, sent: 0 },
  ],
  [
    "a fresh one whose endpoint is deleted",
    [...FRESH, answer(500), remove, wait(DUE), answer(200)],
    { ...GONE, codes: [500], sent: 1 },
  ],
  [
    "a fresh one whose address is inside by now",
    [...FRESH, change({ url: "https://127.0.0.1/x" }), answer(200)],
    { status: "retrying", codes: ["EGRESS_DENIED"], dueIn: DUE, sent: 0 },
  ],
  [
    "one under way that is lost in a restart",
    [...UNDER_WAY, restart, answer(200)],
    { status: "delivered", codes: [200], dueIn: null, sent: 2 },
  ],
  [
    "one under way whose endpoint is disabled, answered 500",
    [...BESIDE, disable, end(500)],
    { ...GONE, codes: [500], sent: 3 },
  ],
  [
    "one under way whose endpoint is disabled, answered 200",
    [...BESIDE, disable, end(200)],
    { status: "delivered", codes: [200], dueIn: null, sent: 3 },
  ],
  [
    "one under way whose endpoint is paused, answered 500",
    [...UNDER_WAY, change({ paused: true }), end(500), wait(DUE), answer(200)],
    { status: "retrying", codes: [500], dueIn: 0, sent: 1 },
  ],
  [
    "one under way that is sent again when asked",
    [...UNDER_WAY, resend, begin, end(200)],
    { status: "delivered", codes: [200], dueIn: null, sent: 1 },
  ],
  [
    "one under way that is not answered in time",
    [...UNDER_WAY, wait(15 * SECOND)],
    { status: "retrying", codes: ["TIMEOUT"], dueIn: DUE, sent: 1 },
  ],
  [
    "one that is retried, before it is due",
    [...RETRYING, wait(DUE - 1), answer(200)],
    { status: "retrying", codes: [500], dueIn: 1, sent: 1 },
  ],
  [
    "one that is retried, when it is due",
    [...RETRYING, wait(DUE), answer(200)],
    { status: "delivered", codes: [500, 200], dueIn: null, sent: 2 },
  ],
  [
    "one that is retried, after a restart before it is due",
    [...RETRYING, restart, answer(200)],
    { status: "retrying", codes: [500], dueIn: DUE, sent: 1 },
  ],
  [
    "one that is retried, after a restart when it is due",
    [...RETRYING, restart, wait(DUE), answer(200)],
    { status: "delivered", codes: [500, 200], dueIn: null, sent: 2 },
  ],
  [
    "one that is retried, whose endpoint is disabled",
    [...RETRYING, disable, wait(DUE), answer(200)],
    { ...GONE, codes: [500], sent: 2 },
  ],
  [
    "one that is retried, whose endpoint is paused and goes on",
    [...RETRYING, change({ paused: true }), wait(DUE), answer(200), change({ paused: false }), answer(200)],
    { status: "delivered", codes: [500, 200], dueIn: null, sent: 2 },
  ],
  [
    "one that is retried, whose address is inside by now",
    [...RETRYING, change({ url: "https://169.254.169.254/" }), wait(DUE), answer(200)],
    { status: "retrying", codes: [500, "EGRESS_DENIED"], dueIn: 300 * SECOND, sent: 1 },
  ],
  [
    "one that is retried, asked for again",
    [...RETRYING, resend, answer(200)],
    { status: "delivered", codes: [500, 200], dueIn: null, sent: 2 },
  ],
  [
    "one that is delivered, after a restart",
    [...DELIVERED, restart, answer(500)],
    { status: "delivered", codes: [200], dueIn: null, sent: 1 },
  ],
  [
    "one that is delivered, whose endpoint is disabled",
    [...DELIVERED, disable],
    { status: "delivered", codes: [200], dueIn: null, sent: 2 },
  ],
];

async function play(steps: readonly Step[]): Promise<Deliveries> {
  const deliveries = new Deliveries();
  for (const step of steps) await step(deliveries);
  return deliveries;
}

describe("A delivery", () => {
  test.each(TABLE)("has its one next state: %s", async (_, steps, seen) => {
    expect((await play(steps)).seen).toEqual(seen);
  });
});

test("An attempt whose body a flow makes has the time of the flow besides its own", async () => {
  const plain = await play([take]);
  expect(plain.leaseMs).toBe(LEASE_MS);
  const made = await play([take, (one) => one.change({ via: "shape" })]);
  expect(made.leaseMs).toBe(LEASE_MS + LIMITS.deliveryTimeoutMs);
});

test("A delivery that no room is left for has failed, and is counted in its endpoint's day", async () => {
  const full = await play([(one) => one.fill()]);
  // From here on each delivery is counted as it ends, not by its row.
  expect(full.lastDay).toMatchObject({ failed: 0 });
  full.take();
  expect(full.seen).toEqual({ status: "failed", codes: ["BACKLOG_FULL"], dueIn: null, sent: 0 });
  expect(full.lastDay).toMatchObject({ failed: 1, delivered: 0 });
});

describe("An endpoint that cannot take more now", () => {
  test.each([
    ["5 s after the first time", [take, answer(429)], 5],
    ["10 s after the second in a row", [take, answer(429), wait(DUE), answer(429)], 10],
    [
      "5 s again after one that got through between them",
      [take, answer(429), wait(DUE), answer(200), (one: Deliveries) => one.take(2), answer(429)],
      5,
    ],
    ["not at all after a failure of the event alone", [take, answer(500)], 0],
  ] as readonly (readonly [string, readonly Step[], number])[])(
    "has its others wait, %s",
    async (_, steps, seconds) => {
      expect((await play(steps)).othersIn).toBe(seconds * SECOND);
    },
  );
});
