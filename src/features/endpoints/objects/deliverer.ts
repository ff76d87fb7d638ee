import type { Deployment } from "../../../feature/define.ts";
import type { Clock } from "../../../feature/kit.ts";
import { attempt } from "../../../feature/refuse.ts";
import type { Semaphore } from "../../../core/kit/semaphore.ts";
import type { Turn } from "../delivery-queue.ts";
import { type AttemptAnswer, type PublishedEvent, toBody, type MadeBody } from "../delivery.ts";
import { type KeptEndpoint, secretsAt } from "../endpoint.ts";
import * as LIMITS from "../limits.ts";
import { isOwn } from "../match-event.ts";
import type { SecretBox } from "./secret-box.ts";
import type { ShardStore } from "./shard-store.ts";
import { sendDelivery, toUnanswered } from "../send-delivery.ts";
import { toDisabledNotice, toFailedNotice, disabledAt, settleAttempt } from "../settle-attempt.ts";
import { makeRoom } from "../../../core/kit/get-or-make.ts";
import { runVia } from "../http/run-via.ts";

/** An attempt that has not ended by then is given up for lost. */
export const LEASE_MS = LIMITS.deliveryTimeoutMs + 5_000;

/** The object around the deliveries. */
export interface DelivererWorld {
  readonly clock: Clock;
  readonly deployment: () => Deployment;
  /** Opens what endpoints sign with. */
  readonly box: () => Pick<SecretBox, "open">;
  /** The header slots of the object's alarm. */
  readonly slots: Semaphore;
  readonly tenant: string;
  readonly shard: number;
}

/** Makes the attempts of one object, and writes down how each ended. */
export class Deliverer {
  readonly #store: ShardStore;
  readonly #world: DelivererWorld;
  /** Bodies that flows have made, by their flow and event: one run serves every endpoint of the object. */
  readonly #made = new Map<string, Promise<MadeBody>>();
  /** The body that was made last without a flow. */
  #plain: { readonly event: PublishedEvent; readonly body: string } | null = null;

  constructor(store: ShardStore, world: DelivererWorld) {
    this.#store = store;
    this.#world = world;
  }

