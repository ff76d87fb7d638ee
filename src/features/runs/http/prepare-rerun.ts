import { parseExact, resolveReferences } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { mayChangeWork, OTHERS_WORK } from "../../../cloudflare/http/own-work.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { ITEM } from "../../../core/contract/reference.ts";
import { ASKED_ELEMENT } from "../../../core/plan/step.ts";
import { givenBy } from "../../../feature/gives.ts";
import { decideRerun, type Fate } from "../rerun/decide-rerun.ts";
import type { EarlierRerun, KeptAction, KeptRun } from "../rerun/kept-run.ts";
import { forgetGone } from "../rerun/forget-gone.ts";
import { leftByJob } from "../rerun/left-by-job.ts";
import { runRerun } from "../rerun/run-rerun.ts";
import type { Reruns, RunLog } from "../run-log-methods.ts";
import { sees } from "../see-run.ts";
import { useAccountsOf } from "./accounts-of-run.ts";
import { beginAgain, findLoop, readJobs, type RerunJobs } from "./jobs-of-reruns.ts";
import { readQuestions } from "./look-at-run.ts";
import { sightOf } from "./open-log.ts";
import { IN_CHANGE, NOT_OVER, refuseActions, refuseRun, refuseUnasked } from "./refuse-rerun.ts";

/** A rerun that can begin. */
export interface PreparedRerun {
  /** Each action and what becomes of it; none where its job begins again. */
  readonly fates: readonly Fate[];
  /** Run it. @param isCounted the request has drawn its unit */
  readonly run: (execution: Execution, isCounted?: boolean) => ReturnType<typeof runRerun>;
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
    const asked = await log.find(id, sight);
    // Each attempt of a flow is a run: the last one has what all of them left.
    const own = asked?.run.job_id === undefined ? asked : await log.find(asked.run.job_id, sight);
    if (own === null) return null;
    const reruns = await log.reruns(own.run.run_id);
    const first = reruns.root === own.run.run_id ? own : await log.find(reruns.root, sight);
    const { answers, earlier } = reruns;
    const bodies = [
      own.body,
      ...answers,
      ...earlier.flatMap(({ body, answers: later }) => [body ?? "", ...later]),
    ];
    const asking =
      context.hooks?.beforeStep === undefined ? [] : bodies.filter((body) => body.includes(PENDING));
    return {
      ...own,
      first: first?.run ?? own.run,
      reruns,
      questions: await readQuestions(asking.flatMap(questionsIn), context),
    };
  }, "The tenant's runs could not be read; nothing ran, so ask again.");
  if (!found.ok) return found;
  if (found.value === null) return err(NOT_OVER);
  const { run, body, first, reruns, questions } = found.value;
  const { root, earlier } = reruns;
  if (!mayChangeWork(context.caller, run.key)) return err(OTHERS_WORK);
  const refused = refuseRun(run, earlier.length);
  if (refused !== null) return err(refused);
  const jobs = await readJobs(first, reruns, context);
  if (!jobs.ok) return jobs;
  const lostAt = context.ports.clock.now() - LIMITS.rerunLostMs;
  const latest = earlier.findLast(({ body: left, at }) => left !== null || at > lostAt)?.rerun ?? root;
  const { of, again } = jobs.value;
  if (again !== null) {
    const run: PreparedRerun["run"] = (execution, isCounted = false) =>
      beginAgain(again, isCounted, { context, execution });
    return ok({ fates: [], run, latest, context });
  }
  const own = useAccountsOf(run, request, context);
  if (!own.ok) return own;
  const ran = toEarlier(reruns, { of, endedAt: Date.parse(first.started_at) + first.duration_ms });
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
  const others = before.flatMap(({ actions }) => actions ?? []).filter(({ tool }) => sees(sight, tool));
  const known = new Map<string, unknown>([
    ...(kept.input === undefined ? [] : [["input", kept.input] as const]),
    ...(kept.hook === undefined ? [] : [["hook", kept.hook] as const]),
    ...others.flatMap(({ id, status, data }) =>
      status === "success" && data !== undefined ? [[id, data] as const] : [],
    ),
  ]);
  const fates = decideRerun({
    actions: kept.actions,
    edges: kept.plan.edges,
    sees: ({ tool }) => sees(sight, tool),
    earlier: before,
    onlyFailed: only === "failed",
    toolOf: (name) => context.catalog.get(name),
    questions,
    jobs: reruns.jobs,
    loopOf: (ranBy, action) => findLoop(of.get(ranBy), action),
    countOf: (action) => (run.job_id === undefined ? countElements(action, known) : undefined),
  });
  if (!fates.ok) return err(refuseActions(fates.error));
  const asking = fates.value.flatMap(({ kind, action, elements }) =>
    kind === "ask" || elements?.includes(ASKED_ELEMENT) ? [action.id] : [],
  );
  if (asking.length > 0 && context.hooks?.beforeStep === undefined) return err(refuseUnasked(asking));
  const { tags, source, flow } = run;
  const rerunOf = {
    runId: run.run_id,
    root,
    earlier: earlier.length,
    kept,
    source,
    known,
    log,
    flow,
    isJob: run.job_id !== undefined,
    tags,
  };
  return ok({
    fates: fates.value,
    run: (execution, isCounted = false) => runRerun(fates.value, { ...rerunOf, isCounted }, execution),
    latest,
    context: withAccountsOf([...kept.actions, ...before.flatMap(({ actions }) => actions ?? [])], own.value),
  });
}

