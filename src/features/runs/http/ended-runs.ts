import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { mayChangeWork, OTHERS_WORK } from "../../../cloudflare/http/own-work.ts";
import { parseExact } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Gives } from "../../../feature/gives.ts";
import type { AnsweredQuestion } from "../../../turns/decide-reply.ts";
import * as LIMITS from "../limits.ts";
import type { KeptAction, KeptRun } from "../rerun/kept-run.ts";
import type { RunHead } from "../run.ts";
import { sees } from "../see-run.ts";
import { useAccountsOf } from "./accounts-of-run.ts";
import { findRun, readQuestions, refuseGoing } from "./look-at-run.ts";
import { NO_RUN, openLog, sightOf, UNREADABLE } from "./open-log.ts";
import { withAccountsOf, withToolsOfNow } from "./prepare-rerun.ts";
import { IMPORTED } from "./refuse-rerun.ts";

type Related = Extract<Awaited<ReturnType<Gives["endedRuns"]>>, { readonly ok: true }>["value"];
type EndedRun = Related["runs"][number];
type EndedAction = EndedRun["actions"][number];

/** Read all runs that share their actions with one, for a feature that does something about what they did. */
export const endedRuns: Gives["endedRuns"] = async (id, { request, wish }, received) => {
  const log = openLog(received);
  if (!log.ok) return log;
  const current = await withToolsOfNow(received);
  if (!current.ok) return current;
  const context = current.value;
  const going = await refuseGoing(id, { log: log.value, wish }, context);
  if (!going.ok) return going;
  const found = await askGate(async () => {
    const seen = await findRun(id, log.value, context);
    if (seen === null || seen.found === null) return null;
    const { run } = seen.found;
    return { run, related: await log.value.related(run.run_id) };
  }, UNREADABLE);
  if (!found.ok) return found;
  if (found.value === null) return err(NO_RUN);
  const { run, related } = found.value;
  if (!mayChangeWork(context.caller, run.key)) return err(OTHERS_WORK);
  if (run.imported === true) return err(IMPORTED);
  const own = useAccountsOf(run, request, context);
  if (!own.ok) return own;
  const told = related.runs.map(({ head, body }) => ({ head, ran: parseExact(body) as KeptRun }));
  const answers = await findAnswers(told, context);
  if (!answers.ok) return answers;
  const kept = [...told, ...answers.value];
  const actions = kept.flatMap(({ ran }) => ran.actions);
  return ok({
    root: nameOf(kept.find(({ head }) => head.id === related.root)?.head ?? { id: related.root }),
    key: run.key,
    runs: toEnded(kept, context),
    context: withAccountsOf(actions, own.value),
  });
};

interface KeptOf {
  readonly head: RunHead;
  readonly ran: KeptRun;
}

/** Find the approvals whose run the log has not yet, or lost with its isolate: their questions have kept what they were answered. */
async function findAnswers(
  told: readonly KeptOf[],
  context: RequestContext,
): Promise<Result<readonly KeptOf[], Refusal>> {
  const known = new Set(told.map(({ head }) => head.answers));
  const asking = told.flatMap((of) =>
    of.ran.actions.flatMap(({ confirmation: { id } = {} }) =>
      id === undefined || known.has(id) ? [] : [[id, of] as const],
    ),
  );
  if (asking.length === 0 || context.hooks?.beforeStep === undefined) return ok([]);
  const asked = new Map(asking);
  const questions = await askGate(() => readQuestions([...asked.keys()], context), UNREADABLE);
  if (!questions.ok) return questions;
  const answers: KeptOf[] = [];
  for (const [id, question] of questions.value) {
    if (question?.status === "running") return err(BEING_APPROVED);
    if (question?.status === "done") answers.push(toAnswer(id, question, asked.get(id)!));
  }
  return ok(answers);
}

const BEING_APPROVED = makeRefusal(
  "IDEMPOTENCY_IN_PROGRESS",
  "A person has approved actions of the run, and they run now; ask again when they are over.",
  { retryAfterMs: LIMITS.runAwaitedMs },
);

/** Make of an approval's answer the run that it was. Where that was not kept, nothing is known of what waited for it. */
function toAnswer(
  question: string,
  { answerJson, decided }: AnsweredQuestion,
  { head: { id: parent, startedAt, ...head }, ran }: KeptOf,
): KeptOf {
  const waited = ran.actions.filter(({ confirmation }) => confirmation?.id === question);
  const { batch_id: id, results } =
    answerJson === null
      ? { batch_id: question, results: waited.map((action) => ({ ...action, status: "unknown", meta: {} })) }
      : (parseExact(answerJson) as { readonly batch_id: string; readonly results: readonly WireResult[] });
  const { flow: _, job: __, of: ___, ...own } = head;
  return {
    head: { ...own, id, parent, answers: question, startedAt: decided?.at ?? startedAt },
    ran: {
      plan: { edges: [] },
      actions: results.map(({ meta, ...result }) => ({
        ...result,
        ...meta,
        ...(decided?.args?.[result.id] && { args: decided.args[result.id], resolved: true }),
      })) as readonly KeptAction[],
    },
  };
}