  /** Claim the delivery whose turn it is; null where there is none. */
  claim(nowMs: number): { readonly leaseEndsAt: number; readonly run: () => Promise<void> } | null {
    const turn = this.#store.queue.claim(nowMs);
    if (turn === null) return null;
    const isVia = this.#store.endpoints.byNo(turn.no)?.via !== undefined;
    const leaseEndsAt = nowMs + LEASE_MS + (isVia ? LIMITS.deliveryTimeoutMs : 0);
    return { leaseEndsAt, run: () => this.#run(turn, leaseEndsAt) };
  }

  /** Disable endpoints to which nothing got through for days. */
  disableFailing(nowMs: number): void {
    for (const endpoint of this.#store.endpoints.values()) {
      const at = disabledAt(endpoint);
      if (at !== null && at <= nowMs)
        this.#change({ ...endpoint, disabled: { at: nowMs, because: "failing" } });
    }
  }

  /** Attempt it. One whose end could not be written is tried again, and its place is given back however it ended. */
  async #run(turn: Turn, leaseEndsAt: number): Promise<void> {
    const { queue } = this.#store;
    await attempt(() => this.#deliver(turn));
    if (queue.isRunning(turn)) queue.putOff(turn, leaseEndsAt);
    else queue.leave(turn);
  }

  async #deliver(turn: Turn): Promise<void> {
    const { no, seq } = turn;
    const { clock, deployment, slots } = this.#world;
    const event = this.#store.batches.read(seq);
    const endpoint = this.#store.endpoints.byNo(no);
    if (endpoint === undefined) return this.#store.queue.drop(no);
    // It is forgotten, or for the customer who had the endpoint before.
    if (event === null || (event.customer ?? endpoint.customer) !== endpoint.customer) {
      this.#store.discard(no, [seq], clock.now());
      return void this.#store.queue.leave(turn);
    }
    const { ports, configured } = deployment();
    const made = await this.#bodyOf(event, endpoint);
    // The tenant's runs have used up what they may: the delivery waits for its turn, and that is no attempt.
    if (made.kind === "later" && this.#store.endpoints.byNo(no)?.disabled === null)
      return this.#store.queue.putOff(turn, clock.now() + made.afterMs);
    if (made.kind !== "made") {
      const code = made.kind === "failed" ? made.code : "RATE_LIMITED";
      return this.#settle(turn, event, toUnanswered(code, clock.now()));
    }
    const scope = { ports, trustedOrigins: configured.trustedOrigins, slots };
    const sent = await attempt(async () => {
      const secrets = await openSecrets(endpoint, this.#world.box(), clock.now());
      // The key was taken out under which they are sealed.
      if (secrets.length === 0) return toUnanswered("MISCONFIGURED", clock.now());
      return sendDelivery(endpoint, { id: event.id, body: made.body, secrets }, scope);
    });
    this.#settle(turn, event, sent.ok ? sent.value : toUnanswered("INTERNAL", clock.now()));
  }

  async #bodyOf(event: PublishedEvent, { via }: KeptEndpoint): Promise<MadeBody> {
    if (via === undefined) {
      if (this.#plain?.event !== event) this.#plain = { event, body: toBody(event) };
      return { kind: "made", body: this.#plain.body };
    }
    const name = `${via} ${event.seq}`;
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const making = this.#runVia(via, event);
    makeRoom(this.#made, LIMITS.viaBodiesRemembered);
    this.#made.set(name, making);
    const made = await making;
    // The next attempt asks the flow again.
    if (made.kind !== "made") this.#made.delete(name);
    return made;
  }

  async #runVia(via: string, event: PublishedEvent): Promise<MadeBody> {
    const { deployment, slots, tenant } = this.#world;
    const ran = await attempt(async () => runVia(via, event, { deployment: deployment(), slots, tenant }));
    return ran.ok ? ran.value : { kind: "failed", code: "INTERNAL" };
  }

  #settle(turn: Turn, event: PublishedEvent, answer: AttemptAnswer): void {
    const { no, seq } = turn;
    const { endpoints, deliveries, batches, days, notices, queue } = this.#store;
    const now = this.#world.clock.now();
    const endpoint = endpoints.byNo(no);
    // Deleted or erased meanwhile: its row is written already.
    if (endpoint === undefined || !queue.has(turn)) return;
    const known = this.#store.deliveryOf(turn, event);
    const failures = queue.failuresOf(no);
    const random = this.#world.deployment().ports.random();
    const settled = settleAttempt([known, endpoint], now, { answer, failures, random });
    const { delivery: tried, health, slowMs } = settled;
    // Nothing waits for an endpoint that was disabled while the attempt was under way.
    const isOver = endpoint.disabled !== null && tried.dueAt !== null;
    const delivery = isOver ? { ...tried, status: "discarded" as const, dueAt: null } : tried;
    const { failingSince, failedLast, disabled } = health;
    const { status, durationMs } = answer.attempt;
    const end = delivery.status === "delivered" ? "delivered" : "failed";
    const as = delivery.dueAt === null ? end : undefined;
    this.#store.together(() => {
      days.count(no, now, { tookMs: status === undefined ? undefined : durationMs, as });
      deliveries.write(delivery);
      batches.get(seq)?.fresh.delete(no);
      queue.end(turn, now, { failed: delivery.status !== "delivered", slowMs });
      if (delivery.dueAt === null) batches.close(seq, no);
      else queue.add(no, { seq, dueAt: delivery.dueAt });
      if (delivery.status === "failed" && !isOwn(event.type))
        notices.add(toFailedNotice(delivery, endpoint, this.#world.shard));
      const isSame =
        failingSince === endpoint.failingSince &&
        failedLast === endpoint.failedLast &&
        disabled === endpoint.disabled;
      if (!isSame) this.#change({ ...endpoint, failingSince, failedLast, disabled });
    });
  }

  #change(endpoint: KeptEndpoint): void {
    const { queue, notices } = this.#store;
    const { no, disabled } = endpoint;
    this.#store.write(endpoint);
    if (disabled === null) return;
    this.#store.discard(no, queue.clear(no), this.#world.clock.now());
    notices.add(toDisabledNotice(endpoint, disabled));
  }
}

/** The secrets that sign now, the newest first; without those that no key opens. */
async function openSecrets(
  endpoint: KeptEndpoint,
  box: Pick<SecretBox, "open">,
  nowMs: number,
): Promise<readonly string[]> {
  const opened = await Promise.all(secretsAt(endpoint, nowMs).map((kept) => box.open(endpoint.id, kept)));
  return opened.filter((secret) => secret !== null);
}
