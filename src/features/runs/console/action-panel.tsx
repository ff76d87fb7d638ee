import { useEffect, useRef } from "../../../console/kit/jsx-hooks.ts";
import type { LaterCall } from "../../../console/kit/section.ts";
import { Facts } from "../../../console/parts/facts.tsx";
import { Link } from "../../../console/parts/link.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Status } from "../../../console/parts/status.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { ActionFacts, Attempts } from "./action-facts.tsx";
import type { TraceRow } from "./make-trace.ts";
import { sayBegan } from "./run-words.ts";

interface ActionPanelProps {
  readonly row: TraceRow;
  readonly rows: readonly TraceRow[];
  /** The rows above and below it, as the trace is filtered. */
  readonly before: string | null;
  readonly after: string | null;
  /** Somebody chose it; one that is open because it failed takes no focus. */
  readonly isAsked: boolean;
  /** Told another row, or null to close the panel. */
  readonly onChoose: (key: string | null) => void;
}

/** All that is kept of one row of the trace. It takes the focus, and Escape gives that back to the row. */
export function ActionPanel({ row, rows, before, after, isAsked, onChoose }: ActionPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isAsked) heading.current?.focus({ preventScroll: true });
  }, []);
  const { name, tool, status, action, later } = row;
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
      class={`card trace-panel${isAsked ? " sheet" : ""}`}
      aria-label={later === null ? `Action ${name}` : `${name}, ${later.did}`}
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
      {later !== null ? (
        <LaterFacts row={row} call={later} />
      ) : action === null ? (
        <ModelFacts row={row} />
      ) : (
        <ActionFacts row={row} rows={rows} action={action} tool={tool!} onChoose={onChoose} />
      )}
    </aside>
  );
}

function ModelFacts({ row }: { readonly row: TraceRow }) {
  return (
    <Facts
      look="small"
      of={[
        ["Model", `answered after ${sayDuration(row.toMs! - row.fromMs!)}`],
        ["Began", `${sayDuration(row.fromMs!)} after the run began`],
        row.usage !== null && ["Usage", <JsonView value={row.usage} label="Usage" />],
      ]}
    />
  );
}

function LaterFacts({ row: { fromMs }, call }: { readonly row: TraceRow; readonly call: LaterCall }) {
  const { did, tool, code, job, tries } = call;
  return (
    <div class="stack">
      <Facts
        look="small"
        of={[
          ["Action", did],
          ["By", <Link of={tool} section="tools" to={tool} />],
          fromMs !== null && ["Began", sayBegan(fromMs)],
          code !== null && ["Error", <code>{code}</code>],
          job !== null && ["Job", <Link of={job.slice(-8)} section="jobs" to={job} />],
        ]}
      />
      {tries.length > 0 && <Attempts key="tries" tries={tries} />}
    </div>
  );
}
