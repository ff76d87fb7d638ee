import { useEffect, useRef, useState } from "../../../console/kit/jsx-hooks.ts";
import type { Problem } from "../../../console/kit/api.ts";
import { hasPage, mayUse, useDeployment } from "../../../console/kit/deployment.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useSendOnce } from "../../../console/kit/use-send.ts";
import type { WireResult } from "../../../console/kit/wire.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { Status } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { ResultList } from "../../../console/run/result-list.tsx";
import {
  type WireConfirmation,
  sayAsker,
  sayDeciders,
  sayLeft,
  sayStatus,
  sayYeses,
} from "./confirmation-words.ts";
import { ParkedActions } from "./parked-actions.tsx";
import { useNow } from "../../../console/kit/use-browser.ts";

const EVERY_MS = 3_000;
/** Below this much time left the clock is coloured, in milliseconds. */
const SOON_MS = 120_000;

type Decision = "approve" | "reject";

/** The button of each decision: its look, its word, and the word while it is sent. */
const DECISIONS = [
  ["reject", "danger", "Reject", "Rejecting…"],
  ["approve", "primary", "Approve", "Approving…"],
] as const satisfies readonly (readonly [Decision, string, string, string])[];

/** The seconds for which an approval is remembered, and the word. */
const AGAIN = [
  ["", "no"],
  ["3600", "for an hour"],
  ["86400", "for a day"],
  ["2592000", "for 30 days"],
] as const;

