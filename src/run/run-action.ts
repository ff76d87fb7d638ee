import type { ProgressReport, ToolContext } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import type { Outcome } from "../contract/outcome.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import type { Clock } from "../kit/clock.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import { sleep } from "../kit/sleep.ts";
import type { Call } from "../plan/step.ts";
import type { ByteBudget } from "../egress/byte-budget.ts";
import { CallClock } from "../egress/call-clock.ts";
import type { CallPermits } from "./call-permits.ts";
import { type CallTrace, createEgress } from "../egress/egress.ts";
import { inDoubt, toFailedOutcome } from "../answer/failed-outcome.ts";
import type { Parallelism } from "../answer/parallelism.ts";
import type { Ports, RunOptions, ToolGates } from "../egress/ports.ts";
import type { TenantReads } from "../egress/read-cache.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { serialiseOutput } from "../answer/serialise-output.ts";
import { readSecret, redactHint, redactMessage, redactorOf } from "../egress/tool-secrets.ts";
import type { UpstreamHealth } from "../egress/upstream-health.ts";

/** What the actions of one request share. */
export interface RequestScope {
  readonly ports: Ports;
  readonly options: RunOptions;
  /** Calls that may wait for response headers at once. */
  readonly slots: Semaphore;
  readonly budget: ByteBudget;
  readonly toolGates: ToolGates;
  /** What the isolate has learned about its upstreams. */
  readonly health: UpstreamHealth;
  /** What the isolate remembers of the tenant's reads; null where nothing is to be. */
  readonly cache: TenantReads | null;
}

/** What to do with a write that was already sent when its batch stops. */
export type SentWrite = "wait" | "report-unknown";

/** An action under way. Its outcome never rejects. */
export interface Running {
  readonly outcome: Promise<Outcome>;
  /** Resolves when nothing of it is under way any more, which may be after its outcome was reported as unknown. */
  readonly finished: Promise<void>;
  /** False until it is dispatched: until then stopping it is certain to have sent nothing. */
  readonly started: boolean;
  /** Stop it: a read ends with `failure` now; a write that was sent is never torn off. */
  stop(failure: Failure, sentWrite: SentWrite): void;
}

/** One call of a tool, dispatched. */
export interface Action extends Running {
  /** Whether a request has left; until then nothing can have happened upstream. */
  readonly sent: boolean;
  /** What can be said of it by now. */
  readonly meta: Outcome["meta"];
}

export interface ActionOptions {
  readonly idempotencyKey: string;
  /** How often the tool may be called; more than once only if its contract allows a retry. */
  readonly maxAttempts: number;
  /** Time already spent waiting for a cap. */
  readonly queuedMs: number;
  /** Whether a job stands behind it, which counts, spaces and sends its attempts. Asked when it fails, as it may become one. */
  readonly isJob: () => boolean;
  /** Of a tool with global limits: the first attempt's permit is held, later ones ask for their own. */
  readonly permits?: CallPermits;
  /** Counts the call as long as it is under way. */
  readonly parallelism?: Parallelism;
  /** Told what the tool reports of its progress. */
  readonly onReport?: (report: ProgressReport) => void;
}

/** Call a tool: its clock starts now, it is retried where its contract allows, and it ends in exactly one outcome. */
export function startAction(call: Call, scope: RequestScope, options: ActionOptions): Action {
  return new ToolCall(call, scope, options);
}

class ToolCall implements Action {
  readonly outcome: Promise<Outcome>;
  readonly finished: Promise<void>;
  readonly started = true;
  readonly #call: Call;
  readonly #scope: RequestScope;
  readonly #options: ActionOptions;
  readonly #clock: CallClock;
  readonly #startedAt: number;
  readonly #trace: CallTrace = { sent: false, status: null, retryAfterMs: null };
  readonly #redact: (json: string) => string;
  readonly #resolve: (outcome: Outcome) => void;
  #attempts = 0;

