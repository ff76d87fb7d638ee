import { useMemo } from "../kit/jsx-hooks.ts";
import type { WirePlan } from "../kit/wire.ts";
import { Table } from "../parts/table.tsx";
import { FailureNote } from "./failure-note.tsx";
import { type EdgeKind, layOutPlan, type PlanDrawing as Drawing, type PlanNode } from "./lay-out-plan.ts";
import { nameActions } from "./name-actions.ts";
import { EDGE_NAMES, PlanDrawing, sayBefore } from "./plan-drawing.tsx";
import { sayPlan } from "./say-run.ts";

/**
 * The answer of `dry_run`, drawn: the waves and their order, the issues, and the same as a table.
 *
 * @param answer what the API answered to the batch with `dry_run`
 * @param actions the batch's `actions` as they were sent: the plan names only their ids
 */
export function PlanGraph({ answer, actions }: { readonly answer: WirePlan; readonly actions: unknown }) {
  const drawing = useMemo(() => layOutPlan(answer, nameActions(actions)), [answer, actions]);
  const { caps } = answer.plan;
  const kinds = [...new Set(drawing.edges.map(({ kind }) => kind))];
  const capped = Object.entries(caps);
  return (
    <div class="stack plan-view">
      <p>{sayPlan(answer)}</p>
      <PlanDrawing drawing={drawing} />
      {(kinds.length > 0 || capped.length > 0) && (
        <ul class="row small muted legend" aria-label="What the lines mean">
          {kinds.map((kind) => (
            <li key={kind}>
              <Line kind={kind} /> {EDGE_NAMES[kind]}
            </li>
          ))}
          {capped.map(([tool, cap]) => (
            <li key={`cap ${tool}`} class="tag">
              <span>
                <bdi>{tool}</bdi>: {cap === 1 ? "one at a time" : `${cap} at once`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {answer.errors.length > 0 && (
        <div class="stack tight" key="errors">
          <h3>Will fail before anything is sent</h3>
          {answer.errors.map(({ id, tool, error }) => (
            <FailureNote key={id} id={id} tool={tool} error={error} />
          ))}
        </div>
      )}
      {answer.warnings !== undefined && (
        <div class="stack tight" key="warnings">
          <h3>Will run, but perhaps not as it is meant</h3>
          {answer.warnings.map(({ id, warnings }) => (
            <div key={id} class="note tone-wait">
              <strong>
                <bdi>{id}</bdi>
              </strong>
              {warnings.map((warning) => (
                <p key={warning} dir="auto">
                  {warning}
                </p>
              ))}
            </div>
          ))}
        </div>
      )}
      <details class="fold">
        <summary>The plan as a table</summary>
        <PlanTable drawing={drawing} />
      </details>
    </div>
  );
}

function Line({ kind }: { readonly kind: EdgeKind }) {
  return (
    <svg width="34" height="10" aria-hidden="true">
      <path class={`plan-edge edge-${kind}`} d="M1 5H33" />
    </svg>
  );
}

function PlanTable({ drawing: { nodes, edges } }: { readonly drawing: Drawing }) {
  return (
    <Table
      of={nodes}
      by={({ id }) => id}
      columns={[
        ["Step", ({ wave }) => (wave === null ? "–" : wave + 1)],
        ["Action", ({ id }) => <bdi class="mono">{id}</bdi>],
        ["Tool", ({ tool }) => <bdi class="mono">{tool ?? "–"}</bdi>],
        ["Waits for", ({ id }) => <bdi>{sayBefore(id, edges) || "–"}</bdi>],
        ["Note", (node) => sayNote(node) || "–"],
      ]}
    />
  );
}

function sayNote({ state, isConfirmed, hasWarning }: PlanNode): string {
  return [
    state === "wrong" && "wrong",
    state === "blocked" && "needs one that is wrong",
    isConfirmed && "waits for approval",
    hasWarning && "warning",
  ]
    .filter((note) => typeof note === "string")
    .join(", ");
}
