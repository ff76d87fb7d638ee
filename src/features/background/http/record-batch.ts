import * as LIMITS from "../../../core/contract/limits.ts";
import { BATCH_TOOL } from "../../../feature/tool.ts";
import { describe, isJsonObject } from "../../../feature/schema.ts";
import { awaitChange, liveStatusOf } from "../../../cloudflare/http/await-change.ts";
import { respondJson } from "../../../feature/answer.ts";
import type { Execution, KeptAgain, Later, RunAgain } from "../../../core/gate/execution.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { BATCH, callBackground, runIdOf, writeKeptBatch } from "../batch-job.ts";
import { NO_STEP } from "../batch-results.ts";
import type { Batch } from "../../../core/contract/batch.ts";
import type { JobSpec } from "../../../core/contract/gate/job.ts";
import { findKept } from "../../../core/gate/admission.ts";
import { admitPlan, type Admitted, type Refused } from "../../../core/gate/admit-plan.ts";
import { abandonKeys, endKey } from "../../../core/gate/claimed-keys.ts";
import { readKeys } from "../../../core/gate/read-keys.ts";
import { deriveId } from "../../../core/kit/derive-id.ts";
import { NO_PLAN, type Plan } from "../../../core/plan/step.ts";

const PREFERENCE = "respond-async";

/** Batches in the background, by the field or by the header that asks for it (RFC 7240). */
export const later: Later = {
  read: (headers, sent) =>
    isPreferred(headers) && isJsonObject(sent) ? { ...sent, background: true } : undefined,
  awaitJob: (look, request, context) => awaitChange(look, { request, context, liveStatus: liveStatusOf }),
  async mayReach({ id, tool }, { gate, caller: { tools } }) {
    if (!tool.startsWith(`${BATCH_TOOL}:`) || tools.includes("*")) return true;
    const asker = await callBackground(gate, "asker", id);
    return asker !== null && asker.tools.every((grant) => tools.includes(grant));
  },
  async record(...asked) {
    const recorded = await recordBatch(...asked);
    if (!recorded.ok) return recorded;
    const { jobId, ...answer } = recorded.value;
    return ok({
      ...answer,
      respond: (request, headers) =>
        respondJson(answer.json, {
          status: 202,
          headers: {
            ...headers,
            location: `/v1/jobs/${jobId}`,
            ...(isPreferred(request.headers) && { "preference-applied": PREFERENCE }),
          },
        }),
    });
  },
};

function isPreferred(headers: Headers): boolean {
  const preferences = (headers.get("prefer") ?? "").toLowerCase().split(/[,;]/);
  return preferences.some((preference) => preference.trim() === PREFERENCE);
}

/**
 * Record a batch that is to run in the background, in the turn in which it is counted: the answer says where it is found, and is
 * the same for a request that comes again under its key.
 */
async function recordBatch(
  batch: Batch,
  execution: Execution,
  { refused, again }: NonNullable<Parameters<Later["record"]>[2]> = {},
): Promise<Result<RecordedBatch, Refused>> {
  const { caller, gate, ports, batchKey } = execution;
  const unfit = refuseFields(batch);
  if (unfit !== null) return err({ refusal: unfit, quota: null });
  const idempotency = await readKeys(ONE_JOB, { ...execution, batchKey });
  const seed = idempotency?.batch?.seed ?? ports.newId();
  if (refused !== undefined) {
    const kept = await findKept({ ...ONE_JOB, refused }, idempotency, execution);
    return kept.ok ? toReplay(kept.value) : kept;
  }
  const spec = makeSpec(batch, execution, { id: deriveId(seed, 0), again });
  const run = runIdOf(spec);
  const unclaimed = (await again?.claim(run)) ?? null;
  if (unclaimed !== null) return err({ refusal: unclaimed, quota: null });
  const isCounted = again?.isCounted === true;
  const asked = { jobs: new Map([[0, spec]]), idempotency, countAlone: () => false, isCounted };
  const admitted = await admitPlan(ONE_JOB, asked, { caller, gate });
  // Without an answer of the gate it may be recorded all the same.
  const isCertain = admitted.ok
    ? admitted.value.replay !== null
    : admitted.error.refusal.code !== "UNAVAILABLE";
  if (isCertain) await again?.drop(run);
  if (!admitted.ok) return admitted;
  const { plan, quota, claimed } = admitted.value;
  if (admitted.value.replay !== null) return toReplay(admitted.value);
  const [{ task }] = plan.steps as unknown as readonly [Plan["steps"][number]];
  if (!task.ok && task.error.code !== "INTERNAL") {
    await again?.drop(run);
    if (idempotency !== null) await attempt(() => gate.complete(abandonKeys(idempotency)));
    return err({ refusal: refuse(task.error.code), quota });
  }
  const state = claimed?.batch;
  const answer = toAnswer(state?.kind === "claimed" ? deriveId(state.seed, 0) : spec.id, {
    quota,
    replayed: false,
  });
  const batchKeyed = idempotency?.batch ?? null;
  if (batchKeyed !== null && idempotency !== null) {
    const end = { kind: "done", answer: { json: answer.json, failed: false } } as const;
    // It is recorded, so it is answered even when that cannot be kept: under its key it is the same job.
    const ends = [endKey(batchKeyed, end)];
    await attempt(() => gate.complete({ runId: idempotency.runId, ends }));
  }
  return ok(answer);
}

