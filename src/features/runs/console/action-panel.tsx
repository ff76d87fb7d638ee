import { useEffect, useRef } from "hono/jsx/dom";

import { hrefTo } from "../../../console/kit/route.ts";
import { ArgsView } from "../../../console/parts/args-view.tsx";
import { copyText } from "../../../console/parts/copy-text.ts";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status } from "../../../console/parts/status.tsx";
import { TableHead } from "../../../console/parts/table-head.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { FailureNote, type WireFailure } from "../../../console/run/failure-note.tsx";
import { ResultData } from "../../../console/run/result-data.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";
import type { TraceRow } from "./make-trace.ts";
import type { WireAction } from "./wire.ts";

interface ActionPanelProps {
  readonly row: TraceRow;
  readonly rows: readonly TraceRow[];
  /** The rows above and below it, as the trace is filtered. */
  readonly before: string | null;
  readonly after: string | null;
  /** Told another row, or null to close the panel. */
  readonly onChoose: (key: string | null) => void;
}

/** All that is kept of one row of the trace. It takes the focus, and Escape gives that back to the row. */
export function ActionPanel({ row, rows, before, after, onChoose }: ActionPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const { name, tool, status, action } = row;
  const step = (label: string, sign: string, key: string | null) => (
    <button
      type="button"
      class="plain"
      aria-label={label}
      disabled={key === null}
      onClick={() => onChoose(key)}
    >
      {sign}
    </button>
  );
  return (
    <aside
      class="card trace-panel"
      aria-label={`Action ${name}`}
      onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && onChoose(null)}
    >
      <div class="row">
        <h2 tabindex={-1} ref={heading}>
          <bdi class="mono">{name}</bdi>
        </h2>
        <Status of={status} />
        <span class="end row">
          {step("Action above", "↑", before)}
          {step("Action below", "↓", after)}
          <button type="button" class="plain" aria-label="Close" onClick={() => onChoose(null)}>
            ✕
          </button>
        </span>
      </div>
      {action === null ? (
        <ModelFacts row={row} />
      ) : (
        <ActionFacts row={row} rows={rows} action={action} tool={tool!} onChoose={onChoose} />
      )}
    </aside>
  );
}

function ModelFacts({ row }: { readonly row: TraceRow }) {
  return (
    <dl class="facts small">
      <dt>Model</dt>
      <dd>answered after {sayDuration(row.toMs! - row.fromMs!)}</dd>
      <dt>Began</dt>
      <dd>{sayDuration(row.fromMs!)} after the run</dd>
      {row.usage !== null && [
        <dt key="usage">Usage</dt>,
        <dd key="of">
          <JsonView value={row.usage} label="Usage" />
        </dd>,
      ]}
    </dl>
  );
}

interface ActionFactsProps extends Pick<ActionPanelProps, "row" | "rows" | "onChoose"> {
  readonly action: WireAction;
  readonly tool: string;
}

