import type { ProgressReport, Tool, ToolAccount, ToolContext, ToolLog } from "../catalog/define-tool.ts";
import { AnsweredFailure, ToolFailure } from "../catalog/tool-failure.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { parseExact } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import type { LogLine, Outcome, Try } from "../contract/outcome.ts";
import { attempt } from "../kit/result.ts";
import { sleep } from "../kit/sleep.ts";
import type { Call } from "../plan/step.ts";
import { inDoubt, isRefused, toFailedOutcome } from "../answer/failed-outcome.ts";
import { serialiseOutput } from "../answer/serialise-output.ts";
import { CallClock } from "../egress/call-clock.ts";
import { type CallTrace, createEgress } from "../egress/egress.ts";
import { CallBytes } from "../egress/byte-budget.ts";
import {
  LookupFailure,
  lookUpSecrets,
  readBinding,
  readSecret,
  redactAlso,
  redactFailure,
  redactMessage,
  redactorOf,
  signWithSecret,
} from "../egress/tool-secrets.ts";
import type { SpanAttributes } from "../egress/ports.ts";
import { traceFetch } from "../observe/traced-fetch.ts";
import type { CallStart, Connected, KeptOutput } from "../gate/execution.ts";
import type { CallPermits } from "./call-permits.ts";
import { type CallScope, type Parallelism, requestOf } from "./call-scope.ts";
import { retryDelayMs } from "./retry-delay.ts";
import type { CallState, SentWrite, Ticket } from "./ticket.ts";
import { createToolLog, logBug, type LoggedCall, logLookup, logToolBug } from "./tool-log.ts";

export interface CallOptions {
  readonly scope: CallScope;
  /** Made when the tool asks for it. */
  readonly idempotencyKey: () => string;
  /** How often the tool may be called; more than once only if its contract allows a retry. */
  readonly maxAttempts: number;
  /** For a tool with global limits: the first attempt's permit is held, later ones ask for their own. */
  readonly permits?: CallPermits | undefined;
  /** Told what the tool returned. */
  readonly onOutput?: ((output: KeptOutput) => void) | undefined;
  /** Its output is looked at once and then let go. */
  readonly isLook?: boolean;
  /** Told when an attempt leaves its queues. */
  readonly onTry?: ((start: Omit<CallStart, "element">) => void) | undefined;
}

/** Call a tool: its clock starts now, it is retried where its contract allows, and its ticket ends in exactly one outcome. */
export function callTool(ticket: Ticket, call: Call, options: CallOptions): void {
  new ToolCall(ticket, call, options).begin();
}

/**
 * The part of its call that a tool sees. Each part is made when the tool asks for it, since most ask for `fetch` and nothing
 * else; each may be taken out of the context and used alone.
 */
class CallContext implements ToolContext {
  readonly #call: ToolCall;
  #fetch: ToolContext["fetch"] | undefined;

  constructor(call: ToolCall) {
    this.#call = call;
  }

