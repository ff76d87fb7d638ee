import * as LIMITS from "../contract/limits.ts";
import type { Clock } from "../kit/clock.ts";
import { getOrMake } from "../kit/get-or-make.ts";

/** The bytes that an isolate has for responses, and the part that one request may hold. */
export interface IsolateLimits {
  readonly bytes: number;
  /** The most that one request ever asks for: a leader is sure of so many. */
  readonly claim: number;
  /** Calls of one tenant that wait; one more is refused at once. */
  readonly waiting: number;
}

/** The most that a request may hold, every kind of bytes together. */
const CLAIM =
  LIMITS.requestResponseBytes + LIMITS.responseReserveBytes + LIMITS.valueBytes * LIMITS.requestValues;

const ISOLATE_LIMITS: IsolateLimits = {
  bytes: LIMITS.isolateBytes,
  claim: CLAIM,
  waiting: LIMITS.bytesWaiting,
};

/** A tenant can fill one half, so two tenants fill an isolate. */
const LEADERS = 2;
/** The part of the room beside leaders that large bodies may take: a small one need not wait for them. */
const LARGE_PART = 3 / 4;
/** A request that gives no sign of life for so long is forgotten: one that the platform cut off runs no code of ours. */
const LEASE_MS = 5_000;
const BEAT_MS = 1_000;

/** A call that waits for bytes. */
export interface Waiting {
  /** Whether it has got them. Never rejects. */
  readonly granted: Promise<boolean>;
  /** Wait no longer; does nothing where they were granted. */
  readonly cancel: () => void;
}

/**
 * The bytes of responses that all requests of an isolate hold, so that many bounded requests together are bounded as well.
 *
 * A tenant has one half at most. In each half one request leads: all that it may ever ask for is kept for it, so it never waits
 * and comes to its end. The others share the room beside it, and a request that finds none there waits, until there is some or
 * until it leads itself. So no request waits for another that waits. Requests of one tenant lead in the order in which they began
 * to wait, tenants in turn.
 */
export class IsolateBytes {
  readonly limits: IsolateLimits;
  readonly #clock: Pick<Clock, "now">;
  readonly #room: number;
  readonly #accounts = new Map<string, Account>();
  /** Those with somebody who waits, the next one first. */
  readonly #turns = new Set<Account>();
  readonly #live = new Set<RequestBytes>();
  #leaders = 0;
  /** Held by all who do not lead. */
  #beside = 0;

