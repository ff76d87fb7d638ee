import { type Failure, toWireFailure } from "../contract/failure.ts";
import { utf8Length } from "../contract/json.ts";
import * as LIMITS from "../contract/limits.ts";
import {
  countStatuses,
  isInDoubt,
  type Outcome,
  type Shown,
  shownOf,
  toPendingJson,
} from "../contract/outcome.ts";
import type { Written } from "../contract/lazy-schema.ts";
import type { Plan, Step, Task } from "../plan/step.ts";
import { refuseData, withoutWords } from "./refuse-data.ts";
import type { metaSchema, statsSchema, summarySchema } from "./result-schema.ts";

/** Up to this data is small: it stays whole beside large data, which leaves room for it. */
const SMALL_DATA = 8 * 1024;
/** Bytes of a result besides its data, its error and its tool's name; and of an entry of a loop. */
const RESULT_BYTES = 512;
const ENTRY_BYTES = 64;
/** Room that large data leaves for each result and each element of a loop: half for small data, half for failures. */
const RESULT_ROOM = 4 * 1024;
const ENTRY_ROOM = 1024;

/**
 * The bytes that the data of one answer may take.
 *
 * Identical reads share one call and one text, but each of them has its own copy in the answer: so each is charged when its
 * outcome is settled, before any text is put together. Outcomes are admitted in the order that they settle in, identical reads in
 * their own order.
 */
export class AnswerBudget {
  readonly refuse = refuseData;
  readonly #copies: number;
  /** Bytes that large data leaves for small data, and half of it for failures. */
  readonly #reserve: number;
  #left = LIMITS.answerBytes;
  #isTight = false;

  /**
   * @param copies how often each byte of data is in the answer, at most: escaped inside a string, or beside itself
   * @param results how many there are, and `elements` how many their loops may have
   */
  constructor(
    copies = 1,
    results: number = LIMITS.actions,
    elements: number = LIMITS.actions * LIMITS.loopElements,
  ) {
    this.#copies = copies;
    this.#reserve = copies * (results * RESULT_ROOM + elements * ENTRY_ROOM);
  }

  /** Admit the outcome of a step that is no loop, or what is said of a loop whose elements were admitted before. */
  admit(step: Step, outcome: Outcome): Outcome {
    const { task, toolName } = step;
    const isWrite = task.ok && task.value.tool.isWrite;
    // Names and pointers may be anything that a body has room for.
    const { selectMissing, selectHints } = outcome.meta;
    const base = RESULT_BYTES + (toolName?.length ?? 0) + jsonBytes(selectMissing) + jsonBytes(selectHints);
    const isAdmitted = task.ok && isLooped(task.value) && outcome.meta.replayed !== true;
    if (!isAdmitted) return this.#admit(outcome, base, isWrite);
    this.#left -= this.#copies * (base + wordBytes(outcome));
    return outcome;
  }

  admitElement(outcome: Outcome, isWrite: boolean): Outcome {
    return this.#admit(outcome, ENTRY_BYTES, isWrite);
  }

