import { useState } from "hono/jsx/dom";

import { type Redriven, sayRedriven } from "../../../console/jobs/job-filter.ts";
import { ask, type Problem } from "../../../console/kit/api.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { count } from "../../../console/parts/count.ts";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Question } from "../../../console/parts/question.tsx";

interface DeadJobsProps {
  readonly tenant: string;
  readonly dead: Readonly<Record<string, number>>;
  readonly onDone: () => void;
}

/** The dead jobs of a tenant by the code that they died of, each kind with a button that gives them new attempts. */
export function DeadJobs({ tenant, dead, onDone }: DeadJobsProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const codes = Object.entries(dead).sort(([, a], [, b]) => b - a);
  const redrive = async (code: string): Promise<void> => {
    setBusy(true);
    const answer = await ask<Redriven>("/v1/operator/redrive", { method: "POST", body: { tenant, code } });
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    const text = sayRedriven(answer.data);
    setSaid(text);
    announce(text);
    onDone();
  };
  return (
    <section class="card" aria-label="Dead jobs">
      <h2>Dead jobs</h2>
      {codes.length === 0 && <p class="muted">None.</p>}
      {codes.length > 0 && (
        <ul key="codes" class="stack tight">
          {codes.map(([code, size]) => (
            <li key={code} class="row">
              <code>{code}</code>
              <span class="muted">{count(size, "job")}</span>
              <span class="end">
                <button
                  type="button"
                  disabled={isBusy}
                  aria-label={`Redrive these: ${code}`}
                  onClick={() => setAsked(code)}
                >
                  Redrive these
                </button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {said !== null && (
        <p key="said" class="small muted">
          {said}
        </p>
      )}
      <ProblemNote key="problem" problem={problem} />
      {asked !== null && (
        <Question
          key="question"
          title={`Redrive the dead jobs with ${asked}?`}
          yes="Redrive"
          onAnswer={(isYes) => {
            setAsked(null);
            if (isYes) void redrive(asked);
          }}
        >
          The newest hundred get fresh attempts, with the idempotency key that each had: an upstream that
          honours it acts once. They run with what <bdi>{tenant}</bdi> asked for.
        </Question>
      )}
    </section>
  );
}