  constructor(clock: Pick<Clock, "now">, limits: IsolateLimits = ISOLATE_LIMITS) {
    this.#clock = clock;
    this.limits = limits;
    this.#room = limits.bytes / LEADERS - limits.claim;
    if (this.#room <= 0)
      throw new RangeError("Cannot share an isolate's bytes: half of them are one request's");
  }

  /** Open the account of a request of this tenant, which holds nothing yet. */
  open(tenant: string, clock: Clock): RequestBytes {
    return new RequestBytes(this, tenant, clock);
  }

  /** All that is held at the moment. */
  get held(): number {
    let held = 0;
    for (const request of this.#live) held += request.held;
    return held;
  }

  /** The bytes that one tenant holds. */
  heldBy(tenant: string): number {
    let held = 0;
    for (const request of this.#live) if (request.tenant === tenant) held += request.held;
    return held;
  }

  /** Take bytes for a request at once; false where it has to wait for its turn. */
  take(request: RequestBytes, bytes: number, isSmall: boolean): boolean {
    const account = this.#accountOf(request.tenant);
    const isBehind = isSmall ? account.smallWaiting > 0 : account.queue.size > 0;
    const isTaken =
      account.leader === request ||
      (!isBehind && this.#fits(account, bytes, isSmall)) ||
      (account.queue.size === 0 && this.#lead(account, request));
    if (isTaken) this.#hold(account, request, bytes);
    else this.#tidy(account);
    return isTaken;
  }

  /** Wait in the tenant's queue; false where too many do. */
  enqueue(request: RequestBytes, waiter: Waiter): boolean {
    const account = this.#accountOf(request.tenant);
    if (account.waiting >= this.limits.waiting) return false;
    account.waiting += 1;
    if (waiter.isSmall) account.smallWaiting += 1;
    request.waiters.add(waiter);
    account.queue.add(request);
    this.#turns.add(account);
    this.#live.add(request);
    this.sweep();
    return true;
  }

  /** Leave the queue. */
  leave(request: RequestBytes, waiter: Waiter): void {
    const account = this.#accounts.get(request.tenant);
    if (account === undefined || !this.#unqueue(account, request, waiter)) return;
    this.#settle(account, request);
    this.#grant();
  }

  /** Give back bytes that are held no longer. */
  give(request: RequestBytes, bytes: number): void {
    const account = this.#accounts.get(request.tenant);
    if (account === undefined) return;
    request.held -= bytes;
    if (account.leader !== request) this.#addBeside(account, -bytes);
    this.#settle(account, request);
    this.#grant();
  }

  /** Forget requests that gave no sign of life, and let those go on who waited for them. */
  sweep(): void {
    if (this.#turns.size === 0) return;
    const now = this.#clock.now();
    for (const request of this.#live) {
      // A clock that was set back says nothing about anybody.
      if (now < request.seenAt) request.seenAt = now;
      if (now - request.seenAt >= LEASE_MS) this.#forget(request);
    }
    this.#grant();
  }

  /** Forget the bytes that a request held, and its places in the queue. */
  #forget(request: RequestBytes): void {
    const account = this.#accounts.get(request.tenant);
    if (account === undefined) return;
    for (const waiter of request.waiters) this.#unqueue(account, request, waiter);
    if (account.leader !== request) this.#addBeside(account, -request.held);
    request.held = 0;
    request.resting = 0;
    this.#settle(account, request);
  }

  /** Give out the free bytes, tenant by tenant, until no waiting request can have any of them. */
  #grant(): void {
    for (let isMore = true; isMore;) {
      isMore = false;
      const turns = Array.from(this.#turns);
      for (const account of turns) {
        if (!this.#grantOne(account)) continue;
        isMore = true;
        // A tenant that has just had a turn has the next one last.
        if (this.#turns.delete(account) && account.queue.size > 0) this.#turns.add(account);
      }
    }
  }

  /** Let one of a tenant's requests go on. */
  #grantOne(account: Account): boolean {
    const [first] = account.queue;
    if (first === undefined) {
      this.#turns.delete(account);
      return false;
    }
    for (const request of account.smallWaiting > 0 ? account.queue : [first])
      for (const waiter of request.waiters)
        if ((waiter.isSmall || request === first) && this.#fits(account, waiter.bytes, waiter.isSmall)) {
          this.#hold(account, request, waiter.bytes);
          this.#wake(account, request, waiter);
          return true;
        }
    this.#rest();
    if (!this.#lead(account, first)) return false;
    const waiters = Array.from(first.waiters);
    for (const waiter of waiters) {
      this.#hold(account, first, waiter.bytes);
      this.#wake(account, first, waiter);
    }
    return true;
  }

  #wake(account: Account, request: RequestBytes, waiter: Waiter): void {
    this.#unqueue(account, request, waiter);
    waiter.grant();
  }

  /** Take a call out of the queue, and its request with the last of its calls; false where it did not wait. */
  #unqueue(account: Account, request: RequestBytes, waiter: Waiter): boolean {
    if (!request.waiters.delete(waiter)) return false;
    account.waiting -= 1;
    if (waiter.isSmall) account.smallWaiting -= 1;
    if (request.waiters.size === 0) account.queue.delete(request);
    return true;
  }

  /** End the lead of requests that read nothing and whose bytes have room beside. */
  #rest(): void {
    for (const account of this.#accounts.values()) {
      const { leader } = account;
      if (leader === null || leader.resting < leader.held || !this.#fits(account, leader.held, false))
        continue;
      this.#addBeside(account, leader.held);
      this.#dethrone(account);
    }
  }

  #lead(account: Account, request: RequestBytes): boolean {
    if (account.leader !== null || this.#leaders === LEADERS) return false;
    account.leader = request;
    this.#leaders += 1;
    this.#addBeside(account, -request.held);
    return true;
  }

  #dethrone(account: Account): void {
    account.leader = null;
    this.#leaders -= 1;
  }

  #fits({ beside }: Account, bytes: number, isSmall: boolean): boolean {
    const room = this.#room * (isSmall ? 1 : LARGE_PART);
    return beside + bytes <= room && this.#beside + bytes <= LEADERS * room;
  }

  #hold(account: Account, request: RequestBytes, bytes: number): void {
    request.held += bytes;
    if (account.leader !== request) this.#addBeside(account, bytes);
    this.#live.add(request);
  }

  #addBeside(account: Account, bytes: number): void {
    account.beside += bytes;
    this.#beside += bytes;
  }

  /** Keep nothing of a request, or a tenant, that holds nothing and waits for nothing. */
  #settle(account: Account, request: RequestBytes): void {
    if (request.held > 0 || request.waiters.size > 0) return;
    if (account.leader === request) this.#dethrone(account);
    this.#live.delete(request);
    this.#tidy(account);
  }

  #tidy(account: Account): void {
    if (account.beside === 0 && account.leader === null && account.queue.size === 0)
      this.#accounts.delete(account.tenant);
  }

