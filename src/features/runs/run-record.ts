import type { Tool } from "../../core/catalog/define-tool.ts";
import { toWireFailure } from "../../core/contract/failure.ts";
import { utf8Length } from "../../core/contract/json.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { type Outcome, shownOf, toWirePending } from "../../core/contract/outcome.ts";
import { redactorOf, type SecretOf } from "../../core/egress/tool-secrets.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";
import { attemptNow } from "../../core/kit/result.ts";
import type { ModelRound, SeenBatch } from "../../core/observe/seen.ts";
import { nameOf } from "../../core/observe/watch.ts";
import type { Step } from "../../core/plan/step.ts";
import { ENDS, type RunHead, type ToolCount } from "./run.ts";

/** The facts of a run that its batches do not have. */
export type RunFacts = { readonly [Name in keyof Omit<RunHead, "tools">]: RunHead[Name] | undefined };

export interface RecordOptions {
  /** Keep arguments and results. */
  readonly keepsContent: boolean;
  /** The configured value of a secret: no run has one in it. */
  readonly secretOf: SecretOf;
}

/** The request that a batch is of. */
export interface AddOptions {
  /** Which of several batches of one run it is; its actions say so. */
  readonly round?: number | undefined;
  /** How long after its run it began. */
  readonly afterMs?: number | undefined;
  /** Whether nothing of a tool's content is kept. */
  readonly isPrivate: (tool: Tool) => boolean;
  /** The tools with secrets that the request has called so far, those of its flows among them. */
  readonly secretive: ReadonlySet<Tool>;
}

/** The counts of the actions of one tool. */
interface Counted {
  readonly ends: number[];
  failed?: ToolCount["failed"];
  waits?: Map<string, { until: number; actions: number }>;
}

/**
 * The record of one run, made of its batches as they end: text only, so that it holds nothing that a batch held. It is few texts, each
 * in one piece: they wait for a second, and whatever waits so long is copied by the garbage collector.
 *
 * Bounded whatever the batches were: 16 KiB of an action and 256 KiB of a run are kept of arguments and results, and what does not fit
 * is left out whole and named in `cut`. Secrets of all tools of a batch are taken out of each of its actions. Without content an
 * action keeps names that are declared, ids, codes and numbers.
 */
