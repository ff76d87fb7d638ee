import { hrefTo } from "../../../console/kit/route.ts";
import type { Loaded } from "../../../console/kit/use-load.ts";
import { count } from "../../../console/parts/count.ts";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Tile } from "../../../console/parts/facts.tsx";
import { sayDuration } from "../../../console/parts/say-duration.ts";
import { Title } from "../../../console/parts/title.tsx";
import { useRedrive } from "../../../console/jobs/use-redrive.ts";
import { ListTable } from "../../../console/parts/table.tsx";
import { Count, Millis, Rate } from "./figures.tsx";
import { HOURS, sayRate, type WireTenant, type WireTool } from "./overview-words.ts";
import { ProblemNote } from "../../../console/parts/problem-note.tsx";
import { AskingButton } from "../../../console/parts/question.tsx";

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
          <Tile title="Runs" figure={seen.runs.toLocaleString("en")}>
            {count(seen.actions, "action")}
          </Tile>
          <Tile title="Errors" figure={sayRate(seen.error_rate)}>
            of its actions; {seen.throttled.toLocaleString("en")} over limits
          </Tile>
          <Tile title="Time of a run" figure={seen.p50_ms === null ? "–" : sayDuration(seen.p50_ms)}>
            {seen.p95_ms === null ? "nothing was measured" : `one in twenty over ${sayDuration(seen.p95_ms)}`}
          </Tile>
          <Tile title="Waiting for a person" figure={seen.waiting.toLocaleString("en")}>
            {seen.waiting === 1 ? "approval request" : "approval requests"}
          </Tile>
        </div>
      )}
      {seen !== undefined && (
        <DeadJobs key="dead" tenant={tenant} dead={seen.dead} onDone={overview.reload} />
      )}
      {seen !== undefined && seen.tools.length > 0 && <ToolTable key="tools" tools={seen.tools} />}
    </div>
  );
}

function ToolTable({ tools }: { readonly tools: readonly WireTool[] }) {
  return (
    <section class="stack tight" aria-label="Tools">
      <h2>Tools</h2>
      <ListTable
        of={tools}
        by={({ tool }) => tool}
        look="tenants-table"
        columns={[
          ["Tool", ({ tool }) => <bdi>{tool}</bdi>, "lead"],
          ["Errors", (one) => <Rate of={one.error_rate} />, "number"],
          ["Calls", (one) => <Count of={one.calls} />, "number"],
          ["p50", (one) => <Millis of={one.p50_ms} />, "number"],
          ["p95", (one) => <Millis of={one.p95_ms} />, "number"],
        ]}
      />
    </section>
  );
}

interface DeadJobsProps {
  readonly tenant: string;
  readonly dead: Readonly<Record<string, number>>;
  readonly onDone: () => void;
}

/** The dead jobs of a tenant by the code that they died of, each kind with a button that gives them new attempts. */
function DeadJobs({ tenant, dead, onDone }: DeadJobsProps) {
  const { redrive, said, isBusy, problem } = useRedrive("/v1/operator/redrive", onDone);
  const codes = Object.entries(dead).sort(([, a], [, b]) => b - a);
  return (
    <section class="card" aria-label="Dead jobs">
      <h2>Dead jobs</h2>
      {codes.length === 0 && <p class="muted">None.</p>}
      {codes.length > 0 && (
        <ul key="codes" class="stack tight">
          {codes.map(([code, size]) => (
            <li key={code} class="row">
              <code>{code}</code>
              <span class="muted">{count(size, "job")}</span>
              <span class="end">
                <AskingButton
                  text="Retry these"
                  label={`Retry these: ${code}`}
                  isBusy={isBusy}
                  title={`Retry the dead jobs with ${code}?`}
                  yes="Retry"
                  onYes={() => void redrive({ tenant, code })}
                >
                  The newest hundred get fresh attempts, with the idempotency key that each had: an upstream
                  that honours it acts once. They run with what <bdi>{tenant}</bdi> asked for.
                </AskingButton>
              </span>
            </li>
          ))}
        </ul>
      )}
      {said !== null && (
        <p key="said" class="small muted">
          {said}
        </p>
      )}
      <ProblemNote key="problem" problem={problem} />
    </section>
  );
}