  constructor(call: Call, scope: RequestScope, options: ActionOptions) {
    const { tool } = call;
    const { clock } = scope.ports;
    this.#call = call;
    this.#scope = scope;
    this.#options = options;
    this.#startedAt = clock.now();
    this.#clock = new CallClock(clock, call.timeoutMs);
    this.#redact = redactorOf(tool, scope.ports);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.outcome = promise;
    this.#resolve = resolve;

    const tellCache = scope.cache?.watch(call);
    if (options.maxAttempts > 1 && tool.orchestration.backoff !== undefined) scope.health.countCall(tool);
    options.parallelism?.enter();
    this.finished = this.#run(this.#makeContext()).then((result) => {
      this.#clock.stop();
      options.parallelism?.leave();
      options.permits?.release(this.#trace.retryAfterMs);
      tellCache?.(result);
      resolve(result);
    });
  }

  get sent(): boolean {
    return this.#trace.sent;
  }

  get meta(): Outcome["meta"] {
    const { pausedMs } = this.#clock;
    return {
      durationMs: Math.max(0, this.#scope.ports.clock.now() - this.#startedAt - pausedMs),
      queuedMs: this.#options.queuedMs + pausedMs,
      attempts: this.#attempts,
    };
  }

  stop(failure: Failure, sentWrite: SentWrite): void {
    if (!this.#call.tool.isWrite || !this.sent) this.#clock.end(failure);
    else if (sentWrite === "report-unknown")
      this.#resolve({ status: "unknown", error: inDoubt(failure, this.#maySendAgain), meta: this.meta });
  }

  #makeContext(): ToolContext {
    const { ports, slots, budget, options, health } = this.#scope;
    const { tool, timeoutMs } = this.#call;
    const { idempotencyKey, onReport } = this.#options;
    return {
      fetch: createEgress({
        tool,
        clock: this.#clock,
        time: ports.clock,
        slots,
        budget,
        fetch: ports.fetch,
        options,
        trace: this.#trace,
        health,
        hasItsTime: timeoutMs >= tool.timeoutMs,
      }),
      secret: (name) => readSecret(tool, name, ports),
      idempotencyKey,
      signal: this.#clock.signal,
      report: onReport === undefined ? unheard : (report) => onReport(redactMessage(report, this.#redact)),
    };
  }

  async #run(context: ToolContext): Promise<Outcome> {
    const { tool, args } = this.#call;
    const { ports, health } = this.#scope;
    const { permits, isJob, maxAttempts } = this.#options;
    const clock = this.#clock;
    const run = (): Promise<unknown> => clock.orEnd(tool.run(args, context));
    for (;;) {
      this.#attempts += 1;
      try {
        const output = await (permits === undefined ? run() : runUnder(permits, run, clock, ports.clock));
        return this.#succeed(output);
      } catch (error) {
        const failure = toFailure(error);
        permits?.release(this.#trace.retryAfterMs);
        this.#trace.retryAfterMs = null;
        const delayMs = retryDelayMs(failure, {
          tool,
          attempts: this.#attempts,
          maxAttempts: isJob() ? 1 : maxAttempts,
          ports,
        });
        if (delayMs === null || clock.ended !== null || delayMs >= clock.remainingMs)
          return this.#fail(failure);
        if (!health.takeRetry(tool)) return this.#fail(failure);
        try {
          await sleep(ports.clock, delayMs, clock.signal);
        } catch {
          return this.#fail(failure);
        }
        if (permits !== undefined && !(await takeAnother(permits, clock))) return this.#fail(failure);
      }
    }
  }

  #succeed(output: unknown): Outcome {
    const written = serialiseOutput(output);
    const json = this.#redact(written.json);
    const data = json === written.json ? output : JSON.parse(json);
    return { status: "success", data, json, meta: { ...this.meta, bytes: written.bytes } };
  }

  #fail(failure: Failure): Outcome {
    const trace = this.#trace;
    // The last attempt was not made: an open breaker kept it in here.
    if (failure.code === "CIRCUIT_OPEN") this.#attempts = trace.sent ? Math.max(1, this.#attempts - 1) : 0;
    return toFailedOutcome(redactHint(failure, this.#redact), {
      tool: this.#call.tool,
      trace,
      maySendAgain: this.#maySendAgain,
      meta: this.meta,
    });
  }

  /**
   * A job is sent again by us, under the same key. A caller's next batch has another key, so only a write that needs none
   * is safe there.
   */
  get #maySendAgain(): boolean {
    const { tool } = this.#call;
    return this.#options.isJob() ? tool.repeatable : tool.idempotent;
  }
}

/** Run an attempt no longer than its permit lasts: what it waits for header slots counts for that too. */
async function runUnder(
  permits: CallPermits,
  run: () => Promise<unknown>,
  callClock: CallClock,
  clock: Clock,
): Promise<unknown> {
  const hint = "The call waited too long for others of its batch; ask for less at once.";
  const over = makeFailure("OVERLOADED", { hint });
  const cancel = clock.after(permits.leftMs, () => callClock.end(over));
  try {
    return await run();
  } finally {
    cancel();
  }
}

/** Wait for the next attempt's permit, in nobody's time; false when there is none, or the call was ended meanwhile. */
async function takeAnother(permits: CallPermits, callClock: CallClock): Promise<boolean> {
  callClock.pause();
  const stopListening = callClock.onEnd(() => permits.release());
  const denied = await permits.take();
  stopListening();
  callClock.resume();
  return denied === null && callClock.ended === null;
}

/** The catch around a tool call: what it threw on purpose, or a bug of its author. */
function toFailure(error: unknown): Failure {
  if (error instanceof ToolFailure) return error.failure;
  return makeFailure("TOOL_FAILED", {
    hint: "The tool broke while it ran; trying the same arguments again will not help.",
  });
}

/** Where a report goes that nobody asked for. */
function unheard(): void {}
