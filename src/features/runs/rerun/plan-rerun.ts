import { type Catalog, type Outcome, parseBatch } from "../../../feature/tool.ts";
import type { Batch } from "../../../core/contract/batch.ts";
import type { IdempotencyRequest } from "../../../core/contract/gate/idempotency.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import { makeFailure } from "../../../core/contract/failure.ts";
import { err, type Failure, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { FailureCode } from "../../../core/contract/failure-codes.ts";
import { type PendingConfirmation, toConfirmationUrl } from "../../../core/contract/outcome.ts";
import { makePlan } from "../../../core/plan/make-plan.ts";
import { prepareTask } from "../../../core/plan/prepare-task.ts";
import { ASKED_ELEMENT, type Plan, type Step, type Task } from "../../../core/plan/step.ts";
import type { Fate } from "./decide-rerun.ts";
import type { KeptAction, KeptRun } from "./kept-run.ts";

/** The batch that runs again what is to be run, and what it goes by. */
interface RerunBatch {
  readonly batch: Batch;
  readonly asksFirst: ReadonlyMap<string, { readonly wasSent: boolean }>;
  readonly given: ReadonlyMap<string, unknown>;
}

/**
 * Make a batch of the actions that run, with the arguments that they had; what is answered is given to those that refer to it.
 *
 * @param known what they may refer to besides
 * @param more the fields that the batch has besides
 */
export function batchRerun(
  fates: readonly Fate[],
  { edges, on_error, deadline_ms }: KeptRun["plan"],
  { known = new Map(), more }: { readonly known?: ReadonlyMap<string, unknown>; readonly more?: JsonObject },
): Result<RerunBatch, Refusal> {
  const running = fates.filter(({ kind }) => kind !== "answer");
  const ids = new Set(running.map(({ action }) => action.id));
  const needed = edges.filter(({ from, reason }) => ids.has(from) && !reason.startsWith("hazard"));
  const sent = running.map(({ kind, action }) => {
    // One without a tool fails in its place again, and what needs it is skipped.
    if (kind === "stay") return { id: action.id };
    const needs = needed.filter(({ to }) => to === action.id).map(({ from }) => from);
    return toAction(action, needs);
  });
  const batch = parseBatch({ actions: sent, on_error, deadline_ms, ...more }, JSON.stringify(sent).length);
  if (!batch.ok) return batch;
  const asksFirst = new Map(
    fates.flatMap(({ kind, action, wasSent = false }) =>
      kind === "ask" ? [[action.id, { wasSent }] as const] : [],
    ),
  );
  const given = new Map([
    ...[...known].filter(([id]) => !ids.has(id)),
    ...fates.flatMap(({ kind, action: { id, data } }) =>
      kind === "answer" && data !== undefined ? [[id, data] as const] : [],
    ),
  ]);
  return ok({ batch: batch.value, asksFirst, given });
}

/** Plan the batch that runs again what is to be run. */
export function planRerun(
  fates: readonly Fate[],
  kept: KeptRun["plan"],
  catalog: Catalog,
  known: ReadonlyMap<string, unknown> = new Map(),
): Result<Plan, Refusal> {
  const made = batchRerun(fates, kept, { known });
  if (!made.ok) return made;
  const { batch, given, asksFirst } = made.value;
  const plan = makePlan(batch, catalog, { given, asksFirst });
  const running = fates.filter(({ kind }) => kind !== "answer");
  // Unfinished at the deadline it is run again; a job would go on beside that.
  return plan.ok ? ok({ ...plan.value, steps: asBefore(plan.value, running, known), demotes: false }) : plan;
}

/** An action that was refused before it began fails as it did then, a job has the key of the first, and a loop what became of its elements. */
function asBefore(
  { steps }: Plan,
  running: readonly Fate[],
  known: ReadonlyMap<string, unknown>,
): readonly Step[] {
  const fates = new Map(running.map((fate) => [fate.action.id, fate]));
  return steps.map((step) => {
    const { kind, action, jobKey, elements } = fates.get(step.id)!;
    if (elements !== undefined && step.task.ok)
      return {
        ...step,
        ...(elements.includes(ASKED_ELEMENT) && { doubted: true as const }),
        task: withElements(step.task.value, elements, known),
      };
    if (kind === "stay")
      return { ...step, toolName: action.asked ?? action.tool, task: err(failureOf(action)) };
    return jobKey === undefined ? step : { ...step, jobKey };
  });
}

/** The calls of a loop as its run had them: what it goes over may have changed since. */
function withElements(
  task: Task,
  elements: NonNullable<Fate["elements"]>,
  known: ReadonlyMap<string, unknown>,
): Result<Task, Failure> {
  const prepared = prepareTask(task, (id) => (known.has(id) ? { data: known.get(id) } : undefined));
  if (!prepared.ok || prepared.value.kind !== "loop") return prepared.ok ? ok(task) : prepared;
  const calls = prepared.value.calls.map((call, at) => {
    const begun = elements[at];
    return call.ok && begun !== undefined ? ok({ ...call.value, begun }) : call;
  });
  return ok({ ...task, forEach: [], calls });
}

function toAction(
  { id, tool, args = {}, resolved, with: others = {} }: KeptAction,
  needs: readonly string[],
): JsonObject {
  return {
    ...others,
    id,
    tool,
    args: resolved === true ? asLiterals(args) : args,
    ...(needs.length > 0 && { depends_on: [...new Set(needs)] }),
  };
}

/** Arguments whose references are resolved: a value that looks like a reference is meant as it stands. */
function asLiterals(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { $literal: value }]));
}

