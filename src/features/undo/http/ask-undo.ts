import * as z from "zod/mini";

import { answerUnrun } from "../../../cloudflare/http/respond-list.ts";
import { readSentKey, underKey } from "../../../cloudflare/http/read-request-body.ts";
import { respondRefused } from "../../../cloudflare/http/respond.ts";
import { utf8Length } from "../../../core/contract/json.ts";
import { idempotencyAnswerBytes } from "../../../core/contract/limits.ts";
import { endKey } from "../../../core/gate/claimed-keys.ts";
import { KEY_CONFLICT, mayRead } from "../../../core/gate/kept-answer.ts";
import { type BatchKey, readKeys } from "../../../core/gate/read-keys.ts";
import { countRequest } from "../../../core/gate/admit-plan.ts";
import { askGate, type RequestContext, readRequest, respondJson } from "../../../feature/answer.ts";
import { givenBy } from "../../../feature/gives.ts";
import { isLive } from "../../../core/gate/state/outbox.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Route } from "../../../feature/route.ts";
import { lazySchema, parseExact } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { followUndo } from "../run/follow-undo.ts";
import { plannedSchema, undoneSchema } from "../run/keepers.ts";
import { asksByContract, readObject } from "../resolve-reversal.ts";
import { NOT_ENDED, orderWrites } from "../undo-machine.ts";
import {
  type AskedPlace,
  type AskedWrites,
  callUndo,
  type Irreversible,
  keyOf,
  type Reversal,
  type RunFacts,
  toEntryJson,
  toWirePlace,
  type UndoneEntry,
  type UndoState,
  wasRejected,
} from "../undo-run.ts";
import { findKept, type FoundWrites, findWrites, type Related } from "./find-writes.ts";

const askedSchema = lazySchema(() =>
  z
    .strictObject({
      only: z
        .optional(z.array(z.string().check(z.minLength(1))).check(z.minLength(1)))
        .check(z.describe("Ids of actions, those of a round as `2:a0`; all of the run unless said")),
      dry_run: z.optional(z.boolean()).check(z.describe("Only say what would be sent")),
    })
    .register(z.globalRegistry, { id: "Undo" }),
);

const answerSchema = lazySchema(() =>
  z
    .strictObject({
      undone: z
        .array(z.union([undoneSchema(), plannedSchema()]))
        .check(z.describe("With `dry_run` what would be sent")),
    })
    .register(z.globalRegistry, { id: "Undone" }),
);

/** `POST /v1/runs/{id}/undo`: take back what a run wrote, each write once however often it is asked. */
export const undoRun: Route = {
  route: "POST /v1/runs/:id/undo",
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
      if (isDry) return answerUnrun(received, ok(respondJson(toPlanJson(prepared.value))));
      const counted = await countRequest(received);
      if (!counted.ok) return ok(respondRefused(counted.error, received));
      const undone = await takeBack(prepared.value);
      if (!undone.ok) return undone;
      return { json: toJson(undone.value), tools: undone.value.map(({ tool }) => tool) };
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
  readonly related: Related;
  readonly found: FoundWrites;
  readonly jobs: readonly FoundJob[];
  /** The entries that are stored already. */
  readonly before: UndoState;
  /** Whether an entry is of what was asked for. */
  readonly isAsked: (entry: UndoneEntry) => boolean;
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
  const related = ended.value;
  const { runs, context } = related;
  const found = findWrites(related, context.catalog, only);
  const stray = only?.find((name) => !found.ids.has(name));
  if (stray !== undefined) return err(refuseStray(stray));
  const looked = await askGate(
    () =>
      callUndo(
        context.gate,
        "looks",
        runs.map((run) => run.id),
      ),
    UNCERTAIN,
  );
  if (!looked.ok) return looked;
  if (!looked.value.isSettled) return err(refuseGoing(LIMITS.undoAgainMs));
  // A write that was taken back needs nothing that is kept of it.
  const done = new Set(looked.value.entries.map((entry) => nameOf(entry, related)));
  const jobs = await findJobs(found, context);
  const lackingJobs = jobs.flatMap(({ job, by }) => (by === null ? job.id : []));
  const names = new Set([...found.lacking, ...lackingJobs]);
  const lacking = [...names].filter((name) => !done.has(name));
  if (lacking.length > 0) return err(refuseLacking(lacking));
  const isAsked = (entry: UndoneEntry): boolean => {
    const name = nameOf(entry, related);
    return found.ids.has(name) && only?.includes(name) !== false;
  };
  return ok({ related, found, jobs, before: looked.value, isAsked });
}

/** The action of the root that an entry is of: a flow that was one is undone as a batch of its own where it says so itself. */
function nameOf(entry: UndoneEntry, related: Related): string {
  return asOfRoot(entry, related).id;
}

