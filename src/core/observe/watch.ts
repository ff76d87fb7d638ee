import type { Origin } from "../contract/gate/caller.ts";
import * as LIMITS from "../contract/limits.ts";
import { countStatuses } from "../contract/outcome.ts";
import type { DataPoint, InSpan, LogLevel, Telemetry } from "../egress/ports.ts";
import type { Clock } from "../kit/clock.ts";
import type { Step } from "../plan/step.ts";
import { toActionPoint, toBatchPoint, toRefusalPoint } from "./data-points.ts";
import type { BatchCounts, JoinedEnd, RunListener, SeenBatch, SeenRefusal, Stage } from "./seen.ts";

/** Every stage, in the order in which it is told. */
const STAGES = ["parse", "model", "plan", "admit", "run", "write"] as const satisfies readonly Stage[];

export interface WatchOptions {
  readonly clock: Pick<Clock, "now">;
  readonly requestId: string;
  readonly telemetry?: Telemetry | undefined;
}

/**
 * Watch one request: which stage its time goes into, a line and data points for every batch of it, a line for
 * what of it is refused.
 *
 * Nothing that a caller or an upstream wrote is ever in a line: only names that are configured or declared, ids that were made
 * here, codes of the one table, and numbers. So a line needs no redaction, and its size is bounded by the actions of a batch.
 */
export class Watch {
  readonly requestId: string;
  /** The trace that the caller continues, where it told of one. */
  trace: Pick<Origin, "traceId"> = NO_TRACE;
  /** Which route answers, as it is declared; its path has no value of the caller's in it. */
  route = "other";
  /** Whose request it is, once that is known. */
  origin: Origin | null = null;
  /** How its work is put into spans; undefined where the platform traces none of it. */
  inSpan: InSpan | undefined;
  /** Who is told, once that is configured. */
  telemetry: Telemetry | undefined;
  /** Who hears of what ran. */
  listeners: readonly RunListener[] = [];
  readonly #clock: Pick<Clock, "now">;
  readonly #startedAt: number;
  #stage: Stage = "parse";
  #since: number;
  /** Milliseconds of every stage that there was. */
  readonly #spent: Partial<Record<Stage, number>> = {};
  /** The same when a batch was last told of. */
  #told: Partial<Record<Stage, number>> = {};
  #pointsLeft: number = LIMITS.dataPoints;

  constructor({ clock, requestId, telemetry }: WatchOptions) {
    this.#clock = clock;
    this.requestId = requestId;
    this.telemetry = telemetry;
    this.#startedAt = this.#since = clock.now();
  }

  /** Take part in the caller's trace; null where what it told of is none. */
  continueTrace(traceId: string | null): void {
    if (traceId !== null) this.trace = { traceId };
  }

  /** Begin a stage; the one before is over. Where batches run side by side the time is that of whichever began a stage last. */
  enter(stage: Stage): void {
    const now = this.#clock.now();
    this.#spent[this.#stage] = (this.#spent[this.#stage] ?? 0) + Math.max(0, now - this.#since);
    this.#since = now;
    this.#stage = stage;
    this.#spent[stage] ??= 0;
  }

