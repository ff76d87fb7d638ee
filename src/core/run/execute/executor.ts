import type { Batch, KeptAs } from "../../contract/batch.ts";
import * as LIMITS from "../../contract/limits.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import type { Outcome } from "../../contract/outcome.ts";
import { attempt, err, ok, type Result } from "../../kit/result.ts";
import { makePlan } from "../../plan/make-plan.ts";
import type { Plan } from "../../plan/step.ts";
import { admit, type Admission } from "../../gate/admission.ts";
import { whileHeld } from "../../gate/hold-lease.ts";
import type { Refused } from "../../gate/admit-plan.ts";
import { bindCallback } from "../../gate/bind-plan.ts";
import { toEnvelopeJson } from "../../answer/envelope.ts";
import type { Execution, KeptLater } from "../../gate/execution.ts";
import { fitAnswer } from "../../answer/fit-answer.ts";
import { KEY_CONFLICT, mayRead, namesOf } from "../../gate/kept-answer.ts";
import { readKeys } from "../../gate/read-keys.ts";
import { runAdmitted, untilRead } from "../run-admitted.ts";
import { shapeOutcomes } from "../../answer/shape-outcomes.ts";
import { type Answer, type AnswerWays, holdReplay } from "./answer.ts";
import { holdToReceipt, seeUnrun, showPlan } from "./show-plan.ts";

/**
 * Execute a batch: plan it, admit it in one round trip, run it, and answer every action once, in the order asked.
 *
 * Refusals come before anything ran; after the admission every step leads to a result.
 */
export function execute(batch: Batch, execution: Execution): Promise<Result<Answer, Refused>> {
  return withPlan(batch, execution, async (plan, current) => {
    if (batch.background !== undefined && !batch.dryRun)
      return current.hooks?.later?.record(batch, current, { refused: plan.refused }) ?? err(NO_BACKGROUND);
    return batch.dryRun ? showPlan(plan, current, batch) : answerPlan(plan, current, current);
  });
}

/** Plan a batch with the tools that its caller has now, and do with the plan what `run` does. */
export function withPlan<T>(
  batch: Batch,
  execution: Execution,
  run: (plan: Plan, current: Execution) => Promise<Result<T, Refused>>,
): Promise<Result<T, Refused>> {
  const { callbackUrl } = batch;
  const bound = callbackUrl === undefined ? ok(execution) : bindCallback(callbackUrl, execution);
  if (!bound.ok) return Promise.resolve(err({ refusal: bound.error, quota: null }));
  return withCurrentTools(bound.value, async (current) => {
    const { watch, caller, hooks } = current;
    watch?.enter("plan");
    const held = await hooks?.beforeStep?.hold(batch, current);
    const maySkipApproval = caller.flags.includes("skip_approval");
    const own = await recalled(batch.skipApproval && maySkipApproval ? [] : batch.entries, current);
    const planned = makePlan(batch, own.catalog, { maySkipApproval, held });
    if (!planned.ok) return err({ refusal: planned.error, quota: null });
    const kept = keepWrites(planned.value, batch.keptAs, own);
    if (!kept.ok) return err({ refusal: kept.error, quota: null });
    if (batch.planReceipt === undefined || batch.dryRun) return run(...kept.value);
    const agreed = await holdToReceipt(batch, ...kept.value);
    return agreed.ok ? run(...agreed.value) : agreed;
  });
}

/** Let calls through that a person said yes to for a while, as `BeforeStep` says. */
export async function recalled<E extends Execution>(
  asked: readonly { readonly tool: string | null }[],
  execution: E,
): Promise<E> {
  const catalog = await execution.hooks?.beforeStep?.recall?.(asked, execution);
  return catalog === undefined ? execution : { ...execution, catalog };
}

/** Have a feature look after the writes of a plan whose batch asks for that. */
export function keepWrites(
  plan: Plan,
  keptAs: KeptAs | KeptLater | undefined,
  execution: Execution,
): Result<[plan: Plan, execution: Execution], Refusal> {
  if (keptAs === undefined) return ok([plan, execution]);
  const keeper = execution.hooks?.keepers?.keeperOf(keptAs);
  if (keeper === undefined) return err(NO_KEEPER);
  const taken = keeper.take(plan, execution);
  return taken.ok ? ok([taken.value, { ...execution, hooks: { ...execution.hooks, keeper } }]) : taken;
}

