import { useMemo, useState } from "hono/jsx/dom";

import { ask, type Problem } from "../kit/api.ts";
import { hrefTo, type Route } from "../kit/route.ts";
import { usePages } from "../kit/use-pages.ts";
import type { WireJob } from "../kit/wire.ts";
import { announce } from "../parts/announce.tsx";
import { Empty, Pending } from "../parts/notes.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Question } from "../parts/question.tsx";
import { Title } from "../parts/title.tsx";
import { count } from "../parts/count.ts";
import { JOB_STATUSES, readFilter, sayRedriven, SINCE, toQuery, type Redriven } from "./job-filter.ts";
import { JobPage } from "./job-page.tsx";
import { JobTable } from "./job-table.tsx";
import { MoreButton } from "../parts/more-button.tsx";

/** While the list is seen it is asked for again so often. */
const EVERY_MS = 6_000;

/** Background work: all of it, or one job. */
export function JobsView({ route }: { readonly route: Route }) {
  if (route.id !== null) return <JobPage key={`job ${route.id}`} id={route.id} />;
  return <JobList key="list" query={route.query} />;
}

function JobList({ query }: { readonly query: URLSearchParams }) {
  const filter = readFilter(query);
  const text = query.toString();
  // The time is taken when the filter is chosen: a path that moves with the clock would never be the same twice.
  const path = useMemo(() => `/v1/jobs?${toQuery(filter, Date.now())}`, [text]);
  const pages = usePages<WireJob>(path, "jobs", EVERY_MS);
  const set = (name: string, value: string): void => {
    location.hash = hrefTo("jobs", null, { ...filter, [name]: value });
  };
  const { items, first } = pages;
  const isFiltered = filter.status !== "" || filter.tool !== "" || filter.since !== "";
  return (
    <div class="stack">
      <Title text="Jobs">
        {filter.status === "dead" && items.length > 0 && (
          <RedriveAll tool={filter.tool} path={path} onDone={pages.reload} />
        )}
      </Title>
      <div class="filters">
        <label>
          <span class="hidden-text">Status</span>
          <select onChange={(event: Event) => set("status", valueOf(event))}>
            <option value="" selected={filter.status === ""}>
              Any status
            </option>
            {JOB_STATUSES.map((status) => (
              <option key={status} value={status} selected={filter.status === status}>
                {status}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="hidden-text">Tool</span>
          <input
            type="search"
            placeholder="Any tool"
            value={filter.tool}
            spellcheck={false}
            onChange={(event: Event) => set("tool", valueOf(event).trim())}
          />
        </label>
        <label>
          <span class="hidden-text">Since</span>
          <select onChange={(event: Event) => set("since", valueOf(event))}>
            {Object.entries(SINCE).map(([value, { label }]) => (
              <option key={value} value={value} selected={filter.since === value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Pending of={first} what="the jobs" />
      {first.data !== null && items.length === 0 && (
        <Empty key="none" title={isFiltered ? "No such jobs" : "No jobs yet"}>
          {isFiltered ? (
            <a href={hrefTo("jobs")}>Show all jobs</a>
          ) : (
            "Background actions of batches, and the runs of flows by their triggers, are listed here for seven days."
          )}
        </Empty>
      )}
      {items.length > 0 && <JobTable key="table" jobs={items} />}
      <MoreButton of={pages} />
    </div>
  );
}

interface RedriveAllProps {
  readonly tool: string;
  readonly path: string;
  readonly onDone: () => void;
}

/** Give all dead jobs of the filter new attempts, after a question that says how many they are. */
function RedriveAll({ tool, path, onDone }: RedriveAllProps) {
  const [asked, setAsked] = useState<{ readonly size: number; readonly isMore: boolean } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const look = async (): Promise<void> => {
    setBusy(true);
    const most = path.replace(/limit=\d+/, "limit=100");
    const answer = await ask<{ jobs: readonly WireJob[]; next_cursor: string | null }>(most);
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    const { jobs, next_cursor: next } = answer.data;
    setAsked({ size: jobs.length, isMore: next !== null });
  };
  const redrive = async (): Promise<void> => {
    setBusy(true);
    const since = new URLSearchParams(path.split("?")[1]).get("since");
    const answer = await ask<Redriven>("/v1/jobs/redrive", {
      method: "POST",
      body: { status: "dead", ...(tool !== "" && { tool }), ...(since !== null && { since }) },
    });
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    if (!answer.ok) return;
    const text = sayRedriven(answer.data);
    setSaid(text);
    announce(text);
    onDone();
  };
  return (
    <div class="row">
      {said !== null && <span class="small muted">{said}</span>}
      <ProblemNote problem={problem} />
      <button type="button" disabled={isBusy} onClick={() => void look()}>
        Redrive all
      </button>
      {asked !== null && (
        <Question
          title={`Redrive ${asked.isMore ? "the newest 100 dead jobs" : count(asked.size, "dead job")}?`}
          yes="Redrive"
          onAnswer={(isYes) => {
            setAsked(null);
            if (isYes) void redrive();
          }}
        >
          Each gets fresh attempts, with the idempotency key that it had: an upstream that honours it acts
          once.
          {asked.isMore && " There are more than that; redrive again for the next ones."}
        </Question>
      )}
    </div>
  );
}

function valueOf(event: Event): string {
  return (event.currentTarget as HTMLInputElement | HTMLSelectElement).value;
}
