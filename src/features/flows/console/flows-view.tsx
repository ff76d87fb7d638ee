import { hrefTo, type Route } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import type { Written } from "../../../console/kit/wire.ts";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Pieces } from "../../../console/parts/pieces.tsx";
import { Prose } from "../../../console/parts/problem-note.tsx";
import { Tags } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import type { flowListSchema } from "../wire-flow.ts";
import { FlowPage } from "./flow-page.tsx";

/** So many flows of the list are asked for their last run: each is a request. */
const MOST_ASKED = 20;

/** The tenant's flows: all of them, or one. */
export function FlowsView({ route }: { readonly route: Route }) {
  if (route.id !== null) return <FlowPage key={`flow ${route.id}`} name={route.id} />;
  return <FlowList key="list" />;
}

function FlowList() {
  const loaded = useLoad<Written<typeof flowListSchema>>("/v1/flows");
  const flows = loaded.data?.flows ?? [];
  return (
    <div class="stack">
      <Title text="Flows" />
      <Pending of={loaded} what="the flows" />
      {loaded.data !== null && flows.length === 0 && (
        <Empty key="none" title="No flows yet">
          A flow is a batch with a name. A key that may keep tools keeps one with{" "}
          <code>PUT /v1/flows/NAME</code>.
        </Empty>
      )}
      {flows.length > 0 && (
        <ul key="list" class="tool-list card flush">
          {flows.map(
            ({ name, summary, is_write: isWrite, broken, paused, triggers, next_run_at: next }, at) => (
              <li key={name}>
                <a href={hrefTo("flows", name)}>
                  <span class="row">
                    <bdi class="name">{name}</bdi>
                    <span class="row end">
                      {isWrite && <span class="tag">writes</span>}
                      {paused && <span class="status tone-wait">paused</span>}
                      {broken !== undefined && <span class="status tone-bad">broken</span>}
                    </span>
                  </span>
                  <span class="muted small">
                    <Prose text={broken ?? summary} />
                  </span>
                  <span class="row small muted flow-times">
                    <Tags of={triggers.map((trigger) => (trigger === "cron" ? "schedule" : trigger))} />
                    {next !== undefined && next !== null && !paused && (
                      <span key="next">
                        next <Time at={next} />
                      </span>
                    )}
                    {at < MOST_ASKED && <Pieces of="flowRow" given={{ name }} />}
                  </span>
                </a>
              </li>
            ),
          )}
        </ul>
      )}
    </div>
  );
}
