import { hrefTo } from "../../../console/kit/route.ts";
import { ArgsView } from "../../../console/parts/args-view.tsx";
import { copyReference } from "../../../console/parts/copy-text.ts";
import { Facts } from "../../../console/parts/facts.tsx";
import { Link } from "../../../console/parts/link.tsx";
import { Prose } from "../../../console/parts/problem-note.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Table } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { FailureNote, type WireFailure } from "../../../console/run/failure-note.tsx";
import { ResultData } from "../../../console/run/result-data.tsx";
import type { TraceRow } from "./make-trace.ts";
import type { WireAction } from "./wire-runs.ts";
import { sayBegan } from "./run-words.ts";

interface ActionFactsProps {
  readonly row: TraceRow;
  readonly rows: readonly TraceRow[];
  readonly action: WireAction;
  readonly tool: string;
  /** Told another row. */
  readonly onChoose: (key: string) => void;
}

/** Show how an action went, what it sent and what came back. */
export function ActionFacts({ row, rows, action, tool, onChoose }: ActionFactsProps) {
  const { error, confirmation, job_id: job, written, data, cut = [], redacted = [], items, because } = action;
  // A refused action was not sent: it has the arguments that its sender wrote.
  const args = action.args ?? written;
  const issues = args === undefined ? [] : ((error as Partial<WireFailure> | undefined)?.issues ?? []);
  const waitsFor = row.waitsFor.filter(({ key }) => rows.some((other) => other.key === key));
  const neededBy = rows.filter((other) => other.waitsFor.some(({ key }) => key === row.key));
  const tries = action.tries ?? [];
  return (
    <div class="stack">
      {error !== undefined && row.job?.error === undefined && (
        <Failure key="error" error={issues.length === 0 ? error : { ...error, issues: [] }} />
      )}
      {redacted.includes("error") && (
        <p key="link" class="muted small">
          A secret was taken out: the link that connects an account stands in the answer alone.
        </p>
      )}
      {row.job?.error !== undefined && <FailureNote key="job error" error={row.job.error} />}
      {confirmation !== undefined && (
        <p key="question" class={`note tone-${action.decided === undefined ? "wait" : "idle"}`}>
          <Prose text={action.decided ?? String(confirmation["message"] ?? "")} />{" "}
          <a href={hrefTo("confirmations", confirmation.id)}>Approval request</a>
        </p>
      )}
      <Facts
        look="small"
        of={[
          ["Tool", <Link of={tool} section="tools" to={tool} />],
          row.fromMs !== null && ["Began", sayBegan(row.fromMs, action.queued_ms)],
          action.duration_ms !== undefined && ["Took", sayDuration(action.duration_ms)],
          items !== undefined && ["Elements", `${items.ok} of ${items.total} succeeded`],
          because !== undefined && ["Because of", <Others rows={[because]} onChoose={onChoose} />],
          waitsFor.length > 0 && [
            "Waits for",
            <Others rows={waitsFor.map(({ key }) => key)} onChoose={onChoose} />,
          ],
          neededBy.length > 0 && [
            "Needed by",
            <Others rows={neededBy.map(({ key }) => key)} onChoose={onChoose} />,
          ],
          job !== undefined && ["Job", <JobLink id={job} next={row.job?.next_attempt_at} />],
        ]}
      />
      {tries.length > 1 && <Attempts key="tries" tries={tries} />}
      {row.job !== null && row.job.tries.length > 0 && <Attempts key="job tries" tries={row.job.tries} />}
      {action.log !== undefined && (
        <section key="log" class="stack tight" aria-label="Log">
          <h3>Log</h3>
          <Table
            of={action.log}
            by={(_, index) => index}
            look="attempts"
            columns={[
              ["At", (line) => sayDuration(line.at_ms)],
              ["Line", (line) => <bdi>{line.text}</bdi>],
            ]}
          />
        </section>
      )}
      <section class="stack tight" aria-label="Arguments">
        <h3>Arguments</h3>
        {args === undefined ? (
          <p class="muted small">{sayMissing(action, "args")}</p>
        ) : (
          <ArgsView args={args} label={`Arguments of ${action.id}`} issues={issues} written={written} />
        )}
        {items !== undefined && (
          <p class="muted small">Each element was sent with its own value in the place of item#.</p>
        )}
        {redacted.includes("args") && <p class="muted small">A secret was taken out.</p>}
        {action.with !== undefined && <ArgsView args={action.with} label={`Other fields of ${action.id}`} />}
      </section>
      {(data !== undefined || cut.includes("data") || row.status === "success") && (
        <section key="result" class="stack tight" aria-label="Result">
          <h3>Result</h3>
          {data === undefined ? (
            <p class="muted small">{sayMissing(action, "data")}</p>
          ) : (
            <ResultData
              data={data}
              label={`Result of ${action.id}`}
              onPick={(pointer) => copyReference(`${action.id}#${pointer}`)}
            />
          )}
          {redacted.includes("data") && <p class="muted small">A secret was taken out.</p>}
        </section>
      )}
    </div>
  );
}

function JobLink({ id, next }: { readonly id: string; readonly next: unknown }) {
  return (
    <span>
      <a href={hrefTo("jobs", id)}>{id.slice(-8)}</a>
      {typeof next === "string" && (
        <span>
          , next attempt <Time at={next} />
        </span>
      )}
    </span>
  );
}

/** A failure as it was kept: a run without content has its code only. */
function Failure({ error }: { readonly error: NonNullable<WireAction["error"]> }) {
  if (typeof error["message"] === "string") return <FailureNote error={error as WireFailure} />;
  return (
    <p class="note tone-bad">
      <code>{error.code}</code>
    </p>
  );
}

function sayMissing({ private: isPrivate, cut = [], error }: WireAction, field: string): string {
  if (error?.code === "UNKNOWN_TOOL") return "Arguments of an unknown tool are not kept.";
  if (isPrivate === true) return "The tool is private: nothing of it is kept.";
  return cut.includes(field) ? "Too large to be kept." : "Not kept.";
}

interface OthersProps {
  readonly rows: readonly string[];
  readonly onChoose: (key: string) => void;
}

function Others({ rows, onChoose }: OthersProps) {
  return (
    <span class="row">
      {rows.map((key) => (
        <button key={key} type="button" class="plain" onClick={() => onChoose(key)}>
          <bdi class="mono">{key}</bdi>
        </button>
      ))}
    </span>
  );
}

interface Attempt {
  readonly duration_ms: number;
  readonly code?: string | undefined;
  /** When a job's attempt began. */
  readonly at?: string;
  /** When an action's attempt began, from the start of the run. */
  readonly started_ms?: number;
}

/** List the attempts of an action or a job. */
export function Attempts({ tries }: { readonly tries: readonly Attempt[] }) {
  return (
    <Table
      of={tries}
      by={(_, index) => index}
      look="attempts"
      columns={[
        ["Attempt", (_, index) => index + 1],
        ["Began", ({ at, started_ms: ms = 0 }) => (at === undefined ? sayDuration(ms) : <Time at={at} />)],
        ["Took", (one) => sayDuration(one.duration_ms)],
        ["Ended", ({ code }) => (code === undefined ? "succeeded" : <code>{code}</code>)],
      ]}
    />
  );
}