/** Count the elements of a loop by what was known when it ran; undefined where that is not kept. */
function countElements(
  { args, with: { for_each: forEach } = {} }: KeptAction,
  known: ReadonlyMap<string, unknown>,
): number | undefined {
  const options = { what: "A loop", limitBytes: Number.POSITIVE_INFINITY };
  const dataOf = (id: string) => (known.has(id) ? { data: known.get(id) } : undefined);
  const list = resolveReferences(forEach, dataOf, options);
  if (!list.ok || !Array.isArray(list.value)) return undefined;
  const [data] = list.value as unknown[];
  const isKnown = resolveReferences(args, (id) => (id === ITEM ? { data } : dataOf(id)), options).ok;
  return isKnown ? list.value.length : undefined;
}

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
function toEarlier(
  { root, answers, ids, earlier }: Reruns,
  { of, endedAt }: Pick<RerunJobs, "of"> & { readonly endedAt: number },
): readonly EarlierRerun[] {
  const left = (run: string | undefined, kept: readonly KeptAction[] | null): typeof kept => {
    const job = of.get(run ?? "");
    return job === undefined ? kept : leftByJob(kept, job, run === root ? endedAt : undefined);
  };
  const ran = (body: string, run: string | undefined, asker?: string): EarlierRerun => {
    const { actions } = readKept(body);
    return { run, asker, writes: actions.map(({ id }) => id), actions: left(run, actions) };
  };
  return [
    ...answers.map((body, at) => ran(body, ids?.[at], root)),
    ...earlier.flatMap(({ rerun, writes, body, answers: later, ids: laterIds }) => [
      { run: rerun, writes, actions: left(rerun, body === null ? null : readKept(body).actions) },
      ...later.map((one, at) => ran(one, laterIds?.[at], rerun)),
    ]),
  ];
}

/** Have it use the accounts that its actions used, the last ones that did: another that was connected under the same name since is not meant. */
export function withAccountsOf(actions: readonly KeptAction[], context: RequestContext): RequestContext {
  const { account } = context.origin;
  const ids = Object.assign({}, ...actions.map(({ accounts }) => accounts)) as Record<string, string>;
  if (account === undefined || Object.keys(ids).length === 0) return context;
  return { ...context, origin: { ...context.origin, account: { ...account, ids } } };
}
