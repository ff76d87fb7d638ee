import type { Release, Semaphore } from "../kit/semaphore.ts";
import type { CallClock } from "./call-clock.ts";

/**
 * The shared header slots as one call sees them: waiting for one stops the call's clock.
 *
 * It stops only while every request of the call waits. If it stopped with one of them under way, a call that holds all
 * slots itself would wait for its own requests, whose timeouts could never come.
 */
export class HeaderSlots {
  readonly #slots: Semaphore;
  readonly #clock: CallClock;
  #active = 0;
  #waiting = 0;

  constructor(slots: Semaphore, clock: CallClock) {
    this.#slots = slots;
    this.#clock = clock;
  }

  /** Count a request of the call from here to the end of `work`. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Count a request of the call that is under way. */
  enter(): void {
    this.#active += 1;
  }

  /** Count it no more. */
  leave(): void {
    this.#active -= 1;
    this.#update();
  }

  /** Take a slot, at once or in turn. Rejects with the clock's failure when the call ends first. */
  acquire(): Promise<Release> {
    const immediate = this.#slots.tryAcquire();
    return immediate === null ? this.#wait() : Promise.resolve(immediate);
  }

  /** Do `work` while holding a slot. */
  async holding<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  #wait(): Promise<Release> {
    this.#active -= 1;
    this.#waiting += 1;
    this.#update();
    const goOn = (): void => {
      this.#active += 1;
      this.#waiting -= 1;
      this.#update();
    };
    return this.#slots.acquireUntil((leave) => this.#clock.onEnd(leave), goOn);
  }

  #update(): void {
    if (this.#waiting > 0 && this.#active === 0) this.#clock.pause();
    else this.#clock.resume();
  }
}
