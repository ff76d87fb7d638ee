import { CallForm } from "../../../console/form/call-form.tsx";
import type { Problem } from "../../../console/kit/api.ts";
import { holdPage } from "../../../console/kit/use-send.ts";
import { makeKey } from "../../../console/kit/make-idempotency-key.ts";
import { readEvents } from "../../../console/kit/read-events.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { currentOwner } from "../../../console/kit/session.ts";
import { hasPage, useDeployment } from "../../../console/kit/deployment.ts";
import { useKept } from "../../../console/kit/use-kept.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import type { WireEnvelope, WireJob, WireResult, Written } from "../../../console/kit/wire.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { CopyButton } from "../../../console/parts/copy-button.tsx";
import { DeleteButton } from "../../../console/parts/delete-button.tsx";
import { Facts } from "../../../console/parts/facts.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { Pieces } from "../../../console/parts/pieces.tsx";
import { ProblemNote, Paragraph } from "../../../console/parts/problem-note.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { PlanGraph } from "../../../console/run/plan-graph.tsx";
import { ResultList } from "../../../console/run/result-list.tsx";
import { JobTable } from "../../../console/jobs/job-table.tsx";
import { count } from "../../../console/parts/count.ts";
import type { FlowIssue, shownFlowSchema } from "../wire-flow.ts";

/** The answer of `GET /v1/flows/{name}`. */
type WireFlow = Written<typeof shownFlowSchema>;

/** One flow: its plan, a form of its input, what starts it by itself, its runs. */
export function FlowPage({ name }: { readonly name: string }) {
  const path = `/v1/flows/${encodeURIComponent(name)}`;
  const loaded = useLoad<WireFlow>(path);
  const flow = loaded.data;
  return (
    <div class="stack">
      <Title text={name} back={{ href: hrefTo("flows"), label: "Flows" }}>
        {flow !== null && (
          <DeleteButton name={name} path={path} from="flows">
            It cannot be run any more, and its webhook and its schedule stop. Runs go on to their end.
          </DeleteButton>
        )}
      </Title>
      <Pending
        of={loaded}
        what="the flow"
        gone={{ title: "There is no such flow", children: "It may be deleted, or this key may not call it." }}
      />
      {flow !== null && <FlowBody key="body" flow={flow} path={path} />}
    </div>
  );
}

function FlowBody({ flow, path }: { readonly flow: WireFlow; readonly path: string }) {
  const { broken, issues = [], plan, hook_url: hook, triggers, next_run_at: next } = flow;
  const runs = usePages<WireJob>(`/v1/jobs?limit=10&tool=${encodeURIComponent(flow.name)}`, "jobs", 6_000);
  return (
    <div class="stack">
      {broken !== undefined && (
        <div key="broken" class="note tone-bad" role="status">
          <strong>It cannot run</strong>
          <Paragraph text={broken} />
        </div>
      )}
      {issues.length > 0 && <FlowIssues key="issues" issues={issues} />}
      <section class="card" aria-label="What it does">
        <Paragraph text={flow.description ?? flow.summary} />
        <div class="row">
          <span class="tag">{flow.is_write ? "writes" : "reads"}</span>
          {flow.confirm && <span class="tag">needs approval</span>}
          {triggers?.paused === true && <span class="status tone-wait">paused</span>}
        </div>
        {(hook !== undefined || triggers?.cron !== undefined) && (
          <Facts
            of={[
              hook !== undefined && ["Webhook", <Hook url={hook} />],
              triggers?.cron !== undefined && ["Schedule", <Clock of={{ ...triggers, next }} />],
            ]}
          />
        )}
      </section>
      {plan !== undefined && (
        <section key="plan" class="card" aria-label="Its plan">
          <PlanGraph answer={{ dry_run: true, plan, errors: [] }} actions={flow.actions} />
        </section>
      )}
      {broken === undefined && <FlowForm key="form" flow={flow} path={path} />}
      <Pieces key="what ran" of="flow" given={{ name: flow.name }} />
      {runs.items.length > 0 && (
        <section key="runs" class="stack tight" aria-label="Its jobs">
          <h2>Its jobs</h2>
          <JobTable jobs={runs.items} />
          <MoreButton of={runs} />
        </section>
      )}
    </div>
  );
}