/** Have the writes taken back, and look what becomes of them for a while. */
async function takeBack(prepared: PreparedUndo): Promise<Result<readonly UndoneEntry[], Refusal>> {
  const { related, found, jobs: foundJobs, isAsked } = prepared;
  const { root, runs, key, context } = related;
  const { gate, ports, caller, origin } = context;
  const ids = runs.map((run) => run.id);
  const { account, requestId } = origin;
  const facts: RunFacts = {
    caller: { ...caller, name: key },
    requestId,
    ...(account !== undefined && { account }),
  };
  const endsAt = ports.clock.now() + LIMITS.undoAnswerMs;
  const { writes, left, questions } = found;
  const jobs = foundJobs.map(({ job }) => job);
  const claimed = await askGate(
    () => callUndo(gate, "claim", root, ids, facts, { writes, jobs, left, questions }),
    UNCERTAIN,
  );
  if (!claimed.ok) return claimed;
  if ("retryAfterMs" in claimed.value) return err(refuseGoing(claimed.value.retryAfterMs));
  const look = (): Promise<UndoState> => callUndo(gate, "looks", ids);
  const state = await followUndo(claimed.value, { clock: ports.clock, endsAt, look });
  return ok(state.entries.filter(isAsked).map((entry) => asOfRoot(entry, related)));
}

/** Tell an entry of a flow that was an action, and was undone by itself, as that action's, and one of a round with that. */
function asOfRoot(entry: UndoneEntry, { runs }: Related): UndoneEntry {
  const { of, round } = runs.find(({ id }) => id === entry.run) ?? {};
  // The rows of a batch know of no rounds.
  if (of === undefined)
    return round === undefined || entry.id.includes(":") ? entry : { ...entry, id: `${round}:${entry.id}` };
  const { element, id, ...told } = entry;
  const action = element === undefined ? id : `${id}.${element}`;
  return { ...told, id: of.id, action, ...(of.element !== undefined && { element: of.element }) };
}

/** A job that may be taken back. */
interface FoundJob {
  readonly job: AskedWrites["jobs"][number];
  /** The call that takes it back, where it succeeded; null where not all is kept of it. */
  readonly by?: Reversal | Irreversible | null;
}

/** Find when the jobs among some writes ended, and by which call each is taken back that succeeded. */
function findJobs(found: FoundWrites, { gate }: Related["context"]): Promise<readonly FoundJob[]> {
  const find = async (job: FoundJob["job"]): Promise<FoundJob> => {
    const { jobId, tool, by } = job;
    const read = await attempt(() => gate.job(jobId));
    const record = read.ok ? read.value : null;
    if (record === null || isLive(record.status)) return { job };
    const placed = { ...job, seq: found.seqOf(record.updatedAt) };
    if (by === null || record.status !== "succeeded") return { job: placed };
    const { argsJson = "{}", dataJson } = record;
    const output = dataJson === null ? undefined : { data: parseExact(dataJson) };
    return { job: placed, by: findKept(by, { tool, args: readObject(argsJson), output }) ?? null };
  };
  return Promise.all(found.jobs.map(find));
}

/** Say what would be sent, in the order in which it would be. */
function toPlanJson({ related, found, jobs: foundJobs, before }: PreparedUndo): string {
  const { context } = related;
  // A person is asked anew about what got a no.
  const told = before.entries.filter((entry) => !wasRejected(entry)).map((entry) => asOfRoot(entry, related));
  const stored = new Set(told.map(({ element = null, ...entry }) => keyOf({ ...entry, element })));
  const undoneBefore = new Set(before.entries.map(({ run }) => run));
  const isNew = (write: AskedPlace): boolean =>
    ![write.run, write.asker ?? write.run].some((run) => stored.has(keyOf({ ...write, run }))) &&
    !undoneBefore.has(write.batch);
  const waits = { state: "waits" } as const;
  const jobs = foundJobs
    .filter(({ job }) => isNew(job))
    .map(({ job, by }) => {
      // A job that has not begun is cancelled; what one has done is known when it is over.
      const { tool } = job.by !== null && "compensation" in job.by ? job.by.compensation : job;
      return { seq: NOT_ENDED, ...job, ...waits, by: by ?? { tool } };
    });
  const writes = found.writes
    .filter(isNew)
    .map((write) => ({ ...write, ...waits, by: write.by ?? { tool: write.tool } }));
  const undone = orderWrites([...jobs, ...writes]).map(({ id, action, element, by }) => {
    const { tool: name } = by;
    const args = "argsJson" in by ? readObject(by.argsJson) : undefined;
    const tool = context.catalog.callable(name);
    const call = args === undefined ? null : { input: args, args };
    const asks = tool !== undefined && asksByContract(tool) && context.catalog.asks(tool, call) !== false;
    return { ...toWirePlace(id), action, element: element ?? undefined, tool: name, args, asks };
  });
  return JSON.stringify({ undone });
}

function toJson(entries: readonly UndoneEntry[]): string {
  return `{"undone":[${entries.map(toEntryJson).join(",")}]}`;
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

const NO_RUNS = makeRefusal(
  "MISCONFIGURED",
  "This Worker keeps no runs: it does not list the feature 'runs'.",
);

function refuseGoing(retryAfterMs: number): Refusal {
  const hint = "The run, or an undo of it, is under way; ask again when that is over.";
  return makeRefusal("IDEMPOTENCY_IN_PROGRESS", hint, { retryAfterMs });
}

function refuseStray(name: string): Refusal {
  const issue = { path: "/only", expected: "ids of actions of the run", received: `'${name}'` };
  return makeRefusal("INVALID_REQUEST", `The run has no action '${name}'.`, { issue });
}

function refuseLacking(names: readonly string[]): Refusal {
  const ids = names.map((name) => `'${name}'`).join(", ");
  const hint = `Not everything is kept that takes ${ids} back: it was private, too large, had a secret in it, or VOLLEY_RUNS keeps no content. Nothing was sent; name the others in 'only'.`;
  return makeRefusal("INVALID_REQUEST", hint);
}
