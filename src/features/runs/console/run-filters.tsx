import { wordsOf } from "../../../console/jobs/job-filter.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { Choice, Search } from "../../../console/parts/filters.tsx";
import { isNarrow, type RunFilter, SINCE } from "./run-filter.ts";
import { RUN_SOURCES, RUN_STATUSES, sayDoor } from "./run-words.ts";

/** The texts to filter by, besides the tool; they fold. */
const MORE = [
  ["flow", "Any flow", "Flow"],
  ["key", "Any key", "Key"],
  ["tag", "Any tag", "Tag"],
  ["subject", "Any subject", "Subject"],
  ["request_id", "Any request id", "Request id"],
] as const;

const SOURCES = Object.fromEntries(RUN_SOURCES.map((source) => [source, sayDoor(source)]));

/** The filters of the list. They are kept in the address, so that a filtered list can be sent to a colleague. */
export function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const set = (name: keyof RunFilter) => (value: string) => {
    location.hash = hrefTo("runs", null, { ...filter, [name]: value });
  };
  const isOpen = MORE.some(([name]) => filter[name] !== "");
  return (
    <div class="filters run-filters">
      <Choice
        label="Status"
        any="Any status"
        values={RUN_STATUSES}
        chosen={filter.status}
        onChoose={set("status")}
      />
      <Choice
        label="Source"
        any="Any source"
        values={SOURCES}
        chosen={filter.source}
        onChoose={set("source")}
      />
      <Choice label="Since" values={wordsOf(SINCE)} chosen={filter.since} onChoose={set("since")} />
      <Search label="Tool" any="Any tool" value={filter.tool} onText={set("tool")} />
      <details class="fold" open={isOpen}>
        <summary>More filters</summary>
        <div class="filters">
          {MORE.map(([name, any, label]) => (
            <Search key={name} any={any} label={label} value={filter[name]} onText={set(name)} />
          ))}
        </div>
      </details>
      {isNarrow(filter) && (
        <a key="all" class="all" href={hrefTo("runs")}>
          Clear filters
        </a>
      )}
    </div>
  );
}
