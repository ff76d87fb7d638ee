import { nameOf, type Outcome, type SeenBatch, type Tool } from "../../feature/tool.ts";
import { toWireFailure } from "../../core/contract/failure.ts";
import { utf8Length, visibleText } from "../../feature/schema.ts";
import { shownOf, toWirePending } from "../../core/contract/outcome.ts";
import { redactorOf, type SecretOf } from "../../core/egress/tool-secrets.ts";
import { attemptNow, ok } from "../../feature/refuse.ts";
import type { ModelRound } from "../../core/observe/seen.ts";
import { UNKNOWN_TOOL } from "../../core/observe/watch.ts";
import type { Step } from "../../core/plan/step.ts";
import { ActionContent, LINK, keepLog } from "./action-content.ts";
import { type Placed, toOpening, toOthersJson, toOutline } from "./action-outline.ts";
import * as LIMITS from "./limits.ts";
import { NOT_KEPT } from "./rerun/kept-run.ts";
import type { RunHead } from "./run.ts";
import { ToolCounts } from "./tool-counts.ts";

/** The facts of a run that its batches do not have. */
export type RunFacts = { readonly [Name in keyof Omit<RunHead, "tools">]: RunHead[Name] | undefined };

export interface RecordOptions {
  /** Keep arguments and results. */
  readonly keepsContent: boolean;
  /** The configured value of a secret: no run has one in it. */
  readonly secretOf: SecretOf;
}