function ActionFacts({ row, rows, action, tool, onChoose }: ActionFactsProps) {
  const { error, confirmation, job_id: job, args, data, cut = [], redacted = [], items, because } = action;
  const waitsFor = row.waitsFor.filter(({ key }) => rows.some((other) => other.key === key));
  const neededBy = rows.filter((other) => other.waitsFor.some(({ key }) => key === row.key));
  const tries = action.tries ?? [];
  return (
    <div class="stack">
      {error !== undefined && <Failure key="error" error={error} />}
      {redacted.includes("error") && (
        <p key="link" class="muted small">
          A secret was taken out: the link that connects an account stands in the answer alone.
        </p>
      )}
      {row.job?.error !== undefined && <FailureNote key="job error" error={row.job.error} />}
      {confirmation !== undefined && (
        <p key="question" class="note tone-wait">
          {typeof confirmation["message"] === "string" && `${confirmation["message"]} `}
          <a href={hrefTo("confirmations", confirmation.id)}>The question</a>
        </p>
      )}
      <dl class="facts small">
        <dt>Tool</dt>
        <dd>
          <a href={hrefTo("tools", tool)}>
            <bdi>{tool}</bdi>
          </a>
        </dd>
        {row.fromMs !== null && [
          <dt key="began">Began</dt>,
          <dd key="at">
            {sayDuration(row.fromMs)} after the run
            {(action.queued_ms ?? 0) >= 1 && `, ${sayDuration(action.queued_ms!)} of it in queues`}
          </dd>,
        ]}
        {action.duration_ms !== undefined && [
          <dt key="took">Took</dt>,
          <dd key="time">{sayDuration(action.duration_ms)}</dd>,
        ]}
        {items !== undefined && [
          <dt key="items">Elements</dt>,
          <dd key="of">
            {items.ok} of {items.total} succeeded
          </dd>,
        ]}
        {because !== undefined && [
          <dt key="because">Because of</dt>,
          <dd key="it">
            <Others rows={[because]} onChoose={onChoose} />
          </dd>,
        ]}
        {waitsFor.length > 0 && [
          <dt key="waits">Waits for</dt>,
          <dd key="for">
            <Others rows={waitsFor.map(({ key }) => key)} onChoose={onChoose} />
          </dd>,
        ]}
        {neededBy.length > 0 && [
          <dt key="needed">Needed by</dt>,
          <dd key="by">
            <Others rows={neededBy.map(({ key }) => key)} onChoose={onChoose} />
          </dd>,
        ]}
        {job !== undefined && [
          <dt key="job">Job</dt>,
          <dd key="id">
            <a href={hrefTo("jobs", job)}>{job.slice(-8)}</a>
            {typeof row.job?.next_attempt_at === "string" && (
              <span>
                , next attempt <Time at={row.job.next_attempt_at} />
              </span>
            )}
          </dd>,
        ]}
      </dl>
      {tries.length > 1 && <Attempts key="tries" tries={tries} />}
      {row.job !== null && row.job.tries.length > 0 && (
        <Attempts
          key="job tries"
          tries={row.job.tries.map(({ duration_ms, code, at }) => ({ duration_ms, code, at }))}
        />
      )}
      <section class="stack tight" aria-label="Arguments">
        <h3>Arguments</h3>
        {args === undefined ? (
          <p class="muted small">{sayMissing(action, "args")}</p>
        ) : (
          <ArgsView args={args} label={`Arguments of ${action.id}`} />
        )}
        {redacted.includes("args") && <p class="muted small">A secret was taken out.</p>}
        {action.with !== undefined && <ArgsView args={action.with} label={`Other fields of ${action.id}`} />}
      </section>
      {(data !== undefined || cut.includes("data") || action.status === "success") && (
        <section key="result" class="stack tight" aria-label="Result">
          <h3>Result</h3>
          {data === undefined ? (
            <p class="muted small">{sayMissing(action, "data")}</p>
          ) : (
            <ResultData
              data={data}
              label={`Result of ${action.id}`}
              onPick={(pointer) => {
                const reference = `${action.id}#${pointer}`;
                void copyText(JSON.stringify({ $ref: reference }), `Copied the reference ${reference}`);
              }}
            />
          )}
          {redacted.includes("data") && <p class="muted small">A secret was taken out.</p>}
        </section>
      )}
    </div>
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

function sayMissing({ private: isPrivate, cut = [] }: WireAction, field: string): string {
  if (isPrivate === true) return "The tool is private: nothing of it is kept.";
  return cut.includes(field) ? "Too large to be kept." : "Not kept.";
}

interface OthersProps {
  readonly rows: readonly string[];
  readonly onChoose: (key: string) => void;
}

/** Links to other rows of the trace. */
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

function Attempts({ tries }: { readonly tries: readonly Attempt[] }) {
  return (
    <table class="table attempts">
      <TableHead names={["Attempt", "Began", "Took", "Ended"]} />
      <tbody>
        {tries.map(({ duration_ms: took, code, at, started_ms: startedMs }, index) => (
          <tr key={index}>
            <td data-label="Attempt">{index + 1}</td>
            <td data-label="Began">{at === undefined ? sayDuration(startedMs ?? 0) : <Time at={at} />}</td>
            <td data-label="Took">{sayDuration(took)}</td>
            <td data-label="Ended">{code === undefined ? "well" : <code>{code}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
