import type { Clock } from "../../src/core/kit/clock.ts";
import type { Ports } from "../../src/core/egress/ports.ts";

/** A request as it reached the network. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly redirect: string | undefined;
  readonly signal: AbortSignal;
}

/** A network with one scripted answer. Like the real one it rejects the moment a request's signal aborts. */
export class FakeUpstream {
  readonly requests: OutgoingRequest[] = [];
  /** The most requests that were without headers at one moment. */
  maxWaiting = 0;
  #waiting = 0;
  readonly #answer: (request: OutgoingRequest) => Response | Promise<Response>;

  constructor(answer: (request: OutgoingRequest) => Response | Promise<Response>) {
    this.#answer = answer;
  }

  readonly fetch: Ports["fetch"] = async (url, init) => {
    const request = {
      url,
      method: init.method ?? "GET",
      headers: new Headers(init.headers),
      body: init.body as string | undefined,
      redirect: init.redirect,
      // A request that may linger has none.
      signal: init.signal ?? new AbortController().signal,
    };
    this.requests.push(request);
    this.#waiting += 1;
    this.maxWaiting = Math.max(this.maxWaiting, this.#waiting);
    try {
      return await Promise.race([this.#answer(request), aborted(request.signal)]);
    } finally {
      this.#waiting -= 1;
    }
  };
}

/** An upstream that never sends headers. */
export function silence(): Promise<never> {
  return new Promise(() => {});
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")), { once: true });
  });
}

/** A step after which nothing ever comes. */
export const STALL = Symbol("stall");

/** The next step of a body: give a chunk, stay silent for a while, stall for good, or break. */
export type BodyStep = Uint8Array | string | { readonly waitMs: number } | typeof STALL | Error;

/** A body that gives what its script says, only when asked, and counts what was taken from it. */
export class FakeBody {
  readonly stream: ReadableStream<Uint8Array>;
  bytesRead = 0;
  chunksRead = 0;
  cancelled = false;

  constructor(steps: Iterable<BodyStep>, clock?: Clock) {
    const script = steps[Symbol.iterator]();
    this.stream = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          for (;;) {
            const { done, value: step } = script.next();
            if (done === true) return controller.close();
            if (step === STALL) return new Promise(() => {});
            if (step instanceof Error) return controller.error(step);
            if (typeof step === "string" || step instanceof Uint8Array) {
              const chunk = typeof step === "string" ? new TextEncoder().encode(step) : step;
              this.bytesRead += chunk.byteLength;
              this.chunksRead += 1;
              return controller.enqueue(chunk);
            }
            await new Promise<void>((resolve) => void clock?.after(step.waitMs, resolve));
          }
        },
        cancel: () => {
          this.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
  }
}