  /**
   * Bytes that selected data may still take. Once some had no room only small data is measured, so that large data is
   * not measured in vain.
   */
  get room(): number {
    const left = (this.#left - this.#reserve) / this.#copies;
    return this.#isTight ? SMALL_DATA : Math.max(left, SMALL_DATA);
  }

  #admit(outcome: Outcome, base: number, isWrite: boolean): Outcome {
    const bytes = base + dataBytes(outcome);
    const spared = "error" in outcome ? 0 : bytes <= SMALL_DATA ? this.#reserve / 2 : this.#reserve;
    if (this.#take(bytes + wordBytes(outcome), spared)) return outcome;
    this.#isTight = true;
    const refused = refuseData(outcome, isWrite);
    if (this.#take(base + wordBytes(refused), 0)) return refused;
    const bare = withoutWords(refused);
    this.#left -= this.#copies * (base + wordBytes(bare));
    return bare;
  }

  #take(bytes: number, spared: number): boolean {
    const needed = this.#copies * bytes;
    if (needed > this.#left - spared) return false;
    this.#left -= needed;
    return true;
  }
}

/** A plan's own budget, where its envelope is the whole answer. */
export function answerBudgetOf({ steps }: Plan): AnswerBudget {
  const loops = steps.filter(({ task }) => task.ok && isLooped(task.value)).length;
  return new AnswerBudget(1, steps.length, loops * LIMITS.loopElements);
}

function isLooped({ forEach, calls }: Task): boolean {
  return forEach !== undefined || calls !== undefined;
}

/** Size of an outcome's data as UTF-8. Selected data, and data kept under a key, is measured here. */
function dataBytes(outcome: Outcome): number {
  const shown = shownOf(outcome);
  if (shown === undefined) return 0;
  const { bytes, replayed } = outcome.meta;
  // Redaction may have made it longer.
  if (shown === outcome && bytes !== undefined && replayed !== true)
    return Math.max(bytes, shown.json.length);
  return utf8Length(shown.json);
}

/** Size of an outcome's failure as UTF-8. */
function wordBytes(outcome: Outcome): number {
  return "error" in outcome ? jsonBytes(toWireFailure(outcome.error)) : 0;
}

function jsonBytes(value: object | undefined): number {
  return value === undefined ? 0 : utf8Length(JSON.stringify(value));
}

/**
 * Write one result as JSON.
 *
 * Put together from text, because a success already is text (`outcome.json`): large data is serialised once in its
 * life, when the tool returned it.
 */
export function toResultJson(step: Step, outcome: Outcome): string {
  const head = `{"index":${step.index},"id":${JSON.stringify(step.id)},"tool":${JSON.stringify(step.toolName)},"status":"${outcome.status}"`;
  return `${head}${toBody(outcome)},"meta":${toMetaJson(outcome, step)}}`;
}

function toBody(outcome: Outcome): string {
  switch (outcome.status) {
    case "success":
      return toDataJson(shownOf(outcome));
    case "initiated":
      return `,"job_id":${JSON.stringify(outcome.jobId)}`;
    case "skipped":
      return `,"because":${JSON.stringify(outcome.because)}${toErrorJson(outcome.error)}`;
    case "error":
    case "unknown":
      return `${toDataJson(shownOf(outcome))}${toErrorJson(outcome.error)}`;
    default:
      return toPendingJson(outcome);
  }
}

function toDataJson(shown: Shown | undefined): string {
  return shown === undefined ? "" : `,"data":${shown.json}`;
}

function toErrorJson(failure: Failure): string {
  return `,"error":${JSON.stringify(toWireFailure(failure))}`;
}

function toMetaJson(outcome: Outcome, { readAs, warnings, task }: Step): string {
  const { meta } = outcome;
  // A step that never ran was read all the same.
  const texts = meta.readAs ?? (task.ok ? task.value.call?.readAs : undefined);
  const { durationMs, queuedMs, attempts, bytes, items, deduplicatedOf, ageMs, selectMissing } = meta;
  const { truncated, demoted, verification, handle, replayed, limiter, selectHints, startedMs, tries } = meta;
  // Nearly every call has these and nothing else, and to write an object of them takes several times as long.
  const isPlain = Object.keys(meta).length === 5 && outcome.status === "success";
  if (
    isPlain &&
    (texts ?? readAs ?? warnings) === undefined &&
    Number.isFinite(startedMs! + durationMs! + queuedMs! + attempts! + bytes!)
  )
    return `{"started_ms":${startedMs},"duration_ms":${durationMs},"queued_ms":${queuedMs},"attempts":${attempts},"bytes":${bytes}}`;
  return JSON.stringify({
    started_ms: startedMs,
    duration_ms: durationMs,
    queued_ms: queuedMs,
    attempts,
    tries,
    bytes,
    items,
    deduplicated_of: deduplicatedOf,
    cached: ageMs === undefined ? undefined : true,
    age_ms: ageMs,
    select_missing: selectMissing,
    truncated,
    demoted,
    verification: verification && {
      tool: verification.tool,
      verdict: verification.verdict,
      duration_ms: verification.durationMs,
    },
    in_doubt: isInDoubt(outcome) ? (true as const) : undefined,
    handle,
    idempotency_replayed: replayed,
    limiter,
    read_as:
      texts === undefined
        ? readAs
        : { ...readAs, args: readAs?.["args"] === undefined ? texts : `${readAs["args"]}, ${texts}` },
    ...meta.more,
    warnings:
      selectHints === undefined ? warnings : [...(warnings ?? []), ...selectHints].slice(0, LIMITS.warnings),
  } satisfies Written<typeof metaSchema>);
}

function summarise(outcomes: readonly Outcome[]): Written<typeof summarySchema> {
  const { success: ok, ...others } = countStatuses(outcomes);
  return { total: outcomes.length, ok, ...others };
}

export interface BatchMeasures {
  readonly durationMs: number;
  readonly maxParallelism: number;
  /** The members that a feature adds to the envelope, as JSON with a comma before each. */
  readonly members?: string;
}

/**
 * Put actions that ran among those that are answered without being run.
 *
 * @param order all actions of the answer, those that ran by their ids
 */
export function mergeAnswered(
  order: readonly (string | readonly [Step, Outcome])[],
  { steps, ...plan }: Plan,
  outcomes: readonly Outcome[],
): { readonly plan: Plan; readonly outcomes: readonly Outcome[] } {
  const places = new Map(order.map((one, at) => [typeof one === "string" ? one : one[0].id, at]));
  const placesOf = (indexes: readonly number[]): readonly number[] =>
    indexes.flatMap((index) => places.get(steps[index]!.id) ?? []);
  const merged = order.map((one, index): readonly [Step, Outcome] => {
    if (typeof one !== "string") return [{ ...one[0], index }, one[1]];
    const at = steps.findIndex(({ id }) => id === one);
    const step = steps[at]!;
    return [
      { ...step, index, needs: placesOf(step.needs), after: placesOf(step.after), edges: [] },
      outcomes[at]!,
    ];
  });
  return {
    plan: { ...plan, steps: merged.map(([step]) => step) },
    outcomes: merged.map(([, outcome]) => outcome),
  };
}

interface EnvelopeParts extends BatchMeasures {
  readonly batchId: string;
  /** Writes a result, where some are written already. */
  readonly toResult?: typeof toResultJson;
}

/** Put outcomes back in the order asked: exactly one result for every action, none omitted. */
export function toEnvelopeJson(
  plan: Plan,
  outcomes: readonly Outcome[],
  { toResult = toResultJson, ...measured }: EnvelopeParts,
): string {
  const results = plan.steps.map((step) => toResult(step, outcomes[step.index]!));
  const stats = toStats(plan, outcomes, measured);
  return `{"batch_id":${JSON.stringify(measured.batchId)},"results":[${results.join(",")}],"summary":${JSON.stringify(summarise(outcomes))},"stats":${JSON.stringify(stats)}${measured.members ?? ""}}`;
}

/**
 * The time that the batch took, and the time that its calls would have taken one after the other. Where one call ran there is nothing to
 * compare, and `speedup` is left out.
 */
function toStats(
  plan: Plan,
  outcomes: readonly Outcome[],
  { durationMs, maxParallelism }: BatchMeasures,
): Written<typeof statsSchema> {
  let sequentialMs = 0;
  let calls = 0;
  for (const { meta } of outcomes) {
    if (meta.durationMs === undefined) continue;
    sequentialMs += meta.workMs ?? meta.durationMs;
    // The elements of a loop are calls of their own.
    calls += meta.workMs === undefined ? 1 : 2;
  }
  return {
    duration_ms: durationMs,
    critical_path_ms: criticalPathMs(plan, outcomes),
    sequential_ms: sequentialMs,
    ...(calls > 1 && {
      speedup: sequentialMs === 0 ? 1 : Math.round((100 * sequentialMs) / Math.max(1, durationMs)) / 100,
    }),
    max_parallelism: maxParallelism,
  };
}

/** The longest chain of durations along what waited for what; linear, each step's path is worked out once. */
function criticalPathMs(plan: Plan, outcomes: readonly Outcome[]): number {
  const paths = new Map<number, number>();
  const pathTo = (index: number): number => {
    const known = paths.get(index);
    if (known !== undefined) return known;
    const { needs, after } = plan.steps[index]!;
    let longest = 0;
    for (const earlier of needs) longest = Math.max(longest, pathTo(earlier));
    for (const earlier of after) longest = Math.max(longest, pathTo(earlier));
    const path = longest + (outcomes[index]!.meta.durationMs ?? 0);
    paths.set(index, path);
    return path;
  };
  return plan.steps.reduce((longest, { index }) => Math.max(longest, pathTo(index)), 0);
}