const NO_KEEPER = makeRefusal("INVALID_BATCH", "This Worker takes no writes back.");

/**
 * Do what depends on a key's tools; and once more, with the tools as they are by then, when the gate refused it because
 * they have changed: it had counted nothing, and nothing ran.
 */
export async function withCurrentTools<T, E extends Pick<Execution, "catalog" | "currentCatalog">>(
  execution: E,
  run: (current: E) => Promise<Result<T, Refused>>,
): Promise<Result<T, Refused>> {
  let answered = await run(execution);
  for (let again = 0; again < LIMITS.replans && !answered.ok && answered.error.stale === true; again += 1) {
    const catalog = await attempt(() => execution.currentCatalog());
    if (!catalog.ok) return answered;
    answered = await run({ ...execution, catalog: catalog.value });
  }
  return answered;
}

const NO_BACKGROUND: Refused = {
  refusal: makeRefusal("INVALID_BATCH", "This Worker runs no batches in the background."),
  quota: null,
};

/** Admit a plan, run it and write its answer. */
export async function answerPlan(
  plan: Plan,
  execution: Execution,
  ways: AnswerWays = {},
): Promise<Result<Answer, Refused>> {
  const { ports, gate, defer, watch } = execution;
  const { batchKey, keep, keysOf = (runnable) => readKeys(runnable, { ...execution, batchKey }) } = ways;
  watch?.enter("admit");
  const isKeyed =
    batchKey !== undefined ||
    ways.keysOf !== undefined ||
    plan.steps.some(({ keyed }) => keyed !== undefined);
  const admission = await admit(plan, execution, isKeyed ? keysOf : undefined);
  if (!admission.ok) return admission;
  const { admitted, keys, startedAt } = admission.value;
  if (admitted.replay !== null) {
    if (!mayRead(admitted.replay, execution)) return err({ refusal: KEY_CONFLICT, quota: null });
    const crowded = await holdReplay(admitted.replay.json, execution);
    if (crowded !== null) return err({ refusal: crowded, quota: null, mayHaveBegun: true });
    seeUnrun("replay", plan, execution);
    return ok({ json: admitted.replay.json, quota: null, replayed: true });
  }

  const run = (lost?: AbortSignal): Promise<string> =>
    writeAnswer(admission.value, execution, { ...ways, lost });
  const lease = keys === null ? null : keys.lease;
  const holding = { gate, clock: ports.clock, askedAtMs: startedAt };
  const answering = lease === null ? run() : whileHeld(lease, holding, run);
  // A caller that comes back for this answer wants all of it, so the batch goes on when its caller has gone away.
  // So does one whose writes are looked after.
  if (keys !== null || keep !== undefined || execution.hooks?.keeper !== undefined) defer(answering);
  return ok({ json: await answering, quota: admitted.quota, replayed: false });
}

/** Run an admitted batch and write its answer, which is kept before its caller sees it. */
async function writeAnswer(
  admission: Admission,
  execution: Execution,
  { lost, toJson = toEnvelopeJson, keep, batchKey }: AnswerWays & { readonly lost: AbortSignal | undefined },
): Promise<string> {
  const { ports, gate, watch, catalog } = execution;
  const { admitted, keys } = admission;
  watch?.enter("run");
  const { outcomes, release, ...measures } = await runAdmitted(admission, execution, { lost });
  watch?.enter("write");
  const { maxTokens, steps } = admitted.plan;
  const shaped =
    maxTokens === null ? outcomes : await shapeOutcomes(outcomes, maxTokens, { ports, gate, steps });
  const measured = { ...measures, batchId: admission.batchId() };
  const write = (shown: readonly Outcome[]): string => toJson(admitted.plan, shown, measured);
  const json = write(shaped);
  untilRead(release, execution);
  if (keys !== null) {
    const tools = namesOf(admitted.plan, catalog);
    const answer = { json: fitAnswer(json, shaped, { write }), tools };
    const closing = keys.close(outcomes, answer, batchKey);
    // It did run, so it is answered even when that cannot be kept; the key is then taken over after its lease.
    await attempt(() => gate.complete(closing));
  }
  if (keep !== undefined) await attempt(() => keep(fitAnswer(json, shaped, { write })));
  return json;
}
