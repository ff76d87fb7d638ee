import { hrefTo } from "../../../console/kit/route.ts";
import type { Loaded } from "../../../console/kit/use-load.ts";
import { count } from "../../../console/parts/count.ts";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Title } from "../../../console/parts/title.tsx";
import { DeadJobs } from "./dead-jobs.tsx";
import { HOURS, sayRate, toneOfRate, type WireTenant, type WireTool } from "./overview-words.ts";

interface TenantPageProps {
  readonly tenant: string;
  readonly hours: string;
  readonly overview: Loaded<{ readonly tenants: readonly WireTenant[] }>;
}

/** One tenant: what it did, its tools, its dead jobs by what they died of. */
export function TenantPage({ tenant, hours, overview }: TenantPageProps) {
  const seen = overview.data?.tenants.find((one) => one.tenant === tenant);
  return (
    <div class="stack">
      <Title text={tenant} back={{ href: hrefTo("operator", null, { hours }), label: "Operator" }}>
        <span class="muted">{HOURS[hours]}</span>
      </Title>
      <Pending of={overview} what="the tenant" />
      {overview.data !== null && seen === undefined && (
        <Empty key="none" title="There is nothing of this tenant">
          It has run nothing in this time, or it is not among the hundred with the most errors.
        </Empty>
      )}
      {seen !== undefined && (
        <div key="tiles" class="tiles">
          <Tile title="Runs" figure={seen.runs.toLocaleString("en")} about={count(seen.actions, "action")} />
          <Tile
            title="Errors"
            figure={sayRate(seen.error_rate)}
            about={`of its actions; ${seen.throttled.toLocaleString("en")} throttled`}
          />
          <Tile
            title="Time of a run"
            figure={seen.p50_ms === null ? "–" : sayDuration(seen.p50_ms)}
            about={
              seen.p95_ms === null ? "nothing was measured" : `one in twenty over ${sayDuration(seen.p95_ms)}`
            }
          />
          <Tile
            title="Waiting for a person"
            figure={seen.waiting.toLocaleString("en")}
            about={seen.waiting === 1 ? "open question" : "open questions"}
          />
        </div>
      )}
      {seen !== undefined && (
        <DeadJobs key="dead" tenant={tenant} dead={seen.dead} onDone={overview.reload} />
      )}
      {seen !== undefined && seen.tools.length > 0 && <ToolTable key="tools" tools={seen.tools} />}
    </div>
  );
}

function Tile({
  title,
  figure,
  about,
}: {
  readonly title: string;
  readonly figure: string;
  readonly about: string;
}) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="figure">{figure}</p>
      <p class="muted small">{about}</p>
    </section>
  );
}

function ToolTable({ tools }: { readonly tools: readonly WireTool[] }) {
  return (
    <section class="stack tight" aria-label="Tools">
      <h2>Tools</h2>
      <div class="card flush">
        <table class="table list tenants-table">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              {["Errors", "Calls", "p50", "p95"].map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tools.map((one) => (
              <tr key={one.tool}>
                <td class="lead">
                  <bdi>{one.tool}</bdi>
                </td>
                <td
                  data-label="Errors"
                  class={`number${one.error_rate > 0 ? ` toned tone-${toneOfRate(one.error_rate)}` : " muted"}`}
                >
                  <span>{sayRate(one.error_rate)}</span>
                </td>
                <td data-label="Calls" class="number">
                  {one.calls.toLocaleString("en")}
                </td>
                <td data-label="p50" class="number">
                  {one.p50_ms === null ? "–" : sayDuration(one.p50_ms)}
                </td>
                <td data-label="p95" class="number">
                  {one.p95_ms === null ? "–" : sayDuration(one.p95_ms)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
