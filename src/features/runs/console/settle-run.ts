import { useEffect, useMemo, useState } from "../../../console/kit/jsx-hooks.ts";
import { ask } from "../../../console/kit/api.ts";
import { pagesOf, useDeployment } from "../../../console/kit/deployment.ts";
import type { WireResult } from "../../../console/kit/wire.ts";
import type { WireAction, WireRun } from "./wire-runs.ts";

interface Decider {
  readonly name: string;
}

/** A question as it is by now, as far as a run's page reads it; null of one that is not kept any more. */
export type Question = null | {
  readonly status: string;
  readonly results?: readonly WireResult[];
  readonly decided_by?: Decider | readonly Decider[];
  readonly reason?: string;
};

type Questions = ReadonlyMap<string, Question>;

/** Read a run as its questions have ended: what is kept of it says how its actions were answered before. */
export function settleRun(run: WireRun, questions: Questions): WireRun {
  const isOpen = run.status === "waiting" || run.status === "running";
  return { ...run, actions: run.actions.map((action) => settle(action, { questions, isOpen })) };
}

interface Known {
  readonly questions: Questions;
  /** The run waits for a person, or goes on. */
  readonly isOpen: boolean;
}

function settle(action: WireAction, known: Known): WireAction {
  const id = waitsFor(action);
  const question = id === null ? undefined : known.questions.get(id);
  if (question === undefined || question?.status === "pending") return action;
  if (question === null) return known.isOpen ? action : { ...action, since: "decided", decided: GONE };
  const by = [question.decided_by ?? []].flat().map(({ name }) => name);
  const word = WORDS[question.status] ?? question.status;
  const why = question.reason === undefined ? "" : `: ${question.reason}`;
  const decided = `It was ${word}${by.length > 0 ? ` by ${by.join(", ")}` : ""}${why}`;
  const result = question.results?.find((one) => one.id === action.id);
  if (result === undefined) return { ...action, since: word, decided };
  const { status: _, tool: __, index: ___, meta, ...ended } = result;
  const isRejected = "error" in ended && ended.error.code === "CONFIRMATION_REJECTED";
  const since = isRejected ? "rejected" : result.status;
  const took = (meta as { readonly duration_ms?: number } | undefined)?.duration_ms;
  const settled = { ...action, ...ended, since, decided, ...(took !== undefined && { duration_ms: took }) };
  // Arguments that were unknown then have a question of their own.
  return result.status === "pending_confirmation" && result.confirmation.id !== id
    ? settle({ ...settled, since: result.status }, known)
    : settled;
}

const GONE = "It was decided, or its time is over; the approval request is not kept any more";

const WORDS: Readonly<Record<string, string>> = { done: "approved" };

/** The question that an action waits for, or that is being carried out; null of one that waits for none. */
function waitsFor({ status, since = status, confirmation }: WireAction): string | null {
  return since === "pending_confirmation" || since === "running" ? (confirmation?.id ?? null) : null;
}

/** Ask what became of the questions of a run, and again of those that are open whenever the run is read. */
export function useSettled(run: WireRun | null): WireRun | null {
  const [questions, setQuestions] = useState<Questions>(new Map());
  const settled = useMemo(() => run && settleRun(run, questions), [run, questions]);
  const ids = [...new Set(settled?.actions.flatMap((one) => waitsFor(one) ?? []))];
  const { things } = pagesOf(useDeployment().sections).find(({ name }) => name === "confirmations") ?? {};
  useEffect(() => {
    let isOver = false;
    for (const id of things === undefined ? [] : ids)
      void ask<Question>(`${things!.path}${encodeURIComponent(id)}`, { isExact: true }).then((answer) => {
        if (!isOver && (answer.ok || answer.problem.status === 404))
          setQuestions((before) => new Map([...before, [id, answer.ok ? answer.data : null]]));
      });
    return () => void (isOver = true);
  }, [run, things, ids.join(" ")]);
  return settled;
}
