import { useMemo, useState } from "../kit/jsx-hooks.ts";
import { hrefTo, type Route } from "../kit/route.ts";
import { useFilter } from "../kit/use-browser.ts";
import { usePages } from "../kit/use-pages.ts";
import type { WireJob } from "../kit/wire.ts";
import { Choice, Search } from "../parts/filters.tsx";
import { Empty, Pending } from "../parts/notes.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Question } from "../parts/question.tsx";
import { Title } from "../parts/title.tsx";
import { count } from "../parts/count.ts";
import { sayJobs } from "../parts/status.tsx";
import { JOB_STATUSES, readFilter, SINCE, toQuery, wordsOf } from "./job-filter.ts";
import { JobPage } from "./job-page.tsx";
import { JobTable } from "./job-table.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { useRedrive } from "./use-redrive.ts";

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
  const { set } = useFilter(["status", "tool", "since"]);
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
        <Choice
          label="Status"
          any="Any status"
          values={JOB_STATUSES}
          say={sayJobs}
          chosen={filter.status}
          onChoose={set("status")}
        />
        <Search label="Tool" any="Any tool" value={filter.tool} onText={set("tool")} />
        <Choice label="Since" values={wordsOf(SINCE)} chosen={filter.since} onChoose={set("since")} />
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
  const { redrive, said, send, isBusy, problem } = useRedrive("/v1/jobs/redrive", onDone);
  const look = async (): Promise<void> => {
    const most = path.replace(/limit=\d+/, "limit=100");
    const answer = await send<{ jobs: readonly WireJob[]; next_cursor: string | null }>(most);
    if (!answer.ok) return;
    const { jobs, next_cursor: next } = answer.data;
    setAsked({ size: jobs.length, isMore: next !== null });
  };
  const redriveAll = (): Promise<void> => {
    const since = new URLSearchParams(path.split("?")[1]).get("since");
    return redrive({ status: "dead", ...(tool !== "" && { tool }), ...(since !== null && { since }) });
  };
  return (
    <div class="row">
      {said !== null && <span class="small muted">{said}</span>}
      <ProblemNote problem={problem} />
      <button type="button" aria-disabled={isBusy} onClick={() => void look()}>
        Retry all
      </button>
      {asked !== null && (
        <Question
          title={`Retry ${asked.isMore ? "the newest 100 dead jobs" : count(asked.size, "dead job")}?`}
          yes="Retry"
          onClose={() => setAsked(null)}
          onYes={() => void redriveAll()}
        >
          Each gets fresh attempts, with the idempotency key that it had: an upstream that honours it acts
          once.
          {asked.isMore && " There are more than that; retry again for the next ones."}
        </Question>
      )}
    </div>
  );
}
