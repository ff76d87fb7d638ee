import { useMemo, useRef, useState } from "../../../console/kit/jsx-hooks.ts";
import { useDeployment } from "../../../console/kit/deployment.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import type { WireJob } from "../../../console/kit/wire.ts";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { ActionPanel } from "./action-panel.tsx";
import { findHoldup, type Holdup } from "./find-holdup.ts";
import { makeTrace, type TraceRow } from "./make-trace.ts";
import { makeTimeScale } from "./time-scale.ts";
import { TraceRows } from "./trace-rows.tsx";
import { FAILED } from "./run-words.ts";
import type { WireRun } from "./wire-runs.ts";

/** So many rows are seen at a glance; a longer trace has a filter. */
const FEW = 8;

interface RunTraceProps {
  readonly run: WireRun;
  readonly jobs: readonly WireJob[];
  /** The row whose panel is open to begin with; the first that failed unless it says one. */
  readonly action: string | null;
  /** Stands below the trace, beside the panel. */
  readonly children: unknown;
}

/** The trace of a run over the full width: what held it up, every row, and a panel of the row that is chosen. */
export function RunTrace({ run, jobs, action, children }: RunTraceProps) {
  const { sections } = useDeployment();
  const trace = useMemo(
    () =>
      makeTrace(
        run,
        jobs,
        sections.flatMap(({ laterCalls }) => laterCalls?.(run) ?? []),
      ),
    [run, jobs, sections],
  );
  const scale = useMemo(() => makeTimeScale(trace), [trace]);
  const holdup = useMemo(() => findHoldup(trace), [trace]);
  const [text, setText] = useState("");
  const [isFailedOnly, setFailedOnly] = useState(false);
  const [asked, setAsked] = useState<string | null | undefined>(action ?? undefined);
  const failed = trace.rows.filter(hasFailed);
  const first = failed.find(({ name }) => name === run.error?.action) ?? failed[0];
  const chosen = asked === undefined ? (first?.key ?? null) : asked;
  const list = useRef<HTMLOListElement>(null);
  const wanted = text.trim().toLowerCase();
  const rows = trace.rows.filter(
    (row) => (!isFailedOnly || hasFailed(row)) && (wanted === "" || fits(row, wanted)),
  );
  const choose = (key: string | null): void => {
    // Closing gives the focus back to the row.
    if (key === null) focusRow(list.current, chosen);
    setAsked(key);
    const query = key === null ? {} : { action: key };
    history.replaceState(history.state, "", hrefTo("runs", run.run_id, query));
  };
  const links = holdup.filter(({ fromMs, toMs }) => toMs - fromMs >= LEAST_SHARE * trace.runMs);
  const hasFilter = trace.rows.length > FEW;
  const at = rows.findIndex(({ key }) => key === chosen);
  const row = trace.rows.find(({ key }) => key === chosen);
  return (
    <div class={row === undefined ? "trace-body" : "trace-body open"}>
      <section class="card trace" aria-label="Trace">
        {(links.length > 0 || hasFilter) && (
          <div key="head" class="row">
            {links.length > 0 && (
              <HoldupLine key="holdup" links={links} runMs={trace.runMs} onChoose={choose} />
            )}
            {hasFilter && (
              <div key="filter" class="row end trace-filter">
                <label>
                  <span class="hidden-text">Filter the actions</span>
                  <input
                    type="search"
                    placeholder="Id, tool or code"
                    value={text}
                    spellcheck={false}
                    onInput={(event: Event) => setText((event.currentTarget as HTMLInputElement).value)}
                  />
                </label>
                <label class="switch">
                  <input
                    type="checkbox"
                    checked={isFailedOnly}
                    onChange={(event: Event) =>
                      setFailedOnly((event.currentTarget as HTMLInputElement).checked)
                    }
                  />
                  Failed only
                </label>
              </div>
            )}
          </div>
        )}
        {trace.rows.length === 0 ? (
          <p key="none" class="muted">
            It ran no action that this key may see.
          </p>
        ) : rows.length === 0 ? (
          <p key="narrow" class="muted" role="status">
            No action fits.
          </p>
        ) : (
          <TraceRows
            key="rows"
            rows={rows}
            scale={scale}
            critical={new Set(holdup.map(({ key }) => key))}
            chosen={chosen}
            list={list}
            onChoose={choose}
          />
        )}
      </section>
      {row !== undefined && (
        <ActionPanel
          key={`panel ${row.key}`}
          row={row}
          rows={trace.rows}
          before={at > 0 ? rows[at - 1]!.key : null}
          after={at >= 0 && at < rows.length - 1 ? rows[at + 1]!.key : null}
          isAsked={asked !== undefined}
          onChoose={choose}
        />
      )}
      <div key="below" class="stack below">
        {children}
      </div>
    </div>
  );
}

function hasFailed({ status }: TraceRow): boolean {
  return FAILED.includes(status);
}

function fits({ name, tool, code, status }: TraceRow, wanted: string): boolean {
  return [name, tool, code, status].some((part) => part?.toLowerCase().includes(wanted) === true);
}

function focusRow(list: HTMLOListElement | null, key: string | null): void {
  const rows = [...(list?.querySelectorAll("button") ?? [])];
  rows.find((row) => row.dataset["key"] === key)?.focus();
}

/** A link that took a smaller share of the run is left out: it is not where to look. */
const LEAST_SHARE = 0.03;
const MOST_LINKS = 6;

interface HoldupLineProps {
  readonly links: readonly Holdup[];
  readonly runMs: number;
  readonly onChoose: (key: string) => void;
}

/** The chain that decided how long the run took, in a line: each link with its time and its share. */
function HoldupLine({ links, runMs, onChoose }: HoldupLineProps) {
  return (
    <div class="holdup">
      <span class="muted">Slowest path</span>
      <ol aria-label="Slowest path">
        {links.slice(0, MOST_LINKS).map(({ key, name, kind, fromMs, toMs }, at) => (
          <li key={`${at} ${key}`}>
            {kind === "gap" ? (
              <span class="muted pause">waiting</span>
            ) : (
              <button type="button" class="plain" onClick={() => onChoose(key)}>
                {kind === "queue" && "queue of "}
                <bdi class="mono">{name}</bdi>
              </button>
            )}{" "}
            <span class="muted small">
              {sayDuration(toMs - fromMs)}, {Math.round((100 * (toMs - fromMs)) / Math.max(1, runMs))} %
            </span>
          </li>
        ))}
        {links.length > MOST_LINKS && (
          <li key="more" class="muted small more">
            {links.length - MOST_LINKS} more
          </li>
        )}
      </ol>
    </div>
  );
}