  get fetch() {
    return (this.#fetch ??= this.#call.openEgress());
  }

  get secret() {
    return (name: string) => this.#call.secret(name);
  }

  get sign() {
    return (name: string, text: string) => this.#call.sign(name, text);
  }

  get binding() {
    const bind = (name: string): object => this.#call.bind(name);
    return bind as ToolContext["binding"];
  }

  get hold() {
    return (bytes: number) => this.#call.hold(bytes);
  }

  get connection() {
    return (connector: string) => this.#call.connected?.open(connector, this) ?? NOT_CONNECTED;
  }

  get caller() {
    const { tenant, key, account } = this.#call.scope.origin;
    return { tenant, key, ...(account !== undefined && { subject: account.subject }) };
  }

  get log() {
    return this.#call.log;
  }

  get idempotencyKey() {
    return this.#call.idempotencyKey;
  }

  get runId() {
    return this.#call.scope.runId?.();
  }

  get conceal() {
    return (secret: string) => this.#call.conceal(secret);
  }

  get request() {
    return requestOf(this.#call.scope);
  }

  // A signal costs more than the rest of this.
  get signal() {
    return this.#call.clock.signal;
  }

  get time() {
    const { clock, scope } = this.#call;
    const { clock: time } = scope.ports;
    return {
      now: () => time.now(),
      askedAt: () => this.#call.askedAt,
      leftMs: () => clock.remainingMs,
      sleep: (ms: number) => sleep(time, ms, clock.signal),
    };
  }

  get report() {
    return (report: ProgressReport) => this.#call.report(report);
  }
}

/** In a Worker where no account is connected, for a tool that runs without one too. */
const NOT_CONNECTED: ToolAccount = {
  isConnected: false,
  account: null,
  accountId: null,
  site: null,
  fetch: () => Promise.reject(new ToolFailure("CONNECTION_REQUIRED")),
};

class ToolCall implements CallState {
  readonly #ticket: Ticket;
  readonly #call: Call;
  readonly #scope: CallScope;
  readonly #options: CallOptions;
  readonly #clock: CallClock;
  readonly #startedAt: number;
  readonly #trace: CallTrace = { sent: false, reached: false, status: null, retryAfterMs: null };
  readonly #held: CallBytes;
  #redact: (json: string) => string;
  /** The secrets as they are for this caller; null where they are the deployment's. */
  #secrets: ReadonlyMap<string, string> | null = null;
  /** The accounts that it may use; undefined where it uses none. */
  connected: Connected | undefined;
  /** The tool was given a binding, or runs and acts without any: what it does leaves no trace here. */
  #isBound = false;
  #log: ToolLog | undefined;
  /** The first lines of its log, as they were written. */
  #lines: LogLine[] | undefined;
  #attempts = 0;
  /** When its present attempt was made, less what the call had waited for slots by then. */
  #triedAt: number;
  /** The attempts that failed; null without any. */
  #failed: Try[] | null = null;

  constructor(ticket: Ticket, call: Call, options: CallOptions) {
    const { scope } = options;
    const { clock } = scope.ports;
    this.#ticket = ticket;
    this.#call = call;
    this.#scope = scope;
    this.#options = options;
    this.#startedAt = this.#triedAt = clock.now();
    // The time of a job's attempt is cut for other reasons than an action's wish.
    const isOwn = call.timeoutMs < call.tool.timeoutMs && !ticket.isJob;
    this.#clock = new CallClock(clock, call.timeoutMs, isOwn ? "timeout_ms" : "tool");
    this.#redact = call.tool.secrets.length === 0 ? asItIs : redactorOf(call.tool, scope.ports.secret);
    this.#held = new CallBytes(
      scope.budget,
      call.tool.isWrite,
      call.tool.secrets.length === 0 && call.tool.accounts === undefined ? 1 : 2,
    );
  }

  get sent(): boolean {
    return this.#trace.sent || this.#isBound;
  }

  get meta(): Outcome["meta"] {
    const { pausedMs } = this.#clock;
    const now = this.#scope.ports.clock.now();
    const durationMs = Math.max(0, now - this.#startedAt - pausedMs);
    const failed = this.#failed;
    const meta = {
      startedMs: failed?.[0]!.started_ms ?? this.#sinceStart(now - durationMs),
      durationMs,
      queuedMs: this.#ticket.queuedMs + pausedMs,
      attempts: this.#attempts,
      ...(this.connected !== undefined && { accounts: this.connected.accountIds }),
      ...(this.#lines !== undefined && { log: this.#readLines(this.#lines) }),
    };
    if (failed === null || this.#attempts < 2) return meta;
    // An attempt that a breaker kept in here was not made.
    return { ...meta, tries: [...failed, this.#toTry()].slice(0, this.#attempts) };
  }

  /** The secrets may have become more since a line was written. */
  #readLines(lines: readonly LogLine[]): readonly LogLine[] {
    return JSON.parse(this.#redact(JSON.stringify(lines))) as LogLine[];
  }

  /** The present attempt by now. Its waits for slots count as if they came before its start. */
  #toTry(code?: string): Try {
    const now = this.#scope.ports.clock.now();
    const durationMs = Math.max(0, now - this.#triedAt - this.#clock.pausedMs);
    return { started_ms: this.#sinceStart(now - durationMs), duration_ms: durationMs, code };
  }

  #sinceStart(at: number): number {
    return Math.max(0, at - (this.#scope.startedAt ?? at));
  }

  begin(): void {
    const { tool } = this.#call;
    this.#ticket.call = this;
    this.#ticket.hold((failure, sentWrite) => this.#stop(failure, sentWrite));
    this.#ticket.start();
    const { parallelism } = this.#scope;
    if (parallelism !== undefined) enter(parallelism);
    if (this.#options.maxAttempts > 1 && tool.orchestration.backoff !== undefined)
      this.#scope.health.countCall(tool, this.#scope.origin.tenant);
    const redact = (json: string): string => this.#redact(json);
    orBreak(this.#run(this.#scope.cache?.watch(this.#call)), this.#ticket, {
      tool,
      scope: this.#scope,
      redact,
    });
  }

  #stop(failure: Failure, sentWrite: SentWrite): void {
    if (!this.#call.tool.isWrite || !this.sent) this.#clock.end(failure);
    else if (sentWrite === "report-unknown") {
      const error = inDoubt(failure, this.#maySendAgain);
      this.#ticket.settle({ status: "unknown", error, meta: this.meta });
    }
  }

  async #run(tellCache: ((outcome: Outcome) => void) | undefined): Promise<void> {
    const { secrets, accounts } = this.#call.tool;
    const looksUp = this.#scope.ports.secretOf !== undefined && secrets.length > 0;
    const connects = accounts !== undefined && this.#scope.beforeCall !== undefined;
    let outcome = looksUp || connects ? await this.#prepare(looksUp) : null;
    // In one function: a promise for each step costs as much as the step.
    for (const context = new CallContext(this); outcome === null;)
      try {
        outcome = this.#succeed(await this.#attempt(context));
      } catch (error) {
        outcome = await this.#failAttempt(error);
      }
    this.#clock.close();
    if (this.#scope.parallelism !== undefined) leave(this.#scope.parallelism);
    this.#options.permits?.release(this.#trace.retryAfterMs);
    tellCache?.(outcome);
    this.#held.end(this.#outputBytes(outcome));
    this.#ticket.end(outcome);
  }

  /** Fetch the caller's own secrets, and the accounts that it uses, once and in the call's time; how it ends where that fails, else null. */
  async #prepare(looksUp: boolean): Promise<Outcome | null> {
    const { tool } = this.#call;
    const { ports, origin, beforeCall } = this.#scope;
    const fetchAll = async (): Promise<void> => {
      if (looksUp) {
        const found = (this.#secrets = await lookUpSecrets(tool, origin, ports));
        this.#redact = redactorOf(tool, (name) => found.get(name));
      }
      if (tool.accounts === undefined || beforeCall === undefined) return;
      this.connected = await beforeCall({ tool, origin, ports });
      for (const secret of this.connected.secrets) this.conceal(secret);
    };
    const fetched = await attempt(() => this.#clock.orEnd(fetchAll()));
    if (fetched.ok) return null;
    if (fetched.error instanceof LookupFailure) logLookup(fetched.error, this.#logged);
    return this.#fail(toFailure(fetched.error));
  }

  /** The facts of this call in a line of the log, which are passed on the way. */
  get #logged(): LoggedCall {
    // Every line is redacted anew: the secrets may become more while the tool runs.
    const redact = (json: string): string => this.#redact(json);
    return { tool: this.#call.tool.name, scope: this.#scope, redact };
  }

  /** The bytes of the output that go on being held: a job's output goes to its object, and a look's findings are seen once. */
  #outputBytes({ meta }: Outcome): number {
    return this.#ticket.isJob || this.#options.isLook === true ? 0 : (meta.bytes ?? 0);
  }

  /** The one `fetch` of this call. */
  openEgress(): ToolContext["fetch"] {
    const { ports, slots, idle, options, health, onOpened, mayLinger, origin } = this.#scope;
    const { tool, timeoutMs } = this.#call;
    return createEgress({
      tool,
      clock: this.#clock,
      time: ports.clock,
      slots,
      idle,
      held: this.#held,
      fetch: ports.inSpan === undefined ? ports.fetch : traceFetch(ports, () => this.#traced),
      options,
      trace: this.#trace,
      health,
      tenant: origin.tenant,
      onOpened,
      hasItsTime: timeoutMs >= tool.timeoutMs,
      mayLinger: mayLinger === true && !tool.isWrite,
    });
  }

  /** The facts of its call in the span of a request. */
  get #traced(): SpanAttributes {
    return { "volley.tool": this.#call.tool.name, "volley.attempt": this.#attempts };
  }

  get clock(): CallClock {
    return this.#clock;
  }

  get askedAt(): number {
    return this.#scope.askedAt ?? this.#startedAt;
  }

  get scope(): CallScope {
    return this.#scope;
  }

  get log(): ToolLog {
    return (this.#log ??= createToolLog({ ...this.#logged, keep: (text) => this.#keepLine(text) }));
  }

  #keepLine(text: string): void {
    if (text.length > LIMITS.logLineCharacters || this.#call.tool.private) return;
    (this.#lines ??= []).push({ at: this.#scope.ports.clock.now(), text });
  }

  get idempotencyKey(): string {
    return this.#options.idempotencyKey();
  }

  secret(name: string): string {
    return readSecret(this.#call.tool, name, this.#secretOf);
  }

  sign(name: string, text: string): Promise<readonly string[]> {
    return signWithSecret(
      this.#call.tool,
      { name, text },
      { secretOf: this.#secretOf, sign: this.#scope.ports.sign },
    );
  }

  get #secretOf(): (name: string) => string | undefined {
    const own = this.#secrets;
    return own === null ? this.#scope.ports.secret : (name) => own.get(name);
  }

  /** Give the tool a binding. From then on it is not known whether a write took effect, until the tool says so itself. */
  bind(name: string): object {
    const { tool } = this.#call;
    const binding = readBinding(tool, name, this.#scope.ports);
    this.#isBound = true;
    return binding;
  }

  hold(bytes: number): Promise<void> {
    return this.#held.hold(bytes, this.#clock);
  }

  conceal(secret: string): void {
    this.#redact = redactAlso(this.#call.tool, secret, this.#redact);
  }

  report(report: ProgressReport): void {
    this.#scope.onReport?.(redactMessage(report, this.#redact));
  }

  /** Call the tool once. */
  #attempt(context: ToolContext): Promise<unknown> {
    const { tool, args } = this.#call;
    this.#attempts += 1;
    if (tool.actsUnseen === true) this.#isBound = true;
    if (this.#attempts > 1) this.#triedAt = this.#scope.ports.clock.now() - this.#clock.pausedMs;
    const running = tool.run(args, context);
    if (this.#options.onTry !== undefined) this.#tellStart();
    const { permits } = this.#options;
    return permits === undefined ? this.#clock.orEnd(running) : this.#underPermit(running, permits);
  }

  /** How the call ends after a failed attempt; null where its contract allows another. */
  async #failAttempt(error: unknown): Promise<Outcome | null> {
    const failure = toFailure(error);
    (this.#failed ??= []).push(this.#toTry(failure.code));
    if (!(error instanceof ToolFailure)) logToolBug(error, this.#logged);
    this.#held.drop();
    if (!(await this.#mayRetry(failure))) return this.#fail(failure, error);
    // However the next attempt ends, this one may have taken effect.
    if (this.#trace.sent && !isRefused(this.#trace, error instanceof AnsweredFailure))
      this.#trace.inDoubt = true;
    return null;
  }

  /** Tell that the attempt is out of its queues: at once, or when its tool has the header slot that it waits for. */
  #tellStart(): void {
    const { onTry } = this.#options;
    if (this.#clock.isPaused) this.#clock.onResume = () => this.#tellStart();
    else if (this.#clock.ended === null)
      onTry?.({ try: this.#attempts, started_ms: this.#sinceStart(this.#triedAt + this.#clock.pausedMs) });
  }

  /**
   * Run an attempt no longer than the call goes on, and no longer than its permit lasts: what it waits for header slots
   * counts for that too.
   */
  async #underPermit(run: Promise<unknown>, permits: CallPermits): Promise<unknown> {
    const hint = "The call waited too long for others of its batch; ask for less at once.";
    const over = makeFailure("OVERLOADED", { hint });
    const cancel = this.#scope.ports.clock.after(permits.leftMs, () => this.#clock.end(over));
    try {
      return await this.#clock.orEnd(run);
    } finally {
      cancel();
    }
  }

  /** Wait until the call may be made again; false when it may not. */
  async #mayRetry(failure: Failure): Promise<boolean> {
    const { tool } = this.#call;
    const { ports, health, origin } = this.#scope;
    const { permits, maxAttempts } = this.#options;
    const clock = this.#clock;
    permits?.release(this.#trace.retryAfterMs);
    this.#trace.retryAfterMs = null;
    const attempts = {
      tool,
      attempts: this.#attempts,
      maxAttempts: this.#ticket.isJob ? 1 : maxAttempts,
      ports,
    };
    const delayMs = retryDelayMs(failure, attempts);
    if (delayMs === null || clock.ended !== null || delayMs >= clock.remainingMs) return false;
    if (!health.takeRetry(tool, origin.tenant)) return false;
    const slept = await attempt(() => sleep(ports.clock, delayMs, clock.signal));
    if (!slept.ok) return false;
    return permits === undefined || takeAnother(permits, clock);
  }

  #succeed(output: unknown): Outcome {
    const written = serialiseOutput(output);
    this.#options.onOutput?.({ value: output, redact: (text) => this.#redact(text) });
    const json = this.#redact(written.json);
    const data = json === written.json ? output : parseExact(json);
    return { status: "success", data, json, meta: { ...this.meta, bytes: written.bytes } };
  }

  /** @param thrown by the tool, where it ran */
  #fail(failure: Failure, thrown?: unknown): Outcome {
    // A tool that fails on purpose knows what became of what it did with its bindings.
    const isSaid = thrown instanceof ToolFailure && thrown !== this.#clock.ended;
    const sent = this.#trace.sent || (this.#isBound && !isSaid);
    const trace = sent === this.#trace.sent ? this.#trace : { ...this.#trace, sent };
    // The last attempt was not made: an open breaker kept it in here.
    if (failure.code === "CIRCUIT_OPEN") this.#attempts = trace.sent ? Math.max(1, this.#attempts - 1) : 0;
    const { upstream: _, ...silent } = failure;
    const told = this.#call.tool.upstreamErrors === false ? silent : failure;
    const sentNothing = !this.#trace.reached && !this.#isBound;
    return toFailedOutcome(redactFailure(told, this.#redact), {
      tool: this.#call.tool,
      trace,
      isAnswered: thrown instanceof AnsweredFailure,
      maySendAgain: this.#maySendAgain,
      meta: { ...this.meta, ...(sentNothing && { sentNothing }) },
    });
  }

  /**
   * A job is sent again by us, under the same key, where its tool may be repeated or says that it is at-least-once; and so is
   * what a run of a stored batch calls, where its tool may be repeated. A caller's next batch has another key, so only a write that
   * needs none is safe there.
   */
  get #maySendAgain(): boolean {
    const { tool } = this.#call;
    if (this.#ticket.isJob) return tool.repeatable || tool.delivery === "at-least-once";
    return this.#scope.resends === true ? tool.repeatable : tool.idempotent;
  }
}

/**
 * Wait for the next attempt's permit, in time that is not charged to the call; false when there is none, or the call was ended
 * meanwhile.
 */
async function takeAnother(permits: CallPermits, callClock: CallClock): Promise<boolean> {
  callClock.pause();
  const stopListening = callClock.onEnd(() => permits.release());
  const denied = await permits.take();
  stopListening();
  callClock.resume();
  return denied === null && callClock.ended === null;
}

/** The way to a call, on which something may break. */
interface Way {
  readonly tool: Tool;
  readonly scope: CallScope;
  /** Takes the call's secrets out of JSON text, where it knows more of them than its tool. */
  readonly redact?: (json: string) => string;
}

/** Leave work to itself; a bug in it ends its ticket. */
export function orBreak(work: Promise<unknown>, ticket: Ticket, way: Way): void {
  void work.then(undefined, (bug: unknown) => breakOff(ticket, way, bug));
}

/**
 * End a ticket after a bug of ours: a caller waits for it. A write that was sent, or handed over to be recorded, may have
 * happened.
 */
export function breakOff(ticket: Ticket, { tool, scope, redact }: Way, bug: unknown): void {
  logBug(bug, { tool: tool.name, scope, redact: redact ?? redactorOf(tool, scope.ports.secret) });
  const mayHaveHappened = tool.isWrite && (ticket.call?.sent ?? ticket.started);
  const hint = mayHaveHappened
    ? "It may have taken effect: look before you send it again."
    : "It had no effect; if it breaks again, do without it.";
  ticket.end({
    status: mayHaveHappened ? "unknown" : "error",
    error: makeFailure("INTERNAL", { hint }),
    meta: {},
  });
}

const asItIs = (json: string): string => json;

/** Make a failure of an error that a tool call threw: on purpose, or by a bug of its author. */
function toFailure(error: unknown): Failure {
  if (error instanceof ToolFailure) return error.failure;
  return makeFailure("TOOL_FAILED", {
    hint: "The tool broke while it ran; trying the same arguments again will not help.",
  });
}

/** Count a call that begins. */
export function enter(parallelism: Parallelism): void {
  parallelism.active += 1;
  parallelism.max = Math.max(parallelism.max, parallelism.active);
}

/** Count it no more. */
export function leave(parallelism: Parallelism): void {
  parallelism.active -= 1;
}
