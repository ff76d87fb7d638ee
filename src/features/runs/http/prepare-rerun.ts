import { parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../cloudflare/http/ask-gate.ts";
import { mayChangeWork, OTHERS_WORK } from "../../../cloudflare/http/own-work.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { findJob } from "../../../cloudflare/routes/jobs.ts";
import { type Gives, givenBy } from "../../../feature/gives.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { decideRerun, type Fate } from "../rerun/decide-rerun.ts";
import type { EarlierRerun, KeptAction, KeptRun } from "../rerun/kept-run.ts";
import type { RerunOf } from "../rerun/run-rerun.ts";
import type { ListedRun, Reruns, RunLog } from "../run.ts";
import { isLive } from "../live-run.ts";
import { sees } from "../see-run.ts";
import { useAccountsOf } from "./accounts-of-run.ts";
import { readQuestions } from "./look-at-run.ts";
import { sightOf } from "./open-log.ts";

/** A rerun that can begin. */
export interface PreparedRerun {
  readonly fates: readonly Fate[];
  readonly of: RerunOf;
  /** The last rerun of the same run that has left a record, or may still; the run itself where there is none. */
  readonly latest: string;
  /** The request, with the accounts that the run used. */
  readonly context: RequestContext;
}

/** Use the tools as they are now: what the isolate remembers of them may be older, and a plan by that is refused. */
export async function withToolsOfNow(context: RequestContext): Promise<Result<RequestContext, Refusal>> {
  const catalog = await askGate(
    () => context.currentCatalog(),
    "The tenant's tools could not be read; nothing ran, so ask again.",
  );
  return catalog.ok ? ok({ ...context, catalog: catalog.value }) : catalog;
}

/** Find out what becomes of each action of a run if it is run again, or why it is not. */
export async function prepareRerun(
  id: string,
  {
    log,
    only,
    request,
  }: { readonly log: RunLog; readonly only: "failed" | undefined; readonly request: Request },
  context: RequestContext,
): Promise<Result<PreparedRerun, Refusal>> {
  const sight = { sight: sightOf(context) };
  const found = await askGate(async () => {
    const own = await log.find(id, sight);
    if (own === null) return null;
    const reruns = await log.reruns(id);
    const { answers, earlier } = reruns;
    const bodies = [
      own.body,
      ...answers,
      ...earlier.flatMap(({ body, answers: later }) => [body ?? "", ...later]),
    ];
    const asking =
      context.hooks?.beforeStep === undefined ? [] : bodies.filter((body) => body.includes(PENDING));
    return { ...own, reruns, questions: await readQuestions(asking.flatMap(questionsIn), context) };
  }, "The tenant's runs could not be read; nothing ran, so ask again.");
  if (!found.ok) return found;
  if (found.value === null) return err(NOT_OVER);
  const { run, body, reruns, questions } = found.value;
  const { root, earlier } = reruns;
  if (!mayChangeWork(context.caller, run.key)) return err(OTHERS_WORK);
  const refused = refuseRun(run, earlier.length);
  if (refused !== null) return err(refused);
  const held = await refuseJob(run, context);
  if (held !== null) return err(held);
  const own = useAccountsOf(run, request, context);
  if (!own.ok) return own;
  const ran = toEarlier(reruns);
  const [since] = givenBy(context.configured.features, "afterRuns");
  const gone = await askGate(
    async () =>
      since === undefined
        ? new Map()
        : since.goneOf(
            ran.flatMap((one) => one.run ?? []),
            context,
          ),
    "The tenant's runs could not be read; nothing ran, so ask again.",
  );
  if (!gone.ok) return gone;
  if (gone.value === null) return err(IN_CHANGE);
  const { kept, before } = forgetGone(withBase(readKept(body), reruns), ran, gone.value);
  const fates = decideRerun({
    actions: kept.actions,
    sees: ({ tool }) => sees(sight, tool),
    earlier: before,
    onlyFailed: only === "failed",
    toolOf: (name) => context.catalog.get(name),
    questions,
    jobs: reruns.jobs,
  });
  if (!fates.ok) return err(refuseActions(fates.error));
  const asking = fates.value.flatMap(({ kind, action }) => (kind === "ask" ? [action.id] : []));
  if (asking.length > 0 && context.hooks?.beforeStep === undefined) return err(refuseUnasked(asking));
  const { tags, source, flow } = run;
  const others = before.flatMap(({ actions }) => actions ?? []).filter(({ tool }) => sees(sight, tool));
  const known = new Map<string, unknown>([
    ...(kept.input === undefined ? [] : [["input", kept.input] as const]),
    ...(kept.hook === undefined ? [] : [["hook", kept.hook] as const]),
    ...others.flatMap(({ id, status, data }) =>
      status === "success" && data !== undefined ? [[id, data] as const] : [],
    ),
  ]);
  const lostAt = context.ports.clock.now() - LIMITS.rerunLostMs;
  return ok({
    fates: fates.value,
    of: {
      runId: id,
      root,
      earlier: earlier.length,
      kept,
      source,
      known,
      log,
      ...(flow !== undefined && { flow }),
      ...(run.job_id !== undefined && { isJob: true }),
      ...(tags !== undefined && { tags }),
    },
    latest: earlier.findLast(({ body: left, at }) => left !== null || at > lostAt)?.rerun ?? root,
    context: withAccountsOf([...kept.actions, ...before.flatMap(({ actions }) => actions ?? [])], own.value),
  });
}

export const NOT_OVER = makeRefusal(
  "NOT_FOUND",
  "There is no run of that id that is over; one that goes on is run again once it has ended, and a run is kept for some days.",
);

/** The questions that the actions of a run waited for. */
function questionsIn(body: string): readonly string[] {
  return readKept(body).actions.flatMap(({ status, confirmation }) =>
    status === "pending_confirmation" && confirmation !== undefined ? [confirmation.id] : [],
  );
}

const PENDING = '"status":"pending_confirmation"';

function readKept(body: string): KeptRun {
  return parseExact(body) as KeptRun;
}

/** A rerun keeps what it ran: the other actions are those of the run that it is a rerun of. */
function withBase(own: KeptRun, { body }: Reruns): KeptRun {
  if (body === null) return own;
  const { actions, ...base } = readKept(body);
  return {
    ...base,
    actions: actions.map((action) => own.actions.find(({ id }) => id === action.id) ?? action),
  };
}

/** The runs that share actions, in their order: the root, and its reruns, each before the runs that answered their questions. */
function toEarlier({ root, answers, ids, earlier }: Reruns): readonly EarlierRerun[] {
  const ran = (body: string, run: string | undefined, asker?: string): EarlierRerun => {
    const { actions } = readKept(body);
    return { run, asker, writes: actions.map(({ id }) => id), actions };
  };
  return [
    ...answers.map((body, at) => ran(body, ids?.[at], root)),
    ...earlier.flatMap(({ rerun, writes, body, answers: later, ids: laterIds }) => [
      { run: rerun, writes, actions: body === null ? null : readKept(body).actions },
      ...later.map((one, at) => ran(one, laterIds?.[at], rerun)),
    ]),
  ];
}

/**
 * Read what there is no more as if it had never been sent: its key, its job and its result are no more either, in the run that sent it and
 * in all before that. An action that may be gone in part is in doubt.
 */
function forgetGone(
  kept: KeptRun,
  ran: readonly EarlierRerun[],
  gone: NonNullable<Awaited<ReturnType<Gives["afterRuns"]["goneOf"]>>>,
): { readonly kept: KeptRun; readonly before: readonly EarlierRerun[] } {
  const endOf = ({ run = "", asker = "" }: EarlierRerun, id: string): "gone" | "unsure" | undefined =>
    gone.get(run)?.get(id) ?? gone.get(asker)?.get(id);
  const lastGone = (id: string): number =>
    ran.findLastIndex((one) => one.writes.includes(id) && endOf(one, id) !== undefined);
  const read = (action: KeptAction, at: number): KeptAction => {
    const last = lastGone(action.id);
    if (last === -1 || at > last) return action;
    return endOf(ran[last]!, action.id) === "unsure" ? { ...action, status: "unknown" } : unsent(action);
  };
  const actions = kept.actions.map((action) => {
    const last = lastGone(action.id);
    const later = ran.slice(last + 1).flatMap((one) => one.actions?.find(({ id }) => id === action.id) ?? []);
    const key = last === -1 ? undefined : later.find(({ call_key: sent }) => sent !== undefined)?.call_key;
    return { ...read(action, last), ...(key !== undefined && { call_key: key }) };
  });
  const before = ran.map((one, at) => ({
    ...one,
    actions: one.actions?.map((action) => read(action, at)) ?? null,
  }));
  return { kept: { ...kept, actions }, before };
}

/** An action as it was before it was sent. */
function unsent(action: KeptAction): KeptAction {
  const { id, tool, asked, args, with: others, round, resolved, accounts, cut, redacted } = action;
  const { idempotency_key: _, ...more } = others ?? {};
  return {
    id,
    tool,
    status: "skipped",
    ...(asked !== undefined && { asked }),
    ...(args !== undefined && { args }),
    ...(others !== undefined && { with: more }),
    ...(round !== undefined && { round }),
    ...(resolved && { resolved }),
    ...(accounts !== undefined && { accounts }),
    ...(cut !== undefined && { cut }),
    ...(redacted !== undefined && { redacted }),
    ...(action.private === true && { private: true as const }),
  };
}

const IN_CHANGE = makeRefusal(
  "IDEMPOTENCY_IN_PROGRESS",
  "Something of this run is being changed; run it again when that is over.",
  { retryAfterMs: LIMITS.runAwaitedMs },
);

/** Have it use the accounts that its actions used, the last ones that did: another that was connected under the same name since is not meant. */
export function withAccountsOf(actions: readonly KeptAction[], context: RequestContext): RequestContext {
  const { account } = context.origin;
  const ids = Object.assign({}, ...actions.map(({ accounts }) => accounts)) as Record<string, string>;
  if (account === undefined || Object.keys(ids).length === 0) return context;
  return { ...context, origin: { ...context.origin, account: { ...account, ids } } };
}

/** Say why a run cannot be run again at all; null where it can. */
function refuseRun({ source, imported }: ListedRun, earlier: number): Refusal | null {
  if (imported) return IMPORTED;
  if (source === "agent")
    return makeRefusal("INVALID_REQUEST", "A model wrote this run round by round; send its request again.");
  if (earlier < LIMITS.runReruns) return null;
  return makeRefusal(
    "INVALID_REQUEST",
    `A run is run again ${LIMITS.runReruns} times at most; send its actions anew.`,
  );
}

/** Say why a run is not run again because of the job that it was an attempt of: that may go on, or begin again, by itself. Null where it does not. */
async function refuseJob(
  { run_id: id, job_id: jobId, source }: ListedRun,
  context: RequestContext,
): Promise<Refusal | null> {
  if (jobId === undefined) return null;
  const refuse = (why: string): Refusal => makeRefusal("INVALID_REQUEST", `${why} Nothing ran.`);
  const found = await askGate(() => findJob(jobId, context), UNREAD);
  if (!found.ok) return found.error;
  const job = found.value;
  if (job === null)
    return refuse(
      `This run is an attempt of the job '${jobId}', which is not known any more: send its actions anew.`,
    );
  const redrive = `POST /v1/jobs/${jobId}/redrive`;
  if (isLive(job) || context.ports.clock.now() < job.updatedAt + LIMITS.runAwaitedMs) return IN_CHANGE;
  if (job.status === "dead")
    return refuse(`The job '${jobId}' of this run is dead: redrive it with ${redrive}.`);
  const batches = givenBy(context.configured.features, "jobRuns");
  if (batches.some((runs) => runs.jobOf(id) === jobId)) return null;
  // Each attempt of a flow is a run: the last one has what all of them left.
  const { batch_id: last } = JSON.parse(job.envelopeJson ?? "{}") as { readonly batch_id?: string };
  if (last !== id)
    return refuse(`A later attempt of the job '${jobId}' did the rest of this run: run '${last}' again.`);
  if (source === "webhook" && job.status === "failed")
    return refuse("Its sender begins this run again when it sends the delivery again: resend it there.");
  return null;
}

const UNREAD = "The tenant's jobs could not be read; nothing ran, so ask again.";

export const IMPORTED = makeRefusal(
  "INVALID_REQUEST",
  "This run was taken back from an export: what ran since, and where, is not known here. It can be looked at; send its actions anew.",
);

function refuseActions(ids: readonly string[]): Refusal {
  const hint = `Not everything that ${say(ids)} sent is kept: it was private, too large, had a secret in it, or VOLLEY_RUNS keeps no content. Nothing ran; send the actions anew.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

function refuseUnasked(ids: readonly string[]): Refusal {
  const hint = `Whether ${say(ids)} happened is not certain, and this deployment asks no person. Nothing ran; look before you send it again.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

function say(ids: readonly string[]): string {
  return ids.map((id) => `'${id}'`).join(", ");
}
