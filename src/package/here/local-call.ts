import type { ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { toFailedOutcome } from "../../core/answer/failed-outcome.ts";
import { serialiseOutput } from "../../core/answer/serialise-output.ts";
import { type Failure, makeFailure } from "../../core/contract/failure.ts";
import type { Outcome } from "../../core/contract/outcome.ts";
import { sayTooLong } from "../../core/egress/call-clock.ts";
import type { Clock } from "../../core/kit/clock.ts";
import { attempt } from "../../core/kit/result.ts";
import { sleep } from "../../core/kit/sleep.ts";
import type { Call } from "../../core/plan/step.ts";
import type { Ticket } from "../../core/run/ticket.ts";

/** The parts that the calls of one batch share. */
export interface Here {
  readonly clock: Clock;
  readonly startedAt: number;
  /** A tool keeps things under it that the calls of one batch share. */
  readonly request: object;
  /** The id of the batch. */
  readonly runId: string;
  readonly subject: string | undefined;
  readonly log: TellLog;
  /** Counts the calls that are under way. */
  readonly count: (more: number) => void;
}

/**
 * Call a tool in this process, once. A write that breaks off is `unknown`, because it sends by ways of its own; unless it throws a
 * `ToolFailure`, by which it says that it did nothing.
 */
export function callHere(ticket: Ticket, call: Call, here: Here & { readonly idempotencyKey: string }): void {
  const { tool, args, timeoutMs } = call;
  const { clock, startedAt, count } = here;
  const control = new AbortController();
  const { signal } = control;
  const end = (failure: Failure): void => control.abort(new ToolFailure(failure.code, failure));
  const hint = sayTooLong(timeoutMs, timeoutMs < tool.timeoutMs ? "timeout_ms" : "tool");
  const forget = clock.after(timeoutMs, () => end(makeFailure("TIMEOUT", { phase: "total", hint })));
  const begunAt = clock.now();
  const meta = (): Outcome["meta"] => ({
    startedMs: Math.max(0, begunAt - startedAt),
    durationMs: Math.max(0, clock.now() - begunAt),
    queuedMs: ticket.queuedMs,
    attempts: 1,
  });
  const fail = (failure: Failure, sent: boolean): Outcome =>
    toFailedOutcome(failure, {
      tool,
      trace: { sent, reached: sent, status: null, retryAfterMs: null },
      isAnswered: false,
      maySendAgain: tool.idempotent,
      meta: meta(),
    });
  ticket.hold((failure, sentWrite) => {
    if (!tool.isWrite) end(failure);
    else if (sentWrite === "report-unknown") ticket.settle(fail(failure, true));
  });
  ticket.start();
  count(1);
  const run = async (): Promise<Outcome> => {
    const context = contextOf({ ...here, signal, endsAt: begunAt + timeoutMs });
    const data = await new Promise<unknown>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      Promise.resolve(tool.run(args, context)).then(resolve, reject);
    });
    const { json, bytes } = serialiseOutput(data);
    return { status: "success", data, json, meta: { ...meta(), bytes } };
  };
  void attempt(run).then((ran) => {
    forget();
    count(-1);
    if (ran.ok) return ticket.end(ran.value);
    const { error } = ran;
    if (error instanceof ToolFailure) return ticket.end(fail(error.failure, error === signal.reason));
    here.log("error", error);
    ticket.end(fail(makeFailure("TOOL_FAILED", { hint: BROKE }), true));
  });
}

const BROKE = "The tool broke while it ran; `log` of runHere is told its error.";

/** Told of what a tool logs, and of the error of one that breaks. */
export type TellLog = (level: "info" | "warn" | "error", message: unknown, fields?: unknown) => void;

function logOf(tell: TellLog): ToolContext["log"] {
  const at = (level: Parameters<TellLog>[0]) => tell.bind(null, level);
  return Object.assign(at("info"), { info: at("info"), warn: at("warn"), error: at("error") });
}

/** A Worker gives its tools the rest; `runHere` refuses a tool that declares any of it. */
function notHere(): never {
  throw new ToolFailure("MISCONFIGURED", {
    hint: "A tool in one's own process uses the process's own means for that.",
  });
}

function contextOf({
  clock,
  runId,
  subject,
  log,
  request,
  idempotencyKey,
  signal,
  endsAt,
}: Here & {
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly endsAt: number;
}): ToolContext {
  return {
    fetch: notHere,
    secret: notHere,
    sign: notHere,
    binding: notHere,
    connection: notHere,
    hold: () => Promise.resolve(),
    conceal: () => {},
    report: () => {},
    log: logOf(log),
    caller: { tenant: "here", key: "here", subject },
    idempotencyKey,
    runId,
    request,
    signal,
    time: {
      now: () => clock.now(),
      askedAt: () => clock.now(),
      leftMs: () => Math.max(0, endsAt - clock.now()),
      sleep: (ms) => sleep(clock, ms, signal),
    },
  };
}
