import { hrefTo } from "../../../console/kit/route.ts";
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

/** The filters of the list. They are kept in the address, so that a filtered list can be sent to a colleague. */
export function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const set = (name: keyof RunFilter) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement | HTMLSelectElement;
    location.hash = hrefTo("runs", null, { ...filter, [name]: value.trim() });
  };
  const isOpen = MORE.some(([name]) => filter[name] !== "");
  return (
    <div class="filters run-filters">
      <label>
        <span class="hidden-text">Status</span>
        <select onChange={set("status")}>
          <Options any="Any status" values={RUN_STATUSES} chosen={filter.status} />
        </select>
      </label>
      <label>
        <span class="hidden-text">Source</span>
        <select onChange={set("source")}>
          <Options any="Any source" values={RUN_SOURCES} chosen={filter.source} say={sayDoor} />
        </select>
      </label>
      <label>
        <span class="hidden-text">Since</span>
        <select onChange={set("since")}>
          {Object.entries(SINCE).map(([value, { label }]) => (
            <option key={value} value={value} selected={filter.since === value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Text name="tool" any="Any tool" label="Tool" value={filter.tool} onChange={set("tool")} />
      <details class="fold" open={isOpen}>
        <summary>More filters</summary>
        <div class="filters">
          {MORE.map(([name, any, label]) => (
            <Text key={name} name={name} any={any} label={label} value={filter[name]} onChange={set(name)} />
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

interface OptionsProps {
  readonly any: string;
  readonly values: readonly string[];
  readonly chosen: string;
  readonly say?: (value: string) => string;
}

function Options({ any, values, chosen, say = (value) => value }: OptionsProps) {
  return (
    <>
      <option value="" selected={chosen === ""}>
        {any}
      </option>
      {values.map((value) => (
        <option key={value} value={value} selected={chosen === value}>
          {say(value)}
        </option>
      ))}
    </>
  );
}

interface TextProps {
  readonly name: string;
  readonly any: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (event: Event) => void;
}

function Text({ name, any, label, value, onChange }: TextProps) {
  return (
    <label>
      <span class="hidden-text">{label}</span>
      <input
        type="search"
        name={name}
        placeholder={any}
        value={value}
        spellcheck={false}
        onChange={onChange}
      />
    </label>
  );
}