/**
 * Make the claims of a rerun: an action's own key where it had one, and one made of the run, the rerun's number and the action for every
 * other write. The ids of its calls are those of the run, so an upstream that honours them acts once. Without the number a write that was
 * refused for good would be answered with that refusal, and never be sent again.
 */
export function claimWrites(
  { steps }: Plan,
  own: IdempotencyRequest,
  {
    root,
    earlier,
    actions,
  }: { readonly root: string; readonly earlier: number; readonly actions: readonly KeptAction[] },
): IdempotencyRequest {
  const keys = new Map(actions.map(({ id, call_key: key }) => [id, key]));
  const claims = steps.flatMap(({ id, index, task, parking }): IdempotencyRequest["actions"] => {
    // The id of a job is made of its own seed; one that was recorded, or may be, is not run without a yes.
    const isJob = task.ok && task.value.tool.execution === "fire-and-forget";
    const seed = isJob ? undefined : keys.get(id);
    const claimed = own.actions.find((action) => action.index === index);
    if (claimed !== undefined) return [{ ...claimed, seed: seed ?? claimed.seed }];
    if (seed === undefined || parking !== null || !task.ok || !task.value.tool.isWrite) return [];
    return [{ index, key: `rerun:${root}:${earlier}:${id}`, fingerprint: "", seed }];
  });
  return { ...own, actions: claims };
}

/** A run as a whole again: what runs in it, and what is answered from before, at the places that they had. */
export function orderOf(fates: readonly Fate[]): readonly (string | readonly [Step, Ended])[] {
  return fates
    .filter(({ isHidden }) => isHidden !== true)
    .map(({ kind, action, deadJob }) =>
      kind === "answer" || kind === "stay" ? answered(action, deadJob) : action.id,
    );
}

type Ended = Exclude<Outcome, { readonly status: "skipped" }>;

function answered(action: KeptAction, deadJob?: string): readonly [Step, Ended] {
  const { id, tool, asked: toolName = tool, status, data = null, job_id: jobId = "", confirmation } = action;
  const failure = failureOf(action);
  const isLost = status === "success" && action.data === undefined;
  const left = `Its job is dead, and is not made again: redrive it with POST /v1/jobs/${deadJob}/redrive.`;
  const warnings = [...(isLost ? [LOST] : []), ...(deadJob === undefined ? [] : [left])];
  const meta = { replayed: true } as const;
  const step = { index: 0, id, toolName, needs: [], after: [], edges: [], parking: null, remaining: 1 };
  const outcome: Ended =
    status === "initiated"
      ? { status, jobId, meta }
      : status === "success"
        ? { status, data, json: JSON.stringify(data), meta }
        : confirmation !== undefined
          ? { status: "pending_confirmation", confirmation: toPending(confirmation), meta }
          : { status: "error", error: failure, meta };
  return [{ ...step, ...(warnings.length > 0 && { warnings }), task: err(failure) }, outcome];
}

const LOST =
  "The result was not kept with the run: it was too large, its tool is private, or no content is kept.";

function failureOf({ error }: KeptAction): Failure {
  return makeFailure(
    (error?.code ?? "INTERNAL") as FailureCode,
    error?.hint === undefined ? {} : { hint: error.hint },
  );
}

function toPending({
  id,
  expires_at: expiresAt,
  message = "It waits for a person.",
  url = toConfirmationUrl(id),
}: NonNullable<KeptAction["confirmation"]>): PendingConfirmation {
  return { id, expiresAt: Date.parse(expiresAt), message, url };
}