  #accountOf(tenant: string): Account {
    return getOrMake(this.#accounts, tenant, () => {
      const none = { beside: 0, waiting: 0, smallWaiting: 0 };
      return { tenant, leader: null, queue: new Set(), ...none };
    });
  }
}

/** The bytes that a tenant holds, and its requests that wait. */
interface Account {
  readonly tenant: string;
  leader: RequestBytes | null;
  /** Held by its requests that do not lead. */
  beside: number;
  /** Requests with calls that wait, in the order in which they began to. */
  readonly queue: Set<RequestBytes>;
  /** Calls that wait, and those of them that read small bodies. */
  waiting: number;
  smallWaiting: number;
}

interface Waiter {
  readonly bytes: number;
  readonly isSmall: boolean;
  readonly grant: () => void;
}

/** The bytes that one request holds of its isolate's. As long as it holds any, or waits, it says that it is alive. */
export class RequestBytes {
  readonly tenant: string;
  held = 0;
  /** The part of it that belongs to calls that are over: it does not grow any more. */
  resting = 0;
  seenAt: number;
  readonly waiters = new Set<Waiter>();
  readonly #isolate: IsolateBytes;
  readonly #clock: Clock;
  #isBeating = false;

  constructor(isolate: IsolateBytes, tenant: string, clock: Clock) {
    this.#isolate = isolate;
    this.tenant = tenant;
    this.#clock = clock;
    this.seenAt = clock.now();
  }

  /** The most that it may ever take besides what it holds. */
  get left(): number {
    return this.#isolate.limits.claim - this.held;
  }

  /** Take bytes at once; false where that needs a turn. */
  take(bytes: number, isSmall: boolean): boolean {
    // No request is promised more, and no budget has more.
    if (bytes > this.left) return false;
    this.#live();
    return this.#isolate.take(this, bytes, isSmall);
  }

  /** Take bytes when it is their turn; false where it never was. */
  async hold(bytes: number, isSmall: boolean, signal?: AbortSignal): Promise<boolean> {
    if (this.take(bytes, isSmall)) return true;
    const { granted, cancel } = this.wait(bytes, isSmall);
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) cancel();
    const isGranted = await granted;
    signal?.removeEventListener("abort", cancel);
    return isGranted;
  }

  /** Wait for bytes, no longer than `LIMITS.bytesWaitMs`. */
  wait(bytes: number, isSmall: boolean): Waiting {
    const { promise: granted, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = {
      bytes,
      isSmall,
      grant: () => {
        stopTimer();
        resolve(true);
      },
    };
    const cancel = (): void => {
      stopTimer();
      this.#isolate.leave(this, waiter);
      resolve(false);
    };
    const stopTimer = this.#clock.after(LIMITS.bytesWaitMs, cancel);
    this.#live();
    if (bytes > this.left || !this.#isolate.enqueue(this, waiter)) cancel();
    return { granted, cancel };
  }

  /** Give back bytes; no more than are counted, for a request that was taken for dead has nothing any more. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.held);
    this.seenAt = this.#clock.now();
    if (given > 0) this.#isolate.give(this, given);
    this.resting = Math.min(this.resting, this.held);
  }

  /** So many of its bytes belong to a call that is over. */
  rest(bytes: number): void {
    this.resting = Math.min(this.held, this.resting + bytes);
  }

  #live(): void {
    this.seenAt = this.#clock.now();
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.#clock.after(BEAT_MS, () => this.#beat());
  }

  #beat(): void {
    this.#isBeating = false;
    if (this.held === 0 && this.waiters.size === 0) return;
    this.#live();
    this.#isolate.sweep();
  }
}
