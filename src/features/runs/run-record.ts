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
export type RunFacts = Omit<RunHead, "tools">;

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

/** One action as text: what is always kept of it, and the rest of the object with content or without. */
interface ActionRecord {
  readonly open: string;
  readonly outline: string;
  readonly content: string;
}

/** The counts of the actions of one tool. */
interface Counted {
  readonly ends: number[];
  failed?: ToolCount["failed"];
  readonly waits: Map<string, { until: number; actions: number }>;
}

/**
 * The record of one run, made of its batches as they end: text only, so that it holds nothing that a batch held.
 *
 * Bounded whatever the batches were: 16 KiB of an action and 256 KiB of a run are kept of arguments and results, and what does not fit
 * is left out whole and named in `cut`. Secrets of all tools of a batch are taken out of each of its actions. Without content an
 * action keeps names that are declared, ids, codes and numbers.
 */
export class RunRecord {
  readonly #options: RecordOptions;
  readonly #tools = new Map<string, Counted>();
  readonly #actions: ActionRecord[] = [];
  readonly #edges: string[] = [];
  #contentLeft: number = LIMITS.runBytes;
  #hasContent: boolean;
  #bytes = 0;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#hasContent = options.keepsContent;
  }

  /** The most bytes that its body takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Take the actions of a batch that is over. */
  add(
    { plan, outcomes, isTool, ran }: SeenBatch,
    { round, afterMs, isPrivate, secretive }: AddOptions,
  ): void {
    const { steps } = plan;
    const hides = steps.map(({ task }) => task.ok && isPrivate(task.value.tool));
    const redact = this.#redactorOf(secretive);
    for (const { id, edges } of steps)
      for (const { from, reason } of edges)
        this.#edges.push(JSON.stringify({ from: steps[from]!.id, to: id, reason }));
    for (const [at, outcome] of outcomes.entries()) {
      const step = steps[at]!;
      const name = nameOf(step, isTool);
      this.#count(name, step, outcome);
      // A private tool's answer stands in no other action either: the reference to it does.
      const borrows = step.needs.some((needed) => hides[needed]);
      const args = this.#hasContent && !borrows ? ran?.prepared.get(step.index)?.input : undefined;
      const isWrite = this.#hasContent && step.task.ok && step.task.value.tool.isWrite;
      const callKey = isWrite ? ran?.callKey(step) : undefined;
      this.#push({
        open: toOpening(step, name, outcome, { round, afterMs }),
        outline: toOutline(outcome),
        content: this.#hasContent
          ? this.#toContent(step, outcome, { args, callKey, redact, hides: hides[at]! })
          : "",
      });
    }
  }

  /** Drop arguments, results and texts; how many bytes that gave back. */
  dropContent(): number {
    const before = this.#bytes;
    this.#hasContent = false;
    this.#bytes = 0;
    for (const { open, outline } of this.#actions) this.#bytes += open.length + outline.length + 2;
    for (const edge of this.#edges) this.#bytes += edge.length + 1;
    return before - this.#bytes;
  }

  get hasContent(): boolean {
    return this.#hasContent;
  }

  toHeadJson(facts: RunFacts): string {
    const tools: ToolCount[] = [...this.#tools].map(([tool, { ends, failed, waits }]) => ({
      tool,
      ends,
      ...(failed !== undefined && { failed }),
      ...(waits.size > 0 && {
        waits: [...waits].map(([question, waiting]) => ({ question, ...waiting })),
      }),
    }));
    return JSON.stringify({ ...facts, tools } satisfies RunHead);
  }

  /** @param joined the answers of a model that its batches were asked for by, and when the run began */
  toBodyJson(joined?: { readonly model: readonly ModelRound[]; readonly startedAt: number }): string {
    const rounds =
      joined === undefined ? "" : `,"model":${toModelJson(joined, this.#hasContent ? "content" : "outline")}`;
    const actions = this.#actions.map(
      ({ open, outline, content }) => `${open}${this.#hasContent ? content : outline}}`,
    );
    return `{"plan":{"edges":[${this.#edges.join(",")}]},"actions":[${actions.join(",")}]${rounds}}`;
  }

  #push(action: ActionRecord): void {
    this.#actions.push(action);
    const { open, outline, content } = action;
    this.#bytes += open.length + Math.max(outline.length, utf8Length(content)) + 2;
  }

  #count(name: string, step: Step, outcome: Outcome): void {
    let counted = this.#tools.get(name);
    if (counted === undefined)
      this.#tools.set(name, (counted = { ends: ENDS.map(() => 0), waits: new Map() }));
    counted.ends[ENDS.indexOf(outcome.status)]! += 1;
    if ("error" in outcome)
      counted.failed ??= { at: this.#actions.length, action: step.id, code: outcome.error.code };
    if (outcome.status !== "pending_confirmation") return;
    const { id, expiresAt } = outcome.confirmation;
    const waiting = counted.waits.get(id) ?? { until: expiresAt, actions: 0 };
    counted.waits.set(id, { ...waiting, actions: waiting.actions + 1 });
  }

  /** Take the secrets of tools out of JSON: a result may say what another tool's upstream was sent. */
  #redactorOf(tools: ReadonlySet<Tool>): (json: string) => string {
    if (!this.#hasContent || tools.size === 0) return (json) => json;
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
      readonly redact: (json: string) => string;
    },
  ): string {
    const args = resolved ?? (step.task.ok ? step.task.value.input : undefined);
    let left = Math.min(LIMITS.runActionBytes, this.#contentLeft);
    let text = callKey === undefined ? "" : `,"call_key":${JSON.stringify(callKey)}`;
    if (resolved !== undefined) text += ',"resolved":true';
    const cut: string[] = [];
    const redacted: string[] = [];
    const put = (field: string, json: string): void => {
      // A text that cannot fit is not looked through.
      const clean = json.length > left ? null : redact(json);
      if (clean !== null && clean !== json) redacted.push(field);
      const bytes = clean === null ? left + 1 : utf8Length(clean);
      if (clean === null || bytes > left) return void cut.push(field);
      left -= bytes;
      this.#contentLeft -= bytes;
      text += `,"${field}":${clean}`;
    };
    if (hides) return `${text}${toOutline(outcome)},"private":true`;
    if ("error" in outcome) put("error", JSON.stringify(toWireFailure(outcome.error)));
    if (outcome.status === "pending_confirmation")
      put("confirmation", JSON.stringify(toWirePending(outcome.confirmation)));
    const written = args === undefined ? undefined : attemptNow(() => JSON.stringify(args));
    if (written?.ok === true) put("args", written.value);
    const others = toOthersJson(step);
    if (others !== null) put("with", others);
    const shown = shownOf(outcome);
    if (shown !== undefined) put("data", shown.json);
    // A failure's code is kept in any case.
    if (cut.includes("error") || cut.includes("confirmation")) text += toOutline(outcome);
    if (cut.length > 0) text += `,"cut":${JSON.stringify(cut)}`;
    if (redacted.length > 0) text += `,"redacted":${JSON.stringify(redacted)}`;
    return text;
  }
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
  const { tool, forEach, select, timeoutMs, callbackUrl } = task.value;
  const isShorter = timeoutMs < tool.timeoutMs;
  // Most actions have none of these.
  if (
    !isShorter &&
    forEach === undefined &&
    select === null &&
    callbackUrl === undefined &&
    keyed === undefined
  )
    return null;
  return JSON.stringify({
    for_each: forEach,
    select: select?.map((tokens) => toPointer(tokens)),
    timeout_ms: isShorter ? timeoutMs : undefined,
    callback_url: callbackUrl,
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
