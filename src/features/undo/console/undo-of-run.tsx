import { useEffect, useState } from "../../../console/kit/jsx-hooks.ts";
import type { LaterCall, Places } from "../../../console/kit/section.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useSend } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { ArgsView } from "../../../console/parts/args-view.tsx";
import { count } from "../../../console/parts/count.ts";
import { Link } from "../../../console/parts/link.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { AskingButton } from "../../../console/parts/question.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status } from "../../../console/parts/status.tsx";
import { type Column, ListTable, Table } from "../../../console/parts/table.tsx";

const EVERY_MS = 2_000;
/** Another page, or a run that shares its actions, may take its writes back meanwhile. */
const PLAN_EVERY_MS = 30_000;

/** One write, as the API names it. */
interface Place {
  readonly id: string;
  readonly round?: number;
  readonly action?: string;
  readonly element?: number;
  readonly tool: string;
}

interface Planned extends Place {
  readonly args?: object;
  readonly asks: boolean;
}

interface Undone extends Place {
  readonly status: string;
  readonly error?: { readonly code: string; readonly hint?: string };
  readonly started_ms?: number;
  readonly duration_ms?: number;
  readonly tries?: LaterCall["tries"];
  readonly job_id?: string;
  readonly confirmation?: { readonly id: string };
}

/** An action of the run, and its status since the question that it waited for was decided. */
interface Action extends Pick<Undone, "id" | "round" | "status" | "confirmation"> {
  readonly since?: string;
}

interface Run {
  readonly status: string;
  readonly summary?: { readonly ok: number; readonly initiated: number; readonly unknown: number };
  readonly undone?: readonly Undone[];
  readonly parent?: string;
  readonly actions?: readonly Action[];
}