  /**
   * Write the value of `Server-Timing`: every stage that there was, and for the last one the time that has passed of it. An unknown
   * caller is told no time: how long a key or a signature was looked at must not tell how nearly right it was.
   */
  toServerTiming(): string {
    if (this.origin === null) return "parse;dur=0";
    this.enter(this.#stage);
    let text = "";
    for (const stage of STAGES) {
      const ms = this.#spent[stage];
      if (ms !== undefined) text += `${text === "" ? "" : ", "}${stage};dur=${ms}`;
    }
    return text;
  }

  /** The run that the batches of this request are rounds of; undefined where each is a run of its own. */
  get joined(): string | undefined {
    return this.listeners.find(({ joined }) => joined !== undefined)?.joined;
  }

  /** Take the batches of this request as the rounds of one run from now on, until its end is told. */
  join(tags: readonly string[], startedAt: number): (end: JoinedEnd) => void {
    const ends = this.listeners.map((listener) => listener.join(tags, startedAt));
    return (end) => {
      for (const tell of ends) tell(end);
    };
  }

  /** Tell of a batch that is over: a line, and where there is a dataset a point for it and for each of its actions. */
  sawBatch(batch: SeenBatch): void {
    const { telemetry } = this;
    if (batch.kind === "run") for (const listener of this.listeners) listener.saw(batch);
    if (telemetry === undefined) return;
    this.enter(this.#stage);
    const { writePoint } = telemetry;
    if (telemetry.lines === "off" && writePoint === null) return;
    const counts = countBatch(batch);
    const { statuses } = counts;
    const level = statuses.error + statuses.unknown > 0 ? "warn" : "info";
    if (isWritten(telemetry, level)) {
      const drawn = telemetry.draw?.(batch.plan, batch.outcomes);
      telemetry.log(level, drawn ?? this.#toBatchLine(level, batch, counts));
    }
    if (writePoint !== null) this.#writePoints(batch, counts, writePoint);
    this.#told = { ...this.#spent };
  }

  /** Tell of what was refused: the request, or a batch that it asked for. */
  sawRefusal({ code, status, method }: SeenRefusal): void {
    const { telemetry } = this;
    for (const listener of this.listeners) listener.refused?.(code);
    if (telemetry === undefined) return;
    const level = status >= 500 ? "error" : "warn";
    const durationMs = Math.max(0, this.#clock.now() - this.#startedAt);
    if (isWritten(telemetry, level))
      telemetry.log(
        level,
        JSON.stringify({
          level,
          event: "request_refused",
          ...this.#whose(this.origin),
          method,
          status,
          code,
          duration_ms: durationMs,
        }),
      );
    // An unknown caller has a line and no point: a flood of them costs no dataset.
    if (telemetry.writePoint !== null && this.origin !== null && this.#pointsLeft > 0) {
      this.#pointsLeft -= 1;
      telemetry.writePoint(toRefusalPoint({ ...this.#pointHead(this.origin), code, status, durationMs }));
    }
  }

  #whose(origin: Origin | null): object {
    return {
      request_id: origin?.requestId ?? this.requestId,
      trace_id: origin?.traceId ?? this.trace.traceId,
      tenant: origin?.tenant,
      key: origin?.key,
      subject: origin?.account?.digest,
      route: this.route,
    };
  }

  /** Put together from text, as results are: every batch has one, and to write an object took four times as long. */
  #toBatchLine(level: LogLevel, batch: SeenBatch, counts: BatchCounts): string {
    const { statuses, codes, tools, queuedMs, attempts, bytes } = counts;
    const { success, error, initiated, skipped, pending_confirmation: pending, unknown } = statuses;
    const { origin, batchId, plan, kind, tool } = batch;
    const traceId = origin.traceId ?? this.trace.traceId;
    const trace = traceId === undefined ? "" : `,"trace_id":"${traceId}"`;
    const whose = `"request_id":${quote(origin.requestId)}${trace},"tenant":${quote(origin.tenant)},"key":${quote(origin.key)},"route":${quote(this.route)}${origin.account === undefined ? "" : `,"subject":${quote(origin.account.digest)}`}`;
    const what = `${batchId === null ? "" : `"batch_id":${quote(batchId)},`}"kind":"${kind}"${tool === undefined ? "" : `,"flow":${quote(tool)}`},"total":${plan.steps.length}`;
    const ends = `"ok":${success},"error":${error},"initiated":${initiated},"skipped":${skipped},"pending_confirmation":${pending},"unknown":${unknown}`;
    const times = `"duration_ms":${batch.durationMs},"parse_ms":${this.#sinceTold("parse")},"plan_ms":${this.#sinceTold("plan")},"admit_ms":${this.#sinceTold("admit")},"run_ms":${this.#sinceTold("run")}`;
    const work = `"queued_ms":${queuedMs},"attempts":${attempts},"bytes":${bytes},"max_parallelism":${batch.maxParallelism}`;
    const last = batch.degraded ? ',"degraded":true' : "";
    return `{"level":"${level}","event":"batch",${whose},${what},${ends},"tools":${toJson(tools)},"codes":${toJson(codes)},${times},${work}${last}}`;
  }

  /** The time that went into a stage since a batch was last told of. */
  #sinceTold(stage: Stage): number {
    return (this.#spent[stage] ?? 0) - (this.#told[stage] ?? 0);
  }

  /** The batch's own point first: of a request that may write no more, the batches are still counted. */
  #writePoints(batch: SeenBatch, counts: BatchCounts, write: (point: DataPoint) => void): void {
    const head = this.#pointHead(batch.origin);
    const room = Math.max(0, this.#pointsLeft - 1 - LIMITS.dataPointsReserved);
    const told = batch.outcomes.slice(0, room);
    if (this.#pointsLeft <= 0) return;
    this.#pointsLeft -= 1 + told.length;
    const stages = STAGES.map((stage) => this.#sinceTold(stage));
    write(toBatchPoint({ ...head, batch, counts, stages, leftOut: batch.outcomes.length - told.length }));
    for (const [index, outcome] of told.entries()) {
      const tool = nameOf(batch.plan.steps[index]!, batch.isTool);
      write(toActionPoint({ ...head, batchId: batch.batchId, tool, outcome }));
    }
  }

  #pointHead(origin: Origin) {
    return { origin, requestId: origin.requestId, route: this.route };
  }
}

const NO_TRACE = {};

/** Whether a line of this level is wanted. */
export function isWritten({ lines }: Telemetry, level: LogLevel): boolean {
  return lines === "all" || (lines === "errors" && level !== "info");
}

function countBatch({ plan, outcomes, isTool }: SeenBatch): BatchCounts {
  const statuses = countStatuses(outcomes);
  const codes = new Map<string, number>();
  const tools = new Map<string, number>();
  let queuedMs = 0;
  let attempts = 0;
  let bytes = 0;
  for (const step of plan.steps) addTo(tools, nameOf(step, isTool));
  for (const outcome of outcomes) {
    if ("error" in outcome) addTo(codes, outcome.error.code);
    const { meta } = outcome;
    queuedMs = Math.max(queuedMs, meta.queuedMs ?? 0);
    attempts += meta.attempts ?? 0;
    bytes += meta.bytes ?? 0;
  }
  return { statuses, codes, tools, queuedMs, attempts, bytes };
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function toJson(counts: ReadonlyMap<string, number>): string {
  let json = "";
  for (const [name, count] of counts) json += `${json === "" ? "" : ","}${quote(name)}:${count}`;
  return `{${json}}`;
}

function addTo(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Name the tool of a step, for those who keep such names. A name that the caller invented may be anything, a secret too. */
export function nameOf({ task, toolName }: Step, isTool: (name: string) => boolean): string {
  if (task.ok) return task.value.tool.name;
  return toolName !== null && isTool(toolName) ? toolName : UNKNOWN_TOOL;
}

/** Stands for names of unknown tools. */
export const UNKNOWN_TOOL = "(unknown)";
