import { respondJson } from "../../../cloudflare/http/respond.ts";
import { utf8Length } from "../../../core/contract/json.ts";
import { idempotencyAnswerBytes } from "../../../core/contract/limits.ts";
import { endKey } from "../../../core/gate/claimed-keys.ts";
import { KEY_CONFLICT, mayRead } from "../../../core/gate/kept-answer.ts";
import { type BatchKey, readKeys } from "../../../core/gate/read-keys.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";

/** An answer as JSON, and the tools of which it tells. */
export interface KeptJson {
  readonly json: string;
  readonly tools: readonly string[];
}

/** Answer a request that comes again under its key as it was answered first. One that is refused lets its key go. */
export async function answerOnce(
  batchKey: BatchKey | undefined,
  context: RequestContext,
  answer: () => Promise<KeptJson | Result<Response, Refusal>>,
): Promise<Result<Response, Refusal>> {
  const { gate } = context;
  const idempotency = await readKeys({ steps: [] }, { ...context, batchKey });
  const batch = idempotency?.batch ?? null;
  if (idempotency === null || batch === null) return toResponse(await answer());
  const asked = { quota: null, draws: [], jobs: [], allOrNothing: false, idempotency };
  const admitted = await askGate(() => gate.admit(asked), "It was not begun; send it again.");
  if (!admitted.ok) return admitted;
  const state = admitted.value.idempotency?.batch;
  if (state?.kind === "running") return err(refuseGoing(state.retryAfterMs));
  if (state?.kind === "conflict") return err(KEY_CONFLICT);
  if (state?.kind === "done") {
    const catalog = await askGate(() => context.currentCatalog(), "Send it again.");
    if (!catalog.ok) return catalog;
    if (!mayRead(state.answer, { ...context, catalog: catalog.value })) return err(KEY_CONFLICT);
    return ok(respondJson(state.answer.json, { headers: { "idempotency-replayed": "true" } }));
  }
  const answered = await answer();
  const isKept = "json" in answered && utf8Length(answered.json) <= idempotencyAnswerBytes;
  const end = isKept
    ? ({ kind: "done", answer: { ...answered, failed: false } } as const)
    : ({ kind: "free" } as const);
  const { runId } = idempotency;
  await attempt(() => gate.complete({ runId, ends: [endKey(batch, end)] }));
  return toResponse(answered);
}

function toResponse(answered: KeptJson | Result<Response, Refusal>): Result<Response, Refusal> {
  return "json" in answered ? ok(respondJson(answered.json)) : answered;
}

export const NO_RUNS = makeRefusal(
  "MISCONFIGURED",
  "This Worker keeps no runs: it does not list the feature 'runs'.",
);

export function refuseGoing(retryAfterMs: number): Refusal {
  const hint = "The run, or an undo of it, is under way; ask again when that is over.";
  return makeRefusal("IDEMPOTENCY_IN_PROGRESS", hint, { retryAfterMs });
}

export function refuseStray(name: string): Refusal {
  const issue = { path: "/only", expected: "ids of actions of the run", received: `'${name}'` };
  return makeRefusal("INVALID_REQUEST", `The run has no action '${name}'.`, { issue });
}

export function refuseLacking(names: readonly string[]): Refusal {
  const ids = names.map((name) => `'${name}'`).join(", ");
  const hint = `Not everything is kept that takes ${ids} back: it was private, too large, had a secret in it, or VOLLEY_RUNS keeps no content. Nothing was sent; name the others in 'only'.`;
  return makeRefusal("INVALID_REQUEST", hint);
}
