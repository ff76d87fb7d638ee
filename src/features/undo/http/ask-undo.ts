import * as z from "zod/mini";

import { answerUnrun } from "../../../cloudflare/http/respond-list.ts";
import { readSentKey, underKey } from "../../../cloudflare/http/read-request-body.ts";
import { respondRefused } from "../../../cloudflare/http/respond.ts";
import { strictSchema, utf8Length } from "../../../feature/schema.ts";
import { idempotencyAnswerBytes } from "../../../core/contract/limits.ts";
import { endKey } from "../../../core/gate/claimed-keys.ts";
import { KEY_CONFLICT, mayRead } from "../../../core/gate/kept-answer.ts";
import { type BatchKey, readKeys } from "../../../core/gate/read-keys.ts";
import type { KeyEnd } from "../../../core/contract/gate/idempotency.ts";
import { NO_PLAN } from "../../../core/plan/step.ts";
import { admitPlan, countRequest } from "../../../core/gate/admit-plan.ts";
import { askGate, readRequest, type RequestContext, respondJson } from "../../../feature/answer.ts";
import { givenBy } from "../../../feature/gives.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Catalog } from "../../../feature/tool.ts";
import type { Route } from "../../../feature/route.ts";
import * as LIMITS from "../limits.ts";
import { followUndo } from "../run/follow-undo.ts";
import { plannedSchema, undoneSchema } from "../run/keepers.ts";
import { asksPerson, readArgs } from "../resolve-reversal.ts";
import { type ClaimedState, type RunFacts, toMember, toWirePlace, type UndoneEntry } from "../undo-run.ts";
import { callUndo } from "../undo-methods.ts";
import { toolOf } from "../objects/kept-write.ts";
import { findWrites, type Related } from "./find-writes.ts";

const askedSchema = strictSchema("Undo", () => ({
  only: z
    .optional(z.array(z.string().check(z.minLength(1))).check(z.minLength(1)))
    .check(z.describe("Ids of actions, those of a round as `2:a0`; all of the run unless said")),
  dry_run: z.optional(z.boolean()).check(z.describe("Only say what would be sent")),
}));

const answerSchema = strictSchema("Undone", () => ({
  undone: z
    .array(z.union([undoneSchema(), plannedSchema()]))
    .check(z.describe("With `dry_run` what would be sent")),
}));

/** `POST /v1/runs/{id}/undo`: take back what a run wrote, each write once however often it is asked. */
export const undoRun: Route = {
  route: "POST /v1/runs/:id/undo",
  runs: true,
  async handle(request, received, id) {
    const key = readSentKey(request);
    if (!key.ok) return key;
    const body = await readRequest(request, askedSchema());
    if (!body.ok) return body;
    const { only, dry_run: isDry = false } = body.value.parsed;
    const { batchKey } = underKey(isDry ? null : key.value, [id, "undo", body.value.value]);
    return answerOnce(batchKey, received, async () => {
      const prepared = await prepare(id, only, request, received);
      if (!prepared.ok) return answerUnrun(received, prepared);
      if (isDry) return answerUnrun(received, ok(respondJson(prepared.value.planJson())));
      const counted = await countRequest(received);
      return counted.ok ? prepared.value.takeBack() : ok(respondRefused(counted.error, received));
    });
  },
  describe: () => ({
    id: "undoRun",
    summary: "Take back what a run wrote, each write once however often it is asked",
    tag: "Runs",
    body: { schema: askedSchema(), example: { dry_run: true }, optional: true },
    answer: {
      description: "An entry for every write, in the order in which they are taken back",
      schema: answerSchema(),
    },
    refusals: [
      "INVALID_REQUEST",
      "FORBIDDEN",
      "NOT_FOUND",
      "IDEMPOTENCY_IN_PROGRESS",
      "MISCONFIGURED",
      "UNAVAILABLE",
    ],
    counted: "always",
    keyed: true,
  }),
};

/** An undo that can begin. */
interface PreparedUndo {
  /** Its answer that says what would be sent now, in the order in which it would be. */
  readonly planJson: () => string;
  /** Have the writes taken back, and look what becomes of them for a while. */
  readonly takeBack: () => Promise<KeptJson | Result<Response, Refusal>>;
}

