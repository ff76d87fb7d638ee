import { useState } from "../../../console/kit/jsx-hooks.ts";
import type { Problem } from "../../../console/kit/api.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { useSend, useSendOnce } from "../../../console/kit/use-send.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { CopyButton } from "../../../console/parts/copy-button.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { handOver } from "../../../console/run/draft.ts";
import type { WireResult } from "../../../console/kit/wire.ts";
import { sayCurl } from "../../../console/run/say-run.ts";
import { countEnds, FAILED, isGoing, keptOf, sayNothing, sayWrites } from "./run-words.ts";
import { sayTypescript, toBatch } from "./to-batch.ts";
import type { WireRun } from "./wire-runs.ts";

/** The buttons of a run: run it again, open it in the editor, copy it. */
export function RunActions({ run }: { readonly run: WireRun }) {
  const { rerun, isBusy, problem, nothing } = useRerun(run.run_id);
  if (isGoing(run)) return <CancelButton key="cancel" jobId={run.job_id} />;
  const hasFailed = countEnds(run, []).some(([end]) => FAILED.includes(end));
  const isEmpty = run.actions.length === 0;
  // A model wrote an agent's rounds one by one: the API does not run them again. One that is gone by now it does not know.
  const mayRerun = !isEmpty && run.model === undefined && problem?.status !== 404;
  const open = (): void => {
    handOver(toBatch(run));
    location.hash = hrefTo("run", null, { from: run.run_id });
  };
  return (
    <div class="stack tight run-actions">
      <div class="row ends">
        <span class="small muted">{mayRerun && sayWrites(run)}</span>
        <CopyButton text={() => sayCurl(location.origin, toBatch(run))} label="Copy as curl" />
        <CopyButton text={() => sayTypescript(location.origin, toBatch(run))} label="Copy as TypeScript" />
        <button type="button" disabled={isEmpty} onClick={open}>
          Open in the Playground
        </button>
        {mayRerun && hasFailed && (
          <button key="failed" type="button" aria-disabled={isBusy} onClick={() => void rerun("failed")}>
            Run what failed
          </button>
        )}
        {mayRerun && (
          <button
            key="again"
            type="button"
            class="primary"
            aria-disabled={isBusy}
            onClick={() => void rerun("all")}
          >
            {isBusy ? "Running…" : "Run again"}
          </button>
        )}
      </div>
      {nothing !== null && (
        <p key="nothing" class="note tone-idle" role="status">
          {nothing}
        </p>
      )}
      <ProblemNote key="problem" problem={problem} />
    </div>
  );
}

/** Ends a run that goes on, which is a job. */
function CancelButton({ jobId }: { readonly jobId: string | undefined }) {
  const { send, isBusy, problem } = useSend();
  const cancel = async (): Promise<void> => {
    const answer = await send(`/v1/jobs/${encodeURIComponent(jobId ?? "")}/cancel`, { method: "POST" });
    if (answer.ok) announce("It is cancelled");
  };
  return (
    <div class="stack tight run-actions">
      <div class="row ends">
        <button type="button" class="danger" aria-disabled={isBusy} onClick={() => void cancel()}>
          Cancel
        </button>
      </div>
      <ProblemNote key="problem" problem={problem} />
    </div>
  );
}

/** Run a run again by the API, which repeats no write that succeeded. The page of the new run is shown as soon as there is one. */
function useRerun(id: string) {
  const { send, isBusy } = useSendOnce<"all" | "failed">();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [nothing, setNothing] = useState<string | null>(null);
  const rerun = async (which: "all" | "failed"): Promise<void> => {
    setProblem(null);
    setNothing(null);
    const path = `/v1/runs/${encodeURIComponent(id)}/rerun`;
    const answer = await send(which, path, which === "failed" ? { only: "failed" } : {});
    if (answer === null) return;
    if (!answer.ok) return setProblem(answer.problem);
    // A job is told by its run.
    const { batch_id: ran, run_id: begun = ran, results = [] } = answer.data as Rerun;
    const kept = keptOf(results);
    const done = kept.filter(({ status }) => status === "success" || status === "initiated");
    if (begun === ran && kept.length > 0 && kept.length === results.length)
      return setNothing(sayNothing(kept));
    announce(begun === ran ? "It has run again" : "It runs again");
    location.hash = hrefTo("runs", begun, {
      new: "1",
      ...(done.length > 0 && { kept: done.map(({ id }) => id).join(", ") }),
    });
  };
  return { rerun, isBusy: isBusy !== null, problem, nothing };
}

interface Rerun {
  readonly batch_id: string;
  readonly run_id?: string;
  readonly results?: readonly WireResult[];
}
