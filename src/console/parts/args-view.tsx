import { Facts } from "./facts.tsx";
import { JsonView } from "./json-view.tsx";
import { explainReference } from "./explain-reference.ts";

/** So many arguments are drawn; a schema of more is rare, and a page of thousands stands still. */
const MOST = 100;
/** So much of a text is drawn before the rest is asked for. */
const FIRST_CHARACTERS = 4_000;

/** Arguments as a person reads them: names beside values, texts as they are, references in words. All of it is text. */
export function ArgsView({ args, label }: { readonly args: unknown; readonly label: string }) {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return <JsonView value={args} label={label} />;
  const entries = Object.entries(args);
  if (entries.length === 0) return <p class="muted">Without arguments.</p>;
  return (
    <div class="stack tight">
      <Facts
        look="args"
        label={label}
        of={entries.slice(0, MOST).map(([name, value]) => [name, <Value value={value} label={name} />])}
      />
      {entries.length > MOST && <JsonView value={args} label={`${label}, all of them`} />}
    </div>
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
    value.every(
      (one) =>
        typeof one === "number" || typeof one === "bigint" || (typeof one === "string" && one.length <= 300),
    )
  );
}