/** One question: who asks, until when, what exactly will happen; the two buttons; then what came of it. */
export function ConfirmationPage({ id }: { readonly id: string }) {
  const path = `/v1/confirmations/${encodeURIComponent(id)}`;
  const [isOpen, setOpen] = useState(true);
  const loaded = useLoad<WireConfirmation>(path, {
    everyMs: isOpen ? EVERY_MS : undefined,
    isExact: true,
  });
  const { decide, isBusy, problem, decided } = useDecision(path, loaded.data?.args_hash, loaded.reload);
  const [rememberS, setRememberS] = useState("");
  const deployment = useDeployment();
  const mayDecide = mayUse(deployment, "approve");
  const hasRuns = hasPage(deployment, "runs");
  const now = useNow(1_000);
  const asked = loaded.data;
  const status = asked === null ? null : sayStatus(asked, now);
  const outcome = asked && sayOutcome(status!, decided !== null, asked.results === undefined);
  const before = useRef<string | null>(null);
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The button that had the focus has gone with the question.
    if (before.current !== null && document.activeElement === document.body) said.current?.focus();
  }, [outcome]);
  useEffect(() => {
    if (status === null) return;
    setOpen(status === "waiting" || status === "running");
    if (before.current === "waiting" && status !== "waiting" && !isBusy)
      announce(`The approval request is ${status} now`);
    before.current = status;
  }, [status]);
  useEffect(() => {
    if (loaded.problem?.status === 404) setOpen(false);
  }, [loaded.problem]);
  const shown = decided?.results ?? (asked?.results as readonly WireResult[] | undefined);
  return (
    <div class="stack question-page">
      <Title
        text={status === null || status === "waiting" ? "May this happen?" : "Approval request"}
        back={{ href: hrefTo("confirmations"), label: "Approvals" }}
      />
      <Pending
        of={loaded}
        what="the approval request"
        gone={{
          title: "There is no such approval request",
          children:
            "Approval requests are kept for a day after their time. It may also be another tenant's, or of a tool that this key may not call.",
        }}
      />
      {asked !== null && (
        <div key="head" class="row">
          <Status of={status!} />
          <span class="muted">
            <bdi>{sayAsker(asked.requested_by)}</bdi> asked at <Time at={asked.created_at} />
            {hasRuns && asked.requested_by.run_id !== undefined && (
              <span key="run">
                , in <a href={hrefTo("runs", asked.requested_by.run_id)}>this run</a>
              </span>
            )}
          </span>
          {status === "waiting" && <Clock left={Date.parse(asked.expires_at) - now} />}
        </div>
      )}
      {asked !== null && status === "waiting" && sayYeses(asked) !== null && (
        <p key="yeses">
          <strong>{sayYeses(asked)}</strong>
          {asked.approved !== 0 && <bdi key="who"> ({sayDeciders(asked)})</bdi>}
        </p>
      )}
      {asked !== null && status !== "waiting" && asked.decided_by !== undefined && (
        <p key="decider" class="muted">
          Decided by <bdi>{sayDeciders(asked)}</bdi>
          {asked.reason !== undefined && <span dir="auto">: {asked.reason}</span>}
        </p>
      )}
      {outcome !== null && (
        <p key="outcome" tabindex={-1} ref={said} class={`note tone-${TONES[status!] ?? "idle"}`}>
          {outcome}
        </p>
      )}
      <ProblemNote key="problem" problem={problem} />
      {shown !== undefined && shown.length > 0 && (
        <section key="results" class="card flush" aria-label="What came of it">
          <ResultList results={shown} answer={decided} />
        </section>
      )}
      {asked !== null && <ParkedActions key="actions" actions={asked.actions} />}
      {status === "waiting" && !mayDecide && (
        <p key="may-not-decide" id="may-not-decide" class="note tone-idle">
          This key may ask and not decide: it has no flag <code>approve</code>. Open this page with a key that
          has it.
        </p>
      )}
      {status === "waiting" && mayDecide && (
        <label key="again" class="row again">
          Remember this approval for the same call
          <select
            value={rememberS}
            onChange={(event: Event) => setRememberS((event.currentTarget as HTMLSelectElement).value)}
          >
            {AGAIN.map(([seconds, when]) => (
              <option key={seconds} value={seconds}>
                {when}
              </option>
            ))}
          </select>
        </label>
      )}
      {status === "waiting" && (
        <div key="decide" class="decide">
          {DECISIONS.map(([decision, look, word, doing]) => (
            <button
              key={decision}
              type="button"
              class={look}
              disabled={!mayDecide}
              aria-disabled={isBusy !== null}
              aria-describedby={mayDecide ? undefined : "may-not-decide"}
              onClick={() => void decide(decision, rememberS)}
            >
              {isBusy === decision ? doing : word}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Decide, once; `decided` is the answer to this page's decision. */
function useDecision(path: string, argsHash: string | undefined, reload: () => void) {
  const { send, isBusy } = useSendOnce<Decision>();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [decided, setDecided] = useState<{ readonly results?: readonly WireResult[] } | null>(null);
  const decide = async (decision: Decision, rememberS: string): Promise<void> => {
    setProblem(null);
    const isRemembered = decision === "approve" && rememberS !== "";
    const body = { decision, args_hash: argsHash, remember_s: isRemembered ? Number(rememberS) : undefined };
    const answer = await send(decision, path, body);
    if (answer === null) return;
    if (answer.ok && answer.data.results === undefined) {
      announce("Your approval counts. It runs when the others have approved too.");
    } else if (answer.ok) {
      setDecided(answer.data);
      announce(
        decision === "approve" ? "Approved. What came of it is below." : "Rejected. Nothing of it runs.",
      );
    } else {
      setProblem(sayDecided(answer.problem));
    }
    reload();
  };
  return { decide, isBusy, problem, decided };
}

/** A conflict is no mistake of the caller, and a lost answer is no answer. */
function sayDecided(problem: Problem): Problem {
  if (problem.status === 409 && problem.code === "CONFIRMATION_INVALID")
    return { ...problem, title: "This decision did not count" };
  if (problem.code === "OFFLINE")
    return {
      ...problem,
      detail: "It is not known yet whether the decision arrived. Press again: it counts once.",
    };
  return problem;
}

function Clock({ left }: { readonly left: number }) {
  return (
    <span class={`end tag clock ${left < SOON_MS ? "soon tone-bad" : ""}`} role="timer" aria-live="off">
      ends in {sayLeft(left)}
    </span>
  );
}

const TONES: Readonly<Record<string, string>> = { approved: "ok", running: "going" };

function sayOutcome(status: string, isMine: boolean, hasNoResults: boolean): string | null {
  switch (status) {
    case "approved":
      return isMine ? "You approved it. What came of it:" : "It was approved.";
    case "rejected":
      return isMine ? "You rejected it. Nothing of it runs." : "It was rejected. Nothing of it runs.";
    case "expired":
      return "Its time is over, and nothing of it runs. If it is still wanted, it has to be asked for again.";
    case "running":
      return hasNoResults ? "It was approved and runs." : null;
    default:
      return null;
  }
}