function toReplay({ replay, quota }: Pick<Admitted, "replay" | "quota">): Result<RecordedBatch, Refused> {
  return ok(toAnswer((JSON.parse(replay!.json) as WireAnswer).job_id, { quota, replayed: true }));
}

interface WireAnswer {
  readonly run_id: string;
  readonly job_id: string;
}

/** A batch that was recorded, and the answer that says where it is found. */
interface RecordedBatch extends Pick<Admitted, "quota"> {
  readonly jobId: string;
  readonly json: string;
  readonly replayed: boolean;
}

function toAnswer(jobId: string, facts: Pick<RecordedBatch, "quota" | "replayed">): RecordedBatch {
  const json = JSON.stringify({ run_id: runIdOf({ id: jobId }), job_id: jobId } satisfies WireAnswer);
  return { ...facts, jobId, json };
}

function makeSpec(
  { background, deadlineMs, tags, keptAs }: Batch,
  { caller, origin, ports, callback }: Execution,
  { id, again }: { readonly id: string; readonly again: RunAgain | undefined },
): JobSpec {
  return {
    id,
    kind: BATCH,
    tool: `${BATCH_TOOL}:${caller.name}`,
    argsJson: JSON.stringify(background),
    idempotencyKey: id,
    maxAttempts: LIMITS.jobAttempts,
    backoffInitialMs: LIMITS.jobBackoffInitialMs,
    // The journal tells call by call which must not be repeated.
    delivery: "at-least-once",
    origin: { ...origin, batchId: runIdOf({ id }), askedAt: ports.clock.now() },
    toolJson: writeKeptBatch({ caller, deadlineMs, callback, keptAs, again: again && toKept(again) }),
    ...(callback !== undefined && { callback }),
    ...(tags !== undefined && { tags }),
  };
}

/** Leave out the facts for the recorder alone. */
function toKept(again: RunAgain): KeptAgain {
  const { isCounted: _, claim: __, drop: ___, ...kept } = again;
  return kept;
}

/** Refuse what has no meaning without somebody who waits. */
function refuseFields({ maxTokens, entries }: Batch): Refusal | null {
  if (maxTokens !== null)
    return makeRefusal(
      "INVALID_BATCH",
      "The results of a batch in the background come in pages; leave max_tokens out.",
      { issue: { path: "/max_tokens", expected: NONE, received: describe(maxTokens) } },
    );
  const keyed = entries.find(({ action }) => action.ok && action.value.keyed !== undefined);
  if (keyed === undefined) return null;
  const hint = `In the background no action has an idempotency_key: each write is written down before it is sent. Leave that of '${keyed.id}' out, and send the request with the header Idempotency-Key.`;
  const issue = { path: `/actions/${keyed.index}/idempotency_key`, expected: NONE, received: "a string" };
  return makeRefusal("INVALID_BATCH", hint, { issue });
}

const NONE = "none in the background";

function refuse(code: string): Refusal {
  return code === "BACKLOG_FULL"
    ? makeRefusal(
        "BACKLOG_FULL",
        "Too many batches wait in the background; nothing was recorded. Send it again later.",
      )
    : makeRefusal("UNAVAILABLE", "The batch could not be recorded, and nothing of it runs; send it again.", {
        retryAfterMs: 1_000,
      });
}

/** The plan that is admitted: one job, of which all is known that an admission asks. */
const ONE_JOB: Plan = {
  ...NO_PLAN,
  steps: [{ ...NO_STEP, id: "batch", toolName: null }],
};