export class RunRecord {
  readonly #options: RecordOptions;
  readonly #tools = new Map<string, Counted>();
  /** All actions as JSON, behind each other: with arguments and results, and without. */
  #full = "";
  #outline = "";
  #actions = 0;
  #edges = "";
  #contentLeft: number = LIMITS.runBytes;
  #hasContent: boolean;
  /** The bytes of arguments, results and texts beyond one for a character; all else is ASCII. */
  #wide = 0;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#hasContent = options.keepsContent;
  }

  /** The most bytes that its body takes. */
  get bytes(): number {
    return this.#edges.length + (this.#hasContent ? this.#full.length + this.#wide : this.#outline.length);
  }

  /** Take the actions of a batch that is over. */
  add(
    { plan, outcomes, isTool, ran }: SeenBatch,
    { round, afterMs, isPrivate, secretive }: AddOptions,
  ): void {
    const { steps } = plan;
    const hides = (at: number): boolean => {
      const { task } = steps[at]!;
      return task.ok && isPrivate(task.value.tool);
    };
    const redact = this.#redactorOf(secretive);
    for (const { id, edges } of steps)
      for (const { from, reason } of edges)
        this.#edges += `${this.#edges === "" ? "" : ","}${JSON.stringify({ from: steps[from]!.id, to: id, reason })}`;
    const full: string[] = [];
    const outline: string[] = [];
    for (let at = 0; at < outcomes.length; at += 1) {
      const [step, outcome] = [steps[at]!, outcomes[at]!];
      const name = nameOf(step, isTool);
      this.#count(name, step, outcome);
      // A private tool's answer stands in no other action either: the reference to it does.
      const borrows = step.needs.some(hides);
      const args = this.#hasContent && !borrows ? ran?.prepared.get(step.index)?.input : undefined;
      const isWrite = this.#hasContent && step.task.ok && step.task.value.tool.isWrite;
      const callKey = isWrite ? ran?.callKey(step) : undefined;
      const open = toOpening(step, name, outcome, { round, afterMs });
      outline.push(`${open}${toOutline(outcome)}}`);
      if (this.#hasContent)
        full.push(`${open}${this.#toContent(step, outcome, { args, callKey, redact, hides: hides(at) })}}`);
      this.#actions += 1;
    }
    this.#outline = append(this.#outline, outline);
    if (this.#hasContent) this.#full = append(this.#full, full);
  }

  /** Drop arguments, results and texts; how many bytes that gave back. */
  dropContent(): number {
    const before = this.bytes;
    this.#hasContent = false;
    this.#full = "";
    return before - this.bytes;
  }

  get hasContent(): boolean {
    return this.#hasContent;
  }

  toHeadJson(facts: RunFacts): string {
    let tools = "";
    for (const [tool, { ends, failed, waits }] of this.#tools) {
      tools += `${tools === "" ? "" : ","}{"tool":${JSON.stringify(tool)},"ends":[${ends.join(",")}]`;
      if (failed !== undefined) tools += `,"failed":${JSON.stringify(failed)}`;
      if (waits !== undefined)
        tools += `,"waits":${JSON.stringify([...waits].map(([question, waiting]) => ({ question, ...waiting })))}`;
      tools += "}";
    }
    return `${JSON.stringify(facts).slice(0, -1)},"tools":[${tools}]}`;
  }

  /** @param joined the answers of a model that its batches were asked for by, and when the run began */
  toBodyJson(joined?: { readonly model: readonly ModelRound[]; readonly startedAt: number }): string {
    const rounds =
      joined === undefined ? "" : `,"model":${toModelJson(joined, this.#hasContent ? "content" : "outline")}`;
    const actions = this.#hasContent ? this.#full : this.#outline;
    return `{"plan":{"edges":[${this.#edges}]},"actions":[${actions}]${rounds}}`;
  }

  #count(name: string, step: Step, outcome: Outcome): void {
    let counted = this.#tools.get(name);
    if (counted === undefined) this.#tools.set(name, (counted = { ends: ENDS.map(() => 0) }));
    counted.ends[ENDS.indexOf(outcome.status)]! += 1;
    if ("error" in outcome)
      counted.failed ??= { at: this.#actions, action: step.id, code: outcome.error.code };
    if (outcome.status !== "pending_confirmation") return;
    const { id, expiresAt } = outcome.confirmation;
    const waits = (counted.waits ??= new Map());
    const waiting = waits.get(id) ?? { until: expiresAt, actions: 0 };
    waits.set(id, { ...waiting, actions: waiting.actions + 1 });
  }

  /** Take the secrets of tools out of JSON: a result may say what another tool's upstream was sent. Null where there are none. */
  #redactorOf(tools: ReadonlySet<Tool>): ((json: string) => string) | null {
    if (!this.#hasContent || tools.size === 0) return null;
    const all = [...tools].map((tool) => redactorOf(tool, this.#options.secretOf));
    return (json) => all.reduce((text, redact) => redact(text), json);
  }

  /** Write what an action said and was told, as far as there is room for it. */
  #toContent(
    step: Step,
    outcome: Outcome,
    {
      args: resolved,
      callKey,
      redact,
      hides,
    }: {
      readonly args: unknown;
      readonly callKey: string | undefined;
      readonly hides: boolean;
      readonly redact: ((json: string) => string) | null;
    },
  ): string {
    const args = resolved ?? (step.task.ok ? step.task.value.input : undefined);
    let open = callKey === undefined ? "" : `,"call_key":${JSON.stringify(callKey)}`;
    if (resolved !== undefined) open += ',"resolved":true';
    if (hides) return `${open}${toOutline(outcome)},"private":true`;
    const content = new Content(Math.min(LIMITS.runActionBytes, this.#contentLeft), redact);
    if ("error" in outcome) content.put("error", JSON.stringify(toWireFailure(outcome.error)), LINK);
    if (outcome.status === "pending_confirmation")
      content.put("confirmation", JSON.stringify(toWirePending(outcome.confirmation)), LINK);
    const written = args === undefined ? undefined : attemptNow(() => JSON.stringify(args));
    if (written?.ok === true) content.put("args", written.value);
    const others = toOthersJson(step);
    if (others !== null) content.put("with", others);
    const shown = shownOf(outcome);
    const isLoop = step.task.ok && step.task.value.forEach !== undefined;
    if (shown !== undefined) content.put("data", shown.json, isLoop ? LINK : undefined);
    this.#contentLeft -= content.bytes;
    this.#wide += content.bytes - content.length;
    return open + content.toText(outcome);
  }
}

/** The link by which a person connects an account, as failures and questions have it: a secret until it ends, and a run is for all keys of the tenant. */
const LINK = /,"connect_url":"(?:[^"\\]|\\.)*"/g;

/** The arguments, results and texts of one action, as far as there is room for them. */
class Content {
  /** The bytes of what was put, and its characters. */
  bytes = 0;
  length = 0;
  readonly #room: number;
  readonly #redact: ((json: string) => string) | null;
  #text = "";
  #cut: string[] | null = null;
  #redacted: string[] | null = null;

  constructor(room: number, redact: ((json: string) => string) | null) {
    this.#room = room;
    this.#redact = redact;
  }

  /** @param secret the parts that are not kept, besides the secrets of tools */
  put(field: string, json: string, secret?: RegExp): void {
    const left = this.#room - this.bytes;
    // A text that cannot fit is not looked through.
    const isTooLong = json.length > left;
    const own = isTooLong || secret === undefined ? json : json.replaceAll(secret, "");
    const clean = isTooLong || this.#redact === null ? own : this.#redact(own);
    if (clean !== json) (this.#redacted ??= []).push(field);
    const bytes = isTooLong ? left + 1 : utf8Length(clean);
    if (bytes > left) return void (this.#cut ??= []).push(field);
    this.bytes += bytes;
    this.length += clean.length;
    this.#text += `,"${field}":${clean}`;
  }

  toText(outcome: Outcome): string {
    const cut = this.#cut;
    if (cut === null && this.#redacted === null) return this.#text;
    let text = this.#text;
    // A failure's code is kept in any case.
    if (cut?.includes("error") || cut?.includes("confirmation")) text += toOutline(outcome);
    if (cut !== null) text += `,"cut":${JSON.stringify(cut)}`;
    if (this.#redacted !== null) text += `,"redacted":${JSON.stringify(this.#redacted)}`;
    return text;
  }
}

/** Put actions behind those that there are, in one piece. */
function append(before: string, actions: readonly string[]): string {
  const text = actions.join(",");
  return before === "" || text === "" ? before + text : `${before},${text}`;
}

/**
 * Write the fields of an action that have no word of its caller or its upstream, but for the id, which has no room for more. They are put
 * together from text, as results are: every action has them.
 */
function toOpening(
  { id }: Step,
  tool: string,
  outcome: Outcome,
  { round, afterMs = 0 }: Pick<AddOptions, "round" | "afterMs">,
): string {
  const { startedMs, queuedMs, durationMs, attempts, tries } = outcome.meta;
  const { bytes, items, replayed, demoted, deduplicatedOf } = outcome.meta;
  let text = `{"id":${JSON.stringify(id)},"tool":${JSON.stringify(tool)},"status":"${outcome.status}"`;
  if (round !== undefined) text += `,"round":${round}`;
  if (outcome.status === "initiated") text += `,"job_id":${JSON.stringify(outcome.jobId)}`;
  if (outcome.status === "skipped") text += `,"because":${JSON.stringify(outcome.because)}`;
  if (startedMs !== undefined) text += `,"started_ms":${afterMs + startedMs}`;
  if (queuedMs !== undefined) text += `,"queued_ms":${queuedMs}`;
  if (durationMs !== undefined) text += `,"duration_ms":${durationMs}`;
  if (attempts !== undefined) text += `,"attempts":${attempts}`;
  if (tries !== undefined) {
    const later = tries.map((one) => ({ ...one, started_ms: afterMs + one.started_ms }));
    text += `,"tries":${JSON.stringify(later)}`;
  }
  if (bytes !== undefined) text += `,"bytes":${bytes}`;
  if (items !== undefined) text += `,"items":${JSON.stringify(items)}`;
  if (replayed) text += ',"replayed":true';
  if (demoted) text += ',"demoted":true';
  if (deduplicatedOf !== undefined) text += `,"deduplicated_of":${JSON.stringify(deduplicatedOf)}`;
  return text;
}

/** Write what an action was sent with besides its arguments; null where that is nothing. */
function toOthersJson({ task, keyed }: Step): string | null {
  if (!task.ok) return null;
  const { tool, forEach, select, timeoutMs, callbackUrl, runAt } = task.value;
  const isShorter = timeoutMs < tool.timeoutMs;
  // Most actions have none of these.
  if (
    !isShorter &&
    forEach === undefined &&
    select === null &&
    callbackUrl === undefined &&
    runAt === undefined &&
    keyed === undefined
  )
    return null;
  return JSON.stringify({
    for_each: forEach,
    select: select?.map((tokens) => toPointer(tokens)),
    timeout_ms: isShorter ? timeoutMs : undefined,
    callback_url: callbackUrl,
    run_at: runAt === undefined ? undefined : new Date(runAt).toISOString(),
    idempotency_key: keyed?.key,
  });
}

/** Write what is kept of a failure or a question without its texts. */
function toOutline(outcome: Outcome): string {
  if ("error" in outcome) return `,"error":${JSON.stringify({ code: outcome.error.code })}`;
  if (outcome.status !== "pending_confirmation") return "";
  const { id, expiresAt } = outcome.confirmation;
  return `,"confirmation":${JSON.stringify({ id, expires_at: new Date(expiresAt).toISOString() })}`;
}

function toModelJson(
  { model, startedAt: runAt }: { readonly model: readonly ModelRound[]; readonly startedAt: number },
  kept: "content" | "outline",
): string {
  return JSON.stringify(
    model.map(({ startedAt, modelMs, usage }, at) => ({
      round: at + 1,
      started_ms: Math.max(0, startedAt - runAt),
      model_ms: modelMs,
      ...(usage !== null && (kept === "content" || isNumbers(usage)) && { usage }),
    })),
  );
}

/** Whether a usage is numbers by their names: anything else is a text of the model's provider. */
function isNumbers(usage: object): boolean {
  return Object.values(usage).every(
    (value) => typeof value === "number" || (typeof value === "object" && value !== null && isNumbers(value)),
  );
}
