import type { Tool, ToolContext } from "../catalog/define-tool.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Outcome } from "../contract/outcome.ts";
import { ToolFailure } from "../contract/tool-failure.ts";
import { backoffMs } from "../kit/backoff.ts";
import type { Clock } from "../kit/clock.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import { sleep } from "../kit/sleep.ts";
import type { Call } from "../plan/step.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { CallClock } from "./call-clock.ts";
import type { CallPermits } from "./call-permits.ts";
import { type CallTrace, createEgress } from "./egress.ts";
import type { Ports, RunOptions, ToolGates } from "./ports.ts";
import type { TenantReads } from "./read-cache.ts";
import { createRedactor } from "./redact.ts";
import { serialiseOutput } from "./serialise-output.ts";
import type { UpstreamHealth } from "./upstream-health.ts";

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
    this.finished = this.#run(this.#makeContext()).then((result) => {
      this.#clock.stop();
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
      idempotencyKey: this.#options.idempotencyKey,
      signal: this.#clock.signal,
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
        const delayMs = retryDelayMs(failure, tool, this.#attempts, isJob() ? 1 : maxAttempts, ports);
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

/**
 * Say what a failure means. A write that was sent and not clearly refused may have happened: that is `unknown`, so
 * nobody repeats it blindly. A write that is not idempotent is never called retryable once it was sent, except when
 * the upstream turned it away for its rate.
 */
function toFailedOutcome(failure: Failure, { tool, trace, maySendAgain, meta }: FailedCall): Outcome {
  if (!tool.isWrite || !trace.sent) return { status: "error", error: failure, meta };
  // A redirect says nothing about whether the request before it took effect.
  const refused = trace.status !== null && trace.status >= 400;
  if (!refused) return { status: "unknown", error: inDoubt(failure, maySendAgain), meta };
  if (maySendAgain || failure.code === "RATE_LIMITED") return { status: "error", error: failure, meta };
  return { status: "error", error: failure.retryable ? inDoubt(failure, false) : failure, meta };
}

interface FailedCall {
  readonly tool: Tool;
  readonly trace: CallTrace;
  /** Whether whoever reads of the failure may send the write again. */
  readonly maySendAgain: boolean;
  readonly meta: Outcome["meta"];
}

/** A failure after which nobody knows whether the write took effect: what to do about that matters more than its cause. */
function inDoubt(failure: Failure, maySendAgain: boolean): Failure {
  const hint = maySendAgain
    ? "It was sent, and whether it took effect is not known; sending it again is safe."
    : "It was sent, and whether it took effect is not known: look before you send it again.";
  return { ...failure, retryable: maySendAgain, hint };
}

/** How long to wait before trying again, or null when the contract does not allow it. */
function retryDelayMs(
  failure: Failure,
  tool: Tool,
  attempts: number,
  maxAttempts: number,
  ports: Ports,
): number | null {
  const { backoff } = tool.orchestration;
  if (backoff === undefined || attempts >= maxAttempts || !failure.retryable || !tool.repeatable) return null;
  // Whoever waits for the probe would only add to what comes after it.
  if (failure.code === "CIRCUIT_OPEN") return null;
  const delayMs = backoffMs({
    attempt: attempts,
    initialMs: backoff.initial_ms,
    maxMs: LIMITS.jobBackoffMaxMs,
    random: ports.random(),
  });
  return Math.max(delayMs, failure.retryAfterMs ?? 0);
}

function readSecret(tool: Tool, name: string, ports: Ports): string {
  if (!tool.secrets.includes(name))
    throw new Error(`Cannot read secret '${name}': tool '${tool.name}' does not declare it`);
  const value = ports.secret(name);
  if (value === undefined) throw new ToolFailure("MISCONFIGURED", missingSecret(name));
  return value;
}

/** What to say when a secret is not set: its name is for the operator, its value is nobody's. */
export function missingSecret(name: string): { readonly hint: string } {
  return {
    hint: `The deployment has no secret ${name}; its operator has to set it. Do without this tool until then.`,
  };
}

const redactors = new WeakMap<
  Tool,
  { readonly values: readonly string[]; readonly redact: (json: string) => string }
>();

function redactorOf(tool: Tool, ports: Ports): (json: string) => string {
  const cached = redactors.get(tool);
  const values = tool.secrets.map((name) => ports.secret(name) ?? "");
  if (cached !== undefined && cached.values.every((value, index) => value === values[index]))
    return cached.redact;
  const redact = createRedactor(values);
  redactors.set(tool, { values, redact });
  return redact;
}

function redactHint(failure: Failure, redact: (json: string) => string): Failure {
  if (failure.hint === undefined) return failure;
  return { ...failure, hint: JSON.parse(redact(JSON.stringify(failure.hint))) as string };
}
