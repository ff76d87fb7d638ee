import { useMemo, useState } from "../../../console/kit/jsx-hooks.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { ArgsView } from "../../../console/parts/args-view.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { layOutPlan } from "../../../console/run/lay-out-plan.ts";
import { PlanDrawing } from "../../../console/run/plan-drawing.tsx";
import { count } from "../../../console/parts/count.ts";
import { toPlan, type WireParked } from "./confirmation-words.ts";

/** So many elements of a loop are drawn before the rest is asked for. */
const FIRST = 5;

/** Exactly what a yes would run: what needs it first, then what waits behind, and their order as a drawing. */
export function ParkedActions({ actions }: { readonly actions: readonly WireParked[] }) {
  const drawing = useMemo(() => layOutPlan(toPlan(actions), actions), [actions]);
  const gated = actions.filter((action) => action.gated);
  const behind = actions.filter((action) => !action.gated);
  return (
    <div class="stack">
      {gated.map((action) => (
        <Action key={action.id} action={action} />
      ))}
      {behind.length > 0 && (
        <section class="stack tight" aria-label="What waits behind it">
          <h2>Then, {count(behind.length, "action that waits", "actions that wait")} for it</h2>
          <div class="card">
            <PlanDrawing drawing={drawing} />
          </div>
          {behind.map((action) => (
            <Action key={action.id} action={action} />
          ))}
        </section>
      )}
    </div>
  );
}

function Action({ action }: { readonly action: WireParked }) {
  const {
    id,
    tool,
    says,
    args,
    edited_args: edited,
    args_of_each: each,
    for_each: loop,
    resolved,
    reach,
    run_at: at,
    callback_url: callback,
  } = action;
  return (
    <section class="card" aria-label={`Action ${id}`}>
      <div class="row">
        <h2>
          <a href={hrefTo("tools", tool)}>
            <bdi>{tool}</bdi>
          </a>
        </h2>
        <span class="tag end">
          action <bdi>{id}</bdi>
        </span>
      </div>
      {says !== undefined && (
        <p key="says">
          <strong>
            <bdi>{says}</bdi>
          </strong>
        </p>
      )}
      {each === undefined ? (
        <ArgsView key="args" args={edited ?? args ?? {}} label={`Arguments of ${id}`} />
      ) : (
        <Elements key="each" each={each} id={id} />
      )}
      {edited !== undefined && (
        <div key="asked" class="note tone-wait stack tight">
          <h3>A person wrote these arguments. Asked for were:</h3>
          <ArgsView args={args ?? {}} label={`Arguments of ${id} as they were asked for`} />
        </div>
      )}
      {loop !== undefined && (
        <div key="loop" class="stack tight">
          <h3>Once for each of</h3>
          <ArgsView args={{ elements: loop }} label="Elements" />
        </div>
      )}
      {reach !== undefined && (
        <p key="reach" dir="auto">
          <strong>{reach}</strong>
        </p>
      )}
      {!resolved && (
        <p key="open" class="small muted">
          It refers to results that are not there yet: they are filled in when it runs.
        </p>
      )}
      {at !== undefined && (
        <p key="at" class="small muted">
          Not before <Time at={at} />.
        </p>
      )}
      {callback !== undefined && (
        <p key="callback" class="small muted">
          What becomes of it is told to <bdi class="mono">{callback}</bdi>.
        </p>
      )}
    </section>
  );
}

function Elements({ each, id }: { readonly each: readonly unknown[]; readonly id: string }) {
  const [isAll, setAll] = useState(false);
  return (
    <div class="stack tight">
      <h3>{count(each.length, "time")}, once for each of these</h3>
      <ol class="elements">
        {(isAll ? each : each.slice(0, FIRST)).map((args, index) => (
          <li key={index}>
            {typeof args === "object" ? (
              <ArgsView args={args} label={`Element ${index} of ${id}`} />
            ) : (
              <JsonView value={args} label={`Element ${index} of ${id}`} />
            )}
          </li>
        ))}
      </ol>
      {!isAll && each.length > FIRST && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          Show all {each.length}
        </button>
      )}
    </div>
  );
}
