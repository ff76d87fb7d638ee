import { parsePointer } from "../../core/kit/json/json-pointer.ts";
import { writeExact } from "../kit/exact-json.ts";
import type { Issue } from "../kit/wire.ts";
import { Facts } from "./facts.tsx";
import { JsonView } from "./json-view.tsx";
import { explainReference } from "./explain-reference.ts";

/** So many arguments are drawn; a schema of more is rare, and a page of thousands stands still. */
const MOST = 100;
/** So much of a text is drawn before the rest is asked for. */
const FIRST_CHARACTERS = 4_000;

interface ArgsViewProps {
  readonly args: unknown;
  readonly label: string;
  /** The faults of their fields, below `/args`. */
  readonly issues?: readonly Issue[];
  /** The arguments as they were written; a reference of those stands below the value that was sent for it. */
  readonly written?: unknown;
}

/** Arguments as a person reads them: names beside values, texts as they are, references in words. All of it is text. */
export function ArgsView({ args, label, issues = [], written }: ArgsViewProps) {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return <JsonView value={args} label={label} />;
  const wrong = Map.groupBy(issues, ({ path }) => parsePointer(path)?.[1] ?? "");
  const missing = [...wrong.keys()].filter((name) => !Object.hasOwn(args, name));
  const entries: [string, unknown][] = [
    ...Object.entries(args),
    ...missing.map((name): [string, unknown] => [name, undefined]),
  ];
  if (entries.length === 0) return <p class="muted">Without arguments.</p>;
  return (
    <div class="stack tight">
      <Facts
        look="args"
        label={label}
        of={entries.slice(0, MOST).map(([name, value]) => [
          name,
          <div>
            {value === undefined ? <span class="muted">missing</span> : <Value value={value} label={name} />}
            {(wrong.get(name) ?? []).map((issue) => (
              <Fault key={issue.path} issue={issue} />
            ))}
            <Written key="written" was={Object(written)[name]} now={value} />
          </div>,
        ])}
      />
      {entries.length > MOST && <JsonView value={args} label={`${label}, all of them`} />}
    </div>
  );
}

function Fault({ issue: { path, expected, received } }: { readonly issue: Issue }) {
  const inside = path.split("/").slice(3).join("/");
  return (
    <p class="wrong">
      {inside !== "" && <code>{inside}</code>} expected <bdi>{expected}</bdi>, received <bdi>{received}</bdi>
    </p>
  );
}

/** The reference that a value was sent for. */
function Written({ was, now }: { readonly was: unknown; readonly now: unknown }) {
  if (was === undefined || writeExact(was) === writeExact(now)) return null;
  const template = typeof was === "object" && was !== null && "$template" in was ? was.$template : undefined;
  return (
    <p class="muted small written">
      written as{" "}
      {typeof template === "string" ? (
        <code>{template}</code>
      ) : (
        (explainReference(was) ?? <code>{writeExact(was)}</code>)
      )}
    </p>
  );
}

function Value({ value, label }: { readonly value: unknown; readonly label: string }) {
  const reference = explainReference(value);
  if (reference !== null) return <span class="reference">{reference}</span>;
  if (typeof value === "string") {
    if (value === "") return <span class="muted">an empty text</span>;
    if (value.length > FIRST_CHARACTERS) return <JsonView value={value} label={label} />;
    return (
      <span class="text" dir="auto">
        {value}
      </span>
    );
  }
  if (typeof value === "boolean") return <span>{value ? "yes" : "no"}</span>;
  if (isPlainList(value))
    return (
      <ul class="plain-list">
        {value.map((element, index) => (
          <li key={index} dir="auto">
            {String(element)}
          </li>
        ))}
      </ul>
    );
  if (typeof value !== "object" || value === null) return <span class="mono">{String(value)}</span>;
  return <JsonView value={value} label={label} />;
}

/** A short list of texts and numbers, such as receivers. */
function isPlainList(value: unknown): value is readonly (string | number | bigint)[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= 30 &&
    value.every((one) => ["string", "number", "bigint"].includes(typeof one) && String(one).length <= 300)
  );
}