/** Show what became of a run's writes since, and a button that takes them back where a call is known that does: it says first what would be sent. */
export function UndoOfRun({ id, run, reload }: Places["run"]) {
  const path = `/v1/runs/${encodeURIComponent(id)}`;
  const { send, isBusy, problem } = useSend();
  const [answered, setAnswered] = useState<readonly Undone[]>([]);
  const { status, undone: told = [], summary, actions = [], parent } = run as Partial<Run>;
  // The run has it a moment after the answer.
  const isAhead = told.length < answered.length;
  const undone = isAhead ? answered : told;
  const isGoing =
    isAhead || undone.some((one) => one.status === "initiated" || one.status === "pending_confirmation");
  useEffect(() => {
    if (!isGoing) return undefined;
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [isGoing]);
  // A run of which nothing went out has nothing to take back.
  const hasDone = summary !== undefined && summary.ok + summary.initiated + summary.unknown > 0;
  const mayUndo = hasDone && status !== "running" && !isGoing;
  const { data } = useLoad<{ readonly undone: readonly Planned[] }>(mayUndo ? `${path}/undo` : null, {
    everyMs: PLAN_EVERY_MS,
    body: { dry_run: true },
  });
  const plan = data?.undone ?? [];
  const takeBack = async (): Promise<void> => {
    const answer = await send<Run>(`${path}/undo`, { method: "POST", body: {} });
    if (!answer.ok) return;
    const { undone: entries = [] } = answer.data;
    announce(sayEnd(entries));
    setAnswered(entries);
    reload();
  };
  if (undone.length === 0 && plan.length === 0) return null;
  const ways = plan.filter(({ args }) => args !== undefined);
  const isLasting = ways.length === 0;
  // An undo is of all runs that share an action: of a rerun's also what the first one wrote.
  const isOthers = ({ id, round }: Place): boolean =>
    !actions.some((own) => own.id === id && own.round === round);
  const waiting = actions.filter(({ status: own, since = own }) => since === "pending_confirmation");
  const open = new Set(waiting.map(({ confirmation }) => confirmation?.id)).size;
  const rejected = open === 0 ? "" : ` and reject ${count(open, "approval request")}`;
  const said = problem?.code === "OFFLINE" ? { ...problem, detail: UNCERTAIN } : problem;
  const others = [...new Set([...undone, ...plan].filter(isOthers).map(nameOf))];
  return (
    <section class="stack tight" aria-label="Undo">
      <div class="row">
        {undone.length > 0 && <h2 key="title">Undone</h2>}
        {!isLasting && (
          <AskingButton
            key="ask"
            isBusy={isBusy}
            title={`Undo ${ways.length < plan.length ? `${ways.length} of ` : ""}${count(plan.length, "write")}${rejected}?`}
            yes="Undo"
            isDanger
            onYes={() => void takeBack()}
          >
            In this order:
            <ol>
              {plan.map((one) => (
                <li key={nameOf(one)}>
                  <bdi class="mono">{nameOf(one)}</bdi>
                  {isOthers(one) && ", a write of another run"}
                  {one.args === undefined ? (
                    ": no call is known that undoes it"
                  ) : (
                    <>
                      {" "}
                      by <bdi class="mono">{one.tool}</bdi>
                      {one.asks && ", after a person's approval"}
                      <ArgsView args={one.args} label={`Arguments of ${one.tool}`} />
                    </>
                  )}
                </li>
              ))}
            </ol>
          </AskingButton>
        )}
        {others.length > 0 && (
          <p key="others" class="muted">
            <bdi class="mono">{others.join(", ")}</bdi> {others.length === 1 ? "is a write" : "are writes"} of{" "}
            {parent === undefined ? (
              "another run"
            ) : (
              <Link of={`run ${parent.slice(0, 8)}`} section="runs" to={parent} />
            )}
            , which shares its actions with this one: an undo is of them all
          </p>
        )}
        {isLasting && plan.length > 0 && (
          <p key="lasting" class="muted">
            There is no undo: no call is known that undoes{" "}
            <bdi class="mono">{plan.map(nameOf).join(", ")}</bdi>
          </p>
        )}
      </div>
      <ProblemNote key="problem" problem={said} />
      {undone.length > 0 && (
        <ListTable
          key="undone"
          of={undone}
          by={(one, at) => `${nameOf(one)} ${at}`}
          columns={[
            ...WRITES,
            ["After the run", ({ started_ms: ms }) => (ms === undefined ? "" : sayDuration(ms)), "nowrap"],
            ["Took", ({ duration_ms: ms }) => (ms === undefined ? "" : sayDuration(ms)), "nowrap"],
            [
              "Job",
              ({ job_id: job }) =>
                job === undefined ? "" : <Link of={job.slice(-8)} section="jobs" to={job} />,
              "nowrap",
            ],
          ]}
        />
      )}
    </section>
  );
}

const UNCERTAIN = "It is not known whether the undo arrived. Press again: each write is undone once.";

const WRITES: readonly Column<Undone>[] = [
  ["Action", (one) => <bdi class="mono">{nameOf(one)}</bdi>, "lead"],
  [
    "Undone by",
    (one) => one.error?.code !== "NOT_REVERSIBLE" && <Link of={one.tool} section="tools" to={one.tool} />,
  ],
  ["Status", (one) => <Status of={one.status} />],
  [
    "Why",
    ({ error, confirmation }) =>
      confirmation === undefined ? (
        error && <code title={error.hint}>{error.code}</code>
      ) : (
        <Link of="approval request" section="confirmations" to={confirmation.id} />
      ),
  ],
];

/** Show what became of the writes of a batch that failed, and so was undone. */
export function UndoneOfAnswer({ answer }: Places["results"]) {
  const { undone = [] } = answer as Partial<Run>;
  if (undone.length === 0) return null;
  return (
    <section aria-label="Undone">
      <div class="card-head">
        <h2>{sayEnd(undone)}</h2>
      </div>
      <Table of={undone} by={(one, at) => `${nameOf(one)} ${at}`} columns={WRITES} look="list" />
    </section>
  );
}

/** Find the calls that took writes of a run back. */
export function laterCalls({ undone = [] }: Partial<Run>): readonly LaterCall[] {
  return undone.flatMap((one): LaterCall[] => {
    const { started_ms: from, duration_ms: took = 0, tries = [], tool, status, error, job_id: job } = one;
    if (from === undefined) return [];
    return [
      {
        name: nameOf(one),
        did: "undone",
        tool,
        status,
        code: error?.code ?? null,
        job: job ?? null,
        tries: tries.length > 0 ? tries : [{ started_ms: from, duration_ms: took }],
      },
    ];
  });
}

function sayEnd(undone: readonly Undone[]): string {
  const done = undone.filter(({ status }) => status === "success" || status === "cancelled");
  return `${done.length} of ${count(undone.length, "write")} undone`;
}

/** Name a write by its round, its action and its place in that. */
function nameOf({ id, round, action, element }: Place): string {
  const own = round === undefined ? id : `${round}:${id}`;
  const inside = action === undefined ? own : `${own}/${action}`;
  return element === undefined ? inside : `${inside}.${element}`;
}