async function prepare(
  id: string,
  only: readonly string[] | undefined,
  request: Request,
  received: RequestContext,
): Promise<Result<PreparedUndo, Refusal>> {
  const [endedRuns] = givenBy(received.configured.features, "endedRuns");
  if (endedRuns === undefined) return err(NO_RUNS);
  const ended = await endedRuns(id, { request, wish: "undone" }, received);
  if (!ended.ok) return ended;
  const { root, key, context } = ended.value;
  const { ids, lacking, ...asked } = await findWrites(ended.value, only);
  const stray = only?.find((name) => !ids.has(name));
  if (stray !== undefined) return err(refuseStray(stray));
  const { account, requestId } = context.origin;
  const facts: RunFacts = { caller: { ...context.caller, name: key }, requestId, account };
  const runs = ended.value.runs.map((run) => run.id);
  const claim = async (isDry: boolean): Promise<Result<ClaimedState, Refusal>> => {
    const ask = () => callUndo(context.gate, "claim", root, runs, facts, asked, isDry);
    const claimed = await askGate(ask, UNCERTAIN);
    if (!claimed.ok || !("retryAfterMs" in claimed.value)) return claimed as Result<ClaimedState, Refusal>;
    const { retryAfterMs } = claimed.value;
    return err(makeRefusal("IDEMPOTENCY_IN_PROGRESS", GOING, { retryAfterMs }));
  };
  const looked = await claim(true);
  if (!looked.ok) return looked;
  const toldOf = (entries: readonly UndoneEntry[]) => entries.map((entry) => asOfRoot(entry, ended.value));
  // A write that was taken back needs nothing that is kept of it.
  for (const entry of toldOf(looked.value.entries)) lacking.delete(entry.id);
  if (lacking.size > 0) return err(refuseLacking([...lacking]));
  return ok({
    planJson: () => toPlanJson(looked.value.planned, context.catalog),
    async takeBack() {
      const endsAt = context.ports.clock.now() + LIMITS.undoAnswerMs;
      const claimed = await claim(false);
      if (!claimed.ok) return claimed;
      const { entries } = await followUndo(runs, { execution: context, endsAt, begun: claimed.value });
      const told = toldOf(entries).filter(({ id: name }) => ids.has(name) && only?.includes(name) !== false);
      return { json: `{${toMember(told).slice(1)}}`, tools: told.map(({ tool }) => tool) };
    },
  });
}

/** Tell an entry of a flow that was an action, and was undone by itself, as that action's, and one of a round with that. */
function asOfRoot(entry: UndoneEntry, { runs }: Related): UndoneEntry {
  const { of, round } = runs.find(({ id }) => id === entry.run) ?? {};
  // The rows of a batch know of no rounds.
  if (of === undefined)
    return round === undefined || entry.id.includes(":") ? entry : { ...entry, id: `${round}:${entry.id}` };
  const { element, id, ...told } = entry;
  const action = element === undefined ? id : `${id}.${element}`;
  return { ...told, id: of.id, action, element: of.element };
}

function toPlanJson(planned: ClaimedState["planned"], catalog: Catalog): string {
  const undone = planned.map((write) => {
    const { id, action, element, by } = write;
    // A job that has not begun is cancelled; what one has done is known when it is over.
    const tool = toolOf(write);
    const args = by?.argsJson === undefined ? undefined : readArgs(by.argsJson);
    const asks = asksPerson(tool, by?.argsJson, catalog);
    return { ...toWirePlace(id), action, element: element ?? undefined, tool, args, asks };
  });
  return JSON.stringify({ undone });
}

const UNCERTAIN = "Whether it is undone is not certain; ask again, nothing is taken back twice.";

/** An answer as JSON, and the tools of which it tells. */
interface KeptJson {
  readonly json: string;
  readonly tools: readonly string[];
}

/** Answer a request that comes again under its key as it was answered first. One that is refused lets its key go. */
async function answerOnce(
  batchKey: BatchKey | undefined,
  context: RequestContext,
  answer: () => Promise<KeptJson | Result<Response, Refusal>>,
): Promise<Result<Response, Refusal>> {
  const { gate } = context;
  const idempotency = await readKeys(NO_PLAN, { ...context, batchKey });
  if (idempotency === null) return toResponse(await answer());
  const asked = { jobs: new Map(), idempotency, countAlone: () => false, isCounted: true };
  const admitted = await admitPlan(NO_PLAN, asked, context);
  if (!admitted.ok) return err(admitted.error.refusal);
  const { replay } = admitted.value;
  if (replay !== null) {
    const catalog = await askGate(() => context.currentCatalog(), "Send it again.");
    if (!catalog.ok) return catalog;
    if (!mayRead(replay, { ...context, catalog: catalog.value })) return err(KEY_CONFLICT);
    return ok(respondJson(replay.json, { headers: { "idempotency-replayed": "true" } }));
  }
  const answered = await answer();
  const isKept = "json" in answered && utf8Length(answered.json) <= idempotencyAnswerBytes;
  const end: KeyEnd = isKept ? { kind: "done", answer: { ...answered, failed: false } } : { kind: "free" };
  await attempt(() => gate.complete({ runId: idempotency.runId, ends: [endKey(idempotency.batch!, end)] }));
  return toResponse(answered);
}

function toResponse(answered: KeptJson | Result<Response, Refusal>): Result<Response, Refusal> {
  return "json" in answered ? ok(respondJson(answered.json)) : answered;
}

const NO_RUNS = makeRefusal(
  "MISCONFIGURED",
  "This Worker keeps no runs: it does not list the feature 'runs'.",
);

const GOING = "The run, or an undo of it, is under way; ask again when that is over.";

function refuseStray(name: string): Refusal {
  const issue = { path: "/only", expected: "ids of actions of the run", received: `'${name}'` };
  return makeRefusal("INVALID_REQUEST", `The run has no action '${name}'.`, { issue });
}

function refuseLacking(names: readonly string[]): Refusal {
  const ids = names.map((name) => `'${name}'`).join(", ");
  const hint = `Not everything is kept that takes ${ids} back: it was private, too large, had a secret in it, or VOLLEY_RUNS keeps no content. Nothing was sent; name the others in 'only'.`;
  return makeRefusal("INVALID_REQUEST", hint);
}
