import { type Answer, ask } from "../../../console/kit/api.ts";
import { useAnswer } from "../../../console/kit/use-load.ts";
import { count } from "../../../console/parts/count.ts";
import { Link } from "../../../console/parts/link.tsx";
import { type Column, Table } from "../../../console/parts/table.tsx";
import { countRuns, type CountedRuns, DAYS, type HourOfRuns } from "./count-runs.ts";
import type { ListedRun } from "./wire-runs.ts";

/** So many pages of runs are counted: each is a request. */
const MOST_PAGES = 5;
const PAGE = 100;
/** While the page is seen they are counted again so often. */
const EVERY_MS = 60_000;
const WIDTH = 240;
const HEIGHT = 48;

interface Counted extends CountedRuns {
  readonly size: number;
  /** There are older runs of the week that are not counted. */
  readonly isCut: boolean;
  readonly dayStarts: readonly number[];
}

/** The runs of the last day as a line, and of the last week by tool and day. */
export function RunsOfWeek() {
  const { data: counted } = useAnswer("the week", countWeek, { everyMs: EVERY_MS });
  if (counted === null || counted.size === 0) return null;
  const { hours, tools, dayStarts, size, isCut } = counted;
  const day = hours.reduce((sum, { runs }) => sum + runs, 0);
  const failed = hours.reduce((sum, one) => sum + one.failed, 0);
  return (
    <section class="card" aria-label="What ran">
      <div class="row">
        <h2>What ran</h2>
        <span class="end muted small">
          {count(day, "run")} in the last 24 hours, {failed} failed
        </span>
      </div>
      <Line hours={hours} label={`${count(day, "run")} in the last 24 hours, ${failed} of them failed`} />
      <h3>Runs that called a tool, by day</h3>
      <Table
        of={tools}
        by={({ tool }) => tool}
        look="by-tool"
        columns={[
          ["Tool", ({ tool }) => <Link of={tool} section="runs" to={null} query={{ tool }} />],
          ...dayStarts.map((start, at): Column<CountedRuns["tools"][number]> => [
            sayDay(start),
            ({ days }) => <Runs of={days[at]!} />,
            "number",
          ]),
        ]}
      />
      {isCut && (
        <p key="cut" class="muted small">
          Only the newest {size.toLocaleString("en")} runs are counted.
        </p>
      )}
    </section>
  );
}

function Runs({ of }: { readonly of: number }) {
  return of === 0 ? <span class="muted">–</span> : <>{of.toLocaleString("en")}</>;
}

/** Runs by the hour: all of them as a line, those that failed as another. */
function Line({ hours, label }: { readonly hours: readonly HourOfRuns[]; readonly label: string }) {
  const most = Math.max(1, ...hours.map(({ runs }) => runs));
  const draw = (sizes: readonly number[]): string =>
    sizes
      .map((size, at) => {
        const x = (WIDTH * at) / (sizes.length - 1);
        return `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${(HEIGHT - 2 - ((HEIGHT - 4) * size) / most).toFixed(1)}`;
      })
      .join("");
  const runs = draw(hours.map((hour) => hour.runs));
  return (
    <svg
      class="day-line"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="area" d={`${runs}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
      <path class="all" d={runs} />
      <path class="failed" d={draw(hours.map((hour) => hour.failed))} />
    </svg>
  );
}

/** Ask for the runs of a week, page by page, and count them. */
async function countWeek(): Promise<Answer<Counted>> {
  const nowMs = Date.now();
  const dayStarts = startsOfDays(nowMs);
  const since = new Date(dayStarts[0]!).toISOString();
  const runs: ListedRun[] = [];
  let cursor: string | null = null;
  for (let page = 1; ; page += 1) {
    const path: string = `/v1/runs?limit=${PAGE}&since=${since}${cursor === null ? "" : `&cursor=${cursor}`}`;
    const answer = await ask<{ runs: readonly ListedRun[]; next_cursor: string | null }>(path);
    if (!answer.ok) return answer;
    runs.push(...answer.data.runs);
    cursor = answer.data.next_cursor;
    const counted = { size: runs.length, isCut: cursor !== null, dayStarts };
    if (cursor === null || page === MOST_PAGES)
      return { ...answer, data: { ...countRuns(runs, { nowMs, dayStarts }), ...counted } };
  }
}

/** When each of the last days begins here, the oldest first. */
function startsOfDays(nowMs: number): readonly number[] {
  return Array.from({ length: DAYS }, (_, at) => {
    const day = new Date(nowMs);
    day.setHours(0, 0, 0, 0);
    day.setDate(day.getDate() - (DAYS - 1 - at));
    return day.getTime();
  });
}

function sayDay(startMs: number): string {
  return new Date(startMs).toLocaleDateString([], { day: "numeric", month: "short" });
}
