import { useEffect, useMemo, useState } from "../kit/jsx-hooks.ts";
import { toneOf, wordOf } from "../parts/status.tsx";
import { sayDuration } from "../parts/say-duration.ts";
import { makeTicks, makeTimeRows, sayTick, type TimeRow } from "./time-line.ts";
import type { Run } from "./run-state.ts";

/** So often the drawing moves: the eye takes it as steady, and the page has the rest of the time. */
const STEP_MS = 100;
/** A scale shorter than this only shows how fast the browser is. */
const LEAST_MS = 200;

/** The course of every action of a run, in the order asked, over one scale of time. */
export function Waterfall({ run }: { readonly run: Run }) {
  const now = useNow(run);
  const rows = useMemo(() => makeTimeRows(run, now), [run, now]);
  const lengthMs = Math.max(LEAST_MS, now, ...rows.map(({ ran, toldMs }) => ran.at(-1)?.toMs ?? toldMs ?? 0));
  const ticks = makeTicks(lengthMs);
  const at = (ms: number): string => `${Math.min(100, (100 * ms) / lengthMs)}%`;
  return (
    <div class="waterfall">
      <div class="waterfall-scale" aria-hidden="true">
        <svg width="100%" height="16">
          {ticks.map((tick) => (
            <text key={tick} x={at(tick)} y={12} text-anchor={tick > 0.94 * lengthMs ? "end" : "middle"}>
              {sayTick(tick, lengthMs)}
            </text>
          ))}
        </svg>
      </div>
      <ol aria-label="Actions over time">
        {rows.map((row) => (
          <li key={row.index} class={`waterfall-row tone-${toneOfRow(row.state)}`}>
            <span class="waterfall-names">
              <bdi class="mono">{row.id}</bdi>
              <bdi class="muted small">{row.tool ?? "no tool"}</bdi>
            </span>
            <svg class="waterfall-bar" width="100%" height="22" aria-hidden="true">
              {ticks.map((tick) => (
                <line key={tick} class="tick" x1={at(tick)} x2={at(tick)} y1={0} y2={22} />
              ))}
              <Bar row={row} at={at} />
            </svg>
            <span class="waterfall-said small">
              <bdi>{sayRow(row)}</bdi>
              {row.queued !== null && row.durationMs !== null && (
                <span class="muted">queued {sayDuration(row.queued.toMs - row.queued.fromMs)}</span>
              )}
            </span>
          </li>
        ))}
      </ol>
      <ul class="row small muted legend" aria-hidden="true">
        {rows.some(({ queued }) => queued !== null) && (
          <li key="queue">
            <svg width="26" height="12" class="tone-idle">
              <line class="queue" x1={3} x2={23} y1={6} y2={6} />
            </svg>
            in the queue
          </li>
        )}
        {rows.some(({ toldMs }) => toldMs !== null) && <li key="told">○ no call yet, or none</li>}
      </ul>
    </div>
  );
}

function Bar({ row, at }: { readonly row: TimeRow; readonly at: (ms: number) => string }) {
  const { queued, ran, toldMs, state } = row;
  return (
    <g>
      {queued !== null && (
        <line key="queue" class="queue" x1={at(queued.fromMs)} x2={at(queued.toMs)} y1={10} y2={10} />
      )}
      {ran.map(({ fromMs, toMs }, attempt) => (
        <line
          key={attempt}
          class={state === "running" ? "bar moving" : "bar"}
          x1={at(fromMs)}
          x2={at(toMs)}
          y1={10}
          y2={10}
        />
      ))}
      {toldMs !== null && <circle key="told" class="told" cx={at(toldMs)} cy={10} r={4} />}
    </g>
  );
}

/** The state of a row in words. */
function sayRow({ state, durationMs, ran, attempt }: TimeRow): string {
  const word = wordOf(state === "lost" ? "unknown" : state);
  const [since] = ran;
  if (state === "running" && since !== undefined) {
    const again = attempt === null ? "" : `, attempt ${attempt}`;
    return `running ${sayDuration(since.toMs - since.fromMs)}${again}`;
  }
  return durationMs === null ? word : `${word} ${sayDuration(durationMs)}`;
}

export function toneOfRow(state: TimeRow["state"]): string {
  if (state === "lost") return "odd";
  return state === "waiting" ? "idle" : toneOf(state);
}

/** How long a run has been going on, and again ten times a second while it does. */
export function useNow(run: Run): number {
  const isRunning = run.phase === "running";
  const [now, setNow] = useState(() => (isRunning ? performance.now() - run.startedAt : 0));
  useEffect(() => {
    if (!isRunning) return undefined;
    const look = (): void => setNow(performance.now() - run.startedAt);
    look();
    const timer = setInterval(look, STEP_MS);
    return () => clearInterval(timer);
  }, [isRunning, run.startedAt]);
  return run.lengthMs ?? now;
}
