import { useRef, useState } from "hono/jsx/dom";

import { ask } from "../kit/api.ts";
import type { Route } from "../kit/route.ts";
import type { WireEnvelope, WirePlan } from "../kit/wire.ts";
import { PlanGraph } from "./plan-graph.tsx";
import { ResultList } from "./result-list.tsx";

export function RunView(_props: { readonly route: Route }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [plan, setPlan] = useState<{ answer: WirePlan; actions: unknown } | null>(null);
  const [envelope, setEnvelope] = useState<WireEnvelope | null>(null);
  const go = async (isDry: boolean): Promise<void> => {
    const body = JSON.parse(area.current!.value) as { actions: unknown };
    const answer = await ask<WirePlan | WireEnvelope>("/v1/execute_actions", {
      method: "POST",
      body: { ...body, dry_run: isDry },
    });
    if (!answer.ok) return;
    if ("plan" in answer.data) setPlan({ answer: answer.data, actions: body.actions });
    else setEnvelope(answer.data);
  };
  return (
    <div class="stack">
      <div class="page-head">
        <h1>Run</h1>
        <div class="actions">
          <button type="button" onClick={() => void go(true)}>
            Plan
          </button>
          <button type="button" class="primary" onClick={() => void go(false)}>
            Run
          </button>
        </div>
      </div>
      <textarea ref={area} rows={8} aria-label="Batch" />
      {plan && (
        <div class="card">
          <PlanGraph answer={plan.answer} actions={plan.actions} />
        </div>
      )}
      {envelope && (
        <div class="card flush">
          <ResultList results={envelope.results} />
        </div>
      )}
    </div>
  );
}
