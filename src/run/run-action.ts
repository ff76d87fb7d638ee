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
  /** False while it waits for something before it is dispatched: until then stopping it is certain to have sent nothing. */
  readonly started?: boolean;
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
  const { tool } = call;
  const { permits } = options;
  const { clock } = scope.ports;
  const startedAt = clock.now();
  const callClock = new CallClock(clock, call.timeoutMs);
  const trace: CallTrace = { sent: false, status: null, retryAfterMs: null };
  const redact = redactorOf(tool, scope.ports);
  const tellCache = scope.cache?.watch(call);
  let attempts = 0;

  const meta = (): Outcome["meta"] => ({
    durationMs: Math.max(0, clock.now() - startedAt - callClock.pausedMs),
    queuedMs: options.queuedMs + callClock.pausedMs,
    attempts,
  });
  // A job is sent again by us, under the same key. A caller's next batch has another key, so only a write that needs none
  // is safe there.
  const maySendAgain = (): boolean => (options.isJob() ? tool.repeatable : tool.idempotent);
  const fail = (failure: Failure): Outcome => {
    // The last attempt was not made: an open breaker kept it in here.
    if (failure.code === "CIRCUIT_OPEN") attempts = trace.sent ? Math.max(1, attempts - 1) : 0;
    return toFailedOutcome(redactHint(failure, redact), {
      tool,
      trace,
      maySendAgain: maySendAgain(),
      meta: meta(),
    });
  };

  const context: ToolContext = {
    fetch: createEgress({
      tool,
      clock: callClock,
      time: clock,
      slots: scope.slots,
      budget: scope.budget,
      fetch: scope.ports.fetch,
      options: scope.options,
      trace,
      health: scope.health,
      hasItsTime: call.timeoutMs >= tool.timeoutMs,
    }),
    secret: (name) => readSecret(tool, name, scope.ports),
    idempotencyKey: options.idempotencyKey,
    signal: callClock.signal,
  };

  if (options.maxAttempts > 1 && tool.orchestration.backoff !== undefined) scope.health.countCall(tool);

  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
  const run = (): Promise<unknown> => callClock.orEnd(tool.run(call.args, context));
  const attempt = async (): Promise<Outcome> => {
    for (;;) {
      attempts += 1;
      try {
        const output = await (permits === undefined ? run() : runUnder(permits, run, callClock, clock));
        const written = serialiseOutput(output);
        const json = redact(written.json);
        const data = json === written.json ? output : JSON.parse(json);
        return { status: "success", data, json, meta: { ...meta(), bytes: written.bytes } };
      } catch (error) {
        const failure = toFailure(error);
        permits?.release(trace.retryAfterMs);
        trace.retryAfterMs = null;
        const maxAttempts = options.isJob() ? 1 : options.maxAttempts;
        const delayMs = retryDelayMs(failure, tool, attempts, maxAttempts, scope.ports);
        if (delayMs === null || callClock.ended !== null || delayMs >= callClock.remainingMs)
          return fail(failure);
        if (!scope.health.takeRetry(tool)) return fail(failure);
        try {
          await sleep(clock, delayMs, callClock.signal);
        } catch {
          return fail(failure);
        }
        if (permits !== undefined && !(await takeAnother(permits, callClock))) return fail(failure);
      }
    }
  };
  const finished = attempt().then((result) => {
    callClock.stop();
    permits?.release(trace.retryAfterMs);
    tellCache?.(result);
    resolve(result);
  });

  return {
    outcome,
    finished,
    get sent() {
      return trace.sent;
    },
    get meta() {
      return meta();
    },
    stop(failure, sentWrite) {
      if (!tool.isWrite || !trace.sent) callClock.end(failure);
      else if (sentWrite === "report-unknown")
        resolve({ status: "unknown", error: inDoubt(failure, maySendAgain()), meta: meta() });
    },
  };
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