interface WireResult {
  readonly id: string;
  readonly meta: object;
}

function toEnded(all: readonly KeptOf[], context: RequestContext): readonly EndedRun[] {
  const sight = { sight: sightOf(context) };
  const seen = (ran: KeptRun): readonly KeptAction[] => ran.actions.filter(({ tool }) => sees(sight, tool));
  const others = all.flatMap(({ ran }) => ran.actions);
  return all.flatMap(({ head, ran }): readonly EndedRun[] => {
    /** The same action in the run that asked the question which this one answers. */
    const askedAs = ({ id }: KeptAction): KeptAction | undefined =>
      head.answers === undefined
        ? undefined
        : others.find((one) => one.id === id && one.confirmation?.id === head.answers);
    const parent = all.find(({ head: { id } }) => id === head.parent);
    const asker = ran.actions.map(askedAs).find((asked) => asked !== undefined)?.batch_id;
    const whole: EndedRun = {
      id: nameOf(head),
      ...(head.answers !== undefined && parent && { asker: asker ?? nameOf(parent.head) }),
      ...(head.of !== undefined && parent && { of: placeIn(parent, head.of) }),
      edges: ran.plan.edges,
      ...(ran.input !== undefined && { input: ran.input }),
      actions: [],
    };
    const rounds = Map.groupBy(seen(ran), ({ batch_id: batch = whole.id }) => batch);
    const batches = [...rounds].map(([id, actions]): EndedRun => {
      const [{ round } = {}] = actions;
      return {
        ...whole,
        id,
        ...(id !== whole.id && round !== undefined && { round }),
        // The attempts of a job are one run: each answers what those before it did.
        actions: actions.flatMap((action) => {
          if ((action as Measured).replayed === true && head.job === undefined) return [];
          const asked = askedAs(action);
          return [toAction({ ...asked, ...action }, asked?.round ?? action.round, head)];
        }),
      };
    });
    return rounds.has(whole.id) ? batches : [whole, ...batches];
  });
}

/** The action of a run that another run was. */
function placeIn({ head, ran }: KeptOf, of: NonNullable<RunHead["of"]>): NonNullable<EndedRun["of"]> {
  const action = ran.actions.find(({ id, round }) => id === of.id && round === of.round);
  return { ...of, id: named(of), run: action?.batch_id ?? nameOf(head) };
}

/** Name a run as its batch was: that of a flow which is a job has the id of the job. */
function nameOf({ id, flow, job }: Pick<RunHead, "id" | "flow" | "job">): string {
  return flow === undefined ? id : (job ?? id);
}

function named({ id, round }: { readonly id: string; readonly round?: number | undefined }): string {
  return round === undefined ? id : `${round}:${id}`;
}

type Measured = KeptAction & {
  readonly replayed?: boolean;
  readonly started_ms?: number;
  readonly duration_ms?: number;
};

function toAction(action: Measured, round: number | undefined, { startedAt }: RunHead): EndedAction {
  const { id, tool, status, args, data, error, job_id: jobId, confirmation, call_key: key } = action;
  const { cut = [], redacted = [], items, with: { for_each: forEach, select } = {} } = action;
  const lacks = (field: string): boolean => cut.includes(field) || redacted.includes(field);
  // A run shows the first elements of a long loop.
  const isWhole = items === undefined || !Array.isArray(data) || data.length === items.total;
  return {
    id: named({ id, round }),
    tool,
    status,
    inDoubt: status === "unknown" || action.in_doubt === true,
    ...(error !== undefined && { error }),
    isWrite: key !== undefined,
    endedAt: startedAt + (action.started_ms ?? 0) + (action.duration_ms ?? 0),
    isResolved: action.resolved === true,
    ...(args !== undefined && !lacks("args") && !lacks("with") && { args }),
    ...(data !== undefined && isWhole && !lacks("data") && { data }),
    ...(forEach !== undefined && { forEach }),
    ...(Array.isArray(select) && { select: select as readonly string[] }),
    ...(jobId !== undefined && { jobId }),
    ...(confirmation !== undefined && { question: confirmation.id }),
  };
}
