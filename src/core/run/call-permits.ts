import type { Tool } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import type { GlobalLimits, PermitAnswer, PermitDenial } from "../contract/gate/permit.ts";
import { attempt } from "../kit/result.ts";
import type { Call } from "../plan/step.ts";
import type { Ports, ToolGates } from "../egress/ports.ts";
import type { CallScope } from "./call-scope.ts";
import type { Ticket } from "./ticket.ts";

/** How a call gets its permits. */
export interface CallPermitsOptions {
  readonly ports: Ports;
  readonly toolGates: ToolGates;
  /** The time that the call may take once it has a permit. */
  readonly timeoutMs: number;
  /** When waiting makes no sense any more, in the clock's milliseconds. */
  readonly waitUntilMs: number;
}

/**
 * The permits of one call to a tool with global limits, one at a time: each attempt has its own, because each is a call
 * to the upstream, and a place must not be held through the pause between two.
 *
 * Nothing depends on a permit being given back: it ends by its time. So a call must not outlive it either; `leftMs` is
 * what it may still take, by the asker's own clock and counted from the earliest moment the grant can have been made.
 */
export class CallPermits {
  readonly #tool: Tool;
  readonly #limits: GlobalLimits;
  readonly #options: CallPermitsOptions;
  /** The question that was asked last, while it waits or holds. */
  #id: string | null = null;
  #holds = false;
  #endsAtMs = 0;
  #leave: () => void = () => {};

  constructor(tool: Tool, limits: GlobalLimits, options: CallPermitsOptions) {
    this.#tool = tool;
    this.#limits = limits;
    this.#options = options;
  }

  /** How long the permit that is held still lasts. */
  get leftMs(): number {
    return this.#endsAtMs - this.#options.ports.clock.now();
  }

  /** Wait for a permit: null when it is held, otherwise why there is none. Never rejects. */
  async take(): Promise<Failure | null> {
    const { ports, toolGates, timeoutMs, waitUntilMs } = this.#options;
    const { name } = this.#tool;
    const id = ports.newId();
    const askedAtMs = ports.clock.now();
    const holdMs = timeoutMs + LIMITS.permitMarginMs;
    const waitMs = Math.max(0, waitUntilMs - askedAtMs);
    this.#id = id;
    this.#holds = false;
    const left = new Promise<null>((resolve) => (this.#leave = () => resolve(null)));
    const asked = attempt(() => toolGates.acquire(name, { id, limits: this.#limits, waitMs, holdMs }));
    const told = await Promise.race([asked, left]);
    const answer = told?.ok === true ? told.value : null;

    if (this.#id !== id) {
      // The message that we left may have come before the question did.
      void asked.then((late) => {
        if (late.ok && late.value.granted) toolGates.release(name, id, null);
      });
      return makeFailure("CANCELLED");
    }
    if (answer?.granted === false) {
      this.#id = null;
      return toFailure(answer, this.#limits);
    }
    if (answer !== null) {
      this.#holds = true;
      this.#endsAtMs = this.#isCounted ? askedAtMs + answer.waitedMs + holdMs : Number.POSITIVE_INFINITY;
      if (this.leftMs > 0) return null;
    }
    this.release();
    return makeFailure("OVERLOADED", {
      hint: "The counter of this tool's calls did not answer; nothing was sent. Try this action again.",
    });
  }

  /**
   * Give back what is held, or stop waiting for it.
   *
   * @param retryAfterMs how long the upstream asked to be left alone; null when it did not
   */
  release(retryAfterMs: number | null = null): void {
    const id = this.#id;
    if (id === null) return;
    this.#id = null;
    this.#leave();
    // A permit of a rate is used up by being granted.
    if (!this.#holds || this.#isCounted || retryAfterMs !== null)
      this.#options.toolGates.release(this.#tool.name, id, retryAfterMs);
  }

  get #isCounted(): boolean {
    return this.#limits.concurrency !== null;
  }
}

interface PermitWait {
  readonly scope: CallScope;
  readonly limits: GlobalLimits;
  /** When waiting makes no sense any more, in the clock's milliseconds. */
  readonly waitUntilMs: number;
  readonly begin: (permits: CallPermits) => void;
}

/**
 * Let a call of a tool with global limits begin once it has a permit. Until then it has not started: stopping it gives its
 * place in the queue up, and nothing was sent.
 */
export async function awaitPermit(
  ticket: Ticket,
  { tool, timeoutMs }: Call,
  { scope, limits, waitUntilMs, begin }: PermitWait,
): Promise<void> {
  const { clock } = scope.ports;
  const askedAt = clock.now();
  const permits = new CallPermits(tool, limits, { ...scope, timeoutMs, waitUntilMs });
  const fail = (error: Failure): void =>
    ticket.end({ status: "error", error, meta: { queuedMs: clock.now() - askedAt, sentNothing: true } });
  ticket.hold((failure) => {
    fail(failure);
    permits.release();
  });
  const denied = await permits.take();
  if (ticket.isOver) return permits.release();
  ticket.hold(null);
  if (denied !== null) return fail(denied);
  ticket.queuedMs += clock.now() - askedAt;
  begin(permits);
}

function toFailure(
  { reason, retryAfterMs }: PermitAnswer & { granted: false },
  { concurrency }: GlobalLimits,
): Failure {
  const when = retryAfterMs === null ? "later" : `in ${Math.ceil(retryAfterMs)} ms`;
  const why: Readonly<Record<PermitDenial, string>> = {
    rate: "This tool's rate limit, which all callers share, has no room in time",
    paused: "The service asked all callers to wait",
    busy: `At most ${concurrency} calls of this tool run at once for all callers, and none ended in time`,
    full: "Too many calls of this tool are waiting already",
  };
  return makeFailure(reason === "rate" || reason === "paused" ? "RATE_LIMITED" : "OVERLOADED", {
    ...(retryAfterMs !== null && { retryAfterMs }),
    hint: `${why[reason]}; try this action again ${when}.`,
  });
}
