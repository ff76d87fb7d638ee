import { sayDuration } from "../../../console/parts/say-duration.ts";
import { toneOf, wordOf } from "../../../console/parts/status.tsx";
import type { Span, TraceRow } from "./make-trace.ts";
import type { TimeScale } from "./time-scale.ts";

interface TraceRowsProps {
  readonly rows: readonly TraceRow[];
  readonly scale: TimeScale;
  /** The keys of the rows that held the run up. */
  readonly critical: ReadonlySet<string>;
  readonly chosen: string | null;
  readonly list: { current: HTMLOListElement | null };
  readonly onChoose: (key: string) => void;
}

/** The rows of a trace below one scale. Arrow keys walk them, and each opens its panel. */
export function TraceRows({ rows, scale, critical, chosen, list, onChoose }: TraceRowsProps) {
  const walk = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const buttons = [...list.current!.querySelectorAll("button")];
    const next = buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  const hasBars = rows.some(({ spans }) => spans.length > 0);
  const has = (kind: Span["kind"]): boolean =>
    rows.some(({ spans }) => spans.some((span) => span.kind === kind));
  return (
    <div class={hasBars ? "trace-rows" : "trace-rows bare"}>
      {hasBars && (
        <div key="scale" class="trace-scale" aria-hidden="true">
          <svg width="100%" height="16">
            {scale.ticks.map(({ at, label }, index) => (
              <text
                key={index}
                x={`${at}%`}
                y={12}
                text-anchor={at === 0 ? "start" : at > 94 ? "end" : "middle"}
              >
                {label}
              </text>
            ))}
          </svg>
        </div>
      )}
      <ol aria-label="Actions over time" ref={list} onKeyDown={walk}>
        {rows.map((row) => (
          <li key={row.key}>
            <button
              type="button"
              class={`trace-row tone-${toneOf(row.status)}${row.spans.length === 0 ? " unbegun" : ""}`}
              data-key={row.key}
              aria-pressed={row.key === chosen}
              onClick={() => onChoose(row.key)}
            >
              <span class="trace-names">
                {row.later !== null && <span aria-hidden="true">{LATER} </span>}
                <bdi class="mono">{row.name}</bdi> <bdi class="muted small">{row.tool}</bdi>
              </span>
              <svg class="trace-bar" width="100%" height="26" aria-hidden="true">
                {row.spans.length > 0 &&
                  scale.ticks.map(({ at }, index) => (
                    <line key={`tick ${index}`} class="tick" x1={`${at}%`} x2={`${at}%`} y1={0} y2={26} />
                  ))}
                {scale.breakAt !== null && (
                  <line
                    key="break"
                    class="break"
                    x1={`${scale.breakAt}%`}
                    x2={`${scale.breakAt}%`}
                    y1={0}
                    y2={26}
                  />
                )}
                {row.spans.map((span, index) => (
                  <Bar
                    key={index}
                    span={span}
                    scale={scale}
                    tone={
                      row.kind === "model" ? "idle" : index < row.spans.length - 1 && span.code ? "bad" : null
                    }
                  />
                ))}
                {critical.has(row.key) && row.fromMs !== null && (
                  <line
                    key="critical"
                    class="critical"
                    x1={`${scale.at(row.fromMs)}%`}
                    x2={`${scale.at(row.toMs!)}%`}
                    y1={21}
                    y2={21}
                  />
                )}
              </svg>
              <Said row={row} />
              {critical.has(row.key) && <span class="hidden-text">, on the slowest path</span>}
              {row.later !== null && <span class="hidden-text">, {row.later.did}</span>}
            </button>
          </li>
        ))}
      </ol>
      <ul class="row small muted legend" aria-hidden="true">
        {critical.size > 0 && <Line key="critical" look="critical" text="on the slowest path" />}
        {has("queue") && <Line key="queue" look="queue" text="in a queue" />}
        {has("pause") && <Line key="pause" look="pause" text="before the next attempt" />}
        {rows.some(({ kind }) => kind === "model") && (
          <Line key="model" look="bar" tone="idle" text="the model answers" />
        )}
        {has("job") && (
          <Line
            key="job"
            look="job"
            text={`job${scale.breakAt === null ? "" : ", after the answer on a scale of its own"}`}
          />
        )}
        {[...new Set(rows.flatMap(({ later }) => later?.did ?? []))].map((did) => (
          <li key={did}>
            {LATER} {did}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Stands before the name of an action to which something was done later. */
const LATER = "↩";

function Line({ look, text, tone = "ok" }: Partial<Record<"look" | "text" | "tone", string>>) {
  return (
    <li>
      <svg width="22" height="12" class={`tone-${tone}`}>
        <path class={look} d={look === "job" || look === "bar" ? "M1 2h20v8H1z" : "M1 6h20"} />
      </svg>
      {text}
    </li>
  );
}

function Bar({
  span: { kind, fromMs, toMs },
  scale,
  tone,
}: {
  readonly span: Span;
  readonly scale: TimeScale;
  /** The colour of an attempt that is not its row's. */
  readonly tone: string | null;
}) {
  const [from, to] = [scale.at(fromMs), scale.at(toMs)];
  if (kind === "queue" || kind === "pause")
    return <line class={kind} x1={`${from}%`} x2={`${to}%`} y1={13} y2={13} />;
  return (
    <rect
      class={`${kind === "job" ? "job" : "bar"}${tone === null ? "" : ` tone-${tone}`}`}
      x={`${from}%`}
      y={8}
      width={`${Math.round(100 * Math.max(0, to - from)) / 100}%`}
      height={10}
      rx={2}
    />
  );
}

/** How a row ended, in words: its code where it failed, and its time. */
function Said({ row: { status, code, action, fromMs, toMs, job } }: { readonly row: TraceRow }) {
  const tries = job?.attempts ?? action?.attempts ?? 1;
  const took = fromMs === null || toMs === null ? null : toMs - fromMs;
  return (
    <span class="trace-said small">
      {status === "success" && took !== null ? (
        <span class="hidden-text">success</span>
      ) : (
        <span class="word">
          {code ?? wordOf(status)}
          {code !== null && <span class="hidden-text"> {wordOf(status)}</span>}
        </span>
      )}
      {tries > 1 && <span class="muted">×{tries}</span>}
      {took !== null && <span class="muted took">{sayDuration(took)}</span>}
    </span>
  );
}
