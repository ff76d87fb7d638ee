import type { Clock } from "../../../src/core/kit/clock.ts";

interface Event {
  readonly at: number;
  readonly order: number;
  run: (() => void) | null;
}

/**
 * Virtual time, event by event: what was set first for the earliest time runs first, and every promise reaction that it causes
 * runs before the next. A heap, because thousands of timers are set at once.
 */
export class EventQueue implements Clock {
  #now = START_MS;
  #order = 0;
  #events = 0;
  readonly #heap: Event[] = [];

  /** Whole milliseconds, as the platform's clock shows them. */
  now(): number {
    return Math.floor(this.#now);
  }

  /** Seconds since the beginning. */
  get elapsedS(): number {
    return (this.#now - START_MS) / 1_000;
  }

  /** Events that have run. */
  get events(): number {
    return this.#events;
  }

  after(delayMs: number, callback: () => void): () => void {
    const event: Event = { at: this.#now + Math.max(0, delayMs), order: (this.#order += 1), run: callback };
    this.#push(event);
    return () => {
      event.run = null;
    };
  }

  /** Run what falls due in the next `seconds`. */
  async run(seconds: number): Promise<void> {
    const end = this.#now + seconds * 1_000;
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      this.#pop();
      if (next.run === null) continue;
      this.#now = next.at;
      this.#events += 1;
      next.run();
      await settle();
    }
    this.#now = end;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

const START_MS = 1_800_000_000_000;

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Node runs what is put here when no promise reaction is left, and does not look at sockets in between. */
declare const process: { nextTick(callback: () => void): void };

function settle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