/** The request that a batch is of. */
export interface AddOptions extends Placed {
  /** Whether nothing of a tool's content is kept. */
  readonly isPrivate: (tool: Tool) => boolean;
  /** The tools with secrets that the request has called so far, those of its flows among them. */
  readonly secretive: ReadonlySet<Tool>;
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
  readonly #tools = new ToolCounts();
  /** All actions as JSON, behind each other: with arguments and results, and without. */
  #full = "";
  #outline = "";
  #actions = 0;
  #edges = "";
  /** The rule of its batch where one fails and its other fields, as fields of its plan; those with words of the caller apart. */
  #rule = "";
  #words = "";
  /** The input of the flow that it is, and what is known of the delivery that began it, as fields of its body. */
  #input = "";
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
    const content = this.#hasContent
      ? this.#full.length + this.#input.length + this.#words.length + this.#wide
      : this.#outline.length;
    return this.#edges.length + content;
  }

  /** Take the actions of a batch that is over. */
  add(
    { plan, outcomes, isTool, tool: flow, ran }: SeenBatch,
    { round, batchId, afterMs = 0, isPrivate, secretive }: AddOptions,
  ): void {
    const steps = plan.steps.map((step) =>
      step.turnedAway === undefined ? step : { ...step, task: ok(step.turnedAway) },
    );
    const hides = (at: number): boolean => {
      const { task } = steps[at]!;
      return task.ok && isPrivate(task.value.tool);
    };
    const redact = this.#redactorOf(secretive);
    const { onError, keptAs } = plan;
    if (onError !== "partial-success") this.#rule = `,"on_error":"${onError}"`;
    if (keptAs !== undefined) this.#rule += `,"kept_as":${JSON.stringify(keptAs)}`;
    // The batch of a round has the time that the others left.
    for (const [name, value] of Object.entries((round === undefined && plan.sent) || {})) {
      if (value === undefined || NOT_KEPT.has(name)) continue;
      const isWord = typeof value === "string" || typeof value === "object";
      if (isWord) this.#words += this.#fit(name, value, redact);
      else this.#rule += `,"${name}":${String(value)}`;
    }
    for (const { id, edges } of steps)
      for (const { from, reason } of edges)
        this.#edges += `${this.#edges === "" ? "" : ","}${JSON.stringify({ from: steps[from]!.id, to: id, reason })}`;
    if (flow !== undefined && !steps.some((_, at) => hides(at)))
      for (const name of ["input", "hook"])
        this.#input += this.#fit(name, plan.given?.get(name) ?? undefined, redact);
    const of = { plan, ran, afterMs, isPrivate, redact };
    const full: string[] = [];
    const outline: string[] = [];
    for (let at = 0; at < outcomes.length; at += 1) {
      const [step, outcome] = [steps[at]!, outcomes[at]!];
      const name = nameOf(step, isTool);
      this.#tools.add(name, step, outcome, this.#actions);
      const asked = JSON.stringify(askedName(step, name, redact !== null));
      if (asked !== undefined) this.#tools.ask(redact === null ? asked : redact(asked));
      const open = toOpening(step, name, outcome, { round, batchId, afterMs });
      outline.push(`${open}${toOutline(outcome)}}`);
      // A private tool's answer stands in no other action either: the reference to it does.
      const own = { ...of, asked, borrows: step.needs.some(hides), hides: hides(at) };
      if (this.#hasContent) full.push(`${open}${this.#toContent(step, outcome, own)}}`);
      this.#actions += 1;
    }
    this.#outline = append(this.#outline, outline);
    if (this.#hasContent) this.#full = append(this.#full, full);
  }

  /** Write what it was run with, each where it fits whole: the actions of a flow and its answer may refer to it when it is run again. */
  #fit(name: string, input: unknown, redact: ((json: string) => string) | null): string {
    if (input === undefined || !this.#hasContent) return "";
    const content = new ActionContent(Math.min(LIMITS.runActionBytes, this.#contentLeft), redact);
    content.put(name, JSON.stringify(input));
    if (content.isChanged) return "";
    this.#contentLeft -= content.bytes;
    this.#wide += content.bytes - content.length;
    return content.text;
  }

  /** Drop arguments, results and texts; how many bytes that gave back. */
  dropContent(): number {
    const before = this.bytes;
    this.#hasContent = false;
    this.#full = this.#input = this.#words = "";
    return before - this.bytes;
  }

  get hasContent(): boolean {
    return this.#hasContent;
  }

  toHeadJson(facts: RunFacts): string {
    return `${JSON.stringify(facts).slice(0, -1)},"tools":${this.#tools.toJson(this.#hasContent)}}`;
  }

  /** @param joined the answers of a model that its batches were asked for by, and when the run began */
  toBodyJson(joined?: { readonly model: readonly ModelRound[]; readonly startedAt: number }): string {
    const rounds =
      joined === undefined ? "" : `,"model":${toModelJson(joined, this.#hasContent ? "content" : "outline")}`;
    const actions = this.#hasContent ? this.#full : this.#outline;
    return `{"plan":{"edges":[${this.#edges}]${this.#rule}${this.#words}},"actions":[${actions}]${this.#input}${rounds}}`;
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
    { plan, ran, afterMs, isPrivate, redact, asked, borrows, hides }: OfBatch,
  ): string {
    const resolved = borrows ? undefined : ran?.prepared.get(step.index)?.input;
    const task = step.task.ok ? step.task.value : undefined;
    // The elements of a loop that waited for a yes are no arguments: the run that asked has those.
    const isParkedLoop = task?.calls !== undefined;
    const args = isParkedLoop ? undefined : (resolved ?? task?.input);
    const callKey = task?.tool.isWrite ? ran?.callKey(step) : undefined;
    let open = callKey === undefined ? "" : `,"call_key":${JSON.stringify(callKey)}`;
    // A person said yes to it, and its arguments are as they were shown.
    if (resolved !== undefined || (plan.approved && task?.call)) open += ',"resolved":true';
    const { accounts } = outcome.meta;
    if (accounts !== undefined) open += `,"accounts":${JSON.stringify(accounts)}`;
    if (hides) return `${open}${toOutline(outcome)},"private":true`;
    // The lines of a replay stand in the run that it is of; those of an earlier attempt are this run's.
    const isOwn = outcome.meta.replayed !== true || ran?.runOf !== undefined;
    const since = (ran?.startedAt ?? 0) - afterMs;
    const lines = borrows || !isOwn ? [] : keepLog(outcome.meta.log);
    const said = lines.map(({ at, text }) => ({ at_ms: at - since, text }));
    const log = said.length === 0 ? undefined : JSON.stringify(said);
    // Its log has room of its own.
    const most = LIMITS.runActionBytes + (log === undefined ? 0 : utf8Length(log));
    const content = new ActionContent(Math.min(most, this.#contentLeft), redact);
    if (log !== undefined) content.put("log", log);
    if (asked !== undefined) content.put("asked", asked);
    if ("error" in outcome) content.put("error", JSON.stringify(toWireFailure(outcome.error)), LINK);
    if (outcome.status === "pending_confirmation")
      content.put("confirmation", JSON.stringify(toWirePending(outcome.confirmation)), LINK);
    const written = args === undefined ? undefined : attemptNow(() => JSON.stringify(args));
    if (written?.ok === true) content.put("args", written.value);
    const others = isParkedLoop ? null : toOthersJson(step);
    if (others !== null) content.put("with", others);
    const shown = shownOf(outcome);
    if (shown !== undefined) content.put("data", shown.json, task?.forEach === undefined ? undefined : LINK);
    // The arguments as its sender wrote them, where they may be others than were sent.
    const { refused } = step;
    const own =
      resolved === undefined
        ? refused?.tool && !isPrivate(refused.tool) && refused.args
        : task && task.input !== resolved && task.input;
    const ownJson = own ? JSON.stringify(own) : undefined;
    if (ownJson !== undefined && !(written?.ok === true && written.value === ownJson))
      content.put("written", ownJson);
    this.#contentLeft -= content.bytes;
    this.#wide += content.bytes - content.length;
    return open + content.toText(outcome);
  }
}

/** The parts of a batch that an action's content is written by. */
type OfBatch = Pick<SeenBatch, "plan"> & {
  readonly ran: SeenBatch["ran"] | undefined;
  readonly afterMs: number;
  readonly isPrivate: AddOptions["isPrivate"];
  readonly redact: ((json: string) => string) | null;
  /** The name that was sent where there is no such tool, as JSON. */
  readonly asked: string | undefined;
  readonly borrows: boolean;
  readonly hides: boolean;
};

/** The name of an unknown tool, as the failure's hint shows it. A long one is left out beside secrets: redaction misses a secret that is cut. */
function askedName({ toolName }: Step, name: string, hasSecrets: boolean): string | undefined {
  if (name !== UNKNOWN_TOOL || toolName === null) return undefined;
  return hasSecrets && toolName.length > NAME_SHOWN ? undefined : visibleText(toolName, NAME_SHOWN);
}

const NAME_SHOWN = 64;

/** Put actions behind those that there are, in one piece. */
function append(before: string, actions: readonly string[]): string {
  const text = actions.join(",");
  return before === "" || text === "" ? before + text : `${before},${text}`;
}

/** Write the answers of a model that the batches of a run were asked for by; without content, numbers alone. */
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