function Hook({ url }: { readonly url: string }) {
  return (
    <span>
      <bdi class="mono">{url}</bdi> <CopyButton text={url} label="Copy webhook" />
    </span>
  );
}

interface ClockProps {
  readonly of: WireFlow["triggers"] & { readonly next: string | null | undefined };
}

function Clock({ of: { cron, timezone = "UTC", paused, next } }: ClockProps) {
  return (
    <span>
      <code>{cron}</code> {timezone},{" "}
      {paused === true ? "paused" : next === null || next === undefined ? "never again" : "next "}
      {paused !== true && typeof next === "string" && <Time key="next" at={next} />}
    </span>
  );
}

type FlowEnvelope = WireEnvelope & { readonly answer?: unknown };

/** A run by the form, which goes on and is found again while other pages are shown. */
interface FlowRun {
  readonly input: unknown;
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  readonly results: readonly WireResult[];
  readonly envelope: FlowEnvelope | null;
  readonly turn: number;
}

const NO_RUN: FlowRun = { input: {}, isBusy: false, problem: null, results: [], envelope: null, turn: 0 };

/** A fault of a field stands at that. */
const isOfInput = ({ path }: { readonly path: string }): boolean => path.startsWith("/input");

/** Run the flow with an input, by the stream: each result stands there the moment it is known. */
function FlowForm({ flow, path }: { readonly flow: WireFlow; readonly path: string }) {
  const [kept, setKept] = useKept<FlowRun>(`flow ${flow.name}`, () => NO_RUN);
  const { input, isBusy, problem, results, envelope, turn } = kept;
  const change = (changed: Partial<FlowRun>): void => setKept((before) => ({ ...before, ...changed }));
  const run = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const owner = currentOwner();
    change({ ...NO_RUN, input, isBusy: true, turn: turn + 1 });
    const refused = await holdPage(
      readEvents(
        `${path}/run`,
        { method: "POST", body: { input }, headers: { "idempotency-key": makeKey() } },
        ({ event: name, data }) => {
          if (name === "result")
            setKept((before) => ({
              ...before,
              results: [...before.results, data as WireResult].sort((a, b) => a.index - b.index),
            }));
          if (name === "done") change({ envelope: data as FlowEnvelope });
        },
      ),
    );
    change({ isBusy: false, problem: refused });
    if (refused === null && owner === currentOwner()) announce(`${flow.name} has run`);
  };
  const said = problem?.issues ?? [];
  const issues = said.map((issue) => ({ ...issue, path: issue.path.replace(/^\/input/, "") }));
  const shown = envelope?.results ?? results;
  const hasRuns = hasPage(useDeployment(), "runs");
  return (
    <div class="stack">
      <CallForm
        label="Its input"
        schema={flow.input_schema}
        value={input}
        issues={issues}
        isBusy={isBusy}
        onChange={(next) => change({ input: next })}
        onRun={run}
      />
      <ProblemNote problem={said.length > 0 && said.every(isOfInput) ? null : problem} />
      {envelope !== null && hasRuns && (
        <p key="run">
          It has run: <a href={hrefTo("runs", envelope.batch_id, { new: "1" })}>open its page</a>.
        </p>
      )}
      {envelope?.answer !== undefined && (
        <section key="answer" class="card" aria-label="Its answer">
          <h2>Its answer</h2>
          <JsonView value={envelope.answer} label="Answer" />
        </section>
      )}
      {shown.length > 0 && (
        <section key={`results ${turn}`} class="card flush" aria-label="Results">
          <ResultList results={shown} answer={envelope} />
        </section>
      )}
    </div>
  );
}

/** The issues of a flow, an error or a warning each, and the advice for it. */
function FlowIssues({ issues }: { readonly issues: readonly FlowIssue[] }) {
  const isBad = issues.some(({ severity }) => severity === "error");
  return (
    <section class={`note ${isBad ? "tone-bad" : "tone-wait"}`} aria-label="Its issues">
      <strong>{count(issues.length, "issue")}</strong>
      <ul>
        {issues.map(({ severity, path, expected, received, hint }) => (
          <li key={`${severity} ${path} ${received}`}>
            <p>
              {severity === "error" ? "Error" : "Warning"} at <bdi class="mono">{path}</bdi>: expected{" "}
              <bdi>{expected}</bdi>, received <bdi>{received}</bdi>.
            </p>
            <Paragraph text={hint} />
          </li>
        ))}
      </ul>
    </section>
  );
}
